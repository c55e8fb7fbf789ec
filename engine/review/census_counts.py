"""Counts of what a census meets, in bounded memory, and without anything that only evidence may say.

Names of members are shown when they look like names of a format; others, which may be paths, ids or worse, stand as
`*`. Values are shown when they are short words, as discriminators and versions are.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

#: different entries of a census, different members of one place, different values of one place
MOST, MOST_MEMBERS, MOST_VALUES = 5000, 100, 30

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.-]{0,47}")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,39}")
_VERSION = re.compile(r"v?\d{1,5}(\.\d{1,5}){0,3}([.+-][A-Za-z0-9.]{1,16})?")
_DIGIT = re.compile(r"\d")
_MANY_DIGITS = 5

TABLE, COLUMN, FILE, KEY, VALUE, TYPE, MISSING = "table", "column", "file", "key", "value", "type", "missing"


@dataclass(slots=True)
class Entry:
    """Something that the spec does not read.

    kind     table, column, file, key (a member), value (of something that rules dispatch on, or that a shape lists),
             type (another JSON type than the shape says), missing (a member that the shape requires)
    path     where: `record.payload.new`, a column, a file's path
    detail   the value, or the type found
    count    how often
    types    JSON type → how often, of members
    example  file and line of the first
    left     why the spec leaves it alone, '' when it does not say so
    """

    agent: str
    store: str
    kind: str
    path: str
    detail: str
    example: str
    count: int = 0
    types: Counter[str] = field(default_factory=Counter)
    left: str = ""

    def as_dict(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "store": self.store,
            "kind": self.kind,
            "path": self.path,
            "detail": self.detail,
            "count": self.count,
            "types": dict(self.types.most_common()),
            "example": self.example,
            "left": self.left,
        }


class Counts:
    """The entries of one census. `beyond` counts what was met when there was no more room."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, ...], Entry] = {}
        self.versions: dict[tuple[str, str, str], Counter[str]] = {}
        self.beyond = 0
        self._members: Counter[tuple[str, ...]] = Counter()

    def add(self, agent: str, store: str, kind: str, path: str, example: str, *, detail: str = "", type_: str = "",
            count: int = 1) -> None:  # fmt: skip
        key = (agent, store, kind, path, detail)
        entry = self.entries.get(key)
        if entry is None:
            group = (agent, store, kind, path if detail else path.rpartition(".")[0])
            most = MOST_VALUES if detail else MOST_MEMBERS
            if len(self.entries) >= MOST or self._members[group] >= most:
                self.beyond += count
                return
            self._members[group] += 1
            entry = self.entries[key] = Entry(agent, store, kind, path, detail, example)
        entry.count += count
        if type_:
            entry.types[type_] += count

    def version(self, agent: str, store: str, path: str, value: str) -> None:
        """Counts a version of the data."""
        found = self.versions.setdefault((agent, store, path), Counter())
        if value in found or len(found) < MOST_VALUES:
            found[value] += 1


def name_of(key: str) -> str:
    """A member's name as it may be shown."""
    return key if _NAME.fullmatch(key) and _plain(key) else "*"


def value_of(value: Any) -> str:
    """A value as it may be shown."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int) and abs(value) < 10**6:
        return str(value)
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) and _plain(value) else f"(text of {len(value)} characters)"
    return f"({type(value).__name__})"


def version_of(value: str | int) -> str:
    """A version as it may be shown."""
    return str(value) if _VERSION.fullmatch(str(value)) else value_of(value)


def _plain(text: str) -> bool:
    """Whether a word is no id or key: few digits, and none in a long one."""
    digits = len(_DIGIT.findall(text))
    return digits < _MANY_DIGITS and (digits == 0 or len(text) <= 32)
