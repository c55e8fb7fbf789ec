"""What values have in common: their shape, what tells their kinds apart, what may be a column of a row."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from engine.lang import times
from engine.review.census_shapes import type_of

#: a member with more different texts than this tells no kinds apart; deeper members are left open
KINDS, DEPTH = 24, 6

_TELLING = ("type", "kind", "event", "role", "record_type", "_type", "source", "action", "subtype", "name")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ISO = re.compile(r"\d{4}-\d\d-\d\d([T ]|$)")
_UNITS = ((10**17, "ns"), (10**14, "us"), (10**11, "ms"), (10**8, "s"))
#: column → what the names of its members look like, the likeliest first
_NAMES: dict[str, tuple[str, ...]] = {
    "time": ("timestamp|time|ts|at", "(created|started|date|updated|finished|sent).*|.*(_at|At|time|Time|_ts|date)"),
    "session_id": (r"(session|conversation|thread|chat)_?(id|Id|ID)",),
    "project_path": ("cwd|workdir|working_?dir(ectory)?", "(project|workspace|folder)(_?(path|dir|folder|root))?"),
    "git_branch": ("git_?[bB]ranch|branch",),
    "model": ("model(_?(name|id|Id|Name))?",),
    "tool_name": ("tool_?[nN]ame|tool",),
    "tool_use_id": ("(tool_?([uU]se|[cC]all)|call)_?(id|Id)",),
    "text": ("text|prompt", "content|message|body|output|summary", "title|command|display"),
}


@dataclass
class Seen:
    """What was seen at one place: how often, with which types, texts (None: too many to list), members, elements."""

    count: int = 0
    types: Counter[str] = field(default_factory=Counter)
    texts: dict[str, int] | None = field(default_factory=dict)
    members: dict[str, Seen] = field(default_factory=dict)
    elements: Seen | None = None
    example: Any = None

    def add(self, value: Any, depth: int = 0) -> None:
        self.count += 1
        self.types[type_of(value)] += 1
        if value not in (None, "") and not isinstance(value, dict | list):
            self.example = value
        if isinstance(value, str) and self.texts is not None:
            self.texts[value] = self.texts.get(value, 0) + 1
            if len(self.texts) > KINDS:
                self.texts = None
        if depth < DEPTH:
            if isinstance(value, dict):
                for key, inner in value.items():
                    self.members.setdefault(key, Seen()).add(inner, depth + 1)
            elif isinstance(value, list):
                self.elements = self.elements or Seen()
                for inner in value:
                    self.elements.add(inner, depth + 1)


def seen_of(values: Iterable[Any]) -> Seen:
    seen = Seen()
    for value in values:
        seen.add(value)
    return seen


def shape_of(seen: Seen, kinds: frozenset[str] = frozenset(), path: str = "") -> dict[str, Any]:
    """The shape of what was seen. The texts of the places `kinds` are listed, as those that tell records apart."""
    types = sorted(seen.types)
    shape: dict[str, Any] = {"type": types[0] if len(types) == 1 else types} if types else {}
    if path in kinds and seen.texts:
        return {"enum": sorted(seen.texts)} | ({} if types == ["string"] else {"type": types})
    if seen.members and _is_map(seen):
        merged = Seen()
        for inner in seen.members.values():
            merged = _merged(merged, inner)
        shape["additionalProperties"] = shape_of(merged)
    elif seen.members:
        objects = seen.types["object"]
        always = [key for key, inner in seen.members.items() if inner.count == objects]
        shape |= {"required": always} if always else {}
        shape["properties"] = {
            key: shape_of(inner, kinds, f"{path}.{key}" if path else key) for key, inner in seen.members.items()
        }
    if seen.elements is not None and seen.elements.count:
        shape["items"] = shape_of(seen.elements)
    return shape


def _is_map(seen: Seen) -> bool:
    """Whether the members' names are data, such as paths or ids: many, or none that is a name."""
    names = list(seen.members)
    odd = sum(not re.fullmatch(r"[A-Za-z_$][\w.$-]{0,40}", name) for name in names)
    return odd * 2 > len(names) or len(names) > 80


def _merged(one: Seen, other: Seen) -> Seen:
    elements = one.elements or other.elements
    made = Seen(one.count + other.count, one.types + other.types, None, dict(one.members), elements)
    for key, inner in other.members.items():
        made.members[key] = _merged(made.members[key], inner) if key in made.members else inner
    return made


class Candidate(NamedTuple):
    """A member that may be a column: its path, in how many records it stands, and the unit of a time."""

    path: str
    stands: int
    unit: str = ""


def discriminator(seen: Seen) -> str | None:
    """The member of records whose texts tell their kinds apart."""
    objects = seen.types["object"]
    fit = [
        name
        for name in _TELLING
        if (inner := seen.members.get(name)) is not None
        and inner.texts
        and inner.types["string"] * 10 >= objects * 9
        and (len(inner.texts) > 1 or name in _TELLING[:5])
        and (len(inner.texts) * 2 <= max(objects, 4) or name in _TELLING[:5])
        and all(_is_word(text) for text in inner.texts)
    ]
    return fit[0] if fit else None


def _is_word(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z][\w.:/-]{0,60}", text) is not None


def candidates(seen: Seen, root: str) -> dict[str, list[Candidate]]:
    """Column → members of records that may be it, the likeliest first; members of members too."""
    places = list(_places(seen, root))
    found: dict[str, list[Candidate]] = {}
    for column, patterns in _NAMES.items():
        ranked = []
        for path, name, inner in places:
            rank = next((at for at, pattern in enumerate(patterns) if re.fullmatch(pattern, name)), None)
            unit = _unit(inner) if column == "time" else ""
            if rank is not None and (unit if column == "time" else _may_be(column, inner)):
                ranked.append((path.count("."), rank, -inner.count, Candidate(path, inner.count, unit)))
        if ranked:
            found[column] = [candidate for *_, candidate in sorted(ranked)]
    return found


def _places(seen: Seen, path: str, depth: int = 0) -> Iterator[tuple[str, str, Seen]]:
    for name, inner in seen.members.items() if not _is_map(seen) else ():
        place = f"{path}.{member(name)}"
        yield place, name, inner
        if depth < 2:
            yield from _places(inner, place, depth + 1)


def member(name: str) -> str:
    """A member's name in an expression."""
    if _IDENTIFIER.fullmatch(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _may_be(column: str, inner: Seen) -> bool:
    if column == "text":
        return bool({"string", "array"} & inner.types.keys())
    if column == "project_path":
        return isinstance(inner.example, str) and ("/" in inner.example or "\\" in inner.example)
    return "string" in inner.types and isinstance(inner.example, str)


def _unit(inner: Seen) -> str:
    """The unit of a stamp, '' when it is none."""
    value = inner.example
    if isinstance(value, str):
        return "iso" if _ISO.match(value) and times.parse(value, "iso") is not None else ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return next((unit for least, unit in _UNITS if value >= least), "")
    return ""
