"""Timelines read back, as rows and as tables."""

from __future__ import annotations

import contextlib
import gzip
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from engine.ask.tables import batches, opened
from engine.ask.timelines import Timeline, timeline_at
from engine.cli.main import status_of
from engine.errors import UsageError
from engine.rows import COLUMNS

ROOT = Path(__file__).resolve().parent.parent.parent
HOMES = [str(ROOT / "fixtures" / agent / "home") for agent in ("claude-code", "zed")]
FORMATS = ("jsonl", "csv", "parquet", "sqlite", "duckdb")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder with a run of the fixtures for each format."""
    base = tmp_path_factory.mktemp("timelines")
    for format_ in FORMATS:
        assert status_of(["run", *HOMES, "-q", "--format", format_, "--out", f"{base}/{format_}/"]) == 0
    assert status_of(["run", *HOMES, "-q", "--partition", "--out", f"{base}/partitioned.parquet"]) == 0
    return base


def timeline(written, form):
    found = timeline_at(written / (form if form != "partitioned" else "partitioned.parquet"))
    assert found is not None and found.format == form
    return found


def rows_of(path):
    return [tuple(row for row in json.loads(line).values()) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_gives_the_rows_back(written, form):
    found = [row for some in batches(timeline(written, form)) for row in some]
    assert found == rows_of(written / "jsonl" / "timeline.jsonl")


def test_partitions_give_the_rows_back_in_the_order_of_time(written):
    found = [row for some in batches(timeline(written, "partitioned")) for row in some]
    assert sorted(found) == sorted(rows_of(written / "jsonl" / "timeline.jsonl"))
    assert [row[0] or "~" for row in found] == sorted(row[0] or "~" for row in found)


@pytest.mark.parametrize("form", [*FORMATS, "partitioned"])
def test_every_format_has_the_same_tables(written, form):
    with opened(timeline(written, form)) as tables:
        (counts,) = tables.ask("SELECT count(*), min(id), max(id), count(timestamp_utc) FROM rows").rows
        sessions = list(tables.ask("SELECT * FROM sessions").rows)
        calls = list(tables.ask("SELECT call, status FROM calls ORDER BY timestamp_utc, call").rows)
        day = tables.ask("SELECT DISTINCT timestamp_utc::DATE::VARCHAR FROM rows WHERE agent = 'zed' ORDER BY 1").rows
        assert next(day) == ("2026-03-01",)
    expected = [json.loads(line) for line in (written / "jsonl" / "sessions.jsonl").read_text().splitlines()]
    rows = rows_of(written / "jsonl" / "timeline.jsonl")
    assert counts == (len(rows), 1, len(rows), sum(row[0] != "" for row in rows))
    assert len(calls) == sum(row[7] == "tool_use" for row in rows)
    assert ("rm -rf build", "error") in calls
    assert [session[3] for session in sessions] == [each["session_id"] for each in expected]
    for session, each in zip(sessions, expected, strict=True):
        assert json.loads(session[7]) == each["models"]
        assert session[8:] == tuple(each[n] for n in ("user_turns", "assistant_turns", "tool_calls", "source_file"))
        assert session[4] == each["project_path"]


def test_a_folder_of_a_run_has_its_files_and_ledger_too(written):
    with opened(timeline(written, "jsonl")) as tables:
        assert next(tables.ask("SELECT count(*) > 10 FROM files").rows) == (True,)
        assert next(tables.ask('SELECT sum("read") > 50 FROM ledger').rows) == (True,)


@pytest.mark.parametrize("form", ["jsonl", "parquet", "duckdb", "partitioned"])
@pytest.mark.parametrize(
    "question",
    [
        "SELECT * FROM read_text('/etc/hostname')", "COPY rows TO '/tmp/agentrows-stolen.csv'", "INSTALL httpfs",
        "LOAD httpfs", "SET enable_external_access = true", "ATTACH '/tmp/agentrows-other.db'",
        "SELECT * FROM 'https://example.org/x.csv'", "DELETE FROM rows", "CREATE TABLE timeline.x (a INT)",
    ],
)  # fmt: skip
def test_a_question_reads_its_timeline_and_nothing_else(written, form, question):
    if form in ("parquet", "partitioned") and "timeline.x" in question:
        question = "INSERT INTO rows SELECT * FROM rows"
    with opened(timeline(written, form)) as tables, pytest.raises(UsageError):
        list(tables.ask(question).rows)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b'{"a": 1}\n'), ("a.jsonl", b"no json\n"), ("a.csv", b"a,b\n1,2\n"), ("a.sqlite", b"nothing"),
        ("a.parquet", b"nothing"), ("a.duckdb", b"nothing"), ("a.jsonl", gzip.compress(b"{}", mtime=0)),
    ],
)  # fmt: skip
def test_a_file_that_is_no_timeline_is_an_error_of_use(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    found = timeline_at(path)
    assert found is not None
    with pytest.raises(UsageError, match=r"a\."), opened(found) as tables:
        list(tables.ask("SELECT * FROM rows").rows)


def test_a_cut_csv_is_an_error_of_use_with_its_line(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",".join(COLUMNS) + "\n1,2\n")
    with pytest.raises(UsageError, match=r"a\.csv:2"):
        list(batches(Timeline(path, "csv")))


def test_lone_surrogates_come_back_from_json_lines(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"timestamp_utc": "", "text": "\ud800"}) + "\n")
    ((row,),) = batches(Timeline(path, "jsonl"))
    assert row[11] == "\ud800"


@pytest.mark.parametrize("name", ["a.txt", "home", "missing.jsonl"])
def test_what_is_no_timeline_by_its_name_is_none(tmp_path, name):
    (tmp_path / "home").mkdir()
    (tmp_path / "a.txt").write_text("")
    assert timeline_at(tmp_path / name) is None


@pytest.mark.parametrize("form", ["parquet", "partitioned"])
@pytest.mark.parametrize(
    "question",
    [
        "COPY (SELECT 1 AS a) TO '{}' (FORMAT parquet, USE_TMP_FILE false)",
        "WITH a AS (cOpY (SELECT 1 AS a) TO '{}' (FORMAT parquet, USE_TMP_FILE false)) SELECT 1",
        "SELECT 'é';\u00a0COPY (SELECT 1 AS a) TO '{}' (FORMAT parquet, USE_TMP_FILE false)",
        "COPY (PIVOT (SELECT 1 AS a) ON a USING sum(a)) TO '{}' (FORMAT parquet, USE_TMP_FILE false)",
        "EXPLAIN ANALYZE COPY (SELECT 1 AS a) TO '{}' (FORMAT parquet, USE_TMP_FILE false)",
        "ATTACH '{}.db' AS mine", "EXPORT DATABASE '{}.folder'",
    ],
)  # fmt: skip
def test_no_question_writes_into_a_timeline_that_is_read_as_it_stands(written, form, question):
    found = timeline(written, form)
    before = {path: path.read_bytes() for path in sorted(written.rglob("*")) if path.is_file()}
    with opened(found) as tables, pytest.raises(UsageError, match="a question can only look"):
        inside = found.path if form == "parquet" else found.path / "more"
        list(tables.answers(question.format(inside)))
    assert before == {path: path.read_bytes() for path in sorted(written.rglob("*")) if path.is_file()}


def test_words_that_only_stand_in_a_question_are_no_acts(written):
    with opened(timeline(written, "parquet")) as tables:
        (answer,) = tables.answers("SELECT 'COPY' AS \"copy\", 1 AS loaded -- INSTALL\n/* EXPORT */")
        assert list(answer.rows) == [("COPY", 1)]


def test_no_progress_bar_stands_among_the_rows(written):
    with opened(timeline(written, "jsonl")) as tables:
        assert next(tables.ask("SELECT current_setting('enable_progress_bar')").rows) == (False,)


@pytest.mark.parametrize(
    "line",
    [
        {"text": ["x"]}, {"text": None}, {"source_line": "1"}, {"source_line": True}, {"source_line": 1 << 63},
        {"timestamp_utc": "yesterday"}, {"timestamp_utc": 5}, "[" * 100_000, '{"timestamp_utc":' * 100_000,
        '{"timestamp_utc": "", "source_line": NaN}', "", "\x00",
    ],
)  # fmt: skip
def test_a_row_that_others_wrote_with_other_types_is_an_error_of_use(tmp_path, line):
    path = tmp_path / "a.jsonl"
    path.write_text(line + "\n" if isinstance(line, str) else json.dumps({"timestamp_utc": ""} | line))
    with pytest.raises(UsageError, match=r"a\.jsonl"):
        list(batches(Timeline(path, "jsonl")))


@pytest.mark.parametrize("run", ["{", "[" * 100_000, '{"files": 5}', '{"files": [{"x": 1}]}', '{"files": ["x"]}'])
def test_a_run_that_others_wrote_is_an_error_of_use(written, tmp_path, run):
    shutil.copy(written / "jsonl" / "timeline.jsonl", tmp_path)
    (tmp_path / "run.json").write_text(run)
    with pytest.raises(UsageError, match=r"run\.json"), opened(timeline_at(tmp_path)):
        pass


def test_a_sqlite_timeline_is_read_from_a_private_copy_with_its_wal(written, tmp_path):
    shutil.copy(written / "sqlite" / "timeline.sqlite", tmp_path / "from.sqlite")
    with contextlib.closing(sqlite3.connect(tmp_path / "from.sqlite")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("UPDATE rows SET text = 'new' WHERE id = 1")
        database.commit()
        (tmp_path / "copy").mkdir()
        for suffix in ("", "-wal"):
            shutil.copy(tmp_path / f"from.sqlite{suffix}", tmp_path / "copy" / f"a.sqlite{suffix}")
    first = next(batches(Timeline(tmp_path / "copy" / "a.sqlite", "sqlite")))[0]
    assert first[COLUMNS.index("text")] == "new"
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == ["a.sqlite", "a.sqlite-wal"]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE run SET document = '{'", "UPDATE run SET document = x'00'", "UPDATE run SET document = 5",
        "UPDATE run SET document = '[1]'", "UPDATE files SET size = 'x'", "UPDATE ledger SET ignored = 'x'",
    ],
)  # fmt: skip
def test_a_sqlite_timeline_whose_run_others_wrote_is_an_error_of_use(written, tmp_path, change):
    shutil.copy(written / "sqlite" / "timeline.sqlite", tmp_path / "a.sqlite")
    with contextlib.closing(sqlite3.connect(tmp_path / "a.sqlite")) as database:
        database.execute(change)
        database.commit()
    with pytest.raises(UsageError), opened(Timeline(tmp_path / "a.sqlite", "sqlite")):
        pass


def test_a_sqlite_timeline_runs_nothing_of_its_own(tmp_path):
    named = ", ".join(f'n AS "{name}"' for name in COLUMNS)
    with contextlib.closing(sqlite3.connect(tmp_path / "a.sqlite")) as database:
        endless = "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c)"
        database.execute(f"CREATE VIEW rows AS {endless} SELECT n AS id, {named} FROM c")
    with pytest.raises(UsageError, match="not authorized"):
        list(batches(Timeline(tmp_path / "a.sqlite", "sqlite")))
