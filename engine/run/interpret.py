"""The reference back end: the plain reading of a plan. One source in, its rows and its ledger out.

The order in which a unit is walked, which both back ends share:
1. the finds and the version are settled, on the first good record (null when there is none);
2. `begin`, in the scope of the first good record: `unit.line` is its line, `unit.count` its place among all records;
3. every record in order, bad ones too: so the notes of bad records before the first good one follow the rows of
   `begin`. A record that another file keeps (`once`) is counted and passed over. `next.record` is the value of the
   record that follows, null when that one is bad or there is none; `pos.record` is the record's place from 0.
4. `end`, with a null record, `unit.line` 0 (the rowid for a table row), the unit's own file.
A unit without a good record has the notes of its bad ones and no begin or end. A unit that breaks off gives its note
where it breaks, then `end`.

Of a file that several stores read, a note on the file stands once; bad lines and record files are told and counted by
the first store only. Session and project of a bad record are the walk's columns, computed with a null record.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from engine.errors import BadUnit
from engine.read.reader import Opened
from engine.read.sources import Source
from engine.read.units import Unit
from engine.run.context import RunContext
from engine.run.interpret_program import Program, program_of
from engine.run.interpret_unit import Batch, UnitWalk
from engine.run.ledger import Ledger
from engine.run.passes import SourceLookups
from engine.run.unit import Output


def batches(source: Source, context: RunContext, ledger: Ledger) -> Iterator[Batch]:
    """The rows of one source in the order of its walks, some at a time: the 22 columns of `engine.rows.Row`,
    `pair_key`, `seq`. Some lists may be empty.

    Fills `ledger`. Raises RowFault for a defect of the engine, never anything for bad evidence."""
    program = program_of(context.plan)
    lookups = SourceLookups(program, source, context)
    found = _batches(program, source, context, ledger, lookups)
    while True:
        # another source's rows may have been taken from the same program in between
        program.lookups = lookups
        batch = next(found, None)
        if batch is None:
            return
        yield batch


def rows(source: Source, context: RunContext, ledger: Ledger) -> Iterator[tuple[Any, ...]]:
    """The rows of one source, one by one."""
    return chain.from_iterable(batches(source, context, ledger))


def _batches(
    program: Program, source: Source, context: RunContext, ledger: Ledger, lookups: SourceLookups
) -> Iterator[Batch]:
    out = Output()
    opened = lookups.opened = context.open(source)
    ledger.files = opened.files

    def walk(unit: Unit) -> UnitWalk:
        store = program.stores[unit.store.name]
        return UnitWalk(program, store, unit, source, context, ledger.store(unit.store.name), out)

    try:
        for unit in opened.units():
            if program.stores[unit.store.name].walked:
                yield from walk(unit).batches()
    except BadUnit as bad:
        yield walk(nothing(opened)).refused(bad)
    finally:
        ledger.files = opened.files


def nothing(opened: Opened) -> Unit:
    """A unit of the source's first store with its sidecars, for the note on a file of which nothing can be read."""
    return opened.refused()
