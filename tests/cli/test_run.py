"""`engine run`: what it writes, where, and how it ends."""

from __future__ import annotations

import csv
import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from engine.rows import COLUMNS
from tests.cli.command import Engine

SCHEMAS = Path(__file__).resolve().parent.parent.parent / "schemas"
ENGINE = (sys.executable, "-c", "from engine.cli.main import main; main()")


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


def schema(name: str) -> jsonschema.Draft202012Validator:
    document = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(document)
    return jsonschema.Draft202012Validator(document)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_rows_go_to_stdout_and_fit_their_schema_the_summary_to_stderr(engine):
    ended = engine.run()
    assert ended.status == 0
    assert [row["text"] for row in ended.rows][-1] == "later"
    for row in ended.rows:
        schema("row").validate(row)
        assert tuple(row) == COLUMNS
    assert ended.err.startswith("rows       9 (user 6, assistant 1, system 2)\n")
    assert "sessions   2\n" in ended.err
    assert "ledger     toy/history: 2 read = 2 into rows + 0 copies + 0 ignored + 0 bad; 1 paired\n" in ended.err


def test_a_folder_gets_timeline_sessions_and_run_json_that_fit_their_schemas(engine, tmp_path):
    out = tmp_path / "out"
    assert engine.run("--out", f"{out}/").status == 0
    assert sorted(path.name for path in out.iterdir()) == ["run.json", "sessions.jsonl", "timeline.jsonl"]
    assert (out / "timeline.jsonl").read_bytes() == engine.run().out
    for session in lines(out / "sessions.jsonl"):
        schema("session").validate(session)
    run = json.loads((out / "run.json").read_text())
    schema("run").validate(run)
    assert run["totals"]["rows"] == 9
    assert run["totals"]["paired"] == 4
    history = next(entry for entry in run["files"] if entry["source_file"] == "toy/history.jsonl")
    assert history["stores"]["history"]["paired"] == 1
    assert history["files"][0]["size"] == Path(engine.home, "toy/history.jsonl").stat().st_size
    assert len(history["files"][0]["sha256"]) == 64


def test_run_json_names_the_members_and_values_that_the_spec_does_not_know(engine, tmp_path):
    engine.run("--out", f"{tmp_path}/known/")
    assert json.loads((tmp_path / "known" / "run.json").read_text())["unknown"] == {}
    with Path(engine.home, "toy/chats/a.jsonl").open("a") as file:
        file.write('{"kind": "wobble", "text": "a secret", "amplitude": 1}\n' * 2)
    engine.run("--out", f"{tmp_path}/unknown/")
    run = json.loads((tmp_path / "unknown" / "run.json").read_text())
    schema("run").validate(run)
    found = {(each["kind"], each["path"], each["detail"]): each for each in run["unknown"]["toy"]}
    assert found.keys() == {("key", "record.amplitude", ""), ("value", "record.kind", "wobble")}
    assert {each["count"] for each in found.values()} == {2}
    assert {each["example"].partition(":")[0] for each in found.values()} == {"toy/chats/a.jsonl"}


def test_the_ledger_of_run_json_adds_up_for_every_store(engine, tmp_path):
    engine.run("--out", tmp_path / "out")
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    for entry in run["files"]:
        for count in entry["stores"].values():
            assert count["read"] == count["rows"] + count["copies"] + sum(count["ignored"].values()) + count["bad"]


