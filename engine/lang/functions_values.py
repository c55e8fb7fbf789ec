"""Functions on single values: choice, numbers, times, digests."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from engine.lang import times
from engine.lang.function import Registry
from engine.lang.values import is_number, is_object, truthy

_registry = Registry()
_function = _registry.add
FUNCTIONS = _registry.functions


@_function("if", 3)
def choose(condition: Any, yes: Any, no: Any) -> Any:
    """The second argument when the first is true in JMESPath's sense, else the third; only that one is evaluated."""
    return yes if truthy(condition) else no


_SIZED = (str, list, dict)


@_function("count", 1)
def count(value: Any) -> Any:
    """The length of a list, an object or a text."""
    return len(value) if isinstance(value, _SIZED) or is_object(value) else None


_NUMBER = re.compile(r"\s*[+-]?[0-9]{1,4000}(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?\s*")


@_function("number", 1)
def number(value: Any) -> Any:
    """The number that a text holds; a number as it is."""
    if is_number(value):
        return value
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    if match[1] is None and match[2] is None:
        return int(value)
    result = float(value)
    return result if abs(result) != float("inf") else None


@_function("add", 2)
def add(left: Any, right: Any) -> Any:
    """The sum of two numbers."""
    if type(left) is int and type(right) is int:
        return _sayable(left + right)
    return total([left, right]) if is_number(left) and is_number(right) else None


#: integers beyond this many bits are no numbers that anyone stored; their text could not be written
_BITS = 13_000


def total(numbers: list[Any]) -> Any:
    """The sum of numbers; null when it has no text or no double."""
    try:
        return _sayable(sum(numbers))
    except OverflowError:
        return None


def _sayable(number: Any) -> Any:
    return None if type(number) is int and number.bit_length() > _BITS else number


@_function("utc", 1, 2)
def utc(value: Any, unit: Any = "iso") -> Any:
    """A time, or a stamp in `unit` (iso when not given), as `YYYY-MM-DDTHH:MM:SS.mmmZ`."""
    stamp = times.parse(value, unit) if isinstance(unit, str) and unit in times.UNITS else None
    return None if stamp is None else stamp.utc


#: offsets from UTC, in quarters of an hour, that a zone of the tz database (2025b) has had since 2023
ZONE_QUARTERS = frozenset([
    -48, -44, -40, -38, -36, -32, -28, -24, -20, -16, -14, -12, -10, -8, -4, 0, 4, 8, 12, 14, 16, 18, 20, 22, 23, 24,
    26, 28, 32, 35, 36, 38, 40, 42, 44, 48, 51, 52, 55, 56,
])  # fmt: skip


@_function("zone_offset", 2)
def zone_offset(local: Any, universal: Any) -> Any:
    """Seconds that a zoneless stamp is ahead of a UTC one, to the quarter hour below; null where no zone is."""
    near, far = times.parse(local, "iso"), times.parse(universal, "iso")
    if near is None or far is None or near.basis != "local_as_utc" or far.basis == "local_as_utc":
        return None
    quarters = (near.ms - far.ms + 60_000) // 900_000
    return quarters * 900 if quarters in ZONE_QUARTERS else None


_HEX = re.compile(r"[0-9a-fA-F]{32}")


@_function("uuid", 1)
def uuid(value: Any) -> Any:
    """The dashed UUID of 16 bytes or of 32 hex digits, in lower case."""
    if isinstance(value, bytes):
        digits = value.hex()
    elif isinstance(value, str):
        digits = value.replace("-", "").lower()
    else:
        return None
    if not _HEX.fullmatch(digits):
        return None
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@_function("sha256", 1)
def sha256(value: Any) -> Any:
    """The SHA-256 of a text's UTF-8, or of bytes, as hex."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    return hashlib.sha256(value).hexdigest() if isinstance(value, bytes) else None
