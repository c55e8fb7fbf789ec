"""A plan without the syntax trees of its expressions, and with them again: their sources tell them."""

from __future__ import annotations

from typing import Any

import msgspec

from engine.lang import expr
from engine.lang.plan import Expr, Plan


def without_trees(plan: Plan) -> Plan:
    """The plan without the syntax trees of its expressions."""
    return _mapped(plan, lambda found: Expr(source=found.source, ast={}, mark=found.mark))


def with_trees(plan: Plan) -> Plan:
    """The plan with its expressions parsed."""
    return _mapped(plan, lambda found: Expr(source=found.source, ast=_tree(found.source), mark=found.mark))


def _tree(source: str) -> dict[str, Any]:
    return expr.parse(source) if source else {"type": "literal", "children": [], "value": None}


def _mapped(value: Any, change: Any) -> Any:
    if isinstance(value, Expr):
        return change(value)
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(
            value, **{name: _mapped(getattr(value, name), change) for name in value.__struct_fields__}
        )
    if isinstance(value, tuple):
        return tuple(_mapped(item, change) for item in value)
    return value
