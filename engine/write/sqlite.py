"""A SQLite file: rows, sessions, files and the ledger, indexes, views, and full-text search over what rows say.

`rows_text` is an FTS5 table: `SELECT rows.* FROM rows_text JOIN rows ON rows.id = rows_text.rowid WHERE rows_text
MATCH 'word'`. SQLite's text can hold neither a lone surrogate nor, for most readers, NUL: U+FFFD stands for them.
"""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.rows import COLUMNS
from engine.write import database
from engine.write.files import aside
from engine.write.sink import Facts, RowSink, RowTuple

_WIDTH = len(COLUMNS)
_unfit = re.compile("[\ud800-\udfff\x00]")

_INDEXES = {
    "rows_by_time": "timestamp_utc",
    "rows_by_session": "agent, session_id, timestamp_utc",
    "rows_by_call": "tool_use_id",
    "rows_by_event": "event, timestamp_utc",
    "rows_by_tool": "tool_name, timestamp_utc",
    "rows_by_project": "project_path, timestamp_utc",
}


class Sqlite(RowSink):
    """The file stands under its name only when it is whole. `replaced` counts rows that it could not hold as they are.

    Times are text, `YYYY-MM-DDTHH:MM:SS.mmmZ`, which SQLite's date functions read.
    """

    def __init__(self, path: Path):
        self.path = path
        self.replaced = 0
        self._real, self._part = aside(path)
        self._db: sqlite3.Connection | None = None

    def open(self) -> None:
        with self._faults():
            self._real.parent.mkdir(parents=True, exist_ok=True)
            self._part.touch(exist_ok=False)
            self._db = sqlite3.connect(self._part, isolation_level=None)
            # the file is thrown away unless it is finished: no journal is needed
            self._db.execute("PRAGMA journal_mode = OFF")
            self._db.execute("PRAGMA synchronous = OFF")
            for name, columns in database.TABLES.items():
                self._db.execute(database.table(name, columns))
            self._db.execute("CREATE TABLE run (document TEXT)")
            self._db.execute("BEGIN")

    def write_rows(self, rows: list[RowTuple]) -> None:
        self._insert("rows", ("NULL", *"?" * _WIDTH), map(self._record, rows))

    def _record(self, row: RowTuple) -> tuple[Any, ...]:
        record = (row[0] or None, *row[1:_WIDTH])
        if any(_unfit.search(value) for value in record if isinstance(value, str)):
            self.replaced += 1
            return _fit(record)
        return record

    def _insert(self, table: str, values: Iterable[str], records: Iterator[tuple[Any, ...]]) -> None:
        assert self._db is not None
        with self._faults():
            self._db.executemany(f"INSERT INTO {table} VALUES ({', '.join(values)})", records)

    def keep(self, facts: Facts) -> None:
        assert self._db is not None
        self._insert("sessions", "?" * len(database.SESSION_COLUMNS), map(_fit, database.session_records(facts)))
        self._insert("files", "?" * len(database.FILE_COLUMNS), map(_fit, database.file_records(facts)))
        self._insert("ledger", "?" * len(database.LEDGER_COLUMNS), map(_fit, database.ledger_records(facts)))
        self._insert("run", "?", iter([(json.dumps(facts.run()),)]))

    def close(self) -> None:
        assert self._db is not None
        with self._faults():
            self._db.execute("COMMIT")
            for name, columns in _INDEXES.items():
                self._db.execute(f"CREATE INDEX {name} ON rows ({columns})")
            for name, query in database.VIEWS.items():
                self._db.execute(f"CREATE VIEW {name} AS {query}")
            self._db.execute(
                "CREATE VIRTUAL TABLE rows_text USING fts5(text, arguments, content=rows, content_rowid=id)"
            )
            self._db.execute("INSERT INTO rows_text (rows_text) VALUES ('rebuild')")
            self._db.execute("ANALYZE")
            self._db.close()
            self._part.replace(self._real)

    def abort(self) -> None:
        if self._db is not None:
            self._db.close()
            self._part.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"can't write {self.path}: {getattr(error, 'strerror', None) or error}") from None


def _fit(record: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_unfit.sub("\ufffd", value) if isinstance(value, str) else value for value in record)
