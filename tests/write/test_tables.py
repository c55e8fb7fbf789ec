"""Parquet, SQLite and DuckDB, read back by other readers."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.lang.times import utc_text
from engine.rows import COLUMNS
from engine.write import parquet
from engine.write.duckdb import DuckDb
from engine.write.parquet import Parquet, PartitionedParquet
from engine.write.sink import Facts
from engine.write.sqlite import Sqlite
from tests.write.rows import fit, real_tuples

LONE, UNFIT = "[\ud800-\udfff]", "[\ud800-\udfff\0]"
RUN = {"engine": {"version": "1"}, "ledger": {"toy": {"chats": {"read": 1}}}}
SESSION = {
    "host": "h", "user": "u", "agent": "toy", "session_id": "s", "project_path": "", "first_timestamp_utc": "",
    "last_timestamp_utc": "2026-01-01T00:00:00.000Z", "models": ["m\ud800", "n"], "user_turns": 1, "assistant_turns": 2,
    "tool_calls": 3, "source_file": "f",
}  # fmt: skip
COUNT = {"read": 5, "rows": 1, "copies": 1, "ignored": {"a": 1, "b": 1}, "bad": 1, "paired": 0}
FILE = {
    "host": "h", "user": "u", "agent": "toy", "source_file": "f", "folder": False, "stores": {"chats": COUNT},
    "files": [{"source_file": "f", "size": 3, "sha256": "ab", "what": "file"}],
}  # fmt: skip
FACTS = Facts(lambda: RUN, lambda: [SESSION], lambda: [FILE])


def written(sink, rows, facts=FACTS):
    sink.open()
    for row in rows:
        sink.write([sink.encode(row)])
    sink.flush()
    sink.keep(facts)
    sink.close()
    return sink


def from_ms(row):
    return ("" if row[0] is None else utc_text(row[0]), *row[1:])


def parquet_rows(path):
    table = pyarrow.parquet.read_table(path)
    columns = [table.column(name).to_pylist() for name in COLUMNS[1:]]
    times = table.column("timestamp_utc").cast("int64").to_pylist()
    return list(map(from_ms, zip(times, *columns, strict=True)))


def sqlite_rows(path):
    with sqlite3.connect(path) as db:
        found = db.execute(f"SELECT {', '.join(COLUMNS)} FROM rows ORDER BY id").fetchall()
    return [(row[0] or "", *row[1:]) for row in found]


def duckdb_rows(path):
    names = ", ".join(f'"{name}"' for name in COLUMNS[1:])
    with duckdb.connect(path, read_only=True) as db:
        return list(
            map(from_ms, db.execute(f"SELECT epoch_ms(timestamp_utc), {names} FROM rows ORDER BY id").fetchall())
        )


SINKS = [
    (Parquet, parquet_rows, LONE),
    (Sqlite, sqlite_rows, UNFIT),
    (DuckDb, duckdb_rows, LONE),
]


@pytest.mark.parametrize(("sink", "read", "unfit"), SINKS)
@settings(max_examples=12)
@given(rows=st.lists(real_tuples, max_size=8))
def test_every_row_comes_back_with_what_can_not_be_held_replaced_and_counted(sink, read, unfit, rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows")
        done = written(sink(path), rows)
        expected = [fit(row, unfit) for row in rows]
        assert read(path) == expected
        assert done.replaced == sum(new != old for new, old in zip(expected, rows, strict=True))
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("sink", [Parquet, Sqlite, DuckDb, PartitionedParquet])
def test_what_is_aborted_leaves_nothing(sink, tmp_path):
    started = sink(tmp_path / "rows")
    started.open()
    started.write_rows([row("2026-01-01T00:00:00.000Z", "toy", "x")])
    started.abort()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("sink", [Parquet, Sqlite, DuckDb, PartitionedParquet])
def test_a_place_that_can_not_be_written_is_an_error_of_use(sink, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="can't write"):
        sink(tmp_path / "file" / "rows").open()


def row(time, agent, text, **more):
    known = {"timestamp_utc": time, "agent": agent, "text": text, "source_line": 1, **more}
    return tuple(known.get(name, "") for name in COLUMNS)


def test_parquet_holds_versions_and_the_run_in_its_metadata(tmp_path):
    written(Parquet(tmp_path / "rows.parquet"), [row("2026-01-01T00:00:00.000Z", "toy", "x")])
    metadata = pyarrow.parquet.read_metadata(tmp_path / "rows.parquet").metadata
    assert json.loads(metadata[b"run"]) == RUN
    schema = pyarrow.parquet.read_schema(tmp_path / "rows.parquet")
    assert schema.metadata[b"row_schema"] == b"1"
    assert str(schema.field("timestamp_utc").type) == "timestamp[ms, tz=UTC]"
    assert str(schema.field("source_line").type) == "int64"


def test_partitions_are_by_agent_and_date_and_come_back_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_OPEN", 2)
    times = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "", "2026-01-01T01:00:00.000Z"]
    rows = [row(time, agent, f"{agent} {n}") for agent in ("a", "b") for n, time in enumerate(times)]
    written(PartitionedParquet(tmp_path / "rows"), rows)
    assert sorted(str(path.relative_to(tmp_path / "rows")) for path in (tmp_path / "rows").glob("*/*")) == [
        f"agent={agent}/date={date}" for agent in "ab" for date in ("2026-01-01", "2026-01-02", "undated")
    ]
    assert sorted(parquet_rows(tmp_path / "rows")) == sorted(rows)
    found = duckdb.sql(f"SELECT agent, text FROM read_parquet('{tmp_path}/rows/**/*.parquet') ORDER BY text").fetchall()
    assert found == sorted((each[3], each[11]) for each in rows)
    assert json.loads((tmp_path / "rows" / "_run.json").read_text()) == RUN


def test_a_folder_with_something_in_it_is_no_place_for_partitions(tmp_path):
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "other").write_text("")
    with pytest.raises(UsageError, match="not an empty folder"):
        PartitionedParquet(tmp_path / "rows").open()


CALLS = [
    row("2026-01-01T00:00:00.000Z", "toy", "ls -la", turn_type="tool_use", tool_use_id="1", session_id="s"),
    row("2026-01-01T00:00:01.000Z", "toy", "no such file", turn_type="tool_result", tool_use_id="1", session_id="s",
        status="error"),
    row("2026-01-01T00:00:02.000Z", "toy", "no id", turn_type="tool_use", session_id="s"),
    row("", "toy", "a prompt", turn_type="user", event="message", role="secondary", session_id="s"),
]  # fmt: skip


def both(tmp_path):
    written(Sqlite(tmp_path / "rows.sqlite"), CALLS)
    written(DuckDb(tmp_path / "rows.duckdb"), CALLS)
    return sqlite3.connect(tmp_path / "rows.sqlite"), duckdb.connect(tmp_path / "rows.duckdb", read_only=True)


def test_databases_have_sessions_files_the_ledger_and_the_run(tmp_path):
    for db in both(tmp_path):
        (session,) = db.execute("SELECT session_id, first_timestamp_utc, models, tool_calls FROM sessions").fetchall()
        assert session[:2] == ("s", None)
        assert json.loads(session[2])[1:] == ["n"]
        assert session[3] == 3
        assert db.execute("SELECT source_file, size, sha256, what FROM files").fetchall() == [("f", 3, "ab", "file")]
        ledger = db.execute('SELECT store, "read", "rows", copies, ignored, bad FROM ledger').fetchall()
        assert ledger == [("chats", 5, 1, 1, 2, 1)]
        assert json.loads(db.execute("SELECT document FROM run").fetchone()[0]) == RUN
        db.close()


def test_views_answer_common_questions(tmp_path):
    for db in both(tmp_path):
        found = db.execute("SELECT call, status, result FROM calls ORDER BY id").fetchall()
        assert found == [("ls -la", "error", "no such file"), ("no id", None, None)]
        assert db.execute("SELECT text FROM prompts").fetchall() == [("a prompt",)]
        assert db.execute("SELECT count(*) FROM survivors").fetchall() == [(1,)]
        for view in ("decisions", "settings", "notes"):
            assert db.execute(f"SELECT count(*) FROM {view}").fetchall() == [(0,)]
        db.close()


def test_sqlite_finds_words_and_uses_its_indexes(tmp_path):
    calls = [row("2026-01-01T00:00:00.000Z", "toy", f"call {n}", tool_use_id=str(n)) for n in range(500)]
    written(Sqlite(tmp_path / "rows.sqlite"), [*CALLS, *calls])
    db = sqlite3.connect(tmp_path / "rows.sqlite")
    query = "SELECT rows.text FROM rows_text JOIN rows ON rows.id = rows_text.rowid WHERE rows_text MATCH ?"
    assert db.execute(query, ("prompt",)).fetchall() == [("a prompt",)]
    plan = db.execute("EXPLAIN QUERY PLAN SELECT * FROM rows WHERE tool_use_id = '11'").fetchall()
    assert "USING INDEX rows_by_call" in str(plan)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


GROWTH = """
import sys
from pathlib import Path
import engine.write.jsonl
from engine.rows import COLUMNS
from tests.memory import peak
base = peak()
from engine.write.parquet import Parquet, PartitionedParquet
sink = (Parquet if sys.argv[1] == "one" else PartitionedParquet)(Path(sys.argv[2]))
sink.open()
for n in range(100):
    text = f"{n} " * 10_000
    times = [f"2026-01-{day:02d}T00:00:00.000Z" for day in range(1, 21)]
    known = [{"timestamp_utc": time, "agent": "toy", "text": text, "source_line": n} for time in times]
    sink.write_rows([tuple(row.get(name, "") for name in COLUMNS) for row in known])
sink.flush()
sink.close()
print(peak() - base >> 20)
"""


@pytest.mark.slow
@pytest.mark.parametrize("files", ["one", "many"])
def test_parquet_takes_no_more_than_100_mib_besides(tmp_path, files):
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, files, tmp_path / "rows"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) <= 100
