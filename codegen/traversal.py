"""The values that the steps of a plan compute."""

from __future__ import annotations

from collections.abc import Iterator

from engine.lang.expr import Access, accesses
from engine.lang.plan import (
    AnyStep,
    Earliest,
    First,
    Previous,
    Value,
    Walk,
)
from engine.lang.traversal import action_values, walk_steps
from engine.run.values import expressions


def accesses_of(value: Value) -> Iterator[Access]:
    for expr in expressions(value):
        yield from accesses(expr.ast)


def recalls(value: Value) -> bool:
    if isinstance(value, First | Earliest):
        return any(recalls(part) for part in value.times)
    return isinstance(value, Previous)


def step_values(step: AnyStep) -> Iterator[Value]:
    """Every value that a step itself computes."""
    if step.each is not None:
        yield step.each[1]
    if step.when is not None:
        yield step.when
    for _, value in (*step.let, *step.columns):
        yield value
    yield from action_values(step)


def values_of(walk: Walk) -> Iterator[Value]:
    for _, value in (*walk.let, *walk.columns, *walk.begin_columns):
        yield value
    for step in walk_steps(walk):
        yield from step_values(step)
