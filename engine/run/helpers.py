"""What expressions of generated modules call: the language's operators that have no short form in Python, and what is
prepared once a module. The meaning is that of `engine.lang`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.lang.jsontext import dumps
from engine.lang.text import _WHITE as WHITE
from engine.lang.values import ordered, truthy
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
    "earliest",
    "element",
    "flat",
    "iso",
    "iso_local",
    "label_of",
    "less",
    "members",
    "moment_of",
    "more",
    "next_of",
    "next_record",
    "part",
    "stamp_of",
    "starts",
    "timed",
    "with_basis",
]

#: stands for any value that is no object where only its members are asked for; never changed
NOTHING: dict[str, Any] = {}


def cell(value: Any) -> str:
    """What stands in a row for a value."""
    if value is None or value is False:
        return ""
    kind = type(value)
    if kind is str:
        text: str = value
        return text
    return dumps(value) if kind is dict or kind is list else column_text(value)


def starts(table: list[Any] | dict[str, Any]) -> dict[str, list[tuple[str, Any]]]:
    """A table for `label_of`: what a text can begin with and its label, in order, by the first character; under `''`
    what any text begins with."""
    given = table.items() if isinstance(table, dict) else zip(table, table, strict=True)
    pairs = [(key, found) for key, found in given if isinstance(key, str)]
    firsts = {key[:1] for key, _ in pairs} | {""}
    return {first: [(key, found) for key, found in pairs if key[:1] in ("", first)] for first in firsts}


def label_of(text: Any, table: dict[str, list[tuple[str, Any]]]) -> Any:
    """The language's `label`, with a table in the form of `starts`."""
    if isinstance(text, str):
        for key, found in table.get(text[:1]) or table[""]:
            if text.startswith(key):
                return found
    return None


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
    found: list[Any] = []
    for item in value:
        if isinstance(item, list):
            found += item
        else:
            found.append(item)
    return found


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
