"""Calls in expressions: arguments counted, tables and lookups bound, what is lazy left lazy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from engine.errors import EngineError
from engine.lang.function import arity_text
from engine.lang.values import truthy

Ast = dict[str, Any]
Closure = Callable[[Any], Any]


class CompileError(EngineError):
    """A call that the function table, the tables or the lookups don't have."""


class Bindings(Protocol):
    """What calls are bound to; `engine.lang.expr.Context`."""

    tables: Any
    lookup: Any
    functions: Any


Compile = Callable[[Ast, Bindings], Closure]


def compile_expref(node: Ast, context: Bindings) -> Closure:
    """`&` out of place; where it may stand, the call compiles it."""
    raise CompileError("`&` stands only where a function takes an expression: map, sort_by, min_by, max_by")


def compile_call(node: Ast, context: Bindings, compile_node: Compile) -> Closure:
    """The closure of a call: arguments bound to the function's implementation, tables by content, `if` lazily."""
    name, nodes = node["value"], node["children"]
    function = context.functions.get(name)
    if function is None:
        raise CompileError(f"unknown function {name}()")
    if not function.min_args <= len(nodes) <= function.max_args:
        raise CompileError(f"{name}() takes {arity_text(function)}, not {len(nodes)}")
    if name == "if":
        return _if(*(compile_node(child, context) for child in nodes))
    if name == "not_null":
        return _not_null(tuple(compile_node(child, context) for child in nodes))
    arguments = tuple(
        _table(name, child, context)
        if place == function.table_arg
        else _expression(name, child, context, compile_node)
        if place == function.expref_arg
        else compile_node(child, context)
        for place, child in enumerate(nodes)
    )
    impl = function.impl
    if function.needs_lookup:
        return lambda current: impl(context.lookup, *[argument(current) for argument in arguments])
    if len(arguments) == 1:
        (only,) = arguments
        return lambda current: impl(only(current))
    if len(arguments) == 2:
        first, second = arguments
        return lambda current: impl(first(current), second(current))
    return lambda current: impl(*[argument(current) for argument in arguments])


def _if(condition: Closure, yes: Closure, no: Closure) -> Closure:
    return lambda current: yes(current) if truthy(condition(current)) else no(current)


def _not_null(arguments: tuple[Closure, ...]) -> Closure:
    def not_null(current: Any) -> Any:
        for argument in arguments:
            value = argument(current)
            if value is not None:
                return value
        return None

    return not_null


def _table(name: str, node: Ast, context: Bindings) -> Closure:
    if node["type"] != "literal" or not isinstance(node["value"], str):
        raise CompileError(f"{name}() takes the table's name as a raw string, such as 'names'")
    if node["value"] not in context.tables:
        raise CompileError(f"{name}(): no table {node['value']!r}")
    content = context.tables[node["value"]]
    return lambda current: content


def _expression(name: str, node: Ast, context: Bindings, compile_node: Compile) -> Closure:
    if node["type"] != "expref":
        raise CompileError(f"{name}() takes an expression there: write `&` in front")
    inner = compile_node(node["children"][0], context)
    return lambda current: inner
