"""JSON text, read and written without loss: the only module that turns stored JSON into values and values into text.

Reading keeps what the fast decoder would bend (integers beyond 64 bits, `NaN`, numbers beyond a double, lone
surrogates); writing gives one text for one value, whichever path wrote it.
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections.abc import Callable
from typing import Any

from engine.errors import BadRecord
from engine.lang.fastjson import REFUSED, decode_one, may_be_deep
from engine.lang.jsonwriter import Written, dumps

__all__ = [
    "BAD_UTF8",
    "NESTING",
    "Written",
    "bends",
    "depth",
    "dumps",
    "in_fresh_stack",
    "loads",
    "loads_exact",
    "loads_flagged",
]

NESTING = 512

#: flag of `loads_flagged`: bytes that are no UTF-8 were replaced by U+FFFD
BAD_UTF8 = "invalid UTF-8"

_BOM = "\ufeff"
_DIGIT_MAP = bytes(48 if 48 <= byte <= 57 else 46 for byte in range(256))
_LONG_RUN = re.compile(rb"[0-9]{19}")
#: CPython refuses to turn more digits than this into an integer (sys.set_int_max_str_digits)
_INT_DIGITS = 4300
#: one look at a candidate costs about as much as a plain search through this many bytes
_LOOK_COST = 128


# ------------------------------------------------------------------------------------------------ reading


def loads(data: bytes | str, nesting: int = NESTING) -> Any:
    """The value of one JSON document; of equal keys the last wins. Raises BadRecord with `data` as stored."""
    value = decode_one(data, nesting)
    return loads_exact(data, nesting)[0] if value is REFUSED else value


def loads_flagged(data: bytes | str, nesting: int = NESTING) -> tuple[Any, tuple[str, ...]]:
    """`loads`, and what had to be mended to read it: `()` or `(BAD_UTF8,)`."""
    value = decode_one(data, nesting)
    if value is not REFUSED:
        return value, ()
    return loads_exact(data, nesting)


def bends(data: bytes | str) -> bool:
    """Whether a fast decoder could change a number in silence: a run of 19 digits or more, the shortest that can leave
    64 bits.

    Every such run covers three samples at a distance of six bytes; so only a sixth of the text is looked at.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    sample = data[::6].translate(_DIGIT_MAP)
    at = sample.find(b"000")
    for _ in range(16 + len(data) // _LOOK_COST):
        if at < 0:
            return False
        if data[at * 6 : at * 6 + 13].isdigit() and _LONG_RUN.search(data, max(0, at * 6 - 18), at * 6 + 37):
            return True
        at = sample.find(b"000", at + 1)
    return _LONG_RUN.search(data) is not None


def depth(value: Any) -> int:
    """How deep objects and lists are nested; 0 for anything else."""
    level, found = [value] if type(value) in _CONTAINERS else [], 0
    while level:
        found += 1
        children: list[Any] = []
        for item in level:
            children.extend(item.values() if type(item) is dict else item)
        level = [child for child in children if type(child) in _CONTAINERS]
    return found


_CONTAINERS = frozenset((dict, list))


def loads_exact(data: bytes | str, nesting: int = NESTING) -> tuple[Any, tuple[str, ...]]:
    """`loads_flagged` of what no fast decoder takes."""
    flags: tuple[str, ...] = ()
    if isinstance(data, str):
        text = data
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text, flags = data.decode("utf-8", "replace"), (BAD_UTF8,)
    text = text.removeprefix(_BOM)
    if may_be_deep(text, nesting) and _text_depth(text) > nesting:
        raise BadRecord(f"nested deeper than {nesting}", data)
    try:
        return in_fresh_stack(lambda: _DECODER.decode(text)), flags
    except json.JSONDecodeError as error:
        raise BadRecord(_reason(error, text), data) from None
    except RecursionError:
        raise BadRecord("nested too deeply", data) from None


def _reason(error: json.JSONDecodeError, text: str) -> str:
    if not text.strip():
        return "empty"
    if error.msg == "Extra data":
        return f"text after the JSON value at character {error.pos + 1}"
    what = f"{error.msg[:1].lower()}{error.msg[1:].removesuffix(' at')} at character {error.pos + 1}"
    cut_off = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
    return f"cut off: {what}" if cut_off else what


def _parse_int(text: str) -> int | Written:
    return int(text) if len(text) < _INT_DIGITS else Written(text)


def _parse_float(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else Written(text)


_DECODER = json.JSONDecoder(parse_int=_parse_int, parse_float=_parse_float, parse_constant=Written)

_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[\]{}]', re.DOTALL)


def _text_depth(text: str) -> int:
    level = deepest = 0
    for match in _TOKENS.finditer(text):
        character = text[match.start()]
        if character in "[{":
            level += 1
            deepest = max(deepest, level)
        elif character in "]}":
            level -= 1
    return deepest


def in_fresh_stack(call: Callable[[], Any]) -> Any:
    """`call()`; when the stack that is left is too small for its recursion, once more on a stack of its own."""
    try:
        return call()
    except RecursionError:
        pass
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.extend((call(), None))
        except Exception as error:
            outcome.extend((None, error))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if outcome[1] is not None:
        raise outcome[1]
    return outcome[0]
