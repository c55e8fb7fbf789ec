"""A timeline as tables for SQL, in an embedded DuckDB: `rows`, `sessions`, and the views of `engine.write.database`.

A question can read the timeline and nothing else: no other file, no network, no extension is fetched.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.ask.timelines import FILES, RowTuple, Timeline, checked, file_batches, manifest
from engine.errors import UsageError
from engine.lang.times import utc_text
from engine.rows import COLUMNS
from engine.run.sessions import Sessions
from engine.write import database
from engine.write.arrow import needs
from engine.write.duckdb import SETTINGS, DuckDb
from engine.write.sink import Facts

_MEMORY = "1GB"
#: what could write into a timeline that DuckDB is allowed to read, or bring in more than that
_ACTS = re.compile(rb"(?:attach|copy|export|import|install|load)(?![a-z0-9_$])", re.IGNORECASE)
_FETCHED = 1000

#: sessions out of rows, as `engine.run.sessions` has them
SESSIONS = """
WITH named AS (SELECT * FROM rows WHERE event <> 'note' AND session_id <> ''),
     used AS (SELECT host, "user", agent, session_id, model, min(id) AS first FROM named WHERE model <> ''
              GROUP BY ALL),
     files AS (SELECT host, "user", agent, session_id, source_file, count(*) AS n FROM named GROUP BY ALL)
SELECT n.host, n."user", n.agent, n.session_id,
  coalesce(arg_min(n.project_path, n.id) FILTER (n.project_path <> ''), '') AS project_path,
  min(n.timestamp_utc) AS first_timestamp_utc, max(n.timestamp_utc) AS last_timestamp_utc,
  coalesce((SELECT CAST(to_json(list(u.model ORDER BY u.first)) AS VARCHAR) FROM used u WHERE u.host = n.host
    AND u."user" = n."user" AND u.agent = n.agent AND u.session_id = n.session_id), '[]') AS models,
  count(*) FILTER (n.turn_type = 'user') AS user_turns,
  count(*) FILTER (n.turn_type = 'assistant') AS assistant_turns,
  count(*) FILTER (n.turn_type = 'tool_use') AS tool_calls,
  (SELECT f.source_file FROM files f WHERE f.host = n.host AND f."user" = n."user" AND f.agent = n.agent
    AND f.session_id = n.session_id ORDER BY f.n DESC, f.source_file LIMIT 1) AS source_file
FROM named n GROUP BY n.host, n."user", n.agent, n.session_id
ORDER BY first_timestamp_utc NULLS LAST, n.host, n."user", n.agent, n.session_id
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """The columns of a result, by name, and its rows as they come."""

    columns: list[str]
    rows: Iterator[tuple[Any, ...]]


class Tables:
    """A connection that can only look."""

    def __init__(self, connection: Any, module: Any):
        self._connection, self._module = connection, module

    def answers(self, question: str) -> Iterator[Answer]:
        """The results of one or more statements, in order, each good until the next is asked for; a statement that
        gives none has no answer. Raises UsageError with what DuckDB says; of a fault of grammar, and of what is for
        more than to look, before any answer."""
        self._refuse_acts(question)
        try:
            statements = self._connection.extract_statements(question)
        except self._module.Error as error:
            raise UsageError(_said(error)) from None
        if not statements:
            raise UsageError("the question is empty")
        for statement in statements:
            kinds, answer = statement.expected_result_type, self.ask(statement)
            # what changes something has no result, but says how many rows it was
            counted = self._module.ExpectedResultType.CHANGED_ROWS in kinds and answer.columns == ["Count"]
            if self._module.ExpectedResultType.QUERY_RESULT in kinds and not counted:
                yield answer

    def ask(self, question: Any) -> Answer:
        """The result of one statement, a text or parsed. Raises UsageError with what DuckDB says."""
        try:
            cursor = self._connection.execute(question)
            columns = [column[0] for column in cursor.description or ()]
        except self._module.Error as error:
            raise UsageError(_said(error)) from None
        return Answer(columns, self._rows(cursor))

    def _refuse_acts(self, question: str) -> None:
        """Which files may be read can be told to DuckDB, but not that they may be read only."""
        # spaces of other scripts are spaces to the parser, but not to the tokenizer
        plain = re.sub(r"[^\x00-\x7f]", " ", question)
        words = (_ACTS.match(plain.encode(), at) for at, _ in self._module.tokenize(plain))
        if act := next(filter(None, words), None):
            raise UsageError(f"a question can only look: {act[0].decode().upper()} is refused")

    def _rows(self, cursor: Any) -> Iterator[tuple[Any, ...]]:
        try:
            while some := cursor.fetchmany(_FETCHED):
                yield from some
        except self._module.Error as error:
            raise UsageError(_said(error)) from None


