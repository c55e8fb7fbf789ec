"""Ways through a plan: the steps inside steps, the expressions of a part, the walks that a store reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from engine.lang.plan import AnyStep, Block, Choose, Expr, Hook, Plan, Set, Store, Switch, Use, Value, Walk


def inner_lists(step: AnyStep) -> Iterator[tuple[AnyStep, ...]]:
    """The lists of steps inside a step."""
    if isinstance(step, Block | Hook):
        yield step.steps
    elif isinstance(step, Switch | Choose):
        for _, body in step.cases:
            yield body
        yield step.otherwise
    elif isinstance(step, Set):
        yield step.changed


def action_values(step: AnyStep) -> Iterator[Value]:
    """The values of a step's action: not those of `each`, `let`, `when` and columns, which every step can have."""
    if isinstance(step, Switch):
        yield step.on
    elif isinstance(step, Choose):
        for condition, _ in step.cases:
            yield condition
    elif isinstance(step, Hook | Use):
        for _, value in step.inputs:
            yield value
    for name in ("value", "at", "type", "rest", "reason", "number", "text"):
        own: Any = getattr(step, name, None)
        if isinstance(own, Struct):
            yield own  # type: ignore[misc]


def all_steps(steps: Iterable[AnyStep]) -> Iterator[AnyStep]:
    """Every step of a list, outer before inner."""
    for step in steps:
        yield step
        for inner in inner_lists(step):
            yield from all_steps(inner)


def walk_steps(walk: Walk) -> Iterator[AnyStep]:
    """Every step of a walk."""
    yield from all_steps((*walk.begin, *walk.steps, *walk.end))


def walks_of(store: Store) -> tuple[str, ...]:
    """The walks that a store names, its versions' included."""
    named = (store.walk, *(version.walk for version in store.versions))
    return tuple(dict.fromkeys(name for name in named if name))


def reached(steps: Mapping[str, tuple[AnyStep, ...]], start: Iterable[str]) -> list[str]:
    """The names of the walks reached from `start`, by `use` too; `steps` are all steps of each walk."""
    found: dict[str, None] = {}
    open_names = list(start)
    while open_names:
        name = open_names.pop()
        if name not in found and name in steps:
            found[name] = None
            open_names += [step.walk for step in steps[name] if isinstance(step, Use)]
    return list(found)


def steps_by_store(plan: Plan) -> Iterator[tuple[Store, AnyStep]]:
    """Every step of every walk that a store reaches, with the store."""
    steps = {walk.name: tuple(walk_steps(walk)) for walk in plan.walks}
    for store in plan.stores:
        for walk in reached(steps, walks_of(store)):
            for step in steps[walk]:
                yield store, step


def expressions(node: Any) -> Iterator[Expr]:
    """Every expression in a part of a plan, in order."""
    left = [node]
    while left:
        node = left.pop()
        if isinstance(node, tuple):
            left += reversed(node)
        elif isinstance(node, Expr):
            if node.source:
                yield node
        elif isinstance(node, Struct):
            left += [getattr(node, name) for name in reversed(node.__struct_fields__)]
