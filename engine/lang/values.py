"""What values are to an expression: truth, equality, members. The meaning is the `jmespath` package's.

Values are JSON values, and besides bytes (SQLite), `times.Stamp`, and objects that load their members when asked
(any Mapping, or anything with `get`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PLAIN = frozenset({str, int, float, bool, list, bytes, type(None)})

#: the longest text, in characters, that a function makes of shorter ones
LONGEST = 256 << 20

#: what can be empty; a tuple that stands is looked through faster than one that is made at each call
_SIZED = (str, list, dict, bytes)


def member(value: Any, name: str) -> Any:
    """The member of an object; null for anything else."""
    kind = type(value)
    if kind is dict:
        return value.get(name)
    if kind in _PLAIN:
        return None
    get = getattr(value, "get", None)
    return None if get is None else get(name)


def truthy(value: Any) -> bool:
    """JMESPath truth: null, false, `''`, `[]` and `{}` are false; 0 is true."""
    if value is None or value is False:
        return False
    return bool(value) if isinstance(value, _SIZED) else True


def is_number(value: Any) -> bool:
    """Whether it is an integer or a float; a boolean is none."""
    kind = type(value)
    return kind is int or kind is float or (kind is not bool and isinstance(value, int | float))


def is_object(value: Any) -> bool:
    """Whether it is an object, also one that loads its members when asked."""
    return type(value) is dict or isinstance(value, Mapping)


def is_empty(value: Any) -> bool:
    """Whether it is null, `''`, `[]` or `{}`. False and 0 are not empty."""
    return value is None or (isinstance(value, _SIZED) and not value)


def equal(left: Any, right: Any) -> bool:
    """JMESPath `==`: true is not 1, false is not 0; objects and lists by content."""
    if type(left) is str:
        return bool(left == right)
    if type(left) is bool or type(right) is bool:
        return left is right
    try:
        return bool(left == right)
    except RecursionError:
        return False


def ordered(left: Any, right: Any) -> bool:
    """Whether `<` and its like have a meaning: between numbers only."""
    return is_number(left) and is_number(right)
