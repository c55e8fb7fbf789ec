"""Timesketch: JSONL and CSV with `message`, `datetime` and `timestamp_desc`, and our columns behind them.

What an import needs stands in Timesketch's documentation ("Import from JSON or CSV"): `message`, `datetime` (ISO 8601)
and `timestamp_desc`; `timestamp` is in microseconds since 1970. An undated row can't be imported: `left_out` counts it.
"""

from __future__ import annotations

from typing import Any

from engine.rows import COLUMNS
from engine.write.arrow import milliseconds
from engine.write.csv import BOM, record, safe
from engine.write.files import Target
from engine.write.jsonl import as_line, escape_separators
from engine.write.sink import RowSink, RowTuple

HEAD = ("message", "datetime", "timestamp", "timestamp_desc", "data_type")
#: `text` is the message; `timestamp_utc` is the datetime
REST = tuple(name for name in COLUMNS if name not in ("text", "timestamp_utc"))
_AT = [COLUMNS.index(name) for name in REST]
_TIME, _TEXT, _AGENT, _EVENT = (COLUMNS.index(name) for name in ("timestamp_utc", "text", "agent", "event"))


def _values(row: RowTuple) -> tuple[Any, ...]:
    """`datetime` with a numeric offset, as Timesketch's own exports have it."""
    stamp = row[_TIME]
    micros = (milliseconds(stamp) or 0) * 1000
    what = row[_EVENT].replace("_", " ")
    # for the importer of CSV an empty field is none, and an event without a message shows nothing
    message = row[_TEXT] or what
    return (message, stamp[:-1] + "+00:00", micros, f"{what} time", f"agent:{row[_AGENT]}:{row[_EVENT]}",
            *(row[at] for at in _AT))  # fmt: skip


class TimesketchJsonLines(RowSink):
    """JSON lines for Timesketch."""

    def __init__(self, target: Target):
        self._target = target
        self.left_out = 0
        self.open, self.close, self.abort = target.open, target.close, target.abort

    def write_rows(self, rows: list[RowTuple]) -> None:
        dated = [row for row in rows if row[_TIME]]
        self.left_out += len(rows) - len(dated)
        lines = [as_line(dict(zip((*HEAD, *REST), _values(row), strict=True))) + b"\n" for row in dated]
        self._target.write(escape_separators(b"".join(lines)))


class TimesketchCsv(RowSink):
    """CSV for Timesketch. `replaced` counts rows with a lone surrogate; the options are those of `Csv`."""

    def __init__(self, target: Target, *, cells_safe: bool = False, bom: bool = False):
        self._target, self._safe, self._bom = target, cells_safe, bom
        self.left_out = self.replaced = 0
        self.close, self.abort = target.close, target.abort

    def open(self) -> None:
        self._target.open()
        self._target.write((BOM if self._bom else b"") + ",".join((*HEAD, *REST)).encode() + b"\n")

    def write_rows(self, rows: list[RowTuple]) -> None:
        dated = [row for row in rows if row[_TIME]]
        self.left_out += len(rows) - len(dated)
        for row in dated:
            line, mended = record(map(safe, _values(row)) if self._safe else _values(row))
            self.replaced += mended
            self._target.write(line + b"\n")
