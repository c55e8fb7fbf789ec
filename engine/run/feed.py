"""The records of a unit as generated code takes them: in blocks where a line file is plain, else one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from typing import Any

from engine.errors import BadFile, BadUnit
from engine.lang.fastjson import REFUSED
from engine.read.blocks import Irregular
from engine.read.units import Record, Unit
from engine.run import notes
from engine.run.interpret_unit import with_next
from engine.run.ledger import Fate
from engine.run.unit import Output, UnitRun
from engine.run.unit_scope import UnitScope, file_names

RowTuple = tuple[Any, ...]

_NEEDED = {"object": dict, "array": list}


class Rows(Output):
    """The rows of a source and their numbers; `number` gives the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.number = count().__next__  # type: ignore[method-assign]


class Feed(UnitRun):
    """A unit's records. `rows` holds the rows that wait to be taken; `odd` says that the record at work needs more than
    the count of a record that made rows, `noted` how many of its rows are notes."""

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
        self.scopes = UnitScope(unit, at.source, program.finds, self.state, self)
        self.once = program.once
        self.lost = at.context.owners.lost_by(at.source, unit.store.name) if program.once is not None else None
        self.columns: Callable[[Any, Any], dict[str, Any]] = lambda run, record: {}
        self.first: Record | None = None
        self.first_seen = 0
        self.previous: Any = None
        self.following: Any = None
        self.version: str | None = None
        self.seen = self.done = self.copies = self.good = self.noted = 0
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
        if self.unit.lines is not None:
            try:
                yield from self._looking_ahead() if self.ahead else self._lines()
                return
            except Irregular:
                pass
        for record, following in self._read():
            if self._take(record, following):
                yield record.value

    def _lines(self) -> Iterator[Any]:
        """The records of a line file, one by one. Raises Irregular where it is not plain; `done` are then behind."""
        for values in self._blocks():
            for value in values:
                self.seen += 1
                self.record = value
                self.line += 1
                yield value

    def _looking_ahead(self) -> Iterator[Any]:
        """The records of a line file, each with the one behind it in `following`. Raises Irregular."""
        held: tuple[int, Any, Record | None] | None = None
        for item in self._items():
            if held is not None and self._step(held, item):
                yield self.record
            held = item
        if held is not None and self._step(held, None):
            yield self.record

    def _step(self, item: tuple[int, Any, Record | None], behind: tuple[int, Any, Record | None] | None) -> bool:
        """Makes a record of a line file the one at work; False when there is nothing to walk."""
        number, value, record = item
        self.done += 1
        if record is not None or self.lost:
            after = None if behind is None else behind[2] or Record(behind[0], behind[1])
            return self._take(record or Record(number, value), after)
        self.seen += 1
        self.record, self.line, self.following = value, number, None if behind is None else behind[1]
        return True

    def _items(self) -> Iterator[tuple[int, Any, Record | None]]:
        """Number and value of each line that is not blank; its record where it is not plain."""
        file, first = self.unit.lines, True
        wanted = _NEEDED.get(file.need)
        for number, lines, values in file.blocks():
            for line, value in zip(lines, values, strict=True):
                number += 1
                if value is not REFUSED and (wanted is None or type(value) is wanted):
                    yield number, value, None
                    first = False
                elif (record := file.record(number, line)) is not None:
                    if first and record.bad is not None:
                        raise Irregular
                    yield number, record.value, record
                    first = False

    def batches(self) -> Iterator[Sequence[Any]]:
        """The values of the good records, in lists; before each list, `line` is one less than that of its first. The
        place of a record is not known: `records` is for walks that ask for it."""
        self._fresh()
        self.done = 0
        if self.unit.lines is not None:
            try:
                yield from self._blocks()
                return
            except Irregular:
                pass
        for record, following in self._read():
            if self._take(record, following):
                self.line -= 1
                yield (record.value,)

    def _blocks(self) -> Iterator[Sequence[Any]]:
        """The records of a line file, as many as possible together."""
        file = self.unit.lines
        wanted = _NEEDED.get(file.need)
        for number, lines, values in file.blocks():
            if not self.lost and REFUSED not in values and (wanted is None or all(type(v) is wanted for v in values)):
                self.done += len(values)
                self.line = number
                yield values
                continue
            for line, value in zip(lines, values, strict=True):
                number += 1
                plain = value is not REFUSED and (wanted is None or type(value) is wanted)
                record = Record(number, value) if plain else file.record(number, line)
                if record is None:
                    continue
                if record.bad is not None and not self.done:
                    raise Irregular
                self.done += 1
                if self._take(record, None):
                    self.seen -= 1
                    self.line -= 1
                    yield (record.value,)

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
            yield from with_next(self.unit.records())
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
