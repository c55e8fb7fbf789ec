"""What expressions of generated modules call: the language's operators and functions that have no short form in Python,
and faster forms of the most frequent ones. The meaning is that of `engine.lang`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.lang import functions_jmespath, functions_json, functions_objects
from engine.lang.fastjson import decode_any
from engine.lang.jsontext import NESTING
from engine.lang.text import _WHITE as WHITE
from engine.lang.values import is_empty, ordered, truthy
from engine.read.units import Record
from engine.run.moments import NO_TIME, earliest, iso, iso_local, moment_of, stamp_of, timed, with_basis
from engine.run.values import column_text

__all__ = [
    "NOTHING",
    "NO_TIME",
    "WHITE",
    "at_least",
    "at_most",
    "cell",
    "collect",
    "contains",
    "earliest",
    "element",
    "first_of",
    "flat",
    "iso",
    "iso_local",
    "json",
    "label_of",
    "less",
    "maybe_json",
    "members",
    "moment_of",
    "more",
    "next_of",
    "next_record",
    "part",
    "stamp_of",
    "timed",
    "with_basis",
]

#: stands for any value that is no object where only its members are asked for; never changed
NOTHING: dict[str, Any] = {}


# --------------------------------------------------------------------------------------- frequent functions


def cell(value: Any) -> str:
    """What stands in a row for a value."""
    return value if type(value) is str else column_text(value)


def first_of(value: Any, table: Any) -> Any:
    """The language's `first_of`."""
    if type(value) is not dict:
        return functions_objects.first_of(value, table)
    for name in table:
        found = value.get(name)
        if found or not is_empty(found):
            return found
    return None


#: texts up to this length are too short to nest too deep
_SHORT = 2 * NESTING


def json(text: Any) -> Any:
    """The language's `json`."""
    if type(text) is str and len(text) <= _SHORT:
        try:
            return decode_any(text)
        except Exception:
            return functions_json.json(text)
    return functions_json.json(text)


def contains(subject: Any, search: Any) -> Any:
    """The language's `contains`."""
    if type(search) is str and type(subject) in (str, list):
        return search in subject
    return functions_jmespath.contains(subject, search)


def maybe_json(text: Any) -> Any:
    """The language's `maybe_json`."""
    if type(text) is str and text[:1] in ("{", "["):
        value = json(text)
        return text if value is None else value
    return functions_json.maybe_json(text)


# ------------------------------------------------------------------------------------------ expressions


def element(value: Any, at: int) -> Any:
    """An element of a list."""
    return value[at] if isinstance(value, list) and -len(value) <= at < len(value) else None


def part(value: Any, start: int | None, stop: int | None, step: int | None) -> Any:
    """A slice of a list."""
    return value[start:stop:step] if isinstance(value, list) else None


def flat(value: Any) -> Any:
    """A list with the lists in it opened."""
    if not isinstance(value, list):
        return None
    return [inner for item in value for inner in (item if isinstance(item, list) else (item,))]


def members(value: Any) -> Any:
    """The values of an object as a list."""
    found = getattr(value, "values", None)
    return None if found is None else list(found())


def collect(base: Any, right: Callable[[Any], Any], condition: Callable[[Any], Any] | None = None) -> list[Any] | None:
    """What is not null of a list's elements, seen through an expression."""
    if not isinstance(base, list):
        return None
    chosen: Iterable[Any] = base if condition is None else (item for item in base if truthy(condition(item)))
    return [found for item in chosen if (found := right(item)) is not None]


def less(left: Any, right: Any) -> bool | None:
    return left < right if ordered(left, right) else None


def at_most(left: Any, right: Any) -> bool | None:
    return left <= right if ordered(left, right) else None


def more(left: Any, right: Any) -> bool | None:
    return left > right if ordered(left, right) else None


def at_least(left: Any, right: Any) -> bool | None:
    return left >= right if ordered(left, right) else None


def next_of(values: list[Any], at: int) -> Any:
    """The element after one, null after the last."""
    return values[at + 1] if at + 1 < len(values) else None


def next_record(records: list[Record], at: int) -> Any:
    return records[at + 1].value if at + 1 < len(records) else None


def label_of(text: Any, table: Any, keys: tuple[str, ...]) -> Any:
    """`label`, with one look for all keys of the table before the first that fits is sought."""
    if not isinstance(text, str) or not text.startswith(keys):
        return None
    key = next(key for key in keys if text.startswith(key))
    return table[key] if isinstance(table, dict) else key
