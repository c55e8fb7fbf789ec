"""Parse trees to closures. Each node becomes one function of the current value; what is known early is bound early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.lang import calls
from engine.lang.calls import Ast, Bindings, Closure
from engine.lang.values import equal, member, ordered, truthy


def compile_node(node: Ast, context: Bindings) -> Closure:
    """The closure of one node: value of the current scope or element → value of the node."""
    return _COMPILERS[node["type"]](node, context)


def _children(node: Ast, context: Bindings) -> list[Closure]:
    return [compile_node(child, context) for child in node["children"]]


# ------------------------------------------------------------------------------------------ paths and chains


def _field(node: Ast, context: Bindings) -> Closure:
    name = node["value"]
    return lambda current: member(current, name)


def _chain(node: Ast, context: Bindings) -> Closure:
    """`a.b.c`, `a[0]`, `a | b`: each child on the value of the one before."""
    children = node["children"]
    if all(child["type"] == "field" for child in children):
        return _field_chain([child["value"] for child in children])
    steps = tuple(_children(node, context))
    if len(steps) == 2:
        first, second = steps
        return lambda current: second(first(current))

    def chain(current: Any) -> Any:
        for step in steps:
            current = step(current)
        return current

    return chain


def _field_chain(names: list[str]) -> Closure:
    first, rest = names[0], tuple(names[1:])
    if len(rest) == 1:
        second = rest[0]

        def two(current: Any) -> Any:
            value = member(current, first)
            return value.get(second) if type(value) is dict else member(value, second)

        return two

    def many(current: Any) -> Any:
        value = member(current, first)
        for name in rest:
            if value is None:
                return None
            value = value.get(name) if type(value) is dict else member(value, name)
        return value

    return many


def _index(node: Ast, context: Bindings) -> Closure:
    index = node["value"]

    def element(current: Any) -> Any:
        if not isinstance(current, list):
            return None
        try:
            return current[index]
        except IndexError:
            return None

    return element


def _slice(node: Ast, context: Bindings) -> Closure:
    part = slice(*node["children"])
    return lambda current: current[part] if isinstance(current, list) else None


def _identity(node: Ast, context: Bindings) -> Closure:
    return lambda current: current


def _literal(node: Ast, context: Bindings) -> Closure:
    value = node["value"]
    return lambda current: value


# --------------------------------------------------------------------------------------------- projections


def _project(elements: Any, right: Closure) -> list[Any]:
    return [value for element in elements if (value := right(element)) is not None]


def _projection(node: Ast, context: Bindings) -> Closure:
    left, right = _children(node, context)

    def projection(current: Any) -> Any:
        base = left(current)
        return _project(base, right) if isinstance(base, list) else None

    return projection


def _value_projection(node: Ast, context: Bindings) -> Closure:
    left, right = _children(node, context)

    def projection(current: Any) -> Any:
        base = left(current)
        values = getattr(base, "values", None)
        return None if values is None else _project(values(), right)

    return projection


def _filter_projection(node: Ast, context: Bindings) -> Closure:
    left, right, condition = _children(node, context)

    def projection(current: Any) -> Any:
        base = left(current)
        if not isinstance(base, list):
            return None
        return _project((element for element in base if truthy(condition(element))), right)

    return projection


def _flatten(node: Ast, context: Bindings) -> Closure:
    (left,) = _children(node, context)

    def flatten(current: Any) -> Any:
        base = left(current)
        if not isinstance(base, list):
            return None
        merged: list[Any] = []
        for element in base:
            if isinstance(element, list):
                merged.extend(element)
            else:
                merged.append(element)
        return merged

    return flatten


# ------------------------------------------------------------------------------------------------ multiselect


def _multi_select_list(node: Ast, context: Bindings) -> Closure:
    items = tuple(_children(node, context))
    return lambda current: None if current is None else [item(current) for item in items]


def _multi_select_dict(node: Ast, context: Bindings) -> Closure:
    pairs = tuple((child["value"], compile_node(child["children"][0], context)) for child in node["children"])
    return lambda current: None if current is None else {name: value(current) for name, value in pairs}


# ------------------------------------------------------------------------------------------------------ logic


def _or(node: Ast, context: Bindings) -> Closure:
    left, right = _children(node, context)

    def either(current: Any) -> Any:
        value = left(current)
        return value if truthy(value) else right(current)

    return either


def _and(node: Ast, context: Bindings) -> Closure:
    left, right = _children(node, context)

    def both(current: Any) -> Any:
        value = left(current)
        return right(current) if truthy(value) else value

    return both


def _not(node: Ast, context: Bindings) -> Closure:
    (operand,) = _children(node, context)
    return lambda current: not truthy(operand(current))


def _comparator(node: Ast, context: Bindings) -> Closure:
    left, right = _children(node, context)
    operator = node["value"]
    literal = node["children"][1]
    if operator in ("eq", "ne"):
        wanted = operator == "eq"
        if literal["type"] == "literal" and isinstance(literal["value"], str):
            text = literal["value"]
            if wanted:
                return lambda current: bool(left(current) == text)
            return lambda current: bool(left(current) != text)
        return lambda current: equal(left(current), right(current)) is wanted
    return _ordering(left, right, operator)


_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "lt": lambda left, right: left < right,
    "lte": lambda left, right: left <= right,
    "gt": lambda left, right: left > right,
    "gte": lambda left, right: left >= right,
}


def _ordering(left: Closure, right: Closure, operator: str) -> Closure:
    compare = _ORDERINGS[operator]

    def ordering(current: Any) -> Any:
        low, high = left(current), right(current)
        return compare(low, high) if ordered(low, high) else None

    return ordering


_COMPILERS: dict[str, Callable[[Ast, Bindings], Closure]] = {
    "field": _field,
    "subexpression": _chain,
    "index_expression": _chain,
    "pipe": _chain,
    "index": _index,
    "slice": _slice,
    "identity": _identity,
    "current": _identity,
    "literal": _literal,
    "projection": _projection,
    "value_projection": _value_projection,
    "filter_projection": _filter_projection,
    "flatten": _flatten,
    "multi_select_list": _multi_select_list,
    "multi_select_dict": _multi_select_dict,
    "or_expression": _or,
    "and_expression": _and,
    "not_expression": _not,
    "comparator": _comparator,
    "expref": calls.compile_expref,
    "function_expression": lambda node, context: calls.compile_call(node, context, compile_node),
}
