"""What parses, but doesn't mean what its author thinks: pure checks of one expression, for the messages at load.

Each check yields a Finding with the offset in the expression's source. The parse tree has no offsets; they are found
by walking it in source order beside the tokens.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from jmespath.lexer import Lexer

from engine.lang.function import Function, arity_text
from engine.lang.functions import FUNCTIONS

Ast = dict[str, Any]


class Finding(NamedTuple):
    """One pitfall: a code, a sentence that says what to write instead, and the 0-based offset in the source."""

    code: str
    message: str
    offset: int
    nearest: str | None = None


class Name(NamedTuple):
    """A name that is looked up in the scope, and its offset in the source."""

    name: str
    offset: int


class Place(NamedTuple):
    """A node, its offset, and what the current value is there.

    `inside` is '' where names are looked up in the scope, else what changed the current value. `member` is true right
    of a dot, where a name can only be a member. `parent` and `nth` say which child of what it is.
    """

    node: Ast
    offset: int
    inside: str
    member: bool
    parent: Ast | None
    nth: int


def find_pitfalls(source: str, ast: Ast, scope_names: Collection[str] = ()) -> list[Finding]:
    """All pitfalls of an expression that parsed. `scope_names` are the names that its scope has: none of them should
    be looked up in an element by mistake."""
    found = list(_missing_commas(source))
    for place in places(source, ast):
        check = _CHECKS.get(place.node["type"])
        if check is not None:
            found.extend(check(place, source, scope_names))
    return found


def find_call_faults(
    source: str,
    ast: Ast,
    tables: Collection[str],
    lookups: Collection[str],
    functions: Mapping[str, Function] = FUNCTIONS,
) -> list[Finding]:
    """Calls that can't be compiled: unknown functions, wrong numbers of arguments, unknown tables and lookups, and
    `&` where no function takes it."""
    found: list[Finding] = []
    for place in places(source, ast):
        kind = place.node["type"]
        if kind == "function_expression":
            found.extend(_call_faults(place, tables, lookups, functions))
        elif kind == "expref" and not _is_expref_argument(place, functions):
            message = "`&` stands only where a function takes an expression: map, sort_by, min_by, max_by"
            found.append(Finding("misplaced-expref", message, place.offset))
    return found


def scope_lookups(source: str, ast: Ast) -> list[Name]:
    """The names that an expression looks up in its scope, in source order, with their offsets."""
    return [
        Name(place.node["value"], place.offset)
        for place in places(source, ast)
        if place.node["type"] == "field" and not place.inside and not place.member
    ]


# ------------------------------------------------------------------------------------------------ the walk

_TOKENS = {
    "field": ("unquoted_identifier", "quoted_identifier"),
    "key_val_pair": ("unquoted_identifier", "quoted_identifier"),
    "function_expression": ("unquoted_identifier", "quoted_identifier"),
    "literal": ("literal",),
    "not_expression": ("not",),
    "current": ("current",),
    "expref": ("expref",),
}

_CHAINS = ("subexpression", "index_expression")
_PROJECTIONS = ("projection", "value_projection", "filter_projection")


@lru_cache(maxsize=4)
def _tokens(source: str) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return list(Lexer().tokenize(source))


def places(source: str, ast: Ast) -> Iterator[Place]:
    """Every node in source order. A node without a token of its own has the offset of what stands before it."""
    tokens = _tokens(source)
    queues = {
        types: iter([token["start"] for token in tokens if token["type"] in types]) for types in set(_TOKENS.values())
    }
    last = 0

    def walk(node: Ast, inside: str, member: bool, parent: Ast | None, index: int) -> Iterator[Place]:
        nonlocal last
        kind = node["type"]
        if kind in _TOKENS:
            last = next(queues[_TOKENS[kind]])
        yield Place(node, last, inside, member, parent, index)
        if kind == "slice":
            return
        order = (0, 2, 1) if kind == "filter_projection" else range(len(node["children"]))
        for at in order:
            child_inside, child_member = _surroundings(node, at, inside, member)
            yield from walk(node["children"][at], child_inside, child_member, node, at)

    yield from walk(ast, "", False, None, 0)


def _surroundings(node: Ast, at: int, inside: str, member: bool) -> tuple[str, bool]:
    """What the current value is for a child, and whether the child stands right of a dot."""
    kind = node["type"]
    if kind in _CHAINS:
        return (inside, member) if at == 0 else (inside or "right of `.`", True)
    if kind in _PROJECTIONS:
        if at == 0:
            return inside, member
        return ("inside `[?…]`", False) if at == 2 else ("right of a projection", True)
    if kind == "flatten":
        return inside, member
    if kind == "pipe":
        return (inside, member) if at == 0 else ("right of `|`", False)
    if kind == "expref":
        return "inside `&…`", False
    return inside, False


# ---------------------------------------------------------------------------------------------- the checks


def _check_field(place: Place, source: str, scope_names: Collection[str]) -> Iterator[Finding]:
    name = place.node["value"]
    if place.member or source[place.offset] == '"':
        return
    if name in ("null", "true", "false"):
        yield Finding(
            "bare-literal", f"bare `{name}` is the name of a field: write `{name}` in backticks", place.offset
        )
    elif place.inside and name in scope_names:
        message = (
            f"`{name}` {place.inside} is looked up in the element, not in the scope: "
            f"write `@.{name}` when the element's own member is meant"
        )
        yield Finding("scope-in-element", message, place.offset)


def _check_not(place: Place, source: str, scope_names: Collection[str]) -> Iterator[Finding]:
    parent = place.parent
    if parent is not None and place.nth == 0 and parent["type"] in (*_CHAINS, *_PROJECTIONS, "flatten"):
        yield Finding("not-path", "`!a.b` is `(!a).b`, which is always null: write `!(a.b)`", place.offset)


def _check_and(place: Place, source: str, scope_names: Collection[str]) -> Iterator[Finding]:
    right = place.node["children"][1]
    if right["type"] != "literal" or right["value"] is None or isinstance(right["value"], bool):
        return
    if place.parent is not None and place.parent["type"] == "or_expression" and place.nth == 0:
        return
    message = "`c && x` gives false, null or '' when c does not hold: write `if(c, x, …)`"
    yield Finding("and-literal", message, place.offset)


def _check_literal(place: Place, source: str, scope_names: Collection[str]) -> Iterator[Finding]:
    value = place.node["value"]
    if not isinstance(value, str):
        return
    if source[place.offset] == "'":
        if "\\" in value:
            message = "a backslash in a raw string is no escape: write a JSON string in backticks"
            yield Finding("raw-backslash", message, place.offset)
    elif not source[place.offset + 1 :].lstrip().startswith('"'):
        yield Finding("unquoted-literal", f"text in backticks needs quotes: write '{value}'", place.offset)


def _check_current(place: Place, source: str, scope_names: Collection[str]) -> Iterator[Finding]:
    if not place.inside:
        yield Finding("whole-scope", "`@` is the whole scope here: begin with a scope's name", place.offset)


def _check_comparator(place: Place, source: str, scope_names: Collection[str]) -> Iterator[Finding]:
    if place.node["value"] in ("eq", "ne"):
        return
    for child in place.node["children"]:
        if child["type"] == "literal" and isinstance(child["value"], str):
            message = "`<`, `<=`, `>` and `>=` compare numbers; with text they give null"
            yield Finding("text-order", message, place.offset)


_ENDS = frozenset({"unquoted_identifier", "quoted_identifier", "literal", "current", "rparen", "rbracket", "rbrace"})
_STARTS = frozenset({"unquoted_identifier", "quoted_identifier", "literal", "current", "expref"})


def _missing_commas(source: str) -> Iterator[Finding]:
    """The parser takes `f(a b)` for `f(a, b)`; everywhere else two values in a row are an error."""
    tokens = _tokens(source)
    for token, following in pairwise(tokens):
        if token["type"] in _ENDS and following["type"] in _STARTS:
            yield Finding("missing-comma", "a comma is missing between two arguments", following["start"])


_CHECKS = {
    "field": _check_field,
    "not_expression": _check_not,
    "and_expression": _check_and,
    "literal": _check_literal,
    "current": _check_current,
    "comparator": _check_comparator,
}


def _call_faults(
    place: Place, tables: Collection[str], lookups: Collection[str], functions: Mapping[str, Function]
) -> Iterator[Finding]:
    name, arguments = place.node["value"], place.node["children"]
    function = functions.get(name)
    if function is None:
        yield Finding("unknown-function", f"unknown function {name}()", place.offset, _nearest(name, functions))
        return
    if not function.min_args <= len(arguments) <= function.max_args:
        message = f"{name}() takes {arity_text(function)}, not {len(arguments)}"
        yield Finding("arguments", message, place.offset)
        return
    if function.table_arg is not None:
        yield from _name_faults(place, arguments[function.table_arg], "table", tables)
    if function.needs_lookup:
        yield from _name_faults(place, arguments[0], "lookup", lookups)
    if function.expref_arg is not None and arguments[function.expref_arg]["type"] != "expref":
        message = f"argument {function.expref_arg + 1} of {name}() is an expression of the element: write `&` in front"
        yield Finding("missing-expref", message, place.offset)


def _name_faults(place: Place, argument: Ast, kind: str, known: Collection[str]) -> Iterator[Finding]:
    name = place.node["value"]
    if argument["type"] != "literal" or not isinstance(argument["value"], str):
        yield Finding(f"{kind}-name", f"{name}() takes the {kind}'s name as a raw string, such as 'x'", place.offset)
    elif argument["value"] not in known:
        close = _nearest(argument["value"], known)
        yield Finding(f"unknown-{kind}", f"{name}(): no {kind} '{argument['value']}'", place.offset, close)


def _nearest(name: str, known: Collection[str]) -> str | None:
    return next(iter(get_close_matches(name, known, 1)), None)


def _is_expref_argument(place: Place, functions: Mapping[str, Function]) -> bool:
    parent = place.parent
    if parent is None or parent["type"] != "function_expression":
        return False
    function = functions.get(parent["value"])
    return function is None or function.expref_arg == place.nth
