"""The few expressions that readers evaluate: `records`, `salvage`, a folder's `order`, a decode chain's `by`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.lang.expr import Context, compile_ast
from engine.lang.plan import Expr, Plan


class Expressions:
    """Evaluates expressions of one plan, each compiled once. Lookups are not at hand and give null."""

    def __init__(self, plan: Plan):
        self._context = Context(plan.tables)
        self._compiled: dict[str, Callable[[Any], Any]] = {}

    def value(self, expression: Expr, scope: Mapping[str, Any]) -> Any:
        """The value in a scope of plain names."""
        compiled = self._compiled.get(expression.source)
        if compiled is None:
            compiled = self._compiled[expression.source] = compile_ast(expression.ast, self._context)
        return compiled(scope)


def plain_path(expression: Expr) -> tuple[str, ...] | None:
    """`doc.log.logs` as its names; None for an expression that is more than a path."""
    ast = expression.ast
    if ast["type"] == "field":
        return (ast["value"],)
    if ast["type"] == "subexpression" and all(child["type"] == "field" for child in ast["children"]):
        return tuple(child["value"] for child in ast["children"])
    return None


def member_path(expression: Expr) -> tuple[str, ...] | None:
    """The names below `record` of an expression that is no more than a path of it."""
    path = plain_path(expression)
    return path[1:] if path and path[0] == "record" else None


def member(value: Any, path: tuple[str, ...]) -> Any:
    """What stands at a path below a value, null where nothing does."""
    for name in path:
        value = value.get(name) if type(value) is dict else None
    return value