def test_two_runs_write_the_same_bytes(engine, tmp_path):
    engine.run("--out", f"{tmp_path}/one/")
    engine.run("--out", f"{tmp_path}/two/")
    for name in ("run.json", "sessions.jsonl", "timeline.jsonl"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_name_of_the_output_gives_the_format(engine, tmp_path):
    assert engine.run("--out", tmp_path / "rows.csv").status == 0
    with (tmp_path / "rows.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [row["text"] for row in found] == [row["text"] for row in engine.run().rows]
    assert engine.run("--out", tmp_path / "rows.jsonl").status == 0
    assert (tmp_path / "rows.jsonl").read_bytes() == engine.run().out


def test_no_hash_leaves_the_digest_empty(engine, tmp_path):
    engine.run("--out", f"{tmp_path}/out/", "--no-hash")
    run = json.loads((tmp_path / "out" / "run.json").read_text())
    assert {file["sha256"] for entry in run["files"] for file in entry["files"]} == {""}
    assert run["options"]["hash"] is False


def test_host_and_user_stand_in_the_rows(engine):
    assert {(row["host"], row["user"]) for row in engine.run("--host", "h1", "--user", "bob").rows} == {("h1", "bob")}


def test_by_file_the_same_rows_stand_in_the_order_of_files(engine):
    by_time, by_file = engine.run("-q").out, engine.run("-q", "--order", "file").out
    assert sorted(by_time.splitlines()) == sorted(by_file.splitlines())
    files = [row["source_file"] for row in engine.run("--order", "file").rows]
    assert files == sorted(files)


def test_an_agent_that_is_named_leaves_the_others_out(engine):
    both = ("run", engine.home, "--spec", engine.spec, "--spec", "zed")
    assert {row["agent"] for row in engine(*both, "--agent", "toy").rows} == {"toy"}
    assert engine(*both, "--agent", "zed").status == 1


def test_bounds_of_reading_are_options(engine):
    rows = engine.run("--max-line", "60", "--max-quote", "20").rows
    notes = [row["text"] for row in rows if row["event"] == "note"]
    assert notes and all("over" in text and "sha256" in text for text in notes)


def test_what_an_input_is_taken_for_can_be_forced(engine, tmp_path):
    out = tmp_path / "out"
    engine.run("--as", "project", "--out", f"{out}/")
    assert json.loads((out / "run.json").read_text())["inputs"] == [{"path": engine.home, "as": "project"}]


def test_quiet_says_nothing_and_json_says_one_object(engine):
    assert engine.run("-q").err == ""
    said = json.loads(engine.run("--json").err)
    assert said["totals"]["turns"] == {"user": 6, "assistant": 1, "system": 2}
    assert said["ledger"]["toy"]["history"]["paired"] == 1


def test_a_run_without_rows_ends_with_1(engine, tmp_path):
    (tmp_path / "empty").mkdir()
    ended = engine("run", tmp_path / "empty", "--spec", engine.spec)
    assert (ended.status, ended.out) == (1, b"")


def test_a_run_with_nothing_but_notes_ends_with_1(engine, tmp_path):
    path = tmp_path / "other" / "toy" / "history.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("no json\n")
    ended = engine("run", tmp_path / "other", "--spec", engine.spec)
    assert [row["event"] for row in ended.rows] == ["note"]
    assert ended.status == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "/nowhere/at/all", "--spec", "zed"], "does not exist"),
        (["run", "", "--spec", "zed"], "an input without a name"),
        (["run", "--spec", "nothing-like-it"], "no such spec"),
        (["run", "--order", "size"], "'size' is not one of"),
        (["run", "--max-line", "none"], "'none' is no size"),
        (["run", "--max-nesting", "5000"], "'5000' is more than 4096"),
        (["run", "--frobnicate"], "No such option"),
        (["frobnicate"], "No such command"),
        (["run", "--spec", "zed", "--agent", "zeb"], "did you mean 'zed'"),
        (["run", "--out", "rows.xyz", "--spec", "zed"], "unknown format 'xyz'"),
    ],
)
def test_an_error_of_use_is_one_line_and_status_2(engine, arguments, said):
    ended = engine(*arguments)
    assert (ended.status, ended.out) == (2, b"")
    assert said in ended.err
    assert ended.err.startswith("engine: ") and ended.err.count("\n") == 1


def test_nothing_is_written_into_the_input(engine):
    ended = engine.run("--out", f"{engine.home}/out.jsonl")
    assert (ended.status, "inside the input" in ended.err) == (2, True)
    assert not Path(engine.home, "out.jsonl").exists()


def test_a_spec_with_problems_is_told_problem_by_problem(engine, tmp_path):
    spec = tmp_path / "bad.yaml"
    spec.write_text(Path(engine.spec).read_text().replace("turn: user", "trun: user"))
    ended = engine("run", engine.home, "--spec", spec)
    assert ended.status == 2
    assert all(line.startswith(f"{spec}:") for line in ended.err.splitlines())
    assert "did you mean" in ended.err


def test_an_internal_fault_is_one_line_that_says_how_to_see_more(engine, monkeypatch):
    def broken(*_):
        raise RuntimeError("a defect\nof two lines")

    monkeypatch.setattr("engine.cli.finding.find", broken)
    monkeypatch.delenv("ENGINE_DEBUG", raising=False)
    ended = engine.run()
    assert ended.status == 2
    assert ended.err == "engine: internal error, RuntimeError: a defect of two lines (ENGINE_DEBUG=1 shows where)\n"
    monkeypatch.setenv("ENGINE_DEBUG", "1")
    with pytest.raises(RuntimeError):
        engine.run()


