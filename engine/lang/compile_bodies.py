"""What a step takes from the steps around it: citations, names, its id, the type and rest of a `keep_json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from engine.lang.plan import Citation, Expr, Value
from engine.spec.yamlio import Node, Scalar

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Place(NamedTuple):
    """The surroundings of a step. `lets` are the lets in force; `known` is the switch's (type, rest) as sources,
    None where no enclosing switch gives them; `emits` collects the walk's emits by name."""

    prefix: str
    cites: tuple[Citation, ...]
    lets: Mapping[str, Value]
    emits: dict[str, int]
    known: tuple[str, str] | None = None


def raw_text(text: str) -> str:
    """A JMESPath expression for a constant text."""
    if "'" not in text and "\\" not in text:
        return f"'{text}'"
    return "`" + json.dumps(text).replace("`", "\\`") + "`"


def unknown_of(on: Expr, lets: Mapping[str, Value]) -> tuple[str, str] | None:
    """Type and rest of a record that a switch on `on` does not know, as sources; None when `on` does not tell.

    `record.payload.type` gives itself and `omit(record.payload, 'type')`; `v.tag`, where `v` is a variant, itself
    and `v.body`.
    """
    if on.ast["type"] != "subexpression" or on.ast["children"][-1]["type"] != "field":
        return None
    *parents, last = on.ast["children"]
    name = last["value"]
    source = on.source.rstrip()
    written = name if source.endswith(name) and _IDENTIFIER.fullmatch(name) else json.dumps(name)
    head = source.removesuffix(written).rstrip().removesuffix(".").rstrip()
    if name == "tag" and len(parents) == 1 and _is_variant(parents[0], lets):
        return on.source, f"{head}.body"
    return on.source, f"omit({head}, {raw_text(name)})"


def _is_variant(ast: Mapping, lets: Mapping[str, Value]) -> bool:
    if ast["type"] == "field":
        held = lets.get(ast["value"])
        return isinstance(held, Expr) and held.ast["type"] == "function_expression" and held.ast["value"] == "variant"
    return ast["type"] == "function_expression" and ast["value"] == "variant"


def own_name(action: str, members: dict[str, Node], taken: set[str]) -> str:
    """The step's part of its id: the emit's name or the action, told apart from its siblings by a number."""
    node = members[action]
    base = str(node.value) if action == "emit" and isinstance(node, Scalar) else action
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}{number}"
    taken.add(name)
    return name
