"""Timelines that were written before, read back as rows: what `engine run --out` makes, in any of its formats."""

from __future__ import annotations

import contextlib
import csv
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import BadRecord, BadUnit, UsageError
from engine.lang import jsontext
from engine.read.databases import FAULTS, Database, fault_text
from engine.read.limits import Limits
from engine.rows import COLUMNS

RowTuple = tuple[Any, ...]

_FORMATS = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet", ".sqlite": "sqlite", ".sqlite3": "sqlite",
            ".db": "sqlite", ".duckdb": "duckdb"}  # fmt: skip
#: in a folder of a run, the best form to ask first
_IN_FOLDER = ("timeline.duckdb", "timeline.parquet", "timeline.jsonl", "timeline.sqlite", "timeline.csv")
_LINE = COLUMNS.index("source_line")
_TIME = COLUMNS.index("timestamp_utc")
_BATCH = 1000
_stamp = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Timeline:
    """`format` is jsonl, csv, parquet, partitioned, sqlite or duckdb; `run` the `run.json` beside it, if any."""

    path: Path
    format: str
    run: Path | None = None


def timeline_at(path: Path) -> Timeline | None:
    """The timeline that a path is: a file by its name, a folder of a run, or a partitioned one. None for what is no
    timeline, such as a home. Raises UsageError for the folder of a run whose rows can't be read back."""
    if path.is_dir():
        if next(path.glob("agent=*/date=*/*.parquet"), None) is not None:
            return Timeline(path, "partitioned")
        run = path / "run.json"
        if not run.is_file():
            return None
        found = next((path / name for name in _IN_FOLDER if (path / name).exists()), None)
        if found is None and (path / "sessions.jsonl").is_file():
            raise UsageError(f"{path}: this run's format can't be asked; {', '.join(_IN_FOLDER)} can")
        inner = timeline_at(found) if found else None
        return Timeline(inner.path, inner.format, run) if inner else None
    format_ = _FORMATS.get(path.suffix.lower())
    if format_ is None or not path.is_file():
        return None
    run = path.with_name(f"{path.name}.run.json")
    return Timeline(path, format_, run if run.is_file() else None)


def manifest(timeline: Timeline) -> dict[str, Any]:
    """What is known of a timeline's run: the `run.json` beside it, or what stands in its SQLite file; else nothing."""
    if timeline.run is None:
        return _sqlite_run(timeline) if timeline.format == "sqlite" else {}
    try:
        found = jsontext.loads(timeline.run.read_bytes())
    except BadRecord as error:
        raise UsageError(f"{timeline.run}: {error.reason}") from None
    return found if isinstance(found, dict) else {}


def file_batches(timeline: Timeline) -> Iterator[list[RowTuple]]:
    """The rows of a JSON lines, CSV or SQLite file, some at a time, in their order. Raises UsageError for a file that
    is no timeline."""
    return checked(timeline, FILES[timeline.format](timeline))


def checked(timeline: Timeline, rows: Iterator[RowTuple]) -> Iterator[list[RowTuple]]:
    """Rows, some at a time. Raises UsageError for what is no row of a timeline."""
    before = 0
    while some := list(islice(rows, _BATCH)):
        for number, row in enumerate(some, before + 1):
            if wrong := _wrong(row):
                raise UsageError(f"{timeline.path}: row {number} is no row of a timeline: {wrong}")
        before += len(some)
        yield some


def _wrong(row: RowTuple) -> str:
    """The column whose value is not of its type, '' when all are: others may have written the file."""
    for name, value in zip(COLUMNS, row, strict=True):
        if type(value) is not (int if name == "source_line" else str):
            return name
    return "" if (not row[_TIME] or _stamp.fullmatch(row[_TIME])) and abs(row[_LINE]) < 1 << 63 else "its time or line"


def _json_rows(timeline: Timeline) -> Iterator[RowTuple]:
    with timeline.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                row = jsontext.loads(line)
            except BadRecord as error:
                raise UsageError(f"{timeline.path}:{number}: {error.reason}") from None
            if not isinstance(row, dict) or "timestamp_utc" not in row:
                raise UsageError(f"{timeline.path}:{number}: this is no row of a timeline")
            yield tuple(row.get(name, 0 if name == "source_line" else "") for name in COLUMNS)


def _csv_rows(timeline: Timeline) -> Iterator[RowTuple]:
    csv.field_size_limit(sys.maxsize)
    with timeline.path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, strict=True)
        try:
            head = next(reader, [])
            if tuple(head[: len(COLUMNS)]) != COLUMNS:
                raise UsageError(f"{timeline.path}: this is no timeline: its columns are others")
            for values in reader:
                yield (*values[:_LINE], int(values[_LINE]), *values[_LINE + 1 : len(COLUMNS)])
        except (csv.Error, ValueError, IndexError) as error:
            raise UsageError(f"{timeline.path}:{reader.line_num}: {error}") from None


def _sqlite_rows(timeline: Timeline) -> Iterator[RowTuple]:
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    with _sqlite(timeline) as database:
        for row in database.query(f"SELECT {names} FROM rows ORDER BY id"):
            yield (row[_TIME] or "", *row[_TIME + 1 :])


@contextlib.contextmanager
def _sqlite(timeline: Timeline) -> Iterator[Database]:
    try:
        with Database(str(timeline.path.resolve()), Limits(), hashing=False) as database:
            if database.connection is None:
                raise BadUnit("an empty file")
            yield database
    except BadUnit as error:
        raise UsageError(f"{timeline.path}: this is no timeline: {error.text}") from None
    except FAULTS as error:
        raise UsageError(f"{timeline.path}: this is no timeline: {fault_text(error)}") from None


def _sqlite_run(timeline: Timeline) -> dict[str, Any]:
    """As `run.json` has it, but for its files: each file, and each store of each, is an entry of its own. Nothing of a
    file that has only rows."""
    with _sqlite(timeline) as database:
        if not set(database.tables()) >= {"run", "files", "ledger"}:
            return {}
        told: dict[str, Any] = {}
        try:
            for (document,) in database.query("SELECT document FROM run"):
                told |= jsontext.loads(document)
        except (BadRecord, TypeError, ValueError):
            raise UsageError(f"{timeline.path}: its table `run` holds no account of a run") from None
        files, stores = ([*_records(database, table)] for table in ("files", "ledger"))
    entries = [{**file, "files": [file], "stores": {}} for file in files]
    entries += [
        {**store, "files": [], "stores": {store["store"]: {**store, "ignored": {"": store["ignored"]}}}}
        for store in stores
    ]
    return {"files": entries} | told


def _records(database: Database, table: str) -> Iterator[dict[str, Any]]:
    names = database.columns(table)
    for values in database.query(f"SELECT * FROM {table}"):
        yield dict(zip(names, values, strict=True))


#: format → what reads it without a database
FILES = {"jsonl": _json_rows, "csv": _csv_rows, "sqlite": _sqlite_rows}
