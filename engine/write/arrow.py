"""Rows as Arrow record batches: the form in which Parquet and DuckDB take them.

`timestamp_utc` is a timestamp in milliseconds, UTC, null for an undated row; `source_line` an integer; the rest text.
Needs pyarrow (the extra `tables`).
"""

from __future__ import annotations

import importlib
from datetime import UTC, datetime, timedelta
from typing import Any

from engine import __version__
from engine.errors import UsageError
from engine.rows import COLUMNS, SCHEMA_VERSION
from engine.write.surrogates import without_surrogates

RowTuple = tuple[Any, ...]

_WIDTH = len(COLUMNS)
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


class Batches:
    """Makes batches of rows. Arrow's text is UTF-8: U+FFFD stands for a lone surrogate, `replaced` counts the rows.
    Without a `zone` times are plain ones, in UTC all the same."""

    def __init__(self, zone: str | None = "UTC") -> None:
        self._arrow = needs("pyarrow")
        self.schema = schema(zone)
        self.replaced = 0

    def of(self, rows: list[RowTuple]) -> Any:
        """A RecordBatch of rows, whose first items are the columns."""
        try:
            return self._batch(rows)
        except UnicodeEncodeError:
            return self._batch([self._mended(row) for row in rows])

    def _batch(self, rows: list[RowTuple]) -> Any:
        # rows that went through the sort are shorter than those that did not
        columns: list[Any] = list(zip(*rows, strict=False))[:_WIDTH] or [()] * _WIDTH
        columns[_TIME] = [milliseconds(stamp) for stamp in columns[_TIME]]
        arrays = [self._arrow.array(values, field.type) for values, field in zip(columns, self.schema, strict=True)]
        return self._arrow.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _mended(self, row: RowTuple) -> RowTuple:
        mended = tuple(without_surrogates(value) if isinstance(value, str) else value for value in row)
        self.replaced += mended != row
        return mended
