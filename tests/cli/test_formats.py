"""The same rows in every format, of a real home, through the command."""

from __future__ import annotations

import csv
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest

from engine.cli.main import status_of
from engine.rows import COLUMNS
from tests.cli.command import Engine
from tests.cli.test_run import lines, schema
from tests.write.test_tables import duckdb_rows, parquet_rows, sqlite_rows

ROOT = Path(__file__).resolve().parent.parent.parent
HOMES = [str(ROOT / "fixtures" / agent / "home") for agent in ("claude-code", "zed")]


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


@pytest.fixture(scope="module")
def truth(tmp_path_factory):
    """The rows of the fixtures as JSON lines have them, with what no table can hold replaced."""
    out = tmp_path_factory.mktemp("truth") / "rows.jsonl"
    assert status_of(["run", *HOMES, "-q", "--out", str(out)]) == 0
    return [tuple(fitting(value) for value in row.values()) for row in lines(out)]


def fitting(value):
    return re.sub("[\ud800-\udfff\0]", "\ufffd", value) if isinstance(value, str) else value


def csv_rows(path):
    with path.open(newline="") as file:
        return [(*row[:13], int(row[13]), *row[14:]) for row in list(csv.reader(file))[1:]]


def json_rows(path):
    return [tuple(row.values()) for row in lines(path)]


@pytest.mark.parametrize(
    ("name", "read"),
    [("rows.jsonl", json_rows), ("rows.csv", csv_rows), ("rows.parquet", parquet_rows), ("rows.sqlite", sqlite_rows),
     ("rows.db", sqlite_rows), ("rows.duckdb", duckdb_rows)],
)  # fmt: skip
@pytest.mark.parametrize("order", ["time", "file"])
def test_every_format_holds_the_same_rows_in_the_same_order(tmp_path, truth, name, read, order):
    assert status_of(["run", *HOMES, "-q", "--order", order, "--out", str(tmp_path / name)]) == 0
    found = [tuple(map(fitting, row)) for row in read(tmp_path / name)]
    assert (found if order == "time" else sorted(found)) == (truth if order == "time" else sorted(truth))
    beside = [f"{name}.run.json"] if name.endswith(("jsonl", "csv")) else []
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, *beside]
    for run in beside:
        schema("run").validate(json.loads((tmp_path / run).read_text()))


def test_partitions_hold_the_same_rows(tmp_path, truth):
    out = tmp_path / "rows.parquet"
    assert status_of(["run", *HOMES, "-q", "--partition", "--out", str(out)]) == 0
    assert sorted(tuple(map(fitting, row)) for row in parquet_rows(out)) == sorted(truth)
    assert json.loads((out / "_run.json").read_text())["totals"]["rows"] == len(truth)


def test_timesketch_has_every_dated_row_and_the_run_beside_it(tmp_path, truth, capsysbinary):
    out = tmp_path / "events.jsonl"
    assert status_of(["run", *HOMES, "--format", "timesketch", "--out", str(out)]) == 0
    dated = [dict(zip(COLUMNS, row, strict=True)) for row in truth if row[0]]
    events = lines(out)
    assert [fitting(event["message"]) for event in events] == [row["text"] for row in dated]
    assert [event["rule"] for event in events] == [row["rule"] for row in dated]
    run = json.loads((tmp_path / "events.jsonl.run.json").read_text())
    schema("run").validate(run)
    assert run["left_out"] == len(truth) - len(dated)


def test_a_folder_gets_the_chosen_format_beside_sessions_and_run(engine, tmp_path):
    names = {"parquet": "timeline.parquet", "sqlite": "timeline.sqlite", "duckdb": "timeline.duckdb",
             "md": "timeline.md",
             "timesketch": "timesketch.jsonl", "timesketch-csv": "timesketch.csv"}  # fmt: skip
    for format_, name in names.items():
        assert engine.run("--format", format_, "--out", f"{tmp_path}/{format_}/").status == 0
        found = sorted(path.name for path in (tmp_path / format_).iterdir())
        assert found == sorted(["run.json", "sessions.jsonl", name])


