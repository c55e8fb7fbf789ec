"""Files from the words of a test's `given`: the inverse of what the readers do.

Text is a file as it stands. A list or an object becomes what the file's name says: lines of JSON (`.jsonl`), JSON,
TOML, `NAME=value`, an SQLite database (table → rows); `.zst` and `.gz` are packed. An object of one member named in
`FORMS` says its form itself, wherever it stands: `{hex: 1f8b}`, `{zstd: {a: 1}}`, `{sqlite: {threads: [..]}}`.
"""

from __future__ import annotations

import gzip
import os
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import zstandard

from engine.errors import UsageError
from engine.lang import expr, jsontext, times
from engine.lang.plan import Child, Decode, Plan, Sqlite
from engine.review.fixtures_text import env_text, toml_text

#: 2026-03-01T13:00:00Z, the modification time of a file that names none
MTIME = 1772370000
FORMS = ("text", "hex", "json", "jsonl", "toml", "env", "sqlite", "zstd", "gzip", "copy")

_BY_SUFFIX = {
    ".jsonl": "jsonl", ".toml": "toml", ".env": "env", ".db": "sqlite", ".sqlite": "sqlite", ".sqlite3": "sqlite",
}  # fmt: skip
_PACKED = {".zst": "zstd", ".gz": "gzip"}


