"""JSON at full speed: the values of `engine.lang.jsontext`, or REFUSED where only its exact reader can tell.

msgspec keeps integers of any length and refuses what is no JSON or no UTF-8 in what it decodes. What is left to watch
is the depth: before Python 3.12 C code shares Python's recursion limit, so the limit itself is set to the depth that is
allowed; later versions look for brackets.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

#: stands for a value that was not decoded
REFUSED: Any = object()

Decode = Callable[[Any], Any]

decode_any: Decode = msgspec.json.Decoder().decode

_SHARED_LIMIT = sys.version_info < (3, 12)

_FAULTS = (msgspec.MsgspecError, RecursionError, UnicodeError)


def decode_all(texts: Iterable[bytes], nesting: int, decode: Decode = decode_any) -> list[Any]:
    """The value of each text, REFUSED for those that are deep, broken or odd."""
    kept = sys.getrecursionlimit()
    if not _limited(nesting):
        return [decode_one(text, nesting, decode) for text in texts]
    values: list[Any] = []
    keep = values.append
    try:
        for text in texts:
            try:
                keep(decode(text))
            except _FAULTS:
                keep(REFUSED)
    finally:
        sys.setrecursionlimit(kept)
    return values


def decode_one(text: bytes | str, nesting: int, decode: Decode = decode_any) -> Any:
    """The value of a text, or REFUSED."""
    kept = sys.getrecursionlimit()
    if len(text) <= 2 * nesting or not _limited(nesting):
        if may_be_deep(text, nesting):
            return REFUSED
        try:
            return decode(text)
        except _FAULTS:
            return REFUSED
    try:
        return decode(text)
    except _FAULTS:
        return REFUSED
    finally:
        sys.setrecursionlimit(kept)


def _limited(nesting: int) -> bool:
    """Lets the caller recurse `nesting` deep and no deeper. False where that can't be set: C code does not share the
    limit, or stands on the stack already, uncounted, with more calls than that."""
    if not _SHARED_LIMIT:
        return False
    frame, depth = sys._getframe(1), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    try:
        sys.setrecursionlimit(depth + nesting)
    except RecursionError:
        return False
    return True


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
