"""The Claude Code spec on a home with every record type, and on what breaks in practice."""

from __future__ import annotations

import json
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from agent_run import Result, Runner, cut, emits, read_rows

FIXTURES = Path(__file__).parents[2] / "fixtures" / "claude-code"
PROJECT = ".claude/projects/-home-alice-proj"
SESSION = "0a000000-0000-4000-8000-00000000000a"
OTHER = "0e000000-0000-4000-8000-00000000000e"

Record = dict[str, Any]


def record(kind: str, second: int, session: str = OTHER, **more: Any) -> Record:
    stamp = f"2026-10-06T10:{second // 60:02d}:{second % 60:02d}.000Z"
    head = {"type": kind, "uuid": f"u-{session[:2]}-{second}", "sessionId": session, "timestamp": stamp}
    return {**head, "cwd": "/home/alice/proj", "gitBranch": "main", "version": "2.1.227", "isSidechain": False, **more}


def prompt(second: int, text: Any, session: str = OTHER, **more: Any) -> Record:
    return record("user", second, session, message={"role": "user", "content": text}, **more)


def answer(second: int, *blocks: Record, session: str = OTHER, **more: Any) -> Record:
    message = {"id": f"m{second}", "role": "assistant", "model": "claude-opus-4-5", "content": list(blocks)}
    return record("assistant", second, session, message=message, **more)


def text_of(*records: Record | str) -> str:
    return "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in records)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / PROJECT).mkdir(parents=True)
    return tmp_path / "home"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Result:
    """The run of the home with every record type."""
    home = tmp_path_factory.mktemp("whole")
    shutil.copytree(FIXTURES / "home", home / "home")
    return Runner("claude-code", home)(home / "home")


def test_the_fixture_gives_its_rows(whole: Result) -> None:
    assert cut(whole.rows) == read_rows(FIXTURES / "rows.jsonl")


def test_every_emit_of_the_spec_writes_a_row(whole: Result) -> None:
    """By name: sessions and sub-agents share their walk."""
    written = {row["rule"].rsplit("/", 1)[1] for row in whole.rows}
    assert {rule.rsplit("/", 1)[1] for rule in emits("claude-code")} - written == set()


def test_no_secret_of_a_settings_file_is_in_any_output(whole: Result, tmp_path: Path, run: Runner) -> None:
    shutil.copytree(FIXTURES / "home", tmp_path / "copy")
    result = run(tmp_path / "copy")
    told = "".join(file.read_text(encoding="utf-8") for file in tmp_path.glob("out1/*"))
    assert result.rows and "PLANTED" not in told and "PLANTED" not in result.said
    assert len(whole.rows) == len(result.rows)


def test_only_what_a_person_typed_is_a_user_row(whole: Result) -> None:
    assert whole.texts(turn_type="user", role="primary") == [
        "count the widgets",
        "what is in a.py?\n[image]",
        "explain these lines",
        "Implement the following plan",
        "also water the plants",
        "now in the other directory",
        "old question",
        "new question",
        "forked question",
    ]


def test_a_prompt_whose_transcript_is_gone_is_a_secondary_row(whole: Result) -> None:
    assert whole.texts(turn_type="user", role="secondary") == ["a prompt of a transcript that was cleaned up"]


def test_copies_of_a_fork_and_of_a_resumed_session_count_as_copies(whole: Result) -> None:
    counts = [stores["sessions"] for stores in whole.stores.values() if "sessions" in stores]
    assert sorted(count["copies"] for count in counts) == [0, 0, 2, 2]


def test_a_file_that_grows_while_it_is_read_gives_its_whole_records(home: Path, run: Runner) -> None:
    file = home / PROJECT / f"{OTHER}.jsonl"
    file.write_text(text_of(*(prompt(n % 3600, f"ask {n}", uuid=f"g{n}") for n in range(3000))))
    done = threading.Event()

    def append() -> None:
        with file.open("a") as out:
            while not done.is_set():
                out.write(json.dumps(prompt(3599, "later"))[:-5])
                out.flush()
                time.sleep(0.002)

    writer = threading.Thread(target=append)
    writer.start()
    try:
        result = run(home)
    finally:
        done.set()
        writer.join()
    assert len([text for text in result.texts(turn_type="user") if text.startswith("ask ")]) == 3000


def test_a_cut_last_line_is_one_note(home: Path, run: Runner) -> None:
    whole = text_of(prompt(1, "first"))
    (home / PROJECT / f"{OTHER}.jsonl").write_text(whole + json.dumps(prompt(2, "second"))[:-20])
    result = run(home)
    assert result.texts(turn_type="user") == ["first"]
    (note,) = result.of(event="note")
    assert note["text"].startswith("parser: unparseable record 2 (") and note["source_line"] == 2
    assert (note["session_id"], note["project_path"], note["timestamp_utc"]) == (OTHER, "/home/alice/proj", "")


