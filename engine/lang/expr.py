"""Expressions: JMESPath over named scopes, parsed by the `jmespath` package, compiled once to Python closures.

The meaning is the package's, with two differences that the language reference states: `<` and its like compare
numbers only, and functions give null where the package raises. Nothing of the package runs after parsing.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.errors import EngineError
from engine.lang.calls import CompileError
from engine.lang.closures import compile_node
from engine.lang.function import Function
from engine.lang.functions import FUNCTIONS
from engine.lang.paths import Access, accesses, root_names

if TYPE_CHECKING:
    from jmespath.exceptions import LexerError, ParseError

__all__ = ["Access", "CompileError", "Context", "ExpressionError", "accesses", "compile_ast", "parse", "root_names"]


class ExpressionError(EngineError):
    """An expression that can't be parsed. `offset` is the 0-based character in its source."""

    def __init__(self, message: str, offset: int):
        self.message, self.offset = message, offset
        super().__init__(message)


class Context:
    """What expressions are bound to when they are compiled: the spec's tables; and, asked at each call, its lookups.

    `lookup` is a callable `(name, key) -> value`; it may be replaced between sources.
    """

    def __init__(
        self,
        tables: Mapping[str, Any] | None = None,
        lookup: Callable[[str, Any], Any] | None = None,
        functions: Mapping[str, Function] = FUNCTIONS,
    ):
        self.tables: Mapping[str, Any] = tables or {}
        self.lookup: Callable[[str, Any], Any] = lookup or (lambda name, key: None)
        self.functions = functions


def parse(source: str) -> dict[str, Any]:
    """The parse tree of the `jmespath` package. Raises ExpressionError."""
    # a run of a spec that was compiled before parses nothing
    from jmespath import exceptions
    from jmespath.parser import Parser

    if len(source) > _LONGEST:
        raise ExpressionError(f"longer than {_LONGEST} characters", 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            ast: dict[str, Any] = Parser().parse(source).parsed
    except exceptions.EmptyExpressionError:
        raise ExpressionError("empty expression", 0) from None
    except exceptions.IncompleteExpressionError:
        raise ExpressionError("the expression ends too early", len(source)) from None
    except exceptions.LexerError as error:
        raise ExpressionError(_lexer_message(error), error.lexer_position) from None
    except exceptions.ParseError as error:
        raise ExpressionError(_parse_message(error), error.lex_position) from None
    except (exceptions.JMESPathError, IndexError, RecursionError) as error:
        raise ExpressionError(f"not an expression: {error}", 0) from None
    _check_tree(ast)
    return ast


def _lexer_message(error: LexerError) -> str:
    if str(error.lexer_value) == "=":
        return "unknown token `=`: equality is `==`"
    return f"{error.message[:1].lower()}{error.message[1:]}"


def _parse_message(error: ParseError) -> str:
    token = error.token_value
    if error.token_type == "NUMBER":
        return f"unexpected number {token}: a number is written in backticks, `{token}`"
    if error.token_type == "EOF":
        return "the expression ends too early"
    if error.msg.startswith(("Quoted identifier", "Invalid function name")):
        return error.msg[:1].lower() + error.msg[1:].rstrip(".")
    return f"unexpected `{token}`"


#: how deep a parse tree may be: everything that walks it recurses
_DEPTH = 128

#: how long an expression may be: the parser takes a long chain of names again at each of its links
_LONGEST = 8192


def _check_tree(ast: dict[str, Any]) -> None:
    """What the parser takes, but nothing after it could: a slice with step 0, a tree that is too deep, a number that is
    none in JSON."""
    stack = [(ast, 1)]
    while stack:
        node, depth = stack.pop()
        if depth > _DEPTH:
            raise ExpressionError(f"the expression is nested deeper than {_DEPTH}", 0)
        if node["type"] == "literal" and not _is_json(node["value"]):
            raise ExpressionError("a literal holds a number that JSON does not know", 0)
        if node["type"] == "slice":
            if node["children"][2] == 0:
                raise ExpressionError("the step of a slice can't be 0", 0)
        else:
            stack.extend((child, depth + 1) for child in node["children"])


def _is_json(value: Any) -> bool:
    """Whether all numbers in a literal are finite."""
    if isinstance(value, dict):
        return all(map(_is_json, value.values()))
    if isinstance(value, list):
        return all(map(_is_json, value))
    return not isinstance(value, float) or math.isfinite(value)


def compile_ast(ast: dict[str, Any], context: Context) -> Callable[[Any], Any]:
    """A closure that gives the expression's value in a scope: anything with `get(name)`.

    Raises CompileError for an unknown function or table, a wrong number of arguments, an `&expression` out of place.
    """
    return compile_node(ast, context)
