"""Timelines that were written before, read back as rows: what `engine run --out` makes, in any of its formats."""

from __future__ import annotations

import contextlib
import csv
import json
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from engine.errors import UsageError
from engine.rows import COLUMNS

RowTuple = tuple[Any, ...]

_FORMATS = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet", ".sqlite": "sqlite", ".sqlite3": "sqlite",
            ".db": "sqlite", ".duckdb": "duckdb"}  # fmt: skip
#: in a folder of a run, the best form to ask first
_IN_FOLDER = ("timeline.duckdb", "timeline.parquet", "timeline.jsonl", "timeline.sqlite", "timeline.csv")
_LINE = COLUMNS.index("source_line")
_TIME = COLUMNS.index("timestamp_utc")
_BATCH = 1000


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
        found = json.loads(timeline.run.read_bytes())
    except (OSError, ValueError) as error:
        raise UsageError(f"{timeline.run}: {error}") from None
    return found if isinstance(found, dict) else {}


def batches(timeline: Timeline) -> Iterator[list[RowTuple]]:
    """The rows, some at a time, in their order. Raises UsageError for a file that is no timeline."""
    rows = {"jsonl": _json_rows, "csv": _csv_rows, "sqlite": _sqlite_rows}.get(timeline.format, _table_rows)(timeline)
    while some := list(islice(rows, _BATCH)):
        yield some


def _json_rows(timeline: Timeline) -> Iterator[RowTuple]:
    with timeline.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                row = _loads(line)
            except ValueError as error:
                raise UsageError(f"{timeline.path}:{number}: {error}") from None
            if not isinstance(row, dict) or "timestamp_utc" not in row:
                raise UsageError(f"{timeline.path}:{number}: this is no row of a timeline")
            yield tuple(row.get(name, 0 if name == "source_line" else "") for name in COLUMNS)


def _loads(line: bytes) -> Any:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return json.loads(line)


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
        for row in database.execute(f"SELECT {names} FROM rows ORDER BY id"):
            yield (row[_TIME] or "", *row[_TIME + 1 :])


@contextlib.contextmanager
def _sqlite(timeline: Timeline) -> Iterator[sqlite3.Connection]:
    try:
        database = sqlite3.connect(f"{timeline.path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            yield database
        finally:
            database.close()
    except sqlite3.Error as error:
        raise UsageError(f"{timeline.path}: this is no timeline: {error}") from None


def _sqlite_run(timeline: Timeline) -> dict[str, Any]:
    """As `run.json` has it, but for its files: each file, and each store of each, is an entry of its own. Nothing of a
    file that has only rows."""
    with _sqlite(timeline) as database:
        database.row_factory = sqlite3.Row
        named = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        if not named >= {"run", "files", "ledger"}:
            return {}
        run = [json.loads(document) for (document,) in database.execute("SELECT document FROM run")]
        files = [dict(record) for record in database.execute("SELECT * FROM files")]
        stores = [dict(record) for record in database.execute("SELECT * FROM ledger")]
    entries = [{**file, "files": [file], "stores": {}} for file in files]
    entries += [
        {**store, "files": [], "stores": {store["store"]: {**store, "ignored": {"": store["ignored"]}}}}
        for store in stores
    ]
    return {"files": entries} | {name: value for each in run for name, value in each.items()}


def _table_rows(timeline: Timeline) -> Iterator[RowTuple]:
    from engine.ask.tables import opened
    from engine.lang.times import utc_text

    names = ", ".join(f'"{name}"' for name in COLUMNS[1:])
    with opened(timeline) as tables:
        found = tables.ask(f"SELECT epoch_ms(timestamp_utc), {names} FROM rows ORDER BY id")
        for time, *values in found.rows:
            yield ("" if time is None else utc_text(time), *values)
