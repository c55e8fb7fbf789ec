"""Shapes as a question: which alternatives of a shape may describe a value, and what they know of its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Shape = Mapping[str, Any]
Shapes = tuple[Shape, ...]

_REF = "#/shapes/"
#: how deep `anyOf` and `$ref` are followed: a shape may name itself
_DEPTH = 32


def type_of(value: Any) -> str:
    """The JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    if isinstance(value, str | bytes):
        return "string"
    return "array" if isinstance(value, list) else "object"


class Library:
    """The shapes of a spec."""

    def __init__(self, shapes: Mapping[str, Any]):
        self._shapes = shapes

    def named(self, name: str | None) -> Shapes:
        """The alternatives of a named shape; none for no shape."""
        return self.alternatives([self._shapes[name]]) if name is not None and name in self._shapes else ()

    def alternatives(self, shapes: Iterable[Any], depth: int = 0) -> Shapes:
        """Shapes with `$ref` followed and `anyOf` spread out."""
        found: list[Shape] = []
        for shape in shapes:
            if not isinstance(shape, Mapping) or depth > _DEPTH:
                continue
            if "$ref" in shape:
                target = self._shapes.get(str(shape["$ref"]).removeprefix(_REF))
                found += self.alternatives([target], depth + 1)
            elif "anyOf" in shape:
                found += self.alternatives(shape["anyOf"], depth + 1)
            else:
                found.append(shape)
        return tuple(found)

    def member(self, shapes: Shapes, key: str) -> tuple[Shapes, bool]:
        """The alternatives of a member, and whether its name is one of many that the shape does not list."""
        listed = [shape["properties"][key] for shape in shapes if key in shape.get("properties", {})]
        if listed:
            return self.alternatives(listed), False
        others = [shape["additionalProperties"] for shape in shapes if "additionalProperties" in shape]
        return self.alternatives(other for other in others if isinstance(other, Mapping)), True

    def elements(self, shapes: Shapes) -> Shapes:
        """The alternatives of a list's elements."""
        return self.alternatives(shape["items"] for shape in shapes if "items" in shape)


def admitted(shapes: Shapes, value: Any) -> Shapes:
    """The alternatives whose type a value has."""
    kind = type_of(value)
    return tuple(shape for shape in shapes if _admits(shape.get("type"), kind))


def _admits(wanted: Any, kind: str) -> bool:
    kinds = (wanted,) if isinstance(wanted, str) else wanted
    return not kinds or kind in kinds or (kind == "integer" and "number" in kinds)


def fitting(shapes: Shapes, value: Mapping[str, Any]) -> Shapes:
    """The alternatives whose constants an object has; all of them when it has those of none."""
    return tuple(shape for shape in shapes if _has_constants(shape, value)) or shapes


def _has_constants(shape: Shape, value: Mapping[str, Any]) -> bool:
    members = shape.get("properties", {}).items()
    return all(is_allowed(value[key], allowed((member,))) for key, member in members if key in value)


def is_allowed(value: Any, known: list[Any] | None) -> bool:
    """Whether a value is one of those that a place may have; null known: it may have any."""
    return known is None or any(value == each and type(value) is type(each) for each in known)


def allowed(shapes: Shapes) -> list[Any] | None:
    """The values that a place may have; None when they are not all listed."""
    found: list[Any] = []
    for shape in shapes:
        if "const" in shape:
            found.append(shape["const"])
        elif "enum" in shape:
            found += shape["enum"]
        else:
            return None
    return found if shapes else None


def is_open(shape: Shape) -> bool:
    """Whether a shape says nothing of an object's members."""
    return ("properties" not in shape and "additionalProperties" not in shape) or shape.get(
        "additionalProperties"
    ) is True
