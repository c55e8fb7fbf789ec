"""CSV after RFC 4180, with LF: a head line, then one record a row. `csv.writer` would cost four times as much."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter
from typing import Any

from engine.rows import COLUMNS
from engine.write.files import Target
from engine.write.surrogates import without_surrogates

_TEXT, _LAST = COLUMNS.index("text"), COLUMNS.index("arguments")
_before, _text = itemgetter(slice(_TEXT)), itemgetter(_TEXT)
_after, _last = itemgetter(slice(_TEXT + 1, _LAST)), itemgetter(_LAST)
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


def _records(rows: list[tuple[Any, ...]]) -> list[bytes]:
    """Rows as records with their ends. The fields before and after the text are looked at all together: hardly ever one
    of them needs quotes. Raises UnicodeEncodeError for a lone surrogate."""
    before = list(map(",".join, map(_before, rows)))
    after = [f"{a},{b},{c},{d},{e},{f},{g},{h},{i}" for a, b, c, d, e, f, g, h, i in map(_after, rows)]
    if not (_plain(before, _TEXT - 1) and _plain(after, _LAST - _TEXT - 2)):
        before = [",".join(map(_field, _before(row))) for row in rows]
        after = [",".join(map(_field, map(str, _after(row)))) for row in rows]
    texts, last = map(_long, map(_text, rows)), map(_long, map(_last, rows))
    parts = zip(before, texts, after, last, strict=True)
    return [b"".join((a.encode(), b",", b, b",", c.encode(), b",", d, b"\n")) for a, b, c, d in parts]


def _plain(parts: list[str], commas: int) -> bool:
    """Whether none of the parts, each of fields with this many commas between, needs quotes."""
    joined = "\n".join(parts)
    return (
        joined.count(",") == commas * len(parts)
        and joined.count("\n") == len(parts) - 1
        and '"' not in joined
        and "\r" not in joined
    )


def _long(text: str) -> bytes:
    """A long text as a field: bytes are cheaper to copy than text."""
    data = text.encode()
    if b'"' in data:
        data = data.replace(b'"', b'""')
    elif b"," not in data and b"\n" not in data and b"\r" not in data:
        return data
    return b'"%b"' % data


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
        if self._safe:
            rows = [tuple(map(safe, row)) for row in rows]
        try:
            records = _records(rows)
        except UnicodeEncodeError:
            records = _records(list(map(self._mended, rows)))
        return b"".join(records), list(map(len, records))

    def _mended(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        row = row[: len(COLUMNS)]
        mended = tuple(without_surrogates(value) if isinstance(value, str) else value for value in row)
        self.replaced += mended != row
        return mended

    def open(self) -> None:
        self._target.open()
        self._target.write((BOM if self._bom else b"") + ",".join(COLUMNS).encode() + b"\n")

    def write_rows(self, rows: list[tuple[Any, ...]]) -> None:
        self._target.write(self.lines(rows)[0])
