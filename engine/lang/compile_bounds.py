"""What a spec may ask of the engine: how deep it nests, how many cases it tells apart, how often values repeat others.

Each of these is written in a few lines, and takes more time, memory or stack than there is: 40 lets of which each holds
the one before it twice are a text of 10^12 letters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.lang.compile_values import Values
from engine.lang.plan import (
    AnyStep,
    Choose,
    Earliest,
    Expr,
    First,
    Mark,
    Optional,
    Pairs,
    Plan,
    Previous,
    Switch,
    Text,
    Time,
    Use,
    Value,
)  # fmt: skip
from engine.lang.traversal import action_values, expressions, inner_lists

#: `each` inside `each`, in walks that are used too; cases of one step; parts of a value, those of its lets with them;
#: levels of a value, through the lets that it names
_EACH, _CASES, _PARTS, _LEVELS = 8, 256, 1000, 256
#: what a let adds to the levels of the value that names it
_LET = 4

#: nodes whose right children are evaluated once for each part that the left one gives
_CHAINS = frozenset({
    "subexpression", "pipe", "index_expression", "projection", "value_projection", "filter_projection", "flatten",
})  # fmt: skip

#: nodes that give one of their children, or a boolean
_CHOICES = frozenset({"comparator", "not_expression", "or_expression", "and_expression"})

#: what makes text longer: JSON in JSON has twice the backslashes each time, and `%` is encoded again
_GROWTH = {"json_text": 2, "to_string": 2, "url_path": 3, "url_form": 3}


class Size(NamedTuple):
    """How many parts a value is made of at most, or how many times longer than one it is; and how deep it nests."""

    parts: int
    levels: int


_ONE = Size(1, 1)
_Sizes = Mapping[str, Size]


class Bounds:
    """One pass over a plan whose names are known and whose walks use each other in no circle."""

    def __init__(self, plan: Plan, values: Values):
        self._values = values
        self._walks = {walk.name: walk for walk in plan.walks}
        self._plan = plan

    def run(self) -> None:
        for expr in expressions((self._plan.stores, self._plan.lookups, self._plan.catalog)):
            self._value(expr, {})
        for walk in self._plan.walks:
            sizes = self._lets(walk.let, {})
            for columns in (walk.columns, walk.begin_columns):
                self._pairs(columns, sizes)
            for steps in (walk.begin, walk.steps, walk.end):
                self._steps(steps, sizes, 0)

    # ------------------------------------------------------------------------------------------------ steps

    def _steps(self, steps: tuple[AnyStep, ...], sizes: _Sizes, each: int) -> None:
        for step in steps:
            self._step(step, sizes, each)

    def _step(self, step: AnyStep, sizes: _Sizes, each: int) -> None:
        if step.each is not None or step.each_records is not None:
            each += 1
        if each + (self._each_of(step.walk) if isinstance(step, Use) else 0) > _EACH:
            self._refuse(step.mark, f"`each` inside `each`, more than {_EACH} deep")
            return
        if step.each is not None:
            self._value(step.each[1], sizes)
            sizes = {**sizes, step.each[0]: _ONE}
        sizes = self._lets(step.let, sizes)
        self._value(step.when, sizes)
        self._pairs(step.columns, sizes)
        if isinstance(step, Switch | Choose) and len(step.cases) > _CASES:
            self._refuse(step.mark, f"more than {_CASES} cases")
            return
        for value in action_values(step):
            self._value(value, sizes)
        for steps in inner_lists(step):
            self._steps(steps, sizes, each)

    def _each_of(self, walk: str) -> int:
        """How deep the `each` of a used walk nest."""
        return _deepest(self._walks[walk].steps, self._each_of) if walk in self._walks else 0

    # ----------------------------------------------------------------------------------------------- values

    def _lets(self, pairs: Pairs, sizes: _Sizes) -> dict[str, Size]:
        known = dict(sizes)
        for name, value in pairs:
            found = self._value(value, known)
            known[name] = Size(found.parts, found.levels + _LET)
        return known

    def _pairs(self, pairs: Pairs, sizes: _Sizes) -> None:
        for _, value in pairs:
            self._value(value, sizes)

    def _value(self, value: Value | None, sizes: _Sizes) -> Size:
        found = _size(value, sizes)
        if found.parts > _PARTS:
            self._refuse(_mark(value), f"a value of more than {_PARTS} parts, with those of its lets")
        elif found.levels > _LEVELS:
            self._refuse(_mark(value), f"a value nested deeper than {_LEVELS}, its lets counted in")
        else:
            return found
        return _ONE

    def _refuse(self, mark: Mark, what: str) -> None:
        self._values.report("E513", mark, what)


def _mark(value: Any) -> Mark:
    """Where a value that is too large stands."""
    if isinstance(value, First | Earliest):
        value = next(time for time in value.times if not isinstance(time, Previous))
    found: Mark = value.mark
    return found


def _deepest(steps: tuple[AnyStep, ...], used: Any) -> int:
    """How deep `each` nests in a list of steps; `used` says it of a walk."""
    deepest = 0
    for step in steps:
        own = int(step.each is not None or step.each_records is not None)
        inner = [_deepest(body, used) for body in inner_lists(step)]
        if isinstance(step, Use):
            inner.append(used(step.walk))
        deepest = max(deepest, own + max(inner, default=0))
    return deepest


def _size(value: Any, sizes: _Sizes) -> Size:
    if isinstance(value, Expr):
        return _tree(value.ast, sizes) if value.source else _ONE
    if isinstance(value, Text | Optional):
        return _together([_size(part, sizes) for part in value.parts])
    if isinstance(value, Time):
        return _tallest([_size(inner, sizes) for inner in (value.time, value.nanos, value.offset)])
    if isinstance(value, First | Earliest):
        return _tallest([_size(time, sizes) for time in value.times])
    return _ONE


def _tree(ast: dict[str, Any], sizes: _Sizes) -> Size:
    kind = ast["type"]
    if kind == "field":
        return sizes.get(ast["value"], _ONE)
    if kind == "slice" or not ast["children"]:
        return _ONE
    if kind in _CHAINS:
        left, *rest = (_tree(child, sizes if at == 0 else {}) for at, child in enumerate(ast["children"]))
        parts = left.parts
        for right in rest:
            parts *= right.parts
        return Size(parts, 1 + max(left.levels, *(right.levels for right in rest)) if rest else 1 + left.levels)
    found = [_tree(child, sizes) for child in ast["children"]]
    if kind in _CHOICES or ast.get("value") == "if":
        return _tallest(found)
    parts, levels = _together(found)
    growth = 2 if kind.startswith("multi_select") else _GROWTH.get(str(ast.get("value")), 1)
    return Size(parts * growth, levels)


def _together(found: list[Size]) -> Size:
    return Size(max(1, sum(size.parts for size in found)), 1 + max((size.levels for size in found), default=0))


def _tallest(found: list[Size]) -> Size:
    return Size(max(size.parts for size in found), 1 + max(size.levels for size in found))