def test_databases_have_the_same_facts_as_the_files_of_a_folder(engine, tmp_path):
    assert engine.run("--format", "duckdb", "--out", f"{tmp_path}/out/").status == 0
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    schema("run").validate(run)
    with duckdb.connect(tmp_path / "out" / "timeline.duckdb", read_only=True) as db:
        inside = json.loads(db.execute("SELECT document FROM run").fetchone()[0])
        sessions = db.execute("SELECT session_id, user_turns FROM sessions").fetchall()
        paired = db.execute("SELECT sum(paired) FROM ledger").fetchone()[0]
        hashes = {sha for (sha,) in db.execute("SELECT sha256 FROM files").fetchall()}
    assert inside == {name: value for name, value in run.items() if name != "files"}
    expected = lines(tmp_path / "out" / "sessions.jsonl")
    assert sessions == [(each["session_id"], each["user_turns"]) for each in expected]
    assert paired == run["totals"]["paired"]
    assert hashes == {file["sha256"] for entry in run["files"] for file in entry["files"]}


def test_the_run_stands_in_the_metadata_of_parquet(engine, tmp_path):
    engine.run("--out", tmp_path / "rows.parquet")
    run = json.loads(pyarrow.parquet.read_metadata(tmp_path / "rows.parquet").metadata[b"run"])
    assert run["ledger"]["toy"]["history"]["paired"] == 1


def test_what_a_format_can_not_hold_is_in_the_summary(engine, tmp_path):
    chat = Path(engine.home, "toy", "chats", "c.jsonl")
    chat.write_text('{"kind": "user", "text": "half \\ud800", "t": "2026-01-02T00:00:00Z"}\n')
    for name in ("rows.csv", "rows.parquet", "rows.sqlite", "rows.duckdb"):
        assert "replaced   characters that the format can't hold in 1 rows" in engine.run("--out", tmp_path / name).err
    assert "replaced" not in engine.run("--out", tmp_path / "rows.jsonl").err
    assert "left out   1 rows without a time" in engine.run("--format", "timesketch").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--format", "parquet"], "needs --out"),
        (["--format", "sqlite", "--out", "-"], "needs --out"),
        (["--partition"], "--partition is for parquet"),
        (["--csv-safe", "--out", "x.parquet"], "--csv-safe is for csv"),
        (["--csv-bom"], "--csv-bom is for csv"),
        (["--out", "x.xlsx"], "unknown format 'xlsx' (known: jsonl, csv, parquet"),
        (["--format", "csv", "--out", "x.sqlite"], "has the name of a sqlite file: --format csv does not fit"),
        (["--format", "duckdb", "--out", "x.csv"], "has the name of a csv file"),
        (["--since", "soon"], "not a time"),
        (["--since", "2026", "--until", "2025"], "nothing lies between"),
        (["--match", "("], "--match ("),
        (["--turn", "usr"], "'usr' is not one of"),
    ],
)
def test_options_that_do_not_fit_are_one_line(engine, arguments, said):
    ended = engine.run(*arguments)
    assert (ended.status, ended.out) == (2, b"")
    assert said in ended.err and ended.err.count("\n") == 1


def test_csv_can_be_made_for_spreadsheets(engine, tmp_path):
    chat = Path(engine.home, "toy", "chats", "c.jsonl")
    chat.write_text('{"kind": "user", "text": "=cmd|1", "t": "2026-01-02T00:00:00Z"}\n')
    engine.run("--csv-safe", "--csv-bom", "--out", tmp_path / "rows.csv")
    with (tmp_path / "rows.csv").open(newline="", encoding="utf-8-sig") as file:
        assert [row["text"] for row in csv.DictReader(file)][-2] == "'=cmd|1"
    assert (tmp_path / "rows.csv").read_bytes().startswith(b"\xef\xbb\xbftimestamp_utc,")