def test_a_full_disk_is_one_line(engine, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "/tmp/x")

    monkeypatch.setattr("engine.run.pipeline.Run._settle", full)
    monkeypatch.delenv("ENGINE_DEBUG", raising=False)
    ended = engine.run()
    assert (ended.status, ended.err) == (2, "engine: No space left on device: /tmp/x\n")


def test_a_failed_run_leaves_nothing_under_the_final_name(engine, tmp_path, monkeypatch):
    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("engine.run.pipeline.Run._settle", broken)
    assert engine.run("--out", f"{tmp_path}/out/").status == 130
    assert list((tmp_path / "out").iterdir()) == []


def test_control_characters_of_evidence_do_not_reach_the_terminal(engine, tmp_path):
    path = tmp_path / "other" / "toy" / "chats" / "a\x1b[31m\u202eb.jsonl"
    path.mkdir(parents=True)
    ended = engine("run", tmp_path / "other", "--spec", engine.spec)
    assert "\x1b" not in ended.err and "\u202e" not in ended.err


def test_a_run_from_the_cache_imports_nothing_that_its_files_do_not_ask_for(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    home = SCHEMAS.parent / "fixtures/codex-cli/cases/tools/home"
    script = (
        "import sys; from engine.cli.main import status_of; status_of(sys.argv[1:]);"
        "names = 'codegen jinja2 jmespath yaml sqlite3 pyarrow rich zipfile tarfile tempfile random'.split();"
        "print([name for name in names if name in sys.modules])"
    )
    command = [
        sys.executable,
        "-c",
        script,
        "run",
        str(home),
        "--spec",
        "codex-cli",
        "-q",
        "--out",
        tmp_path / "rows.csv",
    ]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert "'codegen'" in first
    assert second == "[]\n"


def test_a_reader_that_goes_away_is_no_error(engine):
    command = [*ENGINE, "run", engine.home, "--spec", engine.spec, "-q"]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert running.stdout and running.stderr
    running.stdout.close()
    assert running.stderr.read() == b""
    assert running.wait() == 0


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_who_is_told_to_end_leaves_no_half_written_output(engine, tmp_path, told):
    chats = Path(engine.home, "toy", "chats")
    block = (chats / "a.jsonl").read_text() * 40_000
    (chats / "big.jsonl").write_text(block)
    for n in range(40):  # so many that the run can't be over before the signal comes, however busy the machine is
        (chats / f"big{n}.jsonl").hardlink_to(chats / "big.jsonl")
    out = tmp_path / "out"
    running = subprocess.Popen(
        [*ENGINE, "run", engine.home, "--spec", engine.spec, "--out", f"{out}/"], stderr=subprocess.PIPE
    )
    deadline = time.monotonic() + 30
    while not (out.exists() and any(out.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.02)
    running.send_signal(told)
    _, err = running.communicate(timeout=30)
    assert (running.returncode, err) == (130, b"")
    assert list(out.iterdir()) == []


def test_an_output_that_is_a_link_to_itself_is_replaced(engine, tmp_path):
    (tmp_path / "rows.jsonl").symlink_to("rows.jsonl")
    assert engine.run("-q", "--out", tmp_path / "rows.jsonl").status == 0
    assert (tmp_path / "rows.jsonl").is_file()


def test_an_input_that_is_a_link_to_itself_is_an_error_of_use(engine, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    ended = engine("run", tmp_path / "loop", "--spec", engine.spec, "--out", tmp_path / "rows.jsonl")
    assert (ended.status, "does not exist" in ended.err) == (2, True)


def test_a_closed_stdout_is_an_error_only_when_it_is_written_to(engine, tmp_path):
    def shell(more):
        command = shlex.join([*ENGINE, "run", engine.home, "--spec", engine.spec])
        ended = subprocess.run(["sh", "-c", f"{command} {more}"], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout, ended.stderr

    assert shell("-q >&-") == (2, "", "engine: Bad file descriptor\n")
    assert shell(f"-q --out {tmp_path}/rows.csv <&- >&- 2>&-") == (0, "", "")
    assert (tmp_path / "rows.csv").read_text().startswith("timestamp_utc,")


def test_a_closed_stderr_mixes_no_summary_into_the_rows(engine):
    command = shlex.join([*ENGINE, "run", engine.home, "--spec", engine.spec])
    ended = subprocess.run(["sh", "-c", f"{command} 2>&-"], capture_output=True, check=False)
    assert ended.returncode == 0
    assert ended.stdout == engine.run("-q").out
