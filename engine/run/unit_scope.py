"""What expressions see of a unit and its records, wherever they are computed: walks, finds, lookups, `once`.

`file.stem` is the name without its last suffix, a compression's suffix (`.zst`, `.gz`) taken off first. `path` holds
the captures of the store's glob; in a folder those of the record's own file too, also of a file that can't be read. A
bad record, and no record at all, are a null record; `pos.record` and `unit.count` still count bad ones.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Any

from engine.errors import BadUnit
from engine.read.sources import FileInfo, Source
from engine.read.units import Record, Unit
from engine.run.find import Finds, Found
from engine.run.scope import Lazy, Scope


def file_names(info: FileInfo, source: Source) -> dict[str, Any]:
    """The `file` object of a source."""
    directory, name = posixpath.split(info.source_file)
    bare = name.removesuffix(".zst").removesuffix(".gz")
    return {
        "name": name,
        "stem": posixpath.splitext(bare)[0],
        "path": info.source_file,
        "dir": directory,
        "size": info.size,
        "mtime": info.mtime,
        "home": source.base.home,
    }


class _Records:
    """The records of one unit, and the scopes around them. It does not know the finds, which know it: so there is no
    circle, and what a unit holds goes with it."""

    def __init__(self, unit: Unit, source: Source, state: dict[str, Any] | None, run: Any):
        self.unit = unit
        own = {"path": unit.captures, "file": file_names(unit.file, source), "state": {} if state is None else state}
        self.around = Scope({**own, **unit.names}, run=run)

    def read(self) -> Iterator[Record]:
        """The unit's records, up to where it breaks off."""
        try:
            for record in self.unit.records():
                if isinstance(record.bad, BadUnit):
                    return
                yield record
        except BadUnit:
            return

    def for_find(self, record: Record, seen: int, found: dict[str, Any]) -> Scope:
        """The scope of a record in a find, where `found` has the finds so far."""
        return Scope(found, self.scope(record, None, self.around, self.names(record, seen, None, 0)))

    def scope(self, record: Record | None, following: Record | None, around: Scope, unit: dict[str, Any]) -> Scope:
        good = record if record is not None and record.bad is None else None
        value = good.value if good is not None else None
        names: dict[str, Any] = {
            "record": value,
            "unit": unit,
            "pos": {"record": unit["count"] - 1 if record is not None else None},
            "next": {"record": following.value if following is not None and following.bad is None else None},
        }
        if self.unit.store.as_name not in self.unit.names:
            names[self.unit.store.as_name] = value
        if record is not None and record.names:
            names["path"] = {**self.unit.captures, **record.names}
        return Scope(names, around)

    def names(self, record: Record | None, seen: int, version: str | None, copies: int) -> dict[str, Any]:
        """The `unit` object at a record; without one its line is the rowid of a table row, else 0."""
        return {
            "line": record.line if record is not None else self.unit.rowid or 0,
            "count": seen,
            "version": version,
            "copies": copies,
            "store": self.unit.store.name,
            "files": self.unit.count,
        }


class UnitScope:
    """The scopes of one unit. `run` is the unit's run where a walk runs."""

    def __init__(self, unit: Unit, source: Source, finds: Finds, state: dict[str, Any] | None = None, run: Any = None):
        self.unit = unit
        self.version: str | None = None
        self.copies = 0
        self.seen = 0
        self._records = heads = _Records(unit, source, state, run)
        self.base = heads.around
        self._found: Found | None = None
        if finds.names:
            self._found = Found(finds, heads.read, heads.for_find, unit.holds)
            self.base = Scope({name: Lazy(partial(self._found.get, name)) for name in finds.names}, heads.around)

    def first(self) -> Record | None:
        """The first good record, None when there is none. `seen` is then its place from 1, or 0."""
        records, head = self.records(), []
        self.seen = 0
        for record in records:
            head.append(record)
            if record.bad is None:
                self.seen = len(head)
                if self._found is not None:
                    self._found.read_on(chain(head, records))
                return record
        return None

    def records(self) -> Iterator[Record]:
        """The unit's records, up to where it breaks off."""
        return self._records.read()

    def good(self) -> Iterator[Record]:
        return (record for record in self.records() if record.bad is None)

    def values(self) -> Iterator[Any]:
        """The values of all records, null where one is bad."""
        return (record.value for record in self.records())

    def each(self) -> Iterator[Scope]:
        """The scope of each good record, without its walk."""
        records = self.records()
        record, place = next(records, None), 1
        while record is not None:
            following = next(records, None)
            self.seen = place
            if record.bad is None:
                yield self.of(record, following)
            record, place = following, place + 1

    def of(self, record: Record | None, following: Record | None = None) -> Scope:
        """The scope of a record, the one that follows it in `next.record`."""
        unit = self._records.names(record, self.seen, self.version, self.copies)
        return self._records.scope(record, following, self.base, unit)
