"""`engine query`, `search`, `sessions` and `show`."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import Engine
from tests.cli.test_run import ENGINE, lines


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


@pytest.fixture
def timeline(engine, tmp_path):
    assert engine.run("--out", f"{tmp_path}/out/").status == 0
    return tmp_path / "out"


QUESTION = "SELECT turn_type, count(*) AS n FROM rows GROUP BY ALL ORDER BY ALL"


def test_a_timeline_and_evidence_give_the_same_answer(engine, timeline):
    of_timeline = engine("query", QUESTION, timeline)
    of_evidence = engine("query", QUESTION, engine.home, "--spec", engine.spec)
    assert of_timeline.out.decode().splitlines() == [
        "turn_type  n",
        "---------  -",
        "assistant  1",
        "system     2",
        "user       6",
    ]
    assert (of_evidence.status, of_evidence.out) == (0, of_timeline.out)
    assert (of_evidence.err, of_timeline.err) == ("", "")


def test_answers_are_csv_and_json_too(engine, timeline):
    found = list(csv.DictReader(io.StringIO(engine("query", QUESTION, timeline, "--format", "csv").out.decode())))
    assert found[0] == {"turn_type": "assistant", "n": "1"}
    assert json.loads(engine("query", QUESTION, timeline, "--format", "json").out)[1] == {"turn_type": "system", "n": 2}


def test_of_several_statements_each_gives_its_result(engine, timeline):
    question = f"CREATE TEMP TABLE t AS SELECT 7 AS a; {QUESTION}; SELECT a FROM t; -- and no more"
    answer = engine("query", question, timeline)
    assert (answer.status, answer.err) == (0, "")
    first, second = answer.out.decode().split("\n\n")
    assert first.encode() + b"\n" == engine("query", QUESTION, timeline).out
    assert second == "a\n-\n7\n"
    as_json = engine("query", question, timeline, "--format", "json").out.decode()
    assert as_json.splitlines()[-3:] == ["[", '{"a": 7}', "]"] and len(as_json.splitlines()) == 8


def test_a_statement_that_is_no_sql_leaves_the_others_unasked(engine, timeline):
    answer = engine("query", "SELECT 1; SELEC 2", timeline)
    assert (answer.status, answer.out) == (2, b"") and 'near "SELEC"' in answer.err


def test_evidence_has_its_files_and_ledger(engine):
    question = "SELECT store, sum(paired) AS paired FROM ledger GROUP BY ALL ORDER BY ALL"
    answer = engine("query", question, engine.home, "--spec", engine.spec, "--format", "csv").out.decode()
    assert answer.splitlines() == ["store,paired", "chats,1", "frozen,2", "history,1"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv", "rows.sqlite", "rows.duckdb", "folder/"])
def test_files_and_ledger_are_there_in_every_format_that_holds_them_or_has_them_beside_it(engine, tmp_path, name):
    questions = ["SELECT * FROM ledger ORDER BY ALL", "SELECT source_file, sha256 FROM files ORDER BY ALL"]
    assert engine.run("--out", f"{tmp_path}/told/{name}").status == 0
    for question in questions:
        of_evidence = engine("query", question, engine.home, "--spec", engine.spec, "--format", "csv").out
        of_timeline = engine("query", question, f"{tmp_path}/told/{name}", "--format", "csv").out
        if "sha256" in question:  # a question to evidence makes no digests
            of_timeline = re.sub(rb",[0-9a-f]{64}\n", b",\n", of_timeline)
        assert of_timeline == of_evidence and of_evidence.count(b"\n") > 3


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
def test_a_timeline_that_knows_no_run_has_no_empty_ledger(engine, tmp_path, name):
    assert engine.run("--out", f"{tmp_path}/told/{name}").status == 0
    for beside in (tmp_path / "told").glob("*.run.json"):
        beside.unlink()
    assert engine("query", QUESTION, f"{tmp_path}/told/{name}").status == 0
    ended = engine("query", "SELECT * FROM ledger", f"{tmp_path}/told/{name}")
    assert ended.status == 2 and "ledger does not exist" in ended.err


def test_search_finds_all_words_in_any_case_and_says_where(engine, timeline):
    ended = engine("search", "DELE", "ted", "--in", timeline)
    assert ended.status == 0
    (line,) = ended.out.decode().splitlines()
    assert line == "2026-01-01T00:04:00.000Z  toy  user  toy/history.jsonl:2  deleted"
    assert engine("search", "deleted", "--in", engine.home, "--spec", engine.spec).out == ended.out
    assert engine("search", "deleted", "first", "--in", timeline).status == 1


def test_search_gives_whole_rows_and_says_what_it_holds_back(engine, timeline):
    rows = engine("search", "s", "--in", timeline, "--jsonl").rows
    assert rows == [row for row in lines(timeline / "timeline.jsonl") if "s" in row["text"]]
    ended = engine("search", "s", "--in", timeline, "--limit", "1", "--turn", "system")
    assert (len(ended.out.splitlines()), ended.err) == (1, "1 more rows (--limit 0 shows all)\n")


def test_sessions_are_those_of_sessions_jsonl(engine, timeline):
    expected = lines(timeline / "sessions.jsonl")
    assert json.loads(engine("sessions", timeline, "--format", "json").out) == expected
    of_evidence = engine("sessions", engine.home, "--spec", engine.spec, "--format", "json")
    assert json.loads(of_evidence.out) == expected
    table = engine("sessions", timeline).out.decode().splitlines()
    assert table[0].split()[:4] == ["first", "last", "agent", "session"]
    assert len(table) == 2 + len(expected)
    assert engine("sessions", timeline, "--since", "2030").status == 1


def test_show_prints_a_session_by_the_beginning_of_its_id(engine, timeline, tmp_path):
    text = engine("show", "a", timeline).out.decode()
    assert text.startswith("toy a\n") and "\n    first\n" in text and "\n    second\n" not in text
    assert engine("show", "a", engine.home, "--spec", engine.spec).out.decode() == text
    other = Path(engine.home, "toy", "chats", "ab.jsonl")
    other.write_text(Path(engine.home, "toy", "chats", "b.jsonl").read_text())
    assert engine("show", "a", engine.home, "--spec", engine.spec).out.decode().startswith("toy a\n")
    other.with_name("ac.jsonl").write_text(other.read_text())
    Path(engine.home, "toy", "chats", "a.jsonl").unlink()
    Path(engine.home, "toy", "frozen", "a.jsonl").unlink()
    ended = engine("show", "a", engine.home, "--spec", engine.spec)
    assert (ended.status, ended.err) == (2, "engine: a is more than one session: alice toy ab, alice toy ac\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["query", "SELECT", "{}"], "Parser Error"),
        (["query", "SELECT nothing FROM rows", "{}"], 'Referenced column "nothing" not found'),
        (["query", "SELECT 1", "/nowhere/at/all"], "does not exist"),
        (["query", "SELECT 1", "{}", "{}"], "one timeline, or one or more inputs of evidence"),
        (["query", "SELECT 1", "{}", "--spec", "zed"], "--spec and --agent are for evidence"),
        (["query"], "Missing argument 'SQL'"),
        (["query", " -- nothing", "{}"], "the question is empty"),
        (["search"], "Missing argument"),
        (["search", "x", "--in", "{}", "--until", "never"], "not a time"),
        (["show", "zz*", "{}"], "no session zz* (engine sessions lists them)"),
        (["sessions", "{}", "--spec", "zed"], "--spec is for evidence"),
    ],
)
def test_an_error_of_use_is_one_line_and_status_2(engine, timeline, arguments, said):
    ended = engine(*(argument.replace("{}", str(timeline)) for argument in arguments))
    assert (ended.status, ended.out) == (2, b"")
    assert said in ended.err and ended.err.startswith("engine: ") and ended.err.count("\n") == 1


ATTACK = "\x1b]0;pwned\x07 \x1b[2J \u202e abc \x9b31m"


@pytest.mark.parametrize(
    "arguments",
    [["show", "evil"], ["search", "pwned", "--in"], ["query", "SELECT text FROM rows"], ["sessions"],
     ["query", "SELECT text FROM rows", "--format", "csv"], ["query", "SELECT text FROM rows", "--format", "json"]],
)  # fmt: skip
def test_nothing_of_evidence_is_obeyed_by_a_terminal(engine, tmp_path, arguments):
    Path(engine.home, "toy", "chats", "evil.jsonl").write_text(
        json.dumps({"kind": "user", "text": ATTACK, "t": "2026-01-02T00:00:00Z", "cwd": ATTACK, "model": ATTACK}) + "\n"
    )
    out = tmp_path / "rows.jsonl"
    assert engine.run("--out", out).status == 0
    if "--format" in arguments:
        at = arguments.index("--format")
        command = [*arguments[:at], str(out), *arguments[at:]]
    else:
        command = [*arguments, str(out)]
    if arguments[0] == "show":
        command.append("--no-pager")
    main, side = pty.openpty()
    with subprocess.Popen([*ENGINE, *command], stdout=side, env={**os.environ, "PYTHONIOENCODING": "utf-8"}) as process:
        os.close(side)
        printed = b""
        while chunk := _read(main):
            printed += chunk
        assert process.wait() == 0
    os.close(main)
    text = printed.decode()
    assert "pwned" in text or arguments[0] == "sessions"
    assert "\x1b]" not in text and "\x1b[2J" not in text and "\u202e" not in text and "\x9b" not in text
    assert "\x07" not in text


def _read(terminal: int) -> bytes:
    """What a terminal holds; nothing when its other end is closed."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_commands_that_need_no_table_import_none():
    script = (
        "import sys; from engine.cli.main import status_of; status_of(['show', 'x', '/nowhere.jsonl']);"
        "status_of(['run', '--help']); status_of(['query', '--help']);"
        "print([name for name in ('duckdb', 'pyarrow', 'rich', 'detect_secrets') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("format_", ["timesketch", "md", "html"])
def test_the_folder_of_a_run_that_can_not_be_asked_is_no_home_without_rows(engine, tmp_path, format_):
    out = f"{tmp_path}/told/"
    assert engine("run", engine.home, "--spec", engine.spec, "--format", format_, "--out", out).status == 0
    ended = engine("sessions", out)
    assert (ended.status, ended.out) == (2, b"")
    assert "this run's format can't be asked" in ended.err
