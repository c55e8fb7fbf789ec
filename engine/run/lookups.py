"""`lookups`: values found in other stores, from the heads of their units.

A lookup holds what the units of its stores in the same base say: of equal keys the first unit in the order of sources
that has a value. A key is compared as text; a null key or value enters nothing; of a list each element enters. The
head of a unit is its document or table row, or its first good record. A project's sources see the lookups of the
homes of the same host and user besides those of the project itself. It is built when it is first asked for.

With `per: file` the lookup covers every row or record of the stores that read the same file, one table a file; it is
built when it is first asked for while that file is read. Inside the expressions of a lookup, lookups give null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from itertools import count
from typing import Any

from msgspec import Struct

from engine.lang import jsontext, text
from engine.lang.plan import Lookup
from engine.read.expressions import member_path
from engine.read.sources import PROJECT, Base
from engine.read.temporary import unnamed_file
from engine.read.units import Block
from engine.run.scope import Scope
from engine.run.values import Compute, Values

Table = MutableMapping[str, Any]

#: text up to this length is kept in memory
_SMALL = 256
_ANY_DEPTH = 1 << 20

#: host, user and path of a base
Home = tuple[str, str, str]


def home_of(base: Base) -> Home:
    return base.host, base.user, str(base.path)


class Lookups:
    """Name → base → key → value. A lookup is gathered, by its name, when it is first asked for."""

    def __init__(self, gather: Callable[[str], dict[Home, Table]] = lambda name: {}):
        self._gather = gather
        self._tables: dict[str, dict[Home, Table]] = {}

    def of(self, name: str, base: Base) -> list[Table]:
        """The tables that a source below `base` sees, its own base's first."""
        if name not in self._tables:
            self._tables[name] = self._gather(name)
        homes = self._tables[name]
        own = home_of(base)
        seen = [own] if own in homes else []
        if base.kind == PROJECT:
            seen += [home for home in homes if home[:2] == own[:2] and home != own]
        return [homes[home] for home in seen]


class Entries:
    """A lookup, compiled: what a scope enters into its table."""

    def __init__(self, lookup: Lookup, values: Values):
        self.lookup = lookup
        self.key: Compute = values.expr(lookup.key)
        self.value: Compute = values.expr(lookup.value)
        self._key_path, self._value_path = member_path(lookup.key), member_path(lookup.value)
        counted = lookup.key.source == "unit.count"
        #: whether key and value are no more than members of a record, or its number
        self.plain = self._value_path is not None and (counted or self._key_path is not None)

    def enter(self, scope: Scope, table: Table) -> None:
        _enter(table, self.key(scope), self.value(scope))

    def enter_block(self, block: Block, table: Table) -> None:
        """Enters records without their scopes; the lookup is `plain`."""
        values = _members(block.values, self._value_path or ())
        if self._key_path is None:
            keys: Iterable[Any] = map(str, count(block.before + 1))
        else:
            keys = _members(block.values, self._key_path)
        for key, value in zip(keys, values, strict=False):
            if key is not None and value is not None:
                if type(key) is str:
                    table.setdefault(key, value)
                else:
                    _enter(table, key, value)


class Spool(MutableMapping[str, Any]):
    """A table whose larger values lie in a temporary file, as JSON text: for files that are too large to hold."""

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}
        self._file = unnamed_file()
        self._end, self._at_end = 0, True

    def __getitem__(self, key: str) -> Any:
        found = self._kept[key]
        if type(found) is not _Place:
            return found
        self._file.seek(found.start)
        self._at_end = False
        return jsontext.loads(self._file.read(found.size).decode("utf-8", "surrogatepass"), nesting=_ANY_DEPTH)

    def __setitem__(self, key: str, value: Any) -> None:
        if isinstance(value, dict | list) or (isinstance(value, str) and len(value) > _SMALL):
            stored = jsontext.dumps(value).encode("utf-8", "surrogatepass")
            if not self._at_end:
                self._at_end = self._file.seek(self._end) == self._end
            self._file.write(stored)
            value = _Place(self._end, len(stored))
            self._end += len(stored)
        self._kept[key] = value

    def __delitem__(self, key: str) -> None:
        del self._kept[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


class _Place(Struct, frozen=True):
    """Where a value lies in the file of a spool, in bytes."""

    start: int
    size: int


def _enter(table: Table, keys: Any, value: Any) -> None:
    if value is None:
        return
    for key in keys if isinstance(keys, list) else (keys,):
        if key is not None:
            table.setdefault(key if type(key) is str else text.as_text(key), value)


def _members(values: list[Any], path: tuple[str, ...]) -> list[Any]:
    """What each value has at a path."""
    for name in path:
        values = [value.get(name) if type(value) is dict else None for value in values]
    return values


def find(tables: Iterable[Table], key: Any) -> Any:
    """The first table's value for a key, else null."""
    wanted = key if type(key) is str else text.as_text(key)
    for table in tables:
        # null is in no table
        found = table.get(wanted)
        if found is not None:
            return found
    return None
