"""JSON text, read and written without loss: the only module that turns stored JSON into values and values into text.

Reading keeps what the fast decoder would bend (integers beyond 64 bits, `NaN`, numbers beyond a double, lone
surrogates); writing gives one text for one value, whichever path wrote it.
"""

from __future__ import annotations

import datetime
import json
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from json.encoder import encode_basestring
from typing import Any

import orjson

from engine.errors import BadRecord

NESTING = 512

#: flag of `loads_flagged`: bytes that are no UTF-8 were replaced by U+FFFD
BAD_UTF8 = "invalid UTF-8"

_BOM = "\ufeff"
_DIGIT_MAP = bytes(48 if 48 <= byte <= 57 else 46 for byte in range(256))
_LONG_RUN = re.compile(rb"[0-9]{19}")
#: CPython refuses to turn more digits than this into an integer (sys.set_int_max_str_digits)
_INT_DIGITS = 4300
_MANY_RUNS = 1000


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


# ------------------------------------------------------------------------------------------------ reading


def loads(data: bytes | str, nesting: int = NESTING) -> Any:
    """The value of one JSON document; of equal keys the last wins. Raises BadRecord with `data` as stored."""
    return loads_flagged(data, nesting)[0]


def loads_flagged(data: bytes | str, nesting: int = NESTING) -> tuple[Any, tuple[str, ...]]:
    """`loads`, and what had to be mended to read it: `()` or `(BAD_UTF8,)`."""
    if not bends(data):
        try:
            value = orjson.loads(data)
        except ValueError:
            pass
        else:
            if _openers(data) > nesting and depth(value) > nesting:
                raise BadRecord(f"nested deeper than {nesting}", data)
            return value, ()
    return _loads_exact(data, nesting)


def bends(data: bytes | str) -> bool:
    """Whether a fast decoder could change a number in silence: a run of 19 digits or more, the shortest that can leave
    64 bits. May say yes where nothing would be bent.

    Every such run covers three samples at a distance of six bytes; so only a sixth of the text is looked at.
    """
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    sample = data[::6].translate(_DIGIT_MAP)
    at = sample.find(b"000")
    for _ in range(_MANY_RUNS):
        if at < 0:
            return False
        if _LONG_RUN.search(data, max(0, at * 6 - 18), at * 6 + 37):
            return True
        at = sample.find(b"000", at + 1)
    return True


def depth(value: Any) -> int:
    """How deep objects and lists are nested; 0 for anything else."""
    level, found = [value], 0
    while True:
        level = [item for item in level if type(item) in (dict, list)]
        if not level:
            return found
        found += 1
        level = [child for item in level for child in (item.values() if type(item) is dict else item)]


def _openers(data: bytes | str) -> int:
    return data.count(b"[") + data.count(b"{") if isinstance(data, bytes) else data.count("[") + data.count("{")


def _loads_exact(data: bytes | str, nesting: int) -> tuple[Any, tuple[str, ...]]:
    flags: tuple[str, ...] = ()
    if isinstance(data, str):
        text = data
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text, flags = data.decode("utf-8", "replace"), (BAD_UTF8,)
    text = text.removeprefix(_BOM)
    if _openers(text) > nesting and _text_depth(text) > nesting:
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


# ------------------------------------------------------------------------------------------------ writing

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
    if hasattr(value, "utc"):
        return encode_basestring(value.utc)
    return encode_basestring(str(value))


_NON_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
