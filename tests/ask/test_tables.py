"""Timelines read back, as rows and as tables."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from engine.ask.tables import opened
from engine.ask.timelines import Timeline, batches, timeline_at
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
