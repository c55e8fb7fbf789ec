"""The project directories that the agents' records name, by the expressions of each spec's catalog."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from engine.errors import BadUnit
from engine.lang.expr import root_names
from engine.lang.plan import Plan
from engine.read.limits import Limits
from engine.read.reader import open_units
from engine.read.sources import Base, Source
from engine.run.context import RunContext
from engine.run.interpret_program import program_of
from engine.run.passes import SourceLookups
from engine.run.unit_scope import UnitScope
from engine.run.values import Compute

#: names whose values differ from record to record
_RECORD = {"record", "unit", "pos", "next"}


def named_projects(
    plans: Sequence[Plan], sources: Iterable[Source], bases: Collection[Base], limits: Limits | None = None
) -> set[tuple[Base, str]]:
    """(Base, path as recorded) for every text that the sources below `bases` name as a project. What can't be read is
    passed over."""
    limits = limits or Limits()
    by_agent = {plan.agent: plan for plan in plans}
    found: set[tuple[Base, str]] = set()
    for source in sources:
        if source.base in bases and (plan := by_agent.get(source.agent)) is not None:
            with contextlib.suppress(BadUnit):
                found.update((source.base, path) for path in _of_source(plan, source, limits))
    return found


def _of_source(plan: Plan, source: Source, limits: Limits) -> Iterator[str]:
    names = {name for name, _ in source.stores}
    program = program_of(plan)
    wanted: dict[str, list[tuple[Compute, bool]]] = {}
    for store in plan.stores:
        each = _RECORD | {store.as_name} if store.as_name not in ("doc", "row") else _RECORD
        for name, expression in plan.catalog.projects:
            if name == store.name in names:
                every = bool(root_names(expression.ast) & each)
                wanted.setdefault(name, []).append((program.values.expr(expression), every))
    if not wanted:
        return
    program.lookups = SourceLookups(program, source, RunContext(plan, limits=limits))
    for unit in open_units(source, plan, limits, hashing=False):
        values = wanted.get(unit.store.name)
        if not values:
            continue
        scopes = UnitScope(unit, source, program.stores[unit.store.name].finds)
        head = [value for value, every in values if not every]
        if head:
            scope = scopes.of(scopes.first())
            for value in head:
                yield from _texts(value(scope))
        rest = [value for value, every in values if every]
        for scope in scopes.each() if rest else ():
            for value in rest:
                yield from _texts(value(scope))


def _texts(value: Any) -> Iterator[str]:
    for item in value if isinstance(value, list) else (value,):
        if isinstance(item, str) and item:
            yield item
