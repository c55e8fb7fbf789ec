"""Glob patterns of specs: `*` and `?` stay within a name, `**` is any depth (also none), `[..]` is literal,
`<name>` captures a run of characters within a name, `<name:int>` digits, `<name:hex>` hexadecimal, `<name:uuid>` a
dashed UUID. A name that begins with a dot is a name like any other.

A pattern is a tuple of segments, one a directory level; `ANY_DEPTH` stands for `**`.
"""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

#: the segment `**`
ANY_DEPTH = "**"

_CAPTURE = re.compile(r"<([A-Za-z_][A-Za-z0-9_]*)(?::(int|hex|uuid))?>")

_KINDS = {
    None: r"[^/]+",
    "int": r"[0-9]+",
    "hex": r"[0-9A-Fa-f]+",
    "uuid": r"[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}",
}


class Segment(Struct, frozen=True):
    """One level of a pattern: `literal` is its name, or `regex` matches it whole."""

    literal: str | None
    regex: re.Pattern[str] | None

    def match(self, name: str) -> dict[str, str] | None:
        """The captures when the name fits, else None."""
        if self.regex is None:
            return {} if name == self.literal else None
        found = self.regex.fullmatch(name)
        return found.groupdict() if found else None


Pattern = tuple[Segment | str, ...]


def _regex(text: str, fill: Mapping[str, str], seen: set[str]) -> str:
    """A regular expression for one segment or a whole path; a captured name is a group the first time, then the
    same text again."""
    out, at = [], 0
    for token in re.finditer(r"<[^<>/]*>|\*\*|[*?]", text):
        out.append(re.escape(text[at : token.start()]))
        at = token.end()
        capture = _CAPTURE.fullmatch(token[0])
        if capture is not None:
            name = capture[1]
            if name in fill:
                out.append(re.escape(fill[name]))
            elif name in seen:
                out.append(f"(?P={name})")
            else:
                seen.add(name)
                out.append(f"(?P<{name}>{_KINDS[capture[2]]})")
        elif token[0] == "?":
            out.append("[^/]")
        elif token[0] in ("*", "**"):
            out.append("[^/]*")
        else:
            out.append(re.escape(token[0]))
    out.append(re.escape(text[at:]))
    return "".join(out)


def filled(text: str, fill: Mapping[str, str]) -> str | None:
    """The literal name when a segment holds nothing but text and captures that `fill` gives, else None."""
    rest = _CAPTURE.sub(lambda m: fill.get(m[1], "*"), text)
    bare = _CAPTURE.sub(lambda m: "" if m[1] in fill else "*", text)
    return None if "*" in bare or "?" in bare else rest


def compile_glob(pattern: str, fill: Mapping[str, str] | None = None) -> Pattern:
    """The segments of a pattern; captures named in `fill` stand for their text. `.` and empty segments fall away."""
    return _compile(pattern, tuple(sorted((fill or {}).items())))


@functools.lru_cache(maxsize=4096)
def _compile(pattern: str, fill_items: tuple[tuple[str, str], ...]) -> Pattern:
    fill = dict(fill_items)
    segments: list[Segment | str] = []
    for part in pattern.split("/"):
        if part in ("", "."):
            continue
        if part == ANY_DEPTH:
            if not segments or segments[-1] != ANY_DEPTH:
                segments.append(ANY_DEPTH)
            continue
        literal = filled(part, fill)
        if literal is not None:
            segments.append(Segment(literal, None))
        else:
            segments.append(Segment(None, re.compile(_regex(part, fill, set()), re.DOTALL)))
    return tuple(segments)


@functools.lru_cache(maxsize=4096)
def path_regex(pattern: str) -> re.Pattern[str]:
    """A regular expression for a whole relative path that the pattern matches, or anything below such a path."""
    out: list[str] = []
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    for at, part in enumerate(parts):
        last = at == len(parts) - 1
        if part == ANY_DEPTH:
            out.append(".*" if last else "(?:[^/]+/)*")
        else:
            out.append(_regex(part, {}, set(_names_before(parts, at))) + ("" if last else "/"))
    return re.compile("".join(out) + r"(?:/.*)?", re.DOTALL)


def _names_before(parts: list[str], at: int) -> Iterable[str]:
    return (m[1] for part in parts[:at] for m in _CAPTURE.finditer(part))


@functools.lru_cache(maxsize=1024)
def crossing_regex(*patterns: str) -> re.Pattern[str]:
    """What any of the catalog's exclusions or secrets matches: `*` crosses `/` there, and what lies below a match
    matches too."""
    each = [fnmatch.translate(pattern.replace("[", "[[]")).removesuffix(r"\Z") for pattern in patterns]
    return re.compile(f"(?:{'|'.join(each) or '(?!)'})(?:/.*)?" + r"\Z", re.DOTALL)


def typed(captures: Mapping[str, str], kinds: Mapping[str, str]) -> dict[str, Any]:
    """Captures as expressions see them: those of kind `int` as integers."""
    found: dict[str, Any] = dict(captures)
    for name, kind in kinds.items():
        if kind == "int" and len(text := found.get(name, "")) < 4300 and text:
            found[name] = int(text)
    return found


def capture_kinds(pattern: str) -> dict[str, str]:
    """Name of each capture of a pattern → its kind, '' for any text."""
    return {m[1]: m[2] or "" for m in _CAPTURE.finditer(pattern)}
