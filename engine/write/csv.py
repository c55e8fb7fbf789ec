"""CSV after RFC 4180, with LF: a head line, then one record a row. `csv.writer` would cost four times as much."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from engine.rows import COLUMNS
from engine.write.files import Target
from engine.write.surrogates import without_surrogates

_TEXT, _LAST = COLUMNS.index("text"), COLUMNS.index("arguments")
_before, _after = itemgetter(slice(_TEXT)), itemgetter(slice(_TEXT + 1, _LAST))
_PIECES = 9
#: what makes a spreadsheet take a cell for a formula (OWASP, "CSV Injection"), in the full width of East Asia as well
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠")
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


def _field(value: str) -> str:
    return '"' + value.replace('"', '""') + '"' if "," in value or _odd(value) else value


def _odd(text: str) -> bool:
    return '"' in text or "\n" in text or "\r" in text


def _pieces(rows: list[tuple[Any, ...]]) -> list[bytes]:
    """Rows as records with their ends, each in `_PIECES` pieces: a long text costs more to copy than all the rest.
    Raises UnicodeEncodeError for a lone surrogate."""
    pieces: list[bytes] = []
    for row, before, after in zip(rows, *_around(rows), strict=True):
        quote, text = _long(row[_TEXT])
        last_quote, last = _long(row[_LAST]) if row[_LAST] else (b"", b"")
        pieces += (before, quote, text, quote, after, last_quote, last, last_quote, b"\n")
    return pieces


def _around(rows: list[tuple[Any, ...]]) -> tuple[list[bytes], list[bytes]]:
    """The fields before and after the text of each row, with the commas beside them. They are looked at all together:
    hardly ever one of them needs quotes."""
    before = ",\n".join(map(",".join, map(_before, rows))) + ","
    after = "\n".join([f",{a},{b},{c},{d},{e},{f},{g},{h},{i}," for a, b, c, d, e, f, g, h, i in map(_after, rows)])
    if _plain(before, _TEXT * len(rows)) and _plain(after, (_LAST - _TEXT) * len(rows)):
        parts = before.encode().split(b"\n"), after.encode().split(b"\n")
        if len(parts[0]) == len(parts[1]) == len(rows):
            return parts
    return (
        [(",".join(map(_field, _before(row))) + ",").encode() for row in rows],
        [("," + ",".join(map(_field, map(str, _after(row)))) + ",").encode() for row in rows],
    )


def _plain(fields: str, commas: int) -> bool:
    """Whether none of the fields, with so many commas between, needs quotes; ends of lines are not looked for."""
    return fields.count(",") == commas and '"' not in fields and "\r" not in fields


def _long(text: str) -> tuple[bytes, bytes]:
    """What stands around a long text, and the text as a field."""
    data = text.encode()
    if b'"' in data:
        return b'"', data.replace(b'"', b'""')
    return (b'"' if b"\n" in data or b"," in data or b"\r" in data else b""), data


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
        pieces = self._pieces(rows)
        return b"".join(pieces), list(map(sum, zip(*[map(len, pieces)] * _PIECES, strict=True)))

    def _pieces(self, rows: list[tuple[Any, ...]]) -> list[bytes]:
        if self._safe:
            rows = [tuple(map(safe, row)) for row in rows]
        try:
            return _pieces(rows)
        except UnicodeEncodeError:
            return _pieces(list(map(self._mended, rows)))

    def _mended(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        row = row[: len(COLUMNS)]
        mended = tuple(without_surrogates(value) if isinstance(value, str) else value for value in row)
        self.replaced += mended != row
        return mended

    def open(self) -> None:
        self._target.open()
        self._target.write((BOM if self._bom else b"") + ",".join(COLUMNS).encode() + b"\n")

    def write_rows(self, rows: list[tuple[Any, ...]]) -> None:
        self._target.write(b"".join(self._pieces(rows)))
