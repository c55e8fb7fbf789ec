"""What expressions of generated modules call: the language's operators and functions that have no short form in Python,
and faster forms of the most frequent ones. The meaning is that of `engine.lang`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.lang import functions_jmespath, functions_json, functions_objects, functions_text, functions_values
from engine.lang.fastjson import decode_any
from engine.lang.jsontext import NESTING, dumps
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
    "basename",
    "cell",
    "collect",
    "contains",
    "content_text",
    "count",
    "earliest",
    "element",
    "first_of",
    "flat",
    "get",
    "has",
    "iso",
    "iso_local",
    "join_text",
    "json",
    "label_of",
    "less",
    "maybe_json",
    "members",
    "minimum",
    "moment_of",
    "more",
    "next_of",
    "next_record",
    "part",
    "stamp_of",
    "timed",
    "trim",
    "with_basis",
]

#: stands for any value that is no object where only its members are asked for; never changed
NOTHING: dict[str, Any] = {}


# --------------------------------------------------------------------------------------- frequent functions


def cell(value: Any) -> str:
    """What stands in a row for a value."""
    if value is None or value is False:
        return ""
    kind = type(value)
    if kind is str:
        text: str = value
        return text
    return dumps(value) if kind is dict or kind is list else column_text(value)


def first_of(value: Any, table: Any) -> Any:
    """The language's `first_of`."""
    if type(value) is not dict:
        return functions_objects.first_of(value, table)
    for name in table:
        found = value.get(name)
        if found or (found is not None and not is_empty(found)):
            return found
    return None


def get(value: Any, key: Any) -> Any:
    """The language's `get`."""
    if value is None:
        return None
    return value.get(key) if type(value) is dict and type(key) is str else functions_objects.get(value, key)


def has(value: Any, table: Any) -> Any:
    """The language's `has`, with a table that is one."""
    return value in table if type(value) is str else functions_objects.has(value, table)


def count(value: Any) -> Any:
    """The language's `count`."""
    return len(value) if type(value) is str or type(value) is list else functions_values.count(value)


def minimum(values: Any) -> Any:
    """The language's `min`."""
    if type(values) is list and len(values) == 2:
        first, second = values
        if type(first) is str and type(second) is str:
            return min(first, second)
    return functions_jmespath.minimum(values)


def trim(text: Any) -> Any:
    """The language's `trim`."""
    return text.strip(WHITE) if type(text) is str else functions_text.trim(text)


def basename(path: Any) -> Any:
    """The language's `basename`."""
    return path if type(path) is str and "/" not in path and "\\" not in path else functions_text.basename(path)


def join_text(parts: Any) -> Any:
    """The language's `join_text`."""
    if type(parts) is list and len(parts) == 1 and type(parts[0]) is str:
        return parts[0]
    return functions_text.join_text(parts)


_TEXT_BLOCKS = frozenset(("text", "input_text", "output_text"))


def content_text(blocks: Any) -> Any:
    """The language's `content_text`."""
    if blocks is None or type(blocks) is str:
        return blocks
    if type(blocks) is list and len(blocks) == 1 and type(block := blocks[0]) is dict:
        text, kind = block.get("text"), block.get("type")
        if type(text) is str and type(kind) is str and kind in _TEXT_BLOCKS:
            return text
    return functions_json.content_text(blocks)


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