def test_a_subagent_without_its_parent_is_read(home: Path, run: Runner) -> None:
    folder = home / PROJECT / OTHER / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-ab12.jsonl").write_text(
        text_of(
            prompt(1, "count", isSidechain=True, agentId="ab12"),
            answer(2, {"type": "text", "text": "three"}, isSidechain=True, agentId="ab12"),
        )
    )
    result = run(home)
    assert result.texts(event="session_start") == [f"subagent ab12 of {OTHER}"]
    assert result.texts(turn_type="assistant") == ["three"] and result.texts(turn_type="user") == []
    assert {row["session_id"] for row in result.rows} == {OTHER}


def test_two_sessions_with_one_id_in_two_projects_are_both_read(home: Path, run: Runner) -> None:
    for project in ("-home-alice-one", "-home-alice-two"):
        (home / ".claude/projects" / project).mkdir()
        file = home / ".claude/projects" / project / f"{OTHER}.jsonl"
        file.write_text(text_of(prompt(1, f"in {project}", cwd=f"/{project}")))
    result = run(home)
    assert result.texts(turn_type="user") == ["in -home-alice-one", "in -home-alice-two"]
    assert len(result.of(event="session_start")) == 2


def test_a_record_that_is_no_object_is_a_note_and_the_next_is_read(home: Path, run: Runner) -> None:
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of("[1]", "5", '"text"', "null", prompt(1, "whole")))
    result = run(home)
    assert result.texts(turn_type="user") == ["whole"]
    assert len(result.of(event="note")) == 4


@pytest.mark.parametrize("content", [5, {"a": 1}, [None], [5], ["text"], [[]], [{"type": None}], "", [{}], True])
@pytest.mark.parametrize("kind", ["user", "assistant"])
def test_content_of_a_wrong_type_costs_no_other_record(kind: str, content: Any, home: Path, run: Runner) -> None:
    odd = record(kind, 1, message={"id": "m", "role": kind, "model": "x", "content": content})
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(odd, prompt(2, "whole")))
    assert "whole" in run(home).texts(turn_type="user")


@pytest.mark.parametrize("name", ["message", "attachment", "data", "toolUseResult", "cwd", "timestamp", "type", "uuid"])
@pytest.mark.parametrize("value", [None, 5, "text", [1], {"a": [1]}])
def test_a_member_of_a_wrong_type_costs_no_other_record(name: str, value: Any, home: Path, run: Runner) -> None:
    kinds = ("user", "assistant", "attachment", "progress", "system", "summary", "worktree-state", "queue-operation")
    odd = [{**record(kind, 1, uuid=f"o{at}"), name: value} for at, kind in enumerate(kinds)]
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(*odd, prompt(2, "whole")))
    assert "whole" in run(home).texts(turn_type="user")


def test_a_queued_prompt_of_several_blocks_is_one_user_row(home: Path, run: Runner) -> None:
    body = {"type": "queued_command", "prompt": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(record("attachment", 1, attachment=body)))
    assert run(home).texts(turn_type="user") == ["a\nb"]


def test_settings_of_a_project_are_read_as_that_project(tmp_path: Path, run: Runner) -> None:
    project = tmp_path / "proj"
    (project / ".claude").mkdir(parents=True)
    (project / ".claude" / "settings.local.json").write_text('{"permissions": {"allow": ["Bash(make:*)"]}}')
    result = run(project, "--as", "project")
    assert len(result.texts(event="permission_setting")) == 1
    assert "permissions.allow=Bash(make:*)" in result.rows[0]["text"]


def test_the_configuration_directory_of_the_environment_is_read(
    tmp_path: Path, run: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere/projects/-p").mkdir(parents=True)
    (tmp_path / "elsewhere/projects/-p" / f"{OTHER}.jsonl").write_text(text_of(prompt(1, "moved away")))
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "own"))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert run(None).texts(turn_type="user") == ["moved away"]


def test_an_account_of_its_own_beside_the_first_is_read(home: Path, run: Runner) -> None:
    folder = home / ".claude-work/projects/-p"
    folder.mkdir(parents=True)
    (folder / f"{OTHER}.jsonl").write_text(text_of(prompt(1, "at work")))
    assert run(home).texts(turn_type="user") == ["at work"]


@pytest.mark.parametrize(
    "text",
    ["<local-command-stdout></local-command-stdout>", "<bash-stdout></bash-stdout><bash-stderr></bash-stderr>"],
)
def test_an_empty_output_of_a_command_is_shown_without_its_tags(text: str, home: Path, run: Runner) -> None:
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(prompt(1, text)), encoding="utf-8")
    assert run(home).texts(event="context") == ["command output:"]


def test_a_prompt_that_the_program_sent_is_no_user_row(home: Path, run: Runner) -> None:
    records = [prompt(1, "wake up", promptSource="system"), prompt(2, "go on", promptSource="typed")]
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(*records), encoding="utf-8")
    result = run(home)
    assert result.texts(turn_type="user") == ["go on"]
    assert result.texts(event="context") == ["context: system: wake up"]


