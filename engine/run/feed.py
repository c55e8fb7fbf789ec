"""The records of a unit as generated code takes them: in blocks where a line file is plain, else one by one."""

from __future__ import annotations

import sys
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, islice, pairwise, repeat
from typing import Any

from engine.errors import BadFile, BadUnit
from engine.lang.fastjson import Refused, decode_each
from engine.read.blocks import BLOCK, Irregular, LineBlock, LineFile
from engine.read.units import Block, Record, Unit
from engine.run import notes
from engine.run.interpret_unit import with_next
from engine.run.ledger import Fate
from engine.run.reads import Reads, TypedLines
from engine.run.unit import Output, UnitRun
from engine.run.unit_scope import UnitScope, file_names

RowTuple = tuple[Any, ...]
#: a record and the one that follows it
Pair = tuple[Record, Record | None]

#: how many rows may wait of records that are in memory
_ROWS = 8

#: how many records that are in memory give their rows at once
_HELD = 64


class Rows(Output):
    """The rows of a source and their numbers; `number` gives the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.number = count().__next__  # type: ignore[method-assign]


class Feed(UnitRun):
    """A unit's records. `rows` holds the rows that wait to be taken: those of one block of lines, else `most`, because
    rows may be as large as their records. `walked` records were given to the walk; `ignored` of them it left alone by
    their first step, `apart` were counted by `settle`, all others made rows. `odd` says that the record at work needs
    more than that, `noted` how many of its rows are notes."""

    def __init__(self, rules: Any, unit: Unit, at: Any):
        super().__init__(
            at.context.plan, at.source, unit, at.ledger.store(unit.store.name), at.out, at.context.limits.quote
        )
        self.rows = at.out.rows
        self.number = at.out.number
        self.nesting = at.context.limits.nesting
        self.hooked, self.placed, self.reads = rules.hooks, False, Reads(None)
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
        self.version: str | None = None
        self.seen = self.done = self.copies = self.noted = self.walked = self.apart = 0
        self.most = 1 if unit.streamed or unit.lines is not None else _ROWS
        self.ignored: dict[str, int] = defaultdict(int)
        self.typed: list[TypedLines] = []
        self.full, self.inner = True, 0
        self.root: Any = None
        self.odd = self.ended = False
        self.spare: list[Fate] = []

    def find(self, name: str) -> Any:
        """A find's value; the unit's heads are read when the first is asked for."""
        return self.scopes.base.get(name)

    def batches(self) -> Iterator[Iterable[tuple[Any, ...]]]:
        """The good records, in parts of which all rows may be in memory: (line, value), or where the walk asks for
        places (place, line, value, the value that follows). Bad ones and copies are told and counted."""
        self._fresh()
        self.seen = self.done = 0
        if self.unit.lines is not None:
            try:
                yield from self._blocks()
                return
            except Irregular:
                pass
        elif self.unit.files is not None:
            yield from self._files()
            return
        elif not self.lost and (blocks := self.unit.held()) is not None:
            yield from self._held(iter(blocks))
            return
        pairs, self.ended = self._read(), False
        while not self.ended:
            yield self._each(pairs, self.most)

    def _blocks(self) -> Iterator[Iterable[tuple[Any, ...]]]:
        """The records of a line file. Raises Irregular where it is not plain; `done` are then behind."""
        held: Record | None = None
        with self.unit.lines.opened() as lines:
            for block in lines.blocks():
                values = None if self.lost else self._decoded(block)
                records = list(self._closer(block, lines.needed, held is None)) if values is None else []
                if not self.placed:
                    yield self._plain(block.before, values) if values else self._each(zip(records, repeat(None)))
                elif values and (held is None or not (held.bad or held.flags)):
                    yield self._in_place(block.before, values, held)
                    held = Record(block.before + len(values), values[-1])
                else:
                    records = records or list(map(Record, count(block.before + 1), values or ()))
                    around = records if held is None else [held, *records]
                    yield self._each(pairwise(around))
                    held = around[-1] if around else None
        if held is not None:
            yield self._each(((held, None),))

    def _files(self) -> Iterator[Iterable[tuple[Any, ...]]]:
        """The records of a folder."""
        held: list[Record] = []
        for block in self.unit.files.blocks(BLOCK):
            if not self.placed:
                yield self._each(zip(block, repeat(None)))
            else:
                around = [*held, *block]
                yield self._each(pairwise(around))
                held = around[-1:]
        yield self._each((record, None) for record in held)

    def _held(self, blocks: Iterator[Block]) -> Iterator[Iterable[tuple[Any, ...]]]:
        """The records of a document, a few at a time."""
        block = next(blocks, None)
        while block is not None:
            after = next(blocks, None)
            values, names = block.values, block.names
            following = [*values[1:], after.values[0] if after is not None else None] if self.placed else []
            self.path = {**self.unit.captures, **names} if names else self.unit.captures
            for at in range(0, len(values), _HELD):
                some = values[at : at + _HELD]
                if self.placed:
                    self.done += len(some)
                    self.walked += len(some)
                    lines = range(block.before + at + 1, block.before + at + 1 + len(some))
                    yield zip(lines, lines, some, following[at : at + _HELD], strict=True)
                else:
                    yield self._plain(block.before + at, some)
            block = after

    def _decoded(self, block: LineBlock) -> list[Any] | None:
        """The values of plain lines."""
        values, typed = self.reads.decoded(block, self.nesting)
        # the last record of a block may be walked with the next one
        self.typed = [*self.typed[-1:], *([TypedLines(block, self.nesting)] if typed else ())]
        self.full = not self.typed
        return values

    def content(self) -> Any:
        return self.record if self.inner else self.whole()

    def whole(self) -> Any:
        """The line's record with all its members."""
        for lines in self.typed:
            if lines.hold(self.line):
                self.reads.ask()
                return lines.value(self.line)
        return self.root if self.inner else self.record

    def _plain(self, before: int, values: list[Any]) -> Iterable[tuple[Any, ...]]:
        self.done += len(values)
        self.walked += len(values)
        self.seen += len(values)
        return enumerate(values, before + 1)

    def _in_place(self, before: int, values: list[Any], held: Record | None) -> Iterable[tuple[Any, ...]]:
        """Values with their places, and the one held back; the last one is held back for the next."""
        lines: Iterable[int] = range(before + 1, before + 1 + len(values))
        if held is not None:
            lines, values = chain((held.line,), lines), [held.value, *values]
        self.done += len(values) - 1
        self.walked += len(values) - 1
        return zip(count(self.seen + 1), lines, values, values[1:], strict=False)

    def _closer(self, block: LineBlock, needed: type | None, first: bool) -> Iterator[Record]:
        """The records of lines that are not plain, or may be another file's."""
        file: LineFile = self.unit.lines
        values = decode_each(block.data.split(b"\n"), self.nesting, needed)
        for number, value in enumerate(values, block.before + 1):
            if type(value) is not Refused:
                yield Record(number, value)
            elif (record := file.record(number, value.text)) is not None:
                if first and record.bad is not None and not self.done:
                    # only the plain reader tells a file of which nothing can be read
                    raise Irregular
                first = False
                yield record

    def _each(
        self, pairs: Iterable[tuple[Record, Record | None]], most: int = sys.maxsize
    ) -> Iterator[tuple[Any, ...]]:
        """Records one by one, until so many rows wait."""
        for record, following in pairs:
            self.done += 1
            if self._take(record):
                self.walked += 1
                if self.placed:
                    after = following.value if following is not None and following.bad is None else None
                    yield self.seen, record.line, record.value, after
                else:
                    yield record.line, record.value
                if record.flags:
                    self.mended(self.columns(self, record.value), record.flags)
                    self._fresh()
            if len(self.rows) >= most:
                return
        self.ended = True

    def _take(self, record: Record) -> bool:
        """Makes a record the one at work; False when there is nothing to walk: it is told and counted then."""
        if record.bad is not None:
            self._bad(record)
            return False
        self.seen += 1
        self.record, self.line = record.value, record.line
        if record.source_file is not None or record.names is not None:
            self.file = record.source_file or self.source.source_file
            self.path = {**self.unit.captures, **record.names} if record.names else self.unit.captures
        return not self.lost or not self._lost(record)

    def _read(self) -> Iterator[Pair]:
        """The records from the one after the `done` ones on, with the one that follows where it is asked for."""
        if self.placed:
            yield from islice(with_next(self.unit.records()), self.done, None)
            return
        try:
            for record in islice(self.unit.records(), self.done, None):
                yield record, None
        except BadUnit as bad:
            yield Record(0, None, bad=bad), None

    def _fresh(self) -> None:
        self.fate, self.odd, self.noted = Fate(), False, 0

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