def batches(timeline: Timeline) -> Iterator[list[RowTuple]]:
    """The rows of a timeline, some at a time, in their order. Raises UsageError for what is no timeline."""
    if timeline.format in FILES:
        return file_batches(timeline)
    return checked(timeline, _table_rows(timeline))


def _table_rows(timeline: Timeline) -> Iterator[RowTuple]:
    names = ", ".join(f'"{name}"' for name in COLUMNS[1:])
    with opened(timeline) as tables:
        found = tables.ask(f"SELECT epoch_ms(timestamp_utc), {names} FROM rows ORDER BY id")
        for time, *values in found.rows:
            try:
                yield ("" if time is None else utc_text(time), *values)
            except (ValueError, OverflowError):
                raise UsageError(f"{timeline.path}: a time beyond the years 1 to 9999") from None


@contextlib.contextmanager
def opened(timeline: Timeline) -> Iterator[Tables]:
    """The tables of a timeline. Raises UsageError when it can't be read."""
    module = needs("duckdb")
    with tempfile.TemporaryDirectory(prefix="agentrows-") as folder:
        connection = module.connect(config=SETTINGS | {"memory_limit": _MEMORY, "temp_directory": f"{folder}/spill"})
        try:
            try:
                _provide(connection, timeline, Path(folder))
            except module.Error as error:
                raise UsageError(f"{timeline.path}: this is no timeline: {_said(error)}") from None
            yield Tables(connection, module)
        finally:
            connection.close()


def _provide(connection: Any, timeline: Timeline, folder: Path) -> None:
    connection.execute("SET TimeZone = 'UTC'")
    # it would stand in the midst of what is printed
    connection.execute("SET enable_progress_bar = false")
    if timeline.format in ("parquet", "partitioned"):
        allowed = "allowed_directories" if timeline.format == "partitioned" else "allowed_paths"
        connection.execute(f"SET {allowed} = [{_text(timeline.path)}]")
        _lock(connection)
        connection.execute(f"CREATE VIEW rows AS {_parquet(timeline)}")
        connection.execute(f"CREATE VIEW sessions AS {SESSIONS}")
        for name, query in database.VIEWS.items():
            connection.execute(f"CREATE VIEW {name} AS {query}")
        connection.execute("SELECT timestamp_utc FROM rows LIMIT 0")
        return
    path = timeline.path if timeline.format == "duckdb" else _converted(timeline, folder)
    connection.execute(f"ATTACH {_text(path)} AS timeline (READ_ONLY)")
    connection.execute("USE timeline")
    _lock(connection)
    connection.execute("SELECT timestamp_utc FROM rows LIMIT 0")


def _lock(connection: Any) -> None:
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _parquet(timeline: Timeline) -> str:
    named = ", ".join(f'"{name}"' for name in COLUMNS[1:])
    time = "make_timestamp_ms(epoch_ms(timestamp_utc)) AS timestamp_utc"
    if timeline.format == "parquet":
        rows = f"read_parquet({_text(timeline.path)}, file_row_number = true)"
        return f"SELECT file_row_number + 1 AS id, {time}, {named} FROM {rows}"
    files = _text(f"{timeline.path}/**/*.parquet")
    rows = f"read_parquet({files}, file_row_number = true, filename = true, hive_partitioning = true)"
    order = "timestamp_utc NULLS LAST, filename, file_row_number"
    return f"SELECT row_number() OVER (ORDER BY {order}) AS id, {time}, {named} FROM {rows}"


def _converted(timeline: Timeline, folder: Path) -> Path:
    """A DuckDB file with the same rows, for as long as the question takes."""
    sink = DuckDb(folder / "timeline.duckdb")
    sessions = Sessions()
    run = manifest(timeline)
    sink.open()
    try:
        number = 0
        for some in file_batches(timeline):
            sink.write_rows(some)
            sessions.add([(*row, "", number + n) for n, row in enumerate(some)], 0)
            number += len(some)
        files = run.pop("files", [])
        try:
            sink.keep(Facts(lambda: run, lambda: (each._asdict() for each in sessions.records()), lambda: files))
        except (AttributeError, KeyError, TypeError, ValueError):
            raise UsageError(f"{timeline.run or timeline.path}: this is no account of a run") from None
        sink.close()
    except BaseException:
        sink.abort()
        raise
    finally:
        sessions.close()
    if not run:
        _without_run(sink.path)
    return sink.path


def _without_run(path: Path) -> None:
    """Takes out the tables of which nothing is known, so that no question finds them empty."""
    with needs("duckdb").connect(str(path), config=SETTINGS) as made:
        for name in ("run", "files", "ledger"):
            made.execute(f"DROP TABLE {name}")


def _text(value: object) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _said(error: Exception) -> str:
    """DuckDB's message in one line, without the picture of the place."""
    lines = [line.strip() for line in str(error).split("\n")]
    kept = [line for line in lines if line and not line.startswith(("LINE ", "^"))]
    return " ".join(kept)
