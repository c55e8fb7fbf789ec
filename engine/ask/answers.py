"""Results of questions as text: a table for people, CSV, or JSON."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import chain, count, islice
from typing import Any
from uuid import UUID

from engine.write.csv import record

FORMATS = ("table", "csv", "json")
#: rows by which the width of columns is found, and the widest cell of a table
_MEASURED, _WIDEST = 1000, 60

RowTuple = tuple[Any, ...]


def lines(columns: Sequence[str], rows: Iterable[RowTuple], format_: str, plain: Callable[[str], str]) -> Iterator[str]:
    """The lines of a result. `plain` is what makes a text of evidence safe for one line of a table."""
    values = (tuple(map(_value, row)) for row in rows)
    if format_ == "csv":
        return _csv(columns, values)
    return _json(columns, values) if format_ == "json" else _table(columns, values, plain)


def _value(value: Any) -> Any:
    """A value of the database as JSON knows it; times as in rows."""
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, list | tuple):
        return [_value(each) for each in value]
    if isinstance(value, dict):
        return {str(key): _value(each) for key, each in value.items()}
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta | UUID):
        return str(value)
    return value


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _csv(columns: Sequence[str], rows: Iterator[RowTuple]) -> Iterator[str]:
    for values in chain([tuple(columns)], rows):
        yield record(map(_shown, values))[0].decode()


def _json(columns: Sequence[str], rows: Iterator[RowTuple]) -> Iterator[str]:
    """A list of objects, one a line. Of columns with one name the later ones have a number behind it."""
    columns = _apart(columns)
    yield "["
    before = ""
    for values in rows:
        if before:
            yield f"{before},"
        before = json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False)
    if before:
        yield before
    yield "]"


def _apart(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        free = (f"{name}_{number}" if number > 1 else name for number in count(1))
        found.append(next(each for each in free if each not in found))
    return found


def _table(columns: Sequence[str], rows: Iterator[RowTuple], plain: Callable[[str], str]) -> Iterator[str]:
    first = list(islice(rows, _MEASURED))
    right = [
        any(row[at] is not None for row in first)
        and all(row[at] is None or (isinstance(row[at], int | float) and row[at] is not True) for row in first)
        for at in range(len(columns))
    ]
    cells = [[_cell(value, plain) for value in row] for row in first]
    head = [_cell(name, plain) for name in columns]
    widths = [max(map(_width, column)) for column in zip(head, *cells, strict=True)]

    def line(values: Iterable[str]) -> str:
        padded = []
        for value, width, end in zip(values, widths, right, strict=True):
            room = " " * (width - _width(value))
            padded.append(room + value if end else value + room)
        return "  ".join(padded).rstrip()

    yield line(head)
    yield line("-" * width for width in widths)
    yield from map(line, cells)
    yield from (line(_cell(value, plain) for value in row) for row in rows)


def _width(text: str) -> int:
    """In columns of a terminal: letters of East Asia take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _cell(value: Any, plain: Callable[[str], str]) -> str:
    text = _shown(value)
    text = plain(text[: _WIDEST + 1])
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
