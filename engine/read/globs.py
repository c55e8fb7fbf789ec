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
from typing import Any, NamedTuple

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

#: a wildcard → what it matches; `**` inside a name is `*`
_WILD = {"?": "[^/]", "*": "[^/]*", "**": "[^/]*"}


class Segment(Struct, frozen=True):
    """One level of a pattern: `literal` is its name, or `regex` matches it whole; it begins with `prefix`."""

    literal: str | None
    regex: re.Pattern[str] | None
    prefix: str = ""

    def match(self, name: str) -> dict[str, str] | None:
        """The captures when the name fits, else None."""
        if self.regex is None:
            return {} if name == self.literal else None
        found = self.regex.fullmatch(name)
        return found.groupdict() if found else None


Pattern = tuple[Segment | str, ...]


class _Token(NamedTuple):
    """A piece of a pattern: text, a capture by its `name`, or else a wildcard."""

    text: str
    name: str = ""
    kind: str | None = None
    literal: bool = False


@functools.lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[_Token, ...]:
    """The pieces of one segment."""
    out, at = [], 0
    for token in re.finditer(r"<[^<>/]*>|\*\*|[*?]", text):
        out.append(_Token(text[at : token.start()], literal=True))
        at = token.end()
        capture = _CAPTURE.fullmatch(token[0])
        if capture is not None:
            out.append(_Token(token[0], capture[1], capture[2]))
        else:
            out.append(_Token(token[0], literal=token[0] not in _WILD))
    out.append(_Token(text[at:], literal=True))
    return tuple(token for token in out if token.text)


def _regex(text: str, fill: Mapping[str, str], seen: set[str]) -> str:
    """A regular expression for one segment; a captured name is a group the first time, then the same text again."""
    out = []
    for token in _tokens(text):
        if token.literal or token.name in fill:
            out.append(re.escape(fill.get(token.name, token.text)))
        elif not token.name:
            out.append(_WILD[token.text])
        elif token.name in seen:
            out.append(f"(?P={token.name})")
        else:
            seen.add(token.name)
            out.append(f"(?P<{token.name}>{_KINDS[token.kind]})")
    return "".join(out)


def compile_glob(pattern: str, fill: Mapping[str, str] | None = None) -> Pattern:
    """The segments of a pattern; captures named in `fill` stand for their text. `.` and empty segments fall away."""
    if not fill:
        return _compiled(pattern)
    return tuple(part if part == ANY_DEPTH else _segment(part, fill) for part in _parts(pattern))


@functools.lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Pattern:
    return tuple(part if part == ANY_DEPTH else _segment(part, {}) for part in _parts(pattern))


@functools.lru_cache(maxsize=4096)
def _parts(pattern: str) -> tuple[str, ...]:
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    return tuple(part for at, part in enumerate(parts) if part != ANY_DEPTH or parts[at - 1 : at] != [ANY_DEPTH])


def _segment(part: str, fill: Mapping[str, str]) -> Segment:
    literal = ""
    for token in _tokens(part):
        if not token.literal and token.name not in fill:
            filled = tuple((name, fill[name]) for _, name, *_ in _tokens(part) if name in fill)
            return Segment(None, _wild(part, filled), literal)
        literal += fill.get(token.name, token.text)
    return Segment(literal, None)


@functools.lru_cache(maxsize=4096)
def _wild(part: str, filled: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    return re.compile(_regex(part, dict(filled), set()), re.DOTALL)


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
