"""What an expression can get wrong without knowing its scopes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from engine.spec.problems import nearest_name

Finding = tuple[str, str, str | None]

_TOKEN = re.compile(r"'((?:\\.|[^'\\])*)'|\"(?:\\.|[^\"\\])*\"|`((?:\\.|[^`\\])*)`")
_BARE = ("null", "true", "false")


def expression_pitfalls(source: str, ast: dict[str, Any]) -> Iterator[Finding]:
    """(code, message, nearest) of everything that is wrong with an expression by itself."""
    yield from _literals(source)
    yield from _walk(ast, False)


def _literals(source: str) -> Iterator[Finding]:
    for match in _TOKEN.finditer(source):
        raw, literal = match[1], match[2]
        if raw is not None and "\\" in raw.replace("\\'", ""):
            yield "E409", f"a backslash in {match[0]} is no escape: write `{json.dumps(raw)}` with backticks", None
        if literal is not None:
            try:
                json.loads(literal.replace("\\`", "`"))
            except ValueError:
                yield "E401", f"`{literal}` is no JSON: a text between backticks has double quotes", None


def _walk(ast: dict[str, Any], member: bool) -> Iterator[Finding]:
    kind, children = ast["type"], ast["children"]
    if kind == "field" and not member and ast["value"] in _BARE:
        yield "E408", f"bare {ast['value']} is a field name: write `{ast['value']}` with backticks", None
    if kind in ("subexpression", "projection") and children[0]["type"] == "not_expression":
        yield "E405", "`!a.b` means `(!a).b`: write `!(a.b)`", None
    if kind == "and_expression" and children[1]["type"] == "literal" and isinstance(children[1]["value"], str):
        text = children[1]["value"]
        yield "E406", f"`c && '{text}'` leaks false and null: write if(c, '{text}')", None
    for number, child in enumerate(children):
        if isinstance(child, dict):
            right = number == 1 and kind in ("subexpression", "projection", "value_projection", "filter_projection")
            yield from _walk(child, right)


def unknown_function(name: str, known: Any) -> Finding:
    return "E302", f"unknown function `{name}`", nearest_name(name, known)
