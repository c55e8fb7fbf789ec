"""The records of a unit as generated code takes them: in blocks where a line file is plain, else one by one."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any

from engine.errors import BadFile, BadUnit
from engine.lang.fastjson import Refused
from engine.read.blocks import Irregular, Lines
from engine.read.limits import CHUNK
from engine.read.units import Record, Unit
from engine.run import notes
from engine.run.interpret_unit import with_next
from engine.run.ledger import Fate
from engine.run.unit import Output, UnitRun
from engine.run.unit_scope import UnitScope, file_names

RowTuple = tuple[Any, ...]


class Rows(Output):
    """The rows of a source and their numbers; `number` gives the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.number = count().__next__  # type: ignore[method-assign]


class Feed(UnitRun):
    """A unit's records. `rows` holds the rows that wait to be taken, `most` of them at most: those of the lines in
    memory, because rows may be as large as their records. `held` is a record whose follower is not read yet. `odd` says
    that the record at work needs more than the count of a record that made rows, `noted` how many of its rows are
    notes."""

    def __init__(self, rules: Any, unit: Unit, at: Any):
        super().__init__(
            at.context.plan, at.source, unit, at.ledger.store(unit.store.name), at.out, at.context.limits.quote
        )
        self.rows = at.out.rows
        self.number = at.out.number
        self.hooked, self.ahead = rules.hooks, False
        self.lookup: Callable[[str, Any], Any] = at.lookups.get
        self.rules = f"{self.plan.agent}/{self.store.name}/"
        self.host, self.user = at.source.base.host, at.source.base.user
        self.names = unit.names
        self.path: dict[str, Any] = unit.captures
        self.facts = file_names(unit.file, at.source)
        program = at.program.stores[unit.store.name]
        # no circle: the unit's document goes with the run, not when the collector comes by
        self.scopes = UnitScope(unit, at.source, program.finds, self.state, weakref.proxy(self))
        self.once = program.once
        self.lost = at.context.owners.lost_by(at.source, unit.store.name) if program.once is not None else None
        self.columns: Callable[[Any, Any], dict[str, Any]] = lambda run, record: {}
        self.first: Record | None = None
        self.first_seen = 0
        self.previous: Any = None
        self.following: Any = None
        self.held: Record | None = None
        self.version: str | None = None
        self.seen = self.done = self.copies = self.good = self.noted = self.most = 0
        self.odd = False
        self.flags: tuple[str, ...] = ()
        self.spare: list[Fate] = []

    def find(self, name: str) -> Any:
        """A find's value; the unit's heads are read when the first is asked for."""
        return self.scopes.base.get(name)

    def records(self) -> Iterator[Any]:
        """The values of the good records, each the record at work; bad ones and copies are told and counted."""
        self._fresh()
        self.seen = self.done = 0
        self.held = None
        if self.unit.lines is not None:
            try:
                for batch in self._batches(self._looking_ahead if self.ahead else self._batch):
                    self.most = 0
                    for value in batch:
                        yield value
                        self.most = sys.maxsize
                return
            except Irregular:
                self.most = 0
        for record, following in self._read():
            if self._take(record, following):
                yield record.value

    def batches(self) -> Iterator[Iterator[Any]]:
        """As `records`, in parts of which all rows may be in memory. The place of a record is not known."""
        self._fresh()
        self.done = 0
        if self.unit.lines is not None:
            try:
                yield from self._batches(self._batch)
                return
            except Irregular:
                pass
        for record, following in self._read():
            if self._take(record, following):
                yield iter((record.value,))

    def _batches(self, batch: Callable[[Lines], Iterator[Any]]) -> Iterator[Iterator[Any]]:
        """The records of a line file. Raises Irregular where it is not plain; `done` are then behind."""
        with self.unit.lines.opened() as lines:
            while not lines.done:
                yield batch(lines)
            if lines.irregular:
                raise Irregular

    def _batch(self, lines: Lines) -> Iterator[Any]:
        """The records of the next lines, about as many as are in memory."""
        number, until = lines.before, lines.taken + CHUNK
        try:
            for value in lines.values():
                number += 1
                if type(value) is Refused or self.lost:
                    record = self._closer(number, value)
                    if record is None:
                        continue
                    self.done += 1
                    if not self._take(record, None):
                        continue
                    value = record.value
                else:
                    self.done += 1
                    self.seen += 1
                    self.record, self.line = value, number
                yield value
                if lines.taken >= until:
                    lines.before = number
                    return
        except Irregular:
            lines.irregular = True
        lines.done = True

    def _looking_ahead(self, lines: Lines) -> Iterator[Any]:
        """As `_batch`, each record with the one behind it in `following`."""
        until = lines.taken + CHUNK
        held: Record | None = self.held
        number = lines.before
        try:
            for value in lines.values():
                number += 1
                record = Record(number, value) if type(value) is not Refused else self._closer(number, value)
                if record is None:
                    continue
                before, held = held, record
                if before is not None:
                    self.done += 1
                    if self._take(before, record):
                        yield before.value
                    if lines.taken >= until:
                        lines.before, self.held = number, held
                        return
        except Irregular:
            lines.irregular = lines.done = True
            return
        lines.done = True
        if held is not None and self._take(held, None):
            yield held.value

    def _closer(self, number: int, value: Any) -> Record | None:
        """The record of a line that is not plain, or may be another file's; None for a blank one."""
        if type(value) is not Refused:
            return Record(number, value)
        record: Record | None = self.unit.lines.record(number, value.text)
        if record is not None and record.bad is not None and not self.done and self.held is None:
            raise Irregular
        return record

    def _take(self, record: Record, following: Record | None) -> bool:
        """Makes a record the one at work; False when there is nothing to walk: it is told and counted then."""
        if record.bad is not None:
            self._bad(record)
            return False
        self.seen += 1
        self.record, self.line = record.value, record.line
        if record.source_file is not None or record.names is not None:
            self.file = record.source_file or self.source.source_file
            self.path = {**self.unit.captures, **record.names} if record.names else self.unit.captures
        if self.ahead:
            self.following = following.value if following is not None and following.bad is None else None
        if self.lost and self._lost(record):
            return False
        if record.flags:
            self.flags, self.odd = record.flags, True
        return True

    def _read(self) -> Iterator[tuple[Record, Record | None]]:
        """The records from the one after the `done` ones on, with the one that follows where it is asked for."""
        if self.ahead:
            yield from islice(with_next(self.unit.records()), self.done, None)
            return
        try:
            for record in islice(self.unit.records(), self.done, None):
                yield record, None
        except BadUnit as bad:
            yield Record(0, None, bad=bad), None

    def _fresh(self) -> None:
        self.fate, self.odd, self.noted, self.flags = Fate(), False, 0, ()

    def _lost(self, record: Record) -> bool:
        """Whether another file keeps the record."""
        assert self.once is not None
        self.scopes.seen, self.scopes.copies, self.scopes.version = self.seen, self.copies, self.version
        if self.once.digest(self.scopes.of(record)) not in self.lost:  # type: ignore[operator]
            return False
        self.copies += 1
        self.count.copy()
        return True

    def _bad(self, record: Record) -> None:
        bad = record.bad
        if isinstance(bad, BadUnit):
            self.broken(bad)
            return
        self.seen += 1
        self.record, self.line, self.file = None, record.line, record.source_file or self.source.source_file
        self.path = {**self.unit.captures, **record.names} if record.names else self.unit.captures
        if not self.unit.first and self.unit.store.sqlite is None:
            return
        assert bad is not None
        given: Any = self.columns(self, None)
        if isinstance(bad, BadFile):
            self.of_file(given, bad.text)
        else:
            self.unparseable(given, record.line, bad.reason, bad.stored, notes.UNPARSEABLE)
        self.count.settle(self.fate)
        self._fresh()

    def broken(self, bad: BadUnit) -> None:
        """The note where a file breaks off: one bad record of the first store that meets it."""
        if bad.text in self.out.said:
            return
        self.out.said.add(bad.text)
        self._fresh()
        self.record, self.path, kept = None, self.unit.captures, self.line
        self.line = self.unit.rowid or 0
        given: Any = self.columns(self, None)
        self.line, self.file = 0, self.source.source_file
        self.of_file(given, bad.text)
        self.line = kept
        self.count.settle(self.fate)
        self._fresh()
