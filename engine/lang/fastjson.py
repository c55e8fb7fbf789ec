"""JSON at full speed: the values of `engine.lang.jsontext`, or REFUSED where only its exact reader can tell.

msgspec keeps integers of any length and refuses what is no JSON or no UTF-8 in what it decodes. What is left to watch
is the depth: before Python 3.12 C code shares Python's recursion limit, so the limit itself is set to the depth that is
allowed; later versions look for brackets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, TypedDict

import msgspec

#: stands for a value that was not decoded
REFUSED: Any = object()

Decode = Callable[[Any], Any]

_any = msgspec.json.Decoder()
decode_any: Decode = _any.decode
decode_any_lines: Decode = _any.decode_lines

#: the members of an object that are read, with what is read of each; None for all of it
Members = Mapping[str, "Members | None"]

_SHARED_LIMIT = sys.version_info < (3, 12)

#: what a decoder raises
FAULTS = (msgspec.MsgspecError, RecursionError, UnicodeError)


class Refused:
    """Stands for the value of a text that is deep, broken, odd, too long, or of another type than is needed."""

    __slots__ = ("text",)

    def __init__(self, text: bytes):
        self.text = text


def decode_objects(lines: bytes, count: int, nesting: int, decode: Decode = decode_any_lines) -> list[Any] | None:
    """The values of `count` lines that each begin and end as an object does: so no value goes over several lines, and
    no line is blank. None where a line holds several values, or none that `decode_each` takes."""
    kept = sys.getrecursionlimit()
    if not _limited(nesting):
        return None
    try:
        values: list[Any] = decode(lines)
    except FAULTS:
        return None
    finally:
        sys.setrecursionlimit(kept)
    return values if len(values) == count else None


def lines_decoder(members: Members) -> Decode:
    """Decodes lines to dicts that hold only these members. What it skips is held to JSON's syntax, but not to UTF-8."""
    return msgspec.json.Decoder(_type_of(members, count())).decode_lines


def _type_of(members: Members, numbers: Iterator[int]) -> Any:
    """An object with these members, or anything that is no object."""
    fields = {name: Any if inner is None else _type_of(inner, numbers) for name, inner in members.items()}
    # the library keeps types apart by their names
    known = TypedDict(f"Members{next(numbers)}", fields, total=False)  # type: ignore[misc]
    return known | list[Any] | str | int | float | bool | None


def is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        str(data, "utf-8")
    except UnicodeError:
        return False
    return True


def decode_each(texts: Iterable[bytes], nesting: int, needed: type | None = None) -> Iterator[Any]:
    """The value of each text, or a Refused, from a stack of one depth only; with `needed` no value of another type."""
    decode = decode_any
    limit, short = sys.setrecursionlimit, 2 * nesting
    kept = sys.getrecursionlimit()
    low = _limit_of(nesting)
    for text in texts:
        try:
            if len(text) <= short:
                value = decode(text)
            elif low is None:
                value = decode_one(text, nesting)
            else:
                limit(low)
                try:
                    value = decode(text)
                finally:
                    limit(kept)
        except FAULTS:
            value = REFUSED
        if value is REFUSED or (needed is not None and type(value) is not needed):
            yield Refused(text)
        else:
            yield value


def decode_one(text: bytes | str, nesting: int, decode: Decode = decode_any) -> Any:
    """The value of a text, or REFUSED."""
    if len(text) <= 2 * nesting:
        try:
            return decode(text)
        except FAULTS:
            return REFUSED
    kept = sys.getrecursionlimit()
    if not _limited(nesting):
        if may_be_deep(text, nesting):
            return REFUSED
        try:
            return decode(text)
        except FAULTS:
            return REFUSED
    try:
        return decode(text)
    except FAULTS:
        return REFUSED
    finally:
        sys.setrecursionlimit(kept)


def _limited(nesting: int) -> bool:
    """Lets the caller recurse `nesting` deep and no deeper. False where that can't be set."""
    low = _limit_of(nesting)
    if low is not None:
        sys.setrecursionlimit(low - 1)
    return low is not None


def _limit_of(nesting: int) -> int | None:
    """The limit under which the caller recurses `nesting` deep and no deeper. None where that can't be set: C code does
    not share the limit, or stands on the stack already, uncounted, with more calls than that."""
    if not _SHARED_LIMIT:
        return None
    frame, depth = sys._getframe(1), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    kept = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(depth + nesting)
    except RecursionError:
        return None
    sys.setrecursionlimit(kept)
    return depth + nesting


def may_be_deep(text: bytes | str, nesting: int) -> bool:
    """Whether there are brackets enough to nest so deep. Looking for one is fast; so is stopping at the last needed."""
    if len(text) <= 2 * nesting:
        return False
    left = nesting
    for opener in ("[", "{") if isinstance(text, str) else (b"[", b"{"):
        at = text.find(opener)  # type: ignore[arg-type]
        while at >= 0:
            if not left:
                return True
            left -= 1
            at = text.find(opener, at + 1)  # type: ignore[arg-type]
    return False
