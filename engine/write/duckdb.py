"""A DuckDB file: the tables and views of `engine.write.database`. Times are TIMESTAMP, in UTC.

Needs duckdb and pyarrow (the extra `tables`).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.write import database
from engine.write.arrow import Columns, needs
from engine.write.files import aside
from engine.write.sink import Facts, RowSink, RowTuple
from engine.write.surrogates import without_surrogates

#: from how many rows, or bytes of their texts, on they go in together
_ROWS, _SIZE = 16_384, 4 << 20
#: settings of every connection: nothing is ever fetched, memory is bounded
SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
}


class DuckDb(RowSink):
    """The file stands under its name only when it is whole. `replaced` counts rows with lone surrogates."""

    def __init__(self, path: Path):
        self.path = path
        self._module = needs("duckdb")
        self._arrow = needs("pyarrow")
        self._columns = Columns(zone=None)
        self._real, self._part = aside(path)
        self._db: Any = None
        self._written = 0

    @property
    def replaced(self) -> int:
        return self._columns.replaced

    def open(self) -> None:
        with self._faults():
            self._real.parent.mkdir(parents=True, exist_ok=True)
            config = SETTINGS | {"memory_limit": "128MB", "threads": "1"}
            self._db = self._module.connect(str(self._part), config=config)
            for name, columns in database.TABLES.items():
                made = database.table(name, columns, text="VARCHAR", integer="BIGINT", time="TIMESTAMP")
                self._db.execute(made.replace(" PRIMARY KEY", ""))
            self._db.execute("CREATE TABLE run (document VARCHAR)")

    def write_rows(self, rows: list[RowTuple]) -> None:
        self._columns.add(rows)
        if self._columns.count >= _ROWS or self._columns.size > _SIZE:
            self.flush()

    def flush(self) -> None:
        if count := self._columns.count:
            first = self._written + 1
            self._written += count
            ids = self._arrow.array(range(first, self._written + 1), self._arrow.int64())
            self._insert("rows", self._columns.taken().add_column(0, "id", ids))

    def _insert(self, table: str, batch: Any) -> None:
        with self._faults():
            self._db.register("batch", batch)
            self._db.execute(f"INSERT INTO {table} SELECT * FROM batch")
            self._db.unregister("batch")

    def keep(self, facts: Facts) -> None:
        self._keep("sessions", database.SESSION_COLUMNS, database.session_records(facts))
        self._keep("files", database.FILE_COLUMNS, database.file_records(facts))
        self._keep("ledger", database.LEDGER_COLUMNS, database.ledger_records(facts))
        with self._faults():
            self._db.execute("INSERT INTO run VALUES (?)", [json.dumps(facts.run())])

    def _keep(self, table: str, columns: tuple[str, ...], records: Iterator[tuple[Any, ...]]) -> None:
        while some := [tuple(map(_utf8, record)) for record in islice(records, _ROWS)]:
            self._insert(table, self._arrow.table(dict(zip(columns, map(list, zip(*some, strict=True)), strict=True))))

    def close(self) -> None:
        self.flush()
        with self._faults():
            for name, query in database.VIEWS.items():
                self._db.execute(f"CREATE VIEW {name} AS {query}")
            self._db.close()
            self._part.replace(self._real)

    def abort(self) -> None:
        if self._db is not None:
            self._db.close()
            for left in self._part.parent.glob(self._part.name + "*"):
                left.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (OSError, self._module.Error) as error:
            said = str(getattr(error, "strerror", None) or error).split("\n")[0]
            raise UsageError(f"can't write {self.path}: {said}") from None


def _utf8(value: Any) -> Any:
    return without_surrogates(value) if isinstance(value, str) else value
