"""Rows as Arrow tables: the form in which Parquet and DuckDB take them.

`timestamp_utc` is a timestamp in milliseconds, UTC, null for an undated row; `source_line` an integer; the rest text.
Needs pyarrow (the extra `tables`).
"""

from __future__ import annotations

import importlib
import os
from array import array
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from typing import Any

from engine import __version__
from engine.errors import UsageError
from engine.rows import COLUMNS, SCHEMA_VERSION
from engine.write.surrogates import without_surrogates

RowTuple = tuple[Any, ...]

# tables come and go: Arrow's own pool asks the system for fresh memory each time, which costs more than what is done
# with it (https://arrow.apache.org/docs/cpp/env_vars.html)
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
# and glibc gives large pieces back until one of that size was freed, then keeps up to twice as much for the next table
# (mallopt(3), M_MMAP_THRESHOLD); this one is never touched
bytes(16 << 20)

#: columns whose values are long and hardly ever equal
LONG = (COLUMNS.index("text"), COLUMNS.index("arguments"))
_TIME, _LINE = COLUMNS.index("timestamp_utc"), COLUMNS.index("source_line")
_EPOCH, _TICK = datetime(1970, 1, 1, tzinfo=UTC), timedelta(milliseconds=1)


def needs(package: str, extra: str = "tables") -> Any:
    """Imports an optional package. Raises UsageError that says how to get it."""
    try:
        return importlib.import_module(package)
    except ImportError:
        name = package.partition(".")[0]
        raise UsageError(f"this needs {name}, of the extra '{extra}': pip install '.[{extra}]'") from None


def milliseconds(stamp: str) -> int | None:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ` as milliseconds since 1970; null for ''."""
    if not stamp:
        return None
    return (datetime.fromisoformat(stamp) - _EPOCH) // _TICK


def schema(zone: str | None = "UTC") -> Any:
    """The Arrow schema of rows, with the versions that made them in its metadata."""
    pa = needs("pyarrow")
    kinds = {_TIME: pa.timestamp("ms", tz=zone), _LINE: pa.int64()}
    fields = [pa.field(name, kinds.get(at, pa.string())) for at, name in enumerate(COLUMNS)]
    return pa.schema(fields, metadata={"engine": f"agentrows {__version__}", "row_schema": str(SCHEMA_VERSION)})


class Columns:
    """Rows that wait to become a table, column by column. Long texts become Arrow's at once, while they are in the
    processor's cache, the others all together.

    Arrow's text is UTF-8: U+FFFD stands for a lone surrogate, `replaced` counts the rows, of those that were taken.
    Without a `zone` times are plain ones, in UTC all the same. `size` is in bytes, of the long texts alone.
    """

    def __init__(self, zone: str | None = "UTC") -> None:
        self._arrow = needs("pyarrow")
        self.schema = schema(zone)
        self.replaced = 0
        self._clear()

    def _clear(self) -> None:
        self.count = self.size = 0
        self._values: list[list[Any]] = [[] for _ in COLUMNS]
        self._texts: dict[int, list[Any]] = {at: [] for at in LONG}
        self._mended: set[int] = set()

    def add(self, rows: list[RowTuple]) -> None:
        """Takes rows, whose first items are the columns."""
        # rows that went through the sort are shorter than those that did not
        for at, (kept, values) in enumerate(zip(self._values, zip(*rows, strict=False), strict=False)):
            if at in self._texts:
                text = self._long(values, self.count)
                self._texts[at].append(text)
                self.size += text.nbytes
            else:
                kept += values
        self.count += len(rows)

    def taken(self) -> Any:
        """All rows as a table; none wait then."""
        columns = []
        for at, (values, field) in enumerate(zip(self._values, self.schema, strict=True)):
            if at in self._texts:
                columns.append(self._arrow.chunked_array(self._texts[at], field.type))
            elif at == _TIME:
                stamps = self._arrow.array([stamp or None for stamp in values], self._arrow.string())
                columns.append(stamps.cast(self._arrow.timestamp("ms", tz="UTC")).cast(field.type))
            else:
                columns.append(self._text(values, 0) if at != _LINE else self._arrow.array(values, field.type))
        self.replaced += len(self._mended)
        self._clear()
        return self._arrow.Table.from_arrays(columns, schema=self.schema)

    def _long(self, values: Sequence[str], first: int) -> Any:
        """As `_text`, for long texts: joined in one piece, where Arrow's builder grows and copies."""
        try:
            encoded = list(map(str.encode, values))
        except UnicodeEncodeError:
            return self._text(values, first)
        ends = array("i", accumulate(map(len, encoded), initial=0))
        buffers = self._arrow.py_buffer(ends), self._arrow.py_buffer(b"".join(encoded))
        return self._arrow.StringArray.from_buffers(len(encoded), *buffers)

    def _text(self, values: Sequence[str], first: int) -> Any:
        """An array of texts, the first of which is of the row with this number."""
        kind = self._arrow.string()
        try:
            if values and values.count(values[0]) == len(values):
                return self._arrow.repeat(self._arrow.scalar(values[0], kind), len(values))
            return self._arrow.array(values, kind)
        except UnicodeEncodeError:
            whole = list(map(without_surrogates, values))
            self._mended.update(n for n, (old, new) in enumerate(zip(values, whole, strict=True), first) if old != new)
            return self._arrow.array(whole, kind)
