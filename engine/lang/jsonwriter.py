"""Values to JSON text: one text for one value, whichever path wrote it, and never an error."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring
from typing import Any

import orjson


class Written(float):
    """A number that a double or JSON doesn't know (`NaN`, `Infinity`, `1e400`, 5000 digits), kept as written."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Written:
        number = super().__new__(cls, text)
        number.text = text
        return number

    def __reduce__(self) -> tuple[type[Written], tuple[str]]:
        return Written, (self.text,)


_OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_SUBCLASS


def dumps(value: Any) -> str:
    """Compact JSON: no spaces, source order, non-ASCII kept, floats in their shortest form.

    Bytes are written as hex, times as their UTC text, dates and times of TOML and YAML as ISO 8601, numbers that JSON
    doesn't know as they were written, lone surrogates as they are. Any depth.
    """
    kind = type(value)
    if kind is str:
        return encode_basestring(value)
    try:
        text = orjson.dumps(value, option=_OPTIONS).decode()
    except TypeError:
        return _dumps_exact(value)
    # orjson writes null for a plain NaN or infinity, as TOML, YAML and SQLite can give
    if "null" in text and _has_odd_float(value):
        return _dumps_exact(value)
    return text


def _has_odd_float(value: Any) -> bool:
    level = [value]
    while level:
        children: list[Any] = []
        for item in level:
            if type(item) is float and not math.isfinite(item):
                return True
            if type(item) is dict:
                children.extend(item.values())
            elif type(item) in (list, tuple):
                children.extend(item)
        level = children
    return False


def _dumps_exact(value: Any) -> str:
    """The same text as the fast path, for every value; with a stack of iterators in place of recursion."""
    out: list[str] = []
    stack: list[tuple[Iterator[Any], str]] = []
    current: Any = value
    while True:
        if isinstance(current, Mapping):
            out.append("{")
            stack.append((_members(current), "}"))
        elif isinstance(current, list | tuple) and not hasattr(current, "utc"):
            out.append("[")
            stack.append((iter(current), "]"))
        else:
            out.append(_scalar(current))
        while stack:
            children, closer = stack[-1]
            item: Any = next(children, _END)
            if item is _END:
                out.append(closer)
                stack.pop()
                continue
            if out[-1] not in ("[", "{"):
                out.append(",")
            if closer == "}":
                out.append(encode_basestring(_key(item[0])) + ":")
                item = item[1]
            current = item
            break
        else:
            return "".join(out)


_END = object()


def _members(value: Mapping[Any, Any]) -> Iterator[Any]:
    return ((key, value[key]) for key in value)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else _scalar(key).strip('"')


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, str):
        return encode_basestring(str(value))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, Written):
        return value.text
    if isinstance(value, float):
        return orjson.dumps(float(value)).decode() if math.isfinite(value) else _NON_FINITE[repr(float(value))]
    if isinstance(value, bytes | bytearray | memoryview):
        return f'"{bytes(value).hex()}"'
    if isinstance(value, datetime.date | datetime.time):
        return encode_basestring(value.isoformat())
    # a times.Stamp, which is a tuple too; its module imports this one
    if hasattr(value, "utc"):
        return encode_basestring(value.utc)
    return encode_basestring(str(value))


_NON_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
