"""The back end of generated code: a plan's module compiled in memory, and its rules at work on one source."""

from __future__ import annotations

import gc
import linecache
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from engine.errors import BadUnit, EngineError, RowFault
from engine.lang.plan import Plan
from engine.lang.traversal import walk_steps
from engine.read.sources import Source
from engine.read.units import Unit
from engine.run import hooks
from engine.run.cache import Cache
from engine.run.context import RunContext
from engine.run.feed import Rows
from engine.run.interpret import nothing
from engine.run.interpret_program import Program, program_of
from engine.run.ledger import Ledger
from engine.run.passes import SourceLookups
from engine.run.reads import Reads
from engine.run.runtime import RowTuple, Run, Walk

#: how many new containers make the collector look: a block of decoded lines holds thousands, and no cycle
_YOUNG = 100_000


class Rules:
    """The walks of a generated module, and the plan that it was made from."""

    def __init__(self, walks: Mapping[str, Walk], plan: Plan):
        self.walks, self.plan = walks, plan
        self.hooks = {spec.name: (spec, hooks.load(spec)) for spec in plan.hooks}
        self._reads: dict[tuple[str, str], Reads] = {}

    def reads_of(self, store: str, walk: str) -> Reads:
        """What a walk reads of a store's records, with what was seen of them so far."""
        if (store, walk) not in self._reads:
            self._reads[store, walk] = Reads(self.walks[walk].members)
        return self._reads[store, walk]

    def batches(self, source: Source, context: RunContext, ledger: Ledger) -> Iterator[list[RowTuple]]:
        """The rows of one source, as `engine.run.interpret.batches` gives them; a list is empty when the next comes."""
        work = Work(self, source, context, ledger)
        kept = gc.get_threshold()
        gc.set_threshold(max(kept[0], _YOUNG), *kept[1:])
        try:
            while True:
                work.program.lookups = work.lookups
                batch = next(work.batches, None)
                if batch is None:
                    return
                yield batch
                batch.clear()
        finally:
            gc.set_threshold(*kept)

    def rows(self, source: Source, context: RunContext, ledger: Ledger) -> Iterator[RowTuple]:
        """The rows of one source, one by one."""
        return chain.from_iterable(self.batches(source, context, ledger))


@dataclass
class Work:
    """One source at work."""

    rules: Rules
    source: Source
    context: RunContext
    ledger: Ledger

    def __post_init__(self) -> None:
        self.program: Program = program_of(self.context.plan)
        self.lookups = SourceLookups(self.program, self.source, self.context)
        self.out = Rows()
        self.batches = self._batches()

    def _batches(self) -> Iterator[list[RowTuple]]:
        opened = self.lookups.opened = self.context.open(self.source)
        self.ledger.files = opened.files
        try:
            for unit in opened.units():
                if self.program.stores[unit.store.name].walked:
                    yield from self._unit(unit)
        except BadUnit as bad:
            run = Run(self.rules, nothing(opened), self)
            self._choose(run)
            run.broken(bad)
            run.count.rows_written += len(run.rows)
            yield run.rows
        finally:
            self.ledger.files = opened.files

    def _unit(self, unit: Unit) -> Iterator[list[RowTuple]]:
        run = Run(self.rules, unit, self)
        walk = self._choose(run)
        if walk is None:
            return
        count = run.count
        count.units += 1
        try:
            for rows in guarded(walk(run), self.context.plan):
                count.rows_written += len(rows)
                yield rows
        finally:
            run.finish()

    def _choose(self, run: Run) -> Callable[[Run], Iterator[list[RowTuple]]] | None:
        """The walk of the unit's version."""
        run.first = run.scopes.first()
        run.first_seen = run.scopes.seen
        run.version, name = self.program.stores[run.store.name].version(run.scopes.of(run.first))
        if name is None:
            return None
        walk = self.rules.walks[name]
        run.columns, run.placed, run.reads = walk.columns, walk.placed, self.rules.reads_of(run.store.name, name)
        return walk.rows


def guarded(batches: Iterator[list[RowTuple]], plan: Plan) -> Iterator[list[RowTuple]]:
    """Faults inside generated code, told by the spec's line."""
    try:
        yield from batches
    except (EngineError, BadUnit):
        raise
    except Exception as cause:
        raise fault(cause, plan) from cause


_PLACE = re.compile(r"\s*# .*\bline (\d+)\)?$")


def fault(cause: Exception, plan: Plan) -> RowFault:
    """A fault by the place in the spec of the rule that was at work: that of the comment above the line."""
    what = f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
    line, trace = 0, cause.__traceback__
    while trace is not None:
        lines = linecache.getlines(trace.tb_frame.f_code.co_filename)
        if trace.tb_frame.f_code.co_name.startswith("walk_") and lines:
            above = (place for text in reversed(lines[: trace.tb_lineno]) if (place := _PLACE.match(text)))
            found = next(above, None)
            line = int(found[1]) if found else line
        trace = trace.tb_next
    if not line:
        return RowFault(f"{plan.file}: internal fault: {what}")
    return RowFault(f"{plan.file}:{line}: internal fault{_path_of(line, plan)}: {what}")


def _path_of(line: int, plan: Plan) -> str:
    """The YAML path of the step that begins in a line."""
    marks = (step.mark for walk in plan.walks for step in walk_steps(walk))
    return next((f" at {mark.path}" for mark in marks if mark.line == line), "")


_KEPT = 8
_rules: dict[int, Rules] = {}


def rules_of(plan: Plan, cache: Cache | None = None) -> Rules:
    """The rules of a plan; the last few are kept."""
    found = _rules.get(id(plan))
    if found is None or found.plan is not plan:
        while len(_rules) >= _KEPT:
            _rules.pop(next(iter(_rules)))
        found = _rules[id(plan)] = Rules((cache or Cache(keep=False)).module(plan).WALKS, plan)
    return found


def batches(source: Source, context: RunContext, ledger: Ledger) -> Iterator[list[RowTuple]]:
    """The rows of one source, as `engine.run.interpret.batches` gives them; a list is empty when the next comes."""
    return rules_of(context.plan).batches(source, context, ledger)


def rows(source: Source, context: RunContext, ledger: Ledger) -> Iterator[RowTuple]:
    """The rows of one source, one by one."""
    return rules_of(context.plan).rows(source, context, ledger)
