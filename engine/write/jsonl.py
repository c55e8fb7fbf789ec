"""JSON lines: the rows in the form of the contract. Keys in column order, no spaces, LF, U+2028 and U+2029 escaped."""

from __future__ import annotations

import json
import re
from itertools import starmap
from operator import itemgetter
from typing import Any

import msgspec

from engine.rows import COLUMNS
from engine.write.files import Target

_columns = itemgetter(slice(len(COLUMNS)))
_Line: Any = msgspec.defstruct("_Line", [(name, int if name == "source_line" else str) for name in COLUMNS], gc=False)
_encode, _encode_lines = msgspec.json.Encoder().encode, msgspec.json.Encoder().encode_lines


def encode_row(row: tuple[Any, ...]) -> bytes:
    """One row as its line, the line's end left out. A row with a lone surrogate is written with `\\u` escapes."""
    try:
        return escape_separators(_encode(_Line(*_columns(row))))
    except UnicodeEncodeError:
        return as_line(dict(zip(COLUMNS, row, strict=False)))


def encode_rows(rows: list[tuple[Any, ...]]) -> bytes:
    """Rows as lines, each with its end."""
    try:
        return escape_separators(_encode_lines(list(starmap(_Line, map(_columns, rows)))))
    except UnicodeEncodeError:
        return b"\n".join((*map(encode_row, rows), b""))


def as_line(value: Any) -> bytes:
    """Any JSON value in the same form; with a lone surrogate anywhere in it, all that is not ASCII is escaped."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def escape_separators(lines: bytes) -> bytes:
    """U+2028 and U+2029 end a line for some readers; inside JSON they stand in strings only. Their last bytes are rare,
    and looking for one byte costs a tenth of looking for more."""
    if b"\xa8" not in lines and b"\xa9" not in lines:
        return lines
    return _separator.sub(_escape, lines) if _separator.search(lines) else lines


# one pass by this is five times faster than two by `bytes.replace`
_separator = re.compile(b"\xe2\x80[\xa8\xa9]")


def _escape(found: re.Match[bytes]) -> bytes:
    return b"\\u2028" if found[0] == b"\xe2\x80\xa8" else b"\\u2029"


class JsonLines:
    """The JSONL sink. It holds every text as it is, so it never replaces anything."""

    def __init__(self, target: Target):
        self._target = target
        self.open, self.close, self.abort = target.open, target.close, target.abort
        self.write_text = target.write

    def lines(self, rows: list[tuple[Any, ...]]) -> tuple[bytes, list[int]]:
        """Rows as lines, and the size of each with its end."""
        lines = encode_rows(rows)
        sizes = []
        start, find = 0, lines.find
        while end := find(b"\n", start) + 1:
            sizes.append(end - start)
            start = end
        return lines, sizes

    def write_rows(self, rows: list[tuple[Any, ...]]) -> None:
        self._target.write(encode_rows(rows))
