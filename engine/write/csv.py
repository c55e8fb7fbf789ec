"""CSV after RFC 4180, with LF: a head line, then one record a row. `csv.writer` would cost four times as much."""

from __future__ import annotations

import re
from typing import Any

from engine.rows import COLUMNS
from engine.write.files import Target

_TEXT, _LAST = COLUMNS.index("text"), COLUMNS.index("arguments")
_AFTER = _TEXT + 1
_surrogates = re.compile("[\ud800-\udfff]").sub


def _record(row: tuple[Any, ...]) -> str:
    """The fields before and after the text are joined first: hardly ever one of them needs quotes."""
    file, line, *after = row[_AFTER:_LAST]
    return f"{_fields(row[:_TEXT])},{_field(row[_TEXT])},{_fields((file, str(line), *after))},{_field(row[_LAST])}"


def _fields(values: tuple[str, ...]) -> str:
    joined = ",".join(values)
    if joined.count(",") >= len(values) or _odd(joined):
        return ",".join(map(_field, values))
    return joined


def _field(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if "," in value or _odd(value) else value


def _odd(text: str) -> bool:
    return '"' in text or "\n" in text or "\r" in text


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

    def write_rows(self, rows: list[tuple[Any, ...]]) -> None:
        self.write([self.encode(row) for row in rows])
