"""The members of a shape as lines of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

_REF = "#/shapes/"
#: deeper members are left to the spec itself
_DEPTH = 4


class Member(NamedTuple):
    """A member by its path, its types or values, and whether it is always there."""

    path: str
    what: str
    always: bool


def members(shape: Any, path: str = "", depth: int = 0) -> Iterator[Member]:
    """All members below a shape, outer before inner; `[]` is an element, `*` any name."""
    if not isinstance(shape, Mapping) or depth > _DEPTH:
        return
    for other in shape.get("anyOf", ()):
        yield from members(other, path, depth + 1)
    required = shape.get("required", ())
    for name, inner in shape.get("properties", {}).items():
        yield from _member(f"{path}.{name}" if path else name, inner, name in required, depth)
    if isinstance(shape.get("additionalProperties"), Mapping):
        yield from _member(f"{path}.*" if path else "*", shape["additionalProperties"], False, depth)
    if isinstance(shape.get("items"), Mapping):
        yield from members(shape["items"], f"{path}[]", depth + 1)


def _member(path: str, shape: Any, always: bool, depth: int) -> Iterator[Member]:
    yield Member(path, what(shape), always)
    yield from members(shape, path, depth + 1)


def what(shape: Any) -> str:
    """A shape in a few words."""
    if not isinstance(shape, Mapping) or not shape:
        return "anything"
    if "$ref" in shape:
        return f"as {str(shape['$ref']).removeprefix(_REF)}"
    if "const" in shape:
        return f"always {shape['const']}"
    if "enum" in shape:
        return "one of " + ", ".join(str(value) for value in shape["enum"])
    if "anyOf" in shape:
        return " or ".join(dict.fromkeys(map(what, shape["anyOf"])))
    kinds = shape.get("type", "anything")
    words = kinds if isinstance(kinds, str) else " or ".join(kinds)
    inner = shape.get("items")
    return f"{words} of {what(inner)}" if isinstance(inner, Mapping) and inner.get("type") != "object" else words
