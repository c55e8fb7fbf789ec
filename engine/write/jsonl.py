"""JSON lines: the rows in the form of the contract. Keys in column order, no spaces, LF, U+2028 and U+2029 escaped."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from engine.rows import COLUMNS
from engine.write.files import Target

_WIDTH = len(COLUMNS)
_Line: Any = msgspec.defstruct("_Line", [(name, int if name == "source_line" else str) for name in COLUMNS], gc=False)
_encode = msgspec.json.Encoder().encode


def encode_row(row: tuple[Any, ...]) -> bytes:
    """One row as its line, the line's end left out. A row with a lone surrogate is written with `\\u` escapes."""
    try:
        return _encode(_Line(*row[:_WIDTH]))
    except UnicodeEncodeError:
        return as_line(dict(zip(COLUMNS, row, strict=False)))


def as_line(value: Any) -> bytes:
    """Any JSON value in the same form; with a lone surrogate anywhere in it, all that is not ASCII is escaped."""
    try:
        return _encode(value)
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()


def escape_separators(lines: bytes) -> bytes:
    """U+2028 and U+2029 end a line for some readers; inside JSON they stand in strings only."""
    if b"\xe2" not in lines:
        return lines
    return lines.replace(b"\xe2\x80\xa8", b"\\u2028").replace(b"\xe2\x80\xa9", b"\\u2029")


class JsonLines:
    """The JSONL sink. It holds every text as it is, so it never replaces anything."""

    encode = staticmethod(encode_row)

    def __init__(self, target: Target):
        self._target = target
        self.open, self.close, self.abort = target.open, target.close, target.abort

    def write(self, encoded: list[bytes]) -> None:
        self._target.write(escape_separators(b"\n".join(encoded)) + b"\n")
