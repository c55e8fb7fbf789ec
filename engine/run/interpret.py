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

Session and project of a bad record are the walk's columns, computed with a null record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.read.reader import open_units
from engine.read.sources import Source
from engine.run.context import RunContext
from engine.run.interpret_program import Program, program_of
from engine.run.interpret_unit import Batch, UnitWalk
from engine.run.ledger import Ledger
from engine.run.passes import SourceLookups
from engine.run.unit import Output


def rows(source: Source, context: RunContext, ledger: Ledger) -> Iterator[tuple[Any, ...]]:
    """The rows of one source in the order of its walks: the 22 columns of `engine.rows.Row`, `pair_key`, `seq`.

    Fills `ledger`. Raises RowFault for a defect of the engine, never anything for bad evidence."""
    program = program_of(context.plan)
    lookups = SourceLookups(program, source, context)
    batches = _batches(program, source, context, ledger)
    while True:
        # another source's rows may have been taken from the same program in between
        program.lookups = lookups
        batch = next(batches, None)
        if batch is None:
            return
        yield from batch


def _batches(program: Program, source: Source, context: RunContext, ledger: Ledger) -> Iterator[Batch]:
    out = Output()
    for unit in open_units(source, context.plan, context.limits):
        store = program.stores[unit.store.name]
        if store.walked:
            count = ledger.store(unit.store.name)
            yield from UnitWalk(program, store, unit, source, context, count, out).batches()