@pytest.mark.parametrize("name", ["null", "pipe.jsonl"])
def test_a_pipe_is_written_to_and_stays_one_without_a_file_beside_it(engine, tmp_path, name):
    pipe = tmp_path / "out" / name
    pipe.parent.mkdir()
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        assert engine.run("--out", pipe).status == 0
        assert read.result() == engine.run().out
    assert pipe.is_fifo() and list(pipe.parent.iterdir()) == [pipe]


def test_the_window_is_printed_as_it_was_understood_and_stands_in_run_json(engine, tmp_path):
    ended = engine.run("--since", "2026-01-01T00:00:02", "--until", "2026-01-01", "--out", f"{tmp_path}/out/")
    window = "2026-01-01T00:00:02.000Z to 2026-01-01T23:59:59.999Z"
    assert f"window     {window}; rows without a time are left out\n" in ended.err
    assert "filtered   4 rows left out by the filters\n" in ended.err
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    schema("run").validate(run)
    assert run["options"]["filters"] == {"since": window[:24], "until": window[-24:]}
    assert run["filtered"] == 4
    kept = engine.run("--since", "2026-01-01T00:00:02", "--keep-undated")
    assert [row["text"] for row in kept.rows] == ["second", "gone", "deleted", "hi", "cut", "later"]


def test_rows_can_be_chosen_by_what_they_are(engine):
    assert [row["text"] for row in engine.run("--turn", "assistant").rows] == ["later"]
    assert {row["event"] for row in engine.run("--event", "session_start").rows} == {"session_start"}
    assert {row["session_id"] for row in engine.run("--session", "a*").rows} == {"a"}
    assert [row["text"] for row in engine.run("--match", "^del").rows] == ["deleted"]
    assert engine.run("--project", "/nowhere").status == 1


def test_secrets_are_taken_out_of_every_format_and_counted(engine, tmp_path):
    token = "ghp_" + "aB3xY7zQ9mK2w" * 3
    chat = Path(engine.home, "toy", "chats", "c.jsonl")
    chat.write_text(json.dumps({"kind": "user", "text": f"use {token} now", "t": "2026-01-02T00:00:00Z"}) + "\n")
    assert "redacted   1 secrets\n" in engine.run("--redact", "--out", f"{tmp_path}/jsonl/").err
    for format_ in ("csv", "parquet", "sqlite", "duckdb", "timesketch", "timesketch-csv", "md"):
        assert engine.run("--redact", "--format", format_, "--out", f"{tmp_path}/{format_}/").status == 0
    for path in tmp_path.glob("*/time*"):
        if path.is_file() and path.parent.name != "home":
            assert token.encode() not in path.read_bytes(), path
    (row,) = [row for row in lines(tmp_path / "jsonl" / "timeline.jsonl") if row["source_file"] == "toy/chats/c.jsonl"
              and row["turn_type"] == "user"]  # fmt: skip
    assert re.fullmatch(r"use \[redacted:github-token:[0-9a-f]{8}\] now", row["text"])
    run = json.loads((tmp_path / "jsonl" / "run.json").read_text())
    assert (run["redacted"], run["options"]["redact"]) == (1, True)


def test_what_run_json_tells_of_unknown_records_and_of_options_has_no_secrets(engine, tmp_path):
    token = "AKIA" + "IOSFODNN" + "7QWERTYU"
    chat = Path(engine.home, "toy", "chats", "c.jsonl")
    chat.write_text(json.dumps({"kind": f"weird-{token}", "text": "hi", "t": "2026-01-02T00:00:00Z"}) + "\n")
    for name in ("out/", "rows.duckdb", "rows.jsonl"):
        assert engine.run("--redact", "--match", f"{token}|second", "--out", f"{tmp_path}/told/{name}").status == 0
    for path in (tmp_path / "told").rglob("*.*"):
        assert token.encode() not in path.read_bytes(), path
    run = json.loads((tmp_path / "told" / "out" / "run.json").read_text())
    assert "[redacted:aws-key:" in json.dumps(run["unknown"])
    assert "[redacted:aws-key:" in run["options"]["filters"]["match"]
