"""One unit walked by the reference back end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.errors import BadFile, BadRecord, BadUnit
from engine.read.sources import Source
from engine.read.units import Record, Unit
from engine.run import notes
from engine.run.context import RunContext
from engine.run.interpret_program import Program, StoreProgram, WalkProgram
from engine.run.ledger import Fate, StoreCount
from engine.run.unit import Columns, Output, UnitRun
from engine.run.unit_scope import UnitScope

Batch = list[tuple[Any, ...]]


def with_next(records: Iterable[Record]) -> Iterator[tuple[Record, Record | None]]:
    """Each record and the one that follows; where the unit breaks off, after the record before it, a record that says
    so."""
    held: Record | None = None
    try:
        for record in records:
            if held is not None:
                yield held, record
            held = record
    except BadUnit as bad:
        if held is not None:
            yield held, None
        held = Record(0, None, bad=BadUnit(bad.text))
    if held is not None:
        yield held, None


class UnitWalk:
    """Walks one unit; `batches` yields its rows as they come."""

    def __init__(
        self,
        program: Program,
        store: StoreProgram,
        unit: Unit,
        source: Source,
        context: RunContext,
        count: StoreCount,
        out: Output,
    ):
        self.program, self.store, self.unit, self.source, self.count = program, store, unit, source, count
        self.run = UnitRun(context.plan, source, unit, count, out, context.limits.quote)
        self.scopes = UnitScope(unit, source, store.finds, self.run.state, self.run)
        self.lost = context.owners.lost_by(source, unit.store.name) if store.once is not None else None

    def batches(self) -> Iterator[Batch]:
        first = self.scopes.first()
        walk = self.choose(first)
        if walk is None:
            return
        self.count.units += 1
        if first is not None:
            self.begin(walk, first)
        self.scopes.seen = 0
        for record, following in with_next(self.unit.records()):
            if self.run.out.rows:
                yield self.run.out.take()
            self.one(walk, record, following)
        if first is not None:
            self.end(walk)
        yield self.run.out.take()

    def refused(self, bad: BadUnit) -> Batch:
        """The note on a file of which nothing can be read."""
        self.broken(self.choose(None), bad)
        return self.run.out.take()

    def choose(self, first: Record | None) -> WalkProgram | None:
        """The walk of the unit's version."""
        self.scopes.version, name = self.store.version(self.scopes.of(first))
        return None if name is None else self.program.walks[name]

    def begin(self, walk: WalkProgram, first: Record) -> None:
        run = self.run
        run.record, run.line, run.fate = first.value, first.line, Fate()
        scope, columns = walk.bind(self.scopes.of(first))
        walk.begin(scope, walk.begin_columns(scope, columns))

    def one(self, walk: WalkProgram, record: Record, following: Record | None) -> None:
        """One record: its rows and its fate."""
        run, bad = self.run, record.bad
        if isinstance(bad, BadUnit):
            self.broken(walk, bad)
            return
        self.scopes.seen += 1
        run.record, run.line, run.file = record.value, record.line, record.source_file or self.source.source_file
        run.fate = Fate()
        if bad is not None:
            if not self.unit.first and self.unit.store.sqlite is None:
                return
            self.bad(bad, self.null_columns(walk, record))
            return
        scope = self.scopes.of(record, following)
        if self.lost and self.store.once is not None and self.store.once.digest(scope) in self.lost:
            self.scopes.copies += 1
            self.count.copy()
            return
        scope, columns = walk.bind(scope)
        walk.steps(scope, columns)
        if not run.fate.settled:
            run.by_itself(columns)
        if record.flags:
            run.mended(columns, record.flags)
        self.count.settle(run.fate)

    def bad(self, bad: BadRecord, columns: Columns) -> None:
        """The note of a record that can't be read."""
        if isinstance(bad, BadFile):
            self.run.of_file(columns, bad.text)
        else:
            self.run.unparseable(columns, self.run.line, bad.reason, bad.stored, notes.UNPARSEABLE)
        self.count.settle(self.run.fate)

    def null_columns(self, walk: WalkProgram, record: Record | None) -> Columns:
        """The walk's columns with a null record."""
        return walk.bind(self.scopes.of(record))[1]

    def broken(self, walk: WalkProgram | None, bad: BadUnit) -> None:
        """The note where a file breaks off: one bad record of the first store that meets it."""
        if bad.text in self.run.out.said:
            return
        self.run.out.said.add(bad.text)
        self.run.fate, self.run.line, self.run.file = Fate(), 0, self.source.source_file
        self.run.of_file(self.null_columns(walk, None) if walk is not None else {}, bad.text)
        self.count.settle(self.run.fate)

    def end(self, walk: WalkProgram) -> None:
        run = self.run
        run.record, run.fate, run.ending = None, Fate(), True
        run.line, run.file = self.unit.rowid or 0, self.source.source_file
        scope, columns = walk.bind(self.scopes.of(None))
        walk.end(scope, columns)
