"""JMESPath's own functions. Where the `jmespath` package raises for a wrong type, they give null."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from engine.lang.function import MANY, Registry
from engine.lang.functions_values import number, total
from engine.lang.text import as_text
from engine.lang.times import Stamp
from engine.lang.values import LONGEST, equal, is_number, is_object

_registry = Registry()
_function = _registry.add
FUNCTIONS = _registry.functions


def _numbers(values: Any) -> bool:
    return isinstance(values, list) and all(map(is_number, values))


def _strings(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _whole(value: Any, towards: Callable[[float], int]) -> int | None:
    if not isinstance(value, float):
        return value if is_number(value) else None
    return towards(value) if math.isfinite(value) else None


@_function("abs", 1)
def absolute(value: Any) -> Any:
    """The absolute value of a number."""
    return abs(value) if is_number(value) else None


@_function("avg", 1)
def avg(values: Any) -> Any:
    """The average of a list of numbers; null when it is empty."""
    if not _numbers(values) or not values:
        return None
    try:
        return sum(values) / len(values)
    except OverflowError:
        return None


@_function("ceil", 1)
def ceil(value: Any) -> Any:
    """The next integer that is not smaller."""
    return _whole(value, math.ceil)


_SEARCHED = (str, list)


@_function("contains", 2)
def contains(subject: Any, search: Any) -> Any:
    """Whether a list has the element, or a text the part."""
    if isinstance(search, str):
        return search in subject if isinstance(subject, _SEARCHED) else None
    return any(equal(element, search) for element in subject) if isinstance(subject, list) else None


@_function("ends_with", 2)
def ends_with(text: Any, end: Any) -> Any:
    """Whether the text ends so."""
    return text.endswith(end) if isinstance(text, str) and isinstance(end, str) else None


@_function("floor", 1)
def floor(value: Any) -> Any:
    """The next integer that is not greater."""
    return _whole(value, math.floor)


@_function("join", 2)
def join(separator: Any, parts: Any) -> Any:
    """The strings of a list, joined; null when the separators alone are longer than 256 Mi characters."""
    if not isinstance(separator, str) or not isinstance(parts, list) or len(separator) * len(parts) > LONGEST:
        return None
    try:
        return separator.join(parts)
    except TypeError:
        return None


@_function("keys", 1)
def keys(value: Any) -> Any:
    """The names of an object's members."""
    return list(value) if is_object(value) else None


@_function("length", 1)
def length(value: Any) -> Any:
    """The length of a text, a list or an object."""
    return len(value) if isinstance(value, str | list) or is_object(value) else None


@_function("map", 2, expref_arg=0)
def map_elements(expression: Callable[[Any], Any], values: Any) -> Any:
    """The expression's value for every element, nulls included."""
    return [expression(value) for value in values] if isinstance(values, list) else None


@_function("max", 1)
def maximum(values: Any) -> Any:
    """The greatest of a list of numbers or of strings."""
    return max(values) if (_strings(values) or _numbers(values)) and values else None


@_function("max_by", 2, expref_arg=1)
def max_by(values: Any, expression: Callable[[Any], Any]) -> Any:
    """The element with the greatest value of the expression, numbers or strings."""
    ranks = _ranks(values, expression)
    return values[max(range(len(ranks)), key=ranks.__getitem__)] if ranks else None


@_function("merge", 1, MANY)
def merge(*values: Any) -> Any:
    """One object of all; of equal names the last wins."""
    if not all(is_object(value) for value in values):
        return None
    merged: dict[str, Any] = {}
    for value in values:
        merged.update(value)
    return merged


@_function("min", 1)
def minimum(values: Any) -> Any:
    """The smallest of a list of numbers or of strings."""
    if isinstance(values, list) and len(values) == 2:
        first, second = values
        if type(first) is str and type(second) is str:
            return first if first <= second else second
    return min(values) if (_strings(values) or _numbers(values)) and values else None


@_function("min_by", 2, expref_arg=1)
def min_by(values: Any, expression: Callable[[Any], Any]) -> Any:
    """The element with the smallest value of the expression, numbers or strings."""
    ranks = _ranks(values, expression)
    return values[min(range(len(ranks)), key=ranks.__getitem__)] if ranks else None


@_function("not_null", 1, MANY)
def not_null(*values: Any) -> Any:
    """The first argument that is not null."""
    for value in values:
        if value is not None:
            return value
    return None


@_function("reverse", 1)
def reverse(value: Any) -> Any:
    """A list or a text backwards."""
    return value[::-1] if isinstance(value, str | list) else None


@_function("sort", 1)
def sort(values: Any) -> Any:
    """A list of numbers or of strings, sorted."""
    return sorted(values) if _strings(values) or _numbers(values) else None


@_function("sort_by", 2, expref_arg=1)
def sort_by(values: Any, expression: Callable[[Any], Any]) -> Any:
    """A list, sorted by the expression's value, numbers or strings; equal ones keep their order."""
    ranks = _ranks(values, expression)
    return None if ranks is None else [values[index] for index in sorted(range(len(ranks)), key=ranks.__getitem__)]


def _ranks(values: Any, expression: Callable[[Any], Any]) -> list[Any] | None:
    """The keys to sort by; null unless all are numbers or all are strings."""
    if not isinstance(values, list):
        return None
    ranks = [expression(value) for value in values]
    return ranks if _strings(ranks) or _numbers(ranks) else None


@_function("starts_with", 2)
def starts_with(text: Any, start: Any) -> Any:
    """Whether the text starts so."""
    return text.startswith(start) if isinstance(text, str) and isinstance(start, str) else None


@_function("sum", 1)
def sum_of(values: Any) -> Any:
    """The sum of a list of numbers."""
    return total(values) if _numbers(values) else None


@_function("to_array", 1)
def to_array(value: Any) -> Any:
    """A list as it is, anything else as a list of it."""
    return value if isinstance(value, list) else [value]


@_function("to_number", 1)
def to_number(value: Any) -> Any:
    """The number that a text holds; a number as it is."""
    return number(value)


@_function("to_string", 1)
def to_string(value: Any) -> Any:
    """A text as it is, anything else as compact JSON."""
    return "null" if value is None else as_text(value)


_TYPES = {str: "string", bool: "boolean", list: "array", dict: "object", bytes: "bytes", Stamp: "time"}


@_function("type", 1)
def type_name(value: Any) -> Any:
    """`string`, `number`, `boolean`, `array`, `object`, `null`; besides `bytes` and `time`."""
    if value is None:
        return "null"
    found = _TYPES.get(type(value))
    if found is None:
        found = "number" if is_number(value) else "object" if is_object(value) else None
    return found


@_function("values", 1)
def values(value: Any) -> Any:
    """The values of an object's members."""
    return list(value.values()) if is_object(value) else None
