"""Values of a plan as functions of a scope: expressions, constants, templates and times.

Each value is compiled once. A fault inside one (a defect of the engine: expressions on bad data give null) leaves as
`RowFault` with the spec's file and line.

Decisions that both back ends share:
- a `time` value is a `Stamp`; an expression that gives no Stamp where a time is wanted is no time;
- `previous` is the time of the last row with a time that this unit has written, in the order of the walk;
- `earliest`: exact means one of `times.EXACT_BASES`; of equal times the first stands;
- `{time: name}` of something that already is a Stamp gives it, with the basis replaced where one is declared;
- a column is '' for null and false, text as it is, a Stamp its UTC text, anything else compact JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.errors import EngineError, RowFault
from engine.lang import expr, text, times
from engine.lang.plan import (
    Const,
    Earliest,
    Expr,
    First,
    Mark,
    Optional,
    Plan,
    Previous,
    Text,
    Time,
    Value,
)  # fmt: skip
from engine.lang.times import Stamp
from engine.lang.values import truthy
from engine.run.scope import Scope

Compute = Callable[[Scope], Any]

#: names whose value a walk can change; a let that reads one is computed where it stands
CHANGING = frozenset({"state", "unit"})


def column_text(value: Any) -> str:
    """What stands in a row for a value."""
    return "" if value is False else text.as_text(value)


def expressions(value: Value | Optional) -> Iterator[Expr]:
    """The expressions inside a value."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, Text | Optional):
        for part in value.parts:
            if not isinstance(part, str):
                yield from expressions(part)
    elif isinstance(value, Time):
        yield value.time
        yield from (found for found in (value.nanos, value.offset) if found is not None)
    elif isinstance(value, First | Earliest):
        for time in value.times:
            yield from expressions(time)


def changes(value: Value) -> bool:
    """Whether a value reads something that a walk can change."""
    if isinstance(value, Previous) or (isinstance(value, First | Earliest) and any(map(changes, value.times))):
        return True
    return any(not CHANGING.isdisjoint(expr.root_names(found.ast)) for found in expressions(value))


class Values:
    """Compiles the values of one plan. `look` holds the lookups of the source that is being read."""

    def __init__(self, plan: Plan, look: Callable[[str, Any], Any]):
        self.file = plan.file
        self.context = expr.Context(tables=plan.tables, lookup=look)

    def fault(self, mark: Mark, cause: BaseException) -> RowFault:
        """An internal fault, told by the place in the spec whose rule was at work."""
        what = f"{type(cause).__name__}: {cause}" if str(cause) else type(cause).__name__
        return RowFault(f"{self.file}:{mark.line}: internal fault at {mark.path}: {what}")

    def expr(self, found: Expr) -> Compute:
        compute = expr.compile_ast(found.ast, self.context)

        def guarded(scope: Scope) -> Any:
            try:
                return compute(scope)
            except EngineError:
                raise
            except Exception as cause:
                raise self.fault(found.mark, cause) from cause

        return guarded

    def truth(self, found: Expr) -> Callable[[Scope], bool]:
        """JMESPath truth: null, false, '', [] and {} are false, 0 is true."""
        compute = self.expr(found)
        return lambda scope: truthy(compute(scope))

    def value(self, value: Value) -> Compute:
        """Any value; a time gives a Stamp or None."""
        if isinstance(value, Expr):
            return self.expr(value)
        if isinstance(value, Const):
            constant = value.value
            return lambda scope: constant
        if isinstance(value, Text):
            return self.template(value)
        return self.time(value)

    def template(self, value: Text) -> Callable[[Scope], str]:
        holes = {id(found): self.expr(found) for found in expressions(value)}
        return lambda scope: text.render(value.parts, lambda hole: holes[id(hole)](scope))

    def time(self, value: Value) -> Callable[[Scope], Stamp | None]:
        """A value where a time is wanted."""
        if isinstance(value, Time):
            return self._stamp(value)
        if isinstance(value, Previous):
            basis = value.basis
            return lambda scope: _with_basis(scope.run.previous if scope.run else None, basis)
        if isinstance(value, First):
            options = [self.time(each) for each in value.times]
            return lambda scope: next((found for each in options if (found := each(scope)) is not None), None)
        if isinstance(value, Earliest):
            options = [self.time(each) for each in value.times]
            return lambda scope: _earliest([found for each in options if (found := each(scope)) is not None])
        if isinstance(value, Expr):
            compute = self.expr(value)
            return lambda scope: found if isinstance(found := compute(scope), Stamp) else None
        return lambda scope: None

    def _stamp(self, value: Time) -> Callable[[Scope], Stamp | None]:
        stamp = self.expr(value.time)
        nanos = self.expr(value.nanos) if value.nanos is not None else None
        offset = self.expr(value.offset) if value.offset is not None else None

        def parse(scope: Scope) -> Stamp | None:
            found = stamp(scope)
            try:
                return times.parse(
                    found,
                    value.unit,
                    nanos=nanos(scope) if nanos else None,
                    offset=offset(scope) if offset else None,
                    basis=value.basis,
                )
            except EngineError:
                raise
            except Exception as cause:
                raise self.fault(value.mark, cause) from cause

        return parse


def _with_basis(stamp: Stamp | None, basis: str | None) -> Stamp | None:
    return stamp if stamp is None or basis is None else stamp._replace(basis=basis)


def _earliest(found: list[Stamp]) -> Stamp | None:
    if not found:
        return None
    return (
        min(found, key=lambda stamp: stamp.ms) if all(stamp.basis in times.EXACT_BASES for stamp in found) else found[0]
    )