class Builder:
    """Builds the files of one test. `origin` is the folder that a `copy` starts from, the spec's own."""

    def __init__(self, plan: Plan, origin: Path):
        self._plan, self._origin = plan, origin

    def build(self, given: str | Mapping[str, Any], base: Path) -> None:
        """Writes the files below `base`, each with the modification time that it names. Raises UsageError."""
        base.mkdir(parents=True, exist_ok=True)
        times_of: dict[Path, int] = {}
        if isinstance(given, str):
            given = {".": {"copy": given}}
        for name, value in given.items():
            self._place(name, value, base, times_of)
        for path in (base, *base.rglob("*")):
            when = times_of.get(path, MTIME * 10**9)
            os.utime(path, ns=(when, when), follow_symlinks=False)

    def _place(self, name: str, value: Any, base: Path, times_of: dict[Path, int]) -> None:
        if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
            raise UsageError(f"{name}: a given file lies below the home: no leading `/` and no `..`")
        path = base / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
            for inner, below in (value or {}).items():
                self._place(f"{name}{inner}", below, base, times_of)
            return
        form, content = _form_of(value)
        if isinstance(value, Mapping) and form and "mtime" in value:
            times_of[path] = _nanoseconds(name, value["mtime"])
        path.parent.mkdir(parents=True, exist_ok=True)
        if form == "copy":
            self._copy(str(content), path)
        else:
            path.write_bytes(self._bytes(name, value))

    def _copy(self, source: str, path: Path) -> None:
        origin = self._origin / source
        if origin.is_dir():
            shutil.copytree(origin, path, dirs_exist_ok=True, symlinks=True)
        elif origin.is_file():
            shutil.copyfile(origin, path)
        else:
            raise UsageError(f"{source}: no such file beside the spec ({origin})")

    def _bytes(self, name: str, value: Any) -> bytes:
        """The bytes of a file with this name."""
        suffix = Path(name).suffix
        form, content = _form_of(value)
        if suffix in _PACKED and form not in ("hex", "zstd", "gzip"):
            return _pack(_PACKED[suffix], self._bytes(name.removesuffix(suffix), value))
        if form is not None:
            return self._formed(form, content, name)
        if isinstance(value, str):
            return value.encode()
        if not isinstance(value, list | dict):
            raise UsageError(f"{name}: a file is text, a list or an object, not {jsontext.dumps(value)}")
        return self._formed(_BY_SUFFIX.get(suffix or Path(name).name, "json"), value, name)

    def _formed(self, form: str, value: Any, name: str) -> bytes:
        if form in ("zstd", "gzip"):
            return _pack(form, self._bytes("", value))
        if form == "hex":
            try:
                return bytes.fromhex(value)
            except (TypeError, ValueError):
                raise UsageError(f"{name}: `hex` is pairs of hexadecimal digits, in quotes") from None
        if form == "text" and isinstance(value, str):
            return value.encode()
        if form == "json":
            return jsontext.dumps(value).encode()
        if form == "jsonl" and isinstance(value, list):
            return b"".join(_line(record) + b"\n" for record in value)
        if form in ("toml", "env") and isinstance(value, dict):
            return (toml_text(value) if form == "toml" else env_text(value)).encode()
        if form == "sqlite" and isinstance(value, dict):
            return self._database(value, name)
        wanted = {"text": "text", "jsonl": "a list of records", "sqlite": "an object table → rows"}
        raise UsageError(f"{name}: `{form}` takes {wanted.get(form, 'an object')}")

    def _database(self, tables: Mapping[str, Any], name: str) -> bytes:
        with sqlite3.connect(":memory:") as database:
            for table, rows in tables.items():
                if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
                    raise UsageError(f"{name}: table `{table}` is a list of rows, each an object")
                columns = list(dict.fromkeys(column for row in rows for column in row)) or self._columns(table)
                made = [column for column in columns if column != "rowid"]
                database.execute(f"CREATE TABLE {_quoted(table)}({', '.join(map(_quoted, made)) or 'none'})")
                named = ", ".join(map(_quoted, columns))
                holes = ", ".join("?" * len(columns))
                for row in rows:
                    stored = [self._cell(table, column, row) for column in columns]
                    database.execute(f"INSERT INTO {_quoted(table)}({named}) VALUES ({holes})", stored)
            database.commit()
            return database.serialize()

    def _columns(self, table: str) -> list[str]:
        """The columns of an empty table: those that the spec reads."""
        reads = [store.sqlite for store in self._plan.stores if store.sqlite is not None]
        tables: list[Sqlite | Child] = [*reads, *(child for read in reads for child in read.children)]
        parts = [part for part in tables if part.table == table]
        return list(dict.fromkeys(column for part in parts for column in (*part.need, *part.want, *part.json)))

    def _cell(self, table: str, column: str, row: Mapping[str, Any]) -> Any:
        """A value as a database holds it: objects go through the column's codecs the other way."""
        value = row.get(column)
        form, content = _form_of(value)
        if form is not None:
            stored = self._formed(form, content, f"{table}.{column}")
            return stored.decode() if form in ("text", "json") else stored
        if not isinstance(value, list | dict):
            return int(value) if isinstance(value, bool) else value
        chain = self._chain(table, column, row)
        packed = jsontext.dumps(value).encode()
        for codec in reversed(chain):
            packed = _pack(codec, packed) if codec in _PACKED.values() else packed
        return packed if set(chain) & set(_PACKED.values()) else packed.decode()

    def _chain(self, table: str, column: str, row: Mapping[str, Any]) -> tuple[str, ...]:
        for store in self._plan.stores:
            if store.sqlite is not None and store.sqlite.table == table:
                for decode in store.decode:
                    if decode.column == column:
                        return dict(decode.chains).get(self._key(decode, store.as_name, row), ())
        return ()

    def _key(self, decode: Decode, as_name: str, row: Mapping[str, Any]) -> str:
        if decode.by is None:
            return ""
        compute = expr.compile_ast(decode.by.ast, expr.Context(self._plan.tables, lambda *_: None))
        return str(compute({as_name: row}))


def _form_of(value: Any) -> tuple[str | None, Any]:
    """The form that an object names and its content, or None; `mtime` may stand beside."""
    if isinstance(value, Mapping):
        named = [key for key in value if key != "mtime"]
        if len(named) == 1 and named[0] in FORMS:
            return named[0], value[named[0]]
    return None, value


def _line(record: Any) -> bytes:
    """A record of lines; text is a line as it stands, be it JSON or not."""
    return (record if isinstance(record, str) else jsontext.dumps(record)).encode()


def _pack(codec: str, data: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(data) if codec == "zstd" else gzip.compress(data, mtime=0)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _nanoseconds(name: str, text: Any) -> int:
    stamp = times.parse(text, "iso")
    if stamp is None:
        raise UsageError(f"{name}: mtime `{text}` is no time such as '2026-03-01T13:00:00Z'")
    return stamp.ms * 10**6
