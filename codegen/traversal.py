"""Walks through a plan: the steps below steps, the values that they compute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from engine.lang.expr import Access, accesses
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Earliest,
    First,
    Hook,
    Previous,
    Set,
    Switch,
    Use,
    Value,
    Walk,
)
from engine.run.values import expressions


def accesses_of(value: Value) -> Iterator[Access]:
    for expr in expressions(value):
        yield from accesses(expr.ast)


def recalls(value: Value) -> bool:
    if isinstance(value, First | Earliest):
        return any(recalls(part) for part in value.times)
    return isinstance(value, Previous)


def bodies(step: AnyStep) -> Iterator[tuple[AnyStep, ...]]:
    """The lists of steps inside a step."""
    if isinstance(step, Block | Hook):
        yield step.steps
    elif isinstance(step, Set):
        yield step.changed
    elif isinstance(step, Switch | Choose):
        for _, body in step.cases:
            yield body
        yield step.otherwise


def below(steps: tuple[AnyStep, ...]) -> Iterator[AnyStep]:
    """Steps and all steps in them."""
    for step in steps:
        yield step
        for body in bodies(step):
            yield from below(body)


def steps_of(walk: Walk) -> Iterator[AnyStep]:
    yield from below((*walk.begin, *walk.steps, *walk.end))


def step_values(step: AnyStep) -> Iterator[Value]:
    """Every value that a step itself computes."""
    if step.each is not None:
        yield step.each[1]
    if step.when is not None:
        yield step.when
    for _, value in (*step.let, *step.columns):
        yield value
    if isinstance(step, Switch | Choose):
        yield from [step.on] if isinstance(step, Switch) else [condition for condition, _ in step.cases]
    for name in ("value", "at", "type", "rest", "reason", "number", "text"):
        own: Any = getattr(step, name, None)
        if isinstance(own, Struct):
            yield own  # type: ignore[misc]
    if isinstance(step, Hook | Use):
        for _, value in step.inputs:
            yield value


def values_of(walk: Walk) -> Iterator[Value]:
    for _, value in (*walk.let, *walk.columns, *walk.begin_columns):
        yield value
    for step in steps_of(walk):
        yield from step_values(step)
