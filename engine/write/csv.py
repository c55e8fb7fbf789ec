"""CSV after RFC 4180, with LF: a head line, then one record a row. `csv.writer` would cost four times as much."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.rows import COLUMNS
from engine.write.files import Target
from engine.write.surrogates import without_surrogates

_TEXT, _LAST = COLUMNS.index("text"), COLUMNS.index("arguments")
_AFTER = _TEXT + 1
#: what makes a spreadsheet take a cell for a formula (OWASP, "CSV Injection")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
BOM = "\ufeff".encode()


def record(values: Iterable[Any]) -> tuple[bytes, bool]:
    """Texts and numbers as one record, the line's end left out; whether a lone surrogate became U+FFFD."""
    return _encoded(",".join(_field(value if isinstance(value, str) else str(value)) for value in values))


def safe(value: Any) -> Any:
    """The value as a spreadsheet shows it and does not compute it: `'` goes before what it takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _encoded(line: str) -> tuple[bytes, bool]:
    try:
        return line.encode(), False
    except UnicodeEncodeError:
        return without_surrogates(line).encode(), True


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
    """The CSV sink. It can't hold a lone surrogate: U+FFFD stands for it, `replaced` counts the rows.

    `cells_safe`: no cell is a formula. `bom`: the mark by which Excel knows UTF-8 stands at the head.
    """

    def __init__(self, target: Target, *, cells_safe: bool = False, bom: bool = False):
        self._target, self._safe, self._bom = target, cells_safe, bom
        self.replaced = 0
        self.close, self.abort = target.close, target.abort
        self.write_text = target.write

    def lines(self, rows: list[tuple[Any, ...]]) -> tuple[bytes, list[int]]:
        """Rows as records, and the size of each with its end."""
        encoded = list(map(self._encode, rows))
        return b"".join(encoded), list(map(len, encoded))

    def _encode(self, row: tuple[Any, ...]) -> bytes:
        line, mended = _encoded(_record(tuple(map(safe, row)) if self._safe else row) + "\n")
        self.replaced += mended
        return line

    def open(self) -> None:
        self._target.open()
        self._target.write((BOM if self._bom else b"") + ",".join(COLUMNS).encode() + b"\n")

    def write_rows(self, rows: list[tuple[Any, ...]]) -> None:
        self._target.write(self.lines(rows)[0])
