"""CSV after RFC 4180, with LF: a head line, then one record a row. `csv.writer` would cost four times as much."""

from __future__ import annotations

import re
from typing import Any

from engine.rows import COLUMNS
from engine.write.files import Target

_WIDTH = len(COLUMNS)
_TEXT, _LINE, _LAST = COLUMNS.index("text"), COLUMNS.index("source_line"), COLUMNS.index("arguments")
_special = re.compile(r'[",\r\n]').search
_surrogates = re.compile("[\ud800-\udfff]").sub


def _record(row: tuple[Any, ...]) -> str:
    before, text, after, last = row[:_TEXT], row[_TEXT], row[_TEXT + 1 : _LAST], row[_LAST]
    after = (after[0], str(after[1]), *after[2:])
    head, tail = ",".join(before), ",".join(after)
    if head.count(",") != _TEXT - 1 or _odd(head):
        head = ",".join(map(_field, before))
    if tail.count(",") != _LAST - _TEXT - 2 or _odd(tail):
        tail = ",".join(map(_field, after))
    line = f"{head},{_field(text)},{tail},{_field(last)}"
    return line


def _field(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if _special(value) else value


def _odd(joined: str) -> bool:
    return '"' in joined or "\n" in joined or "\r" in joined


class Csv:
    """The CSV sink. It can't hold a lone surrogate: U+FFFD stands for it, `replaced` counts the rows."""

    def __init__(self, target: Target):
        self._target = target
        self.replaced = 0
        self.close, self.abort = target.close, target.abort

    def encode(self, row: tuple[Any, ...]) -> bytes:
        """One row as its record, the line's end left out."""
        record = _record(row)
        try:
            return record.encode()
        except UnicodeEncodeError:
            self.replaced += 1
            return _surrogates("\ufffd", record).encode()

    def open(self) -> None:
        self._target.open()
        self._target.write(",".join(COLUMNS).encode() + b"\n")

    def write(self, encoded: list[bytes]) -> None:
        self._target.write(b"\n".join(encoded) + b"\n")