def test_a_fallback_to_another_model_is_one_change(home: Path, run: Runner) -> None:
    fell = record(
        "system", 2, subtype="model_refusal_fallback", originalModel="claude-opus-4-5", fallbackModel="claude-b"
    )
    later = answer(3, {"type": "text", "text": "two"})
    later["message"]["model"] = "claude-b"
    lines = text_of(answer(1, {"type": "text", "text": "one"}), fell, later)
    (home / PROJECT / f"{OTHER}.jsonl").write_text(lines, encoding="utf-8")
    rows = run(home).of(event="model")
    assert [(row["text"], row["model"]) for row in rows] == [
        ("model: claude-opus-4-5", "claude-opus-4-5"),
        ("model: claude-opus-4-5 -> claude-b", "claude-b"),
    ]


def test_a_session_that_moved_changes_its_directory_once(home: Path, run: Runner) -> None:
    moved = {"type": "relocated", "relocatedCwd": "/home/alice/moved", "sessionId": OTHER}
    lines = text_of(prompt(1, "a"), moved, prompt(2, "b", cwd="/home/alice/moved"))
    (home / PROJECT / f"{OTHER}.jsonl").write_text(lines, encoding="utf-8")
    assert run(home).texts(event="notice") == ["cwd changed: /home/alice/proj -> /home/alice/moved"]


def test_a_plan_is_one_row_with_its_whole_text(home: Path, run: Runner) -> None:
    (home / ".claude" / "plans").mkdir()
    (home / ".claude" / "plans" / "red-owl.md").write_text("# Plan\n\n- one\n- two\n", encoding="utf-8")
    assert run(home).texts(event="draft") == ["plan red-owl: # Plan\n\n- one\n- two"]


@pytest.mark.parametrize(
    "content",
    ["\n<system-reminder>r</system-reminder>", [{"type": "text", "text": " <system-reminder>r</system-reminder>"}]],
)
def test_white_space_before_an_envelope_makes_no_prompt_of_it(content: Any, home: Path, run: Runner) -> None:
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(prompt(1, content)), encoding="utf-8")
    result = run(home)
    assert result.texts(turn_type="user") == []
    assert result.texts(event="context") == ["context: system-reminder: r"]


@pytest.mark.parametrize(
    ("attachment", "event", "text"),
    [
        ({"type": "plan_mode_exit"}, "context", "context: plan_mode_exit"),
        ({"type": "goal_status", "goal": "x"}, "context", 'context: goal_status: {"goal":"x"}'),
        (None, "note", 'attachment: {"uuid":"u-0e-1"'),
        ({"goal": "x"}, "note", 'attachment: {"uuid":"u-0e-1"'),
    ],
)
def test_an_attachment_is_named_by_its_kind(attachment: Any, event: str, text: str, home: Path, run: Runner) -> None:
    lines = text_of(record("attachment", 1, attachment=attachment))
    (home / PROJECT / f"{OTHER}.jsonl").write_text(lines, encoding="utf-8")
    (shown,) = run(home).texts(event=event)
    assert shown == text if event == "context" else shown.startswith(text)


def test_a_message_of_a_teammate_is_no_prompt(home: Path, run: Runner) -> None:
    text = '<teammate-message teammate_id="lead">go on</teammate-message>'
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(prompt(1, text)), encoding="utf-8")
    assert run(home).texts(event="context") == [f"context: teammate-message: {text}"]


@pytest.mark.parametrize(
    "text",
    [
        "Permission to use Bash with command rm has been denied.",
        "Claude requested permissions to use Bash, but you haven't granted it yet.",
        "Permission for this action was denied by the Claude Code auto mode classifier. Reason: risky",
    ],
)
def test_a_call_that_no_person_refused_was_denied_by_a_rule(text: str, home: Path, run: Runner) -> None:
    call = answer(1, {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "rm"}})
    result = prompt(2, [{"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": text}])
    (home / PROJECT / f"{OTHER}.jsonl").write_text(text_of(call, result), encoding="utf-8")
    (row,) = run(home).of(event="permission_decision")
    assert (row["text"], row["status"]) == (f"permission decision: denied by rule {text}", "denied")
    assert (row["tool_name"], row["tool_use_id"]) == ("Bash", "t1")


def test_a_sidecar_of_a_subagent_that_is_cut_is_one_note(home: Path, run: Runner) -> None:
    folder = home / PROJECT / OTHER / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-1.jsonl").write_text(text_of(prompt(1, "go", isSidechain=True)), encoding="utf-8")
    (folder / "agent-1.meta.json").write_text('{"agentType": "gen', encoding="utf-8")
    result = run(home)
    assert result.texts(event="session_start") == [f"subagent 1 of {OTHER}"]
    (note,) = result.of(event="note")
    assert note["text"].startswith("parser: agent-1.meta.json could not be decoded")
