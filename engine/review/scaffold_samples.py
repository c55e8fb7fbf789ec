"""Sample files, read without a spec: what each is, and some of its records."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import BadRecord, BadUnit, UsageError
from engine.lang import jsontext
from engine.read.codecs import unpack
from engine.read.documents import decode_document
from engine.read.limits import Limits

#: records that are looked at in one file or table; bytes of a file that are read
MANY, LARGE = 2000, 256 << 20

_MAGIC = b"SQLite format 3\0"
_PACKED = {".zst": "zstd", ".gz": "gzip"}
_BY_SUFFIX = {".toml": "toml", ".yaml": "yaml", ".yml": "yaml", ".env": "env"}
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
_ZSTD = b"\x28\xb5\x2f\xfd"


class Table(NamedTuple):
    """A table of a database: its columns, some of its rows with what is JSON in them parsed, the codecs of a column."""

    name: str
    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    codecs: dict[str, tuple[str, ...]]


class Sample(NamedTuple):
    """A file: how it is read (a `read` kind of specs, or `sqlite`), its records or its one document, its tables."""

    path: Path
    kind: str
    records: list[Any]
    tables: tuple[Table, ...] = ()


def read_sample(path: Path) -> Sample:
    """What a file is. Raises UsageError when it can't be read."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGE)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    if data.startswith(_MAGIC):
        return Sample(path, "sqlite", [], tuple(_tables(path)))
    if path.suffix in _PACKED:
        try:
            data = unpack(_PACKED[path.suffix], data, LARGE)
        except BadRecord as error:
            raise UsageError(f"{path}: {error.reason}") from error
    inner = path.with_suffix("") if path.suffix in _PACKED else path
    lines = _json_lines(data)
    if inner.suffix == ".jsonl" or len(lines) > 1:
        return Sample(path, "jsonl", lines)
    for kind in [_BY_SUFFIX[inner.suffix]] if inner.suffix in _BY_SUFFIX else ["json", "jsonc"]:
        try:
            return Sample(path, kind, [decode_document(str(path), data, kind, Limits())[0]])
        except BadUnit:
            continue
    return Sample(path, "lines", data.decode("utf-8", "replace").splitlines()[:MANY])


def _json_lines(data: bytes) -> list[Any]:
    """The records of a file of JSON lines; none when half of its first lines are no objects."""
    found: list[Any] = []
    failed = 0
    for line in data.split(b"\n", MANY)[:MANY]:
        if line.strip():
            try:
                found.append(jsontext.loads(line))
            except BadRecord:
                failed += 1
    objects = sum(isinstance(record, dict) for record in found)
    return found if objects > failed and objects == len(found) else []


def _tables(path: Path) -> Iterator[Table]:
    """The tables that hold rows, read from a private copy with its WAL."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.db")
        for suffix in ("", "-wal"):
            beside = path.with_name(path.name + suffix)
            if beside.is_file():
                shutil.copyfile(beside, copy.with_name(copy.name + suffix))
        try:
            with sqlite3.connect(copy) as database:
                database.row_factory = sqlite3.Row
                database.text_factory = lambda stored: stored.decode("utf-8", "replace")
                for (name,) in sorted(map(tuple, database.execute(_TABLES))):
                    yield from _table(database, name)
        except sqlite3.Error as error:
            raise UsageError(f"{path}: {error}") from error


def _table(database: sqlite3.Connection, name: str) -> Iterator[Table]:
    quoted = '"' + name.replace('"', '""') + '"'
    rows = [dict(row) for row in database.execute(f"SELECT * FROM {quoted} LIMIT {MANY}")]
    if not rows:
        return
    codecs = {column: chain for column in rows[0] if (chain := _codecs([row[column] for row in rows]))}
    for row in rows:
        for column, chain in codecs.items():
            row[column] = _decoded(row[column], chain)
    yield Table(name, tuple(rows[0]), rows, codecs)


def _codecs(values: list[Any]) -> tuple[str, ...]:
    """The codecs of a column all of whose values hold JSON objects or lists."""
    present = [value for value in values if value is not None]
    packed = bool(present) and all(isinstance(value, bytes) and value.startswith(_ZSTD) for value in present)
    chain = ("zstd", "json") if packed else ("json",)
    return chain if present and all(isinstance(_decoded(value, chain), dict | list) for value in present) else ()


def _decoded(value: Any, chain: tuple[str, ...]) -> Any:
    if not isinstance(value, str | bytes):
        return value
    try:
        if chain[0] == "zstd" and isinstance(value, bytes):
            value = unpack("zstd", value, LARGE)
        return jsontext.loads(value)
    except BadRecord:
        return None
