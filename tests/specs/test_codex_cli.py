"""The Codex spec on homes: each generation of rollouts, every store, copies, and what is broken in them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import codex_home
import codex_rare
import pytest
from agent_run import COLUMNS, Result, Runner, cut, read_rows
from codex_home import (
    CODEX,
    THREAD,
    at,
    call,
    completed,
    event,
    item,
    line,
    message,
    meta,
    output,
    rollout,
    turn,
    write_lines,
)  # fmt: skip

from engine.lang.load import load_plan
from engine.lang.plan import Emit
from engine.lang.traversal import walk_steps

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex-cli" / "cases"
CASES = sorted(case.name for case in FIXTURES.iterdir())


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """The runs of all cases, by name, and of the home with what is rare."""
    out = tmp_path_factory.mktemp("codex")
    run = Runner("codex-cli", out)
    made = {name: run(codex_home.build(FIXTURES / name, out / name / "home")) for name in CASES}
    return {**made, "rare": run(codex_rare.build(out / "rare" / "home"))}


def dialogue(result: Result) -> list[tuple[str, ...]]:
    """What was said and done, in order."""
    columns = ("turn_type", "text", "tool_name", "status")
    return [tuple(row[column] for column in columns) for row in result.rows if row["turn_type"] != "system"]


@pytest.mark.parametrize("name", CASES)
def test_each_case_gives_its_rows(name: str, results: dict[str, Result]) -> None:
    expected = read_rows(FIXTURES / name / "rows.jsonl")
    whole = [{column: row.get(column, 0 if column == "source_line" else "") for column in COLUMNS}
             for row in expected]  # fmt: skip
    assert cut(results[name].rows) == whole


def test_every_emit_of_the_spec_writes_a_row_of_some_case(results: dict[str, Result]) -> None:
    steps = [step for walk in load_plan("codex-cli").walks for step in walk_steps(walk) if isinstance(step, Emit)]
    written = {row["rule"].split("/")[2] for result in results.values() for row in result.rows}
    assert {step.name for step in steps} - written == set()


def test_no_case_has_a_record_that_the_spec_does_not_know(results: dict[str, Result]) -> None:
    assert [row["text"] for result in results.values() for row in result.of(event="note")] == []


def _dialogue_items() -> list[dict[str, Any]]:
    arguments = json.dumps({"command": ["bash", "-lc", "ls | wc -l"]})
    failed = json.dumps({"output": "no such file\n", "metadata": {"exit_code": 2, "duration_seconds": 0.1}})
    return [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>\nx"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "count the files"}]},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I look"}], "content": None},
        {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": failed},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "There are none."}]},
    ]


def _generations(items: list[dict[str, Any]]) -> dict[str, list[Any]]:
    enveloped = [line(n + 2, "response_item", each) for n, each in enumerate(items)]
    events = [
        event(3, "user_message", message="count the files", images=[]), event(4, "agent_reasoning", text="I look"),
        event(7, "agent_message", message="There are none."),
    ]  # fmt: skip
    done = [
        completed(3, "UserMessage", id="u", content=[{"type": "text", "text": "count the files"}]),
        completed(4, "Reasoning", id="r", summary_text=["I look"], raw_content=[]),
        completed(6, "CommandExecution", id="c1", command=["bash", "-lc", "ls | wc -l"], status="failed", exit_code=2,
                  source="agent", aggregated_output="no such file\n"),
        completed(7, "AgentMessage", id="a", content=[{"type": "Text", "text": "There are none."}]),
    ]  # fmt: skip
    by_time = lambda records: sorted(records, key=lambda record: record["timestamp"])  # noqa: E731
    return {
        "bare": [{"id": THREAD, "timestamp": at(0), "instructions": None}, {"record_type": "state"}, *items],
        "enveloped": [meta(), *by_time([*enveloped, *events, turn(3)])],
        "with turn ids": [meta(), turn(1), *by_time([*events, *enveloped, event(8, "task_complete", turn_id="t1")])],
        "paginated": [meta(history_mode="paginated"), turn(1), *by_time([*done, *enveloped])],
    }


def test_one_dialogue_in_the_five_generations_gives_equal_rows(run: Runner, home: Path) -> None:
    items = _dialogue_items()
    expected = [
        ("user", "count the files", "", ""),
        ("thinking", "I look", "", ""),
        ("tool_use", "ls | wc -l", "shell", ""),
        ("tool_result", "no such file", "shell", "error"),
        ("assistant", "There are none.", "", ""),
    ]
    for name, records in _generations(items).items():
        shutil.rmtree(home, ignore_errors=True)
        rollout(home, records)
        assert dialogue(run(home)) == expected, name
    shutil.rmtree(home)
    document = {"session": {"timestamp": at(0), "id": THREAD}, "items": items}
    write_lines(home / CODEX / f"sessions/rollout-2026-10-05-{THREAD}.json", [document])
    assert dialogue(run(home)) == expected


def test_a_bare_file_and_a_document_have_the_time_of_their_header(run: Runner, home: Path) -> None:
    rollout(home, _generations(_dialogue_items())["bare"])
    assert {(row["timestamp_utc"], row["time_basis"]) for row in run(home).of(turn_type="user")} == {
        (at(0), "approximate")
    }


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"command": ["bash", "-lc", "a | b"]}, "a | b"),
        ({"command": ["/bin/zsh", "-c", "a"]}, "a"),
        ({"command": ["git", "log", "-1", "--format=%h"]}, "git log -1 --format=%h"),
        ({"command": ["echo", "it's", "", "a b", "*", "~"]}, "echo 'it'\"'\"'s' '' 'a b' '*' '~'"),
        ({"command": "ls -la"}, "ls -la"),
        ({"cmd": "ls", "workdir": "/p"}, "ls"),
        ({"path": "/x", "query": "q"}, "/x"),
        ({"plan": []}, '{"plan":[]}'),
        ({"command": ["apply_patch", "*** Begin Patch\n*** Add File: a b.py\n+x\n*** End Patch\n"]}, "a b.py"),
        ('{"cmd": "cut', '{"cmd": "cut'),
    ],
)
def test_a_call_shows_what_tells_most(run: Runner, home: Path, arguments: Any, text: str) -> None:
    rollout(home, [meta(), call(1, "tool", arguments)])
    (row,) = run(home).of(turn_type="tool_use")
    given = arguments if isinstance(arguments, str) else json.dumps(arguments, separators=(",", ":"))
    assert (row["text"], row["arguments"]) == (text, given)


def test_a_patch_shows_the_paths_that_it_touches(run: Runner, home: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Update File: old.py\n*** Move to: new.py\n@@\n-*** Add File: no.py\n+x\n"
        "*** Delete File: gone.py\n*** End Patch\n"
    )
    rollout(home, [
        meta(), item(1, "custom_tool_call", name="apply_patch", call_id="c1", input=patch),
        call(2, "apply_patch", {"input": patch}, "c2"),
        item(3, "custom_tool_call", name="exec", call_id="c3", input="f()"),
    ])  # fmt: skip
    assert run(home).texts(turn_type="tool_use") == ["old.py -> new.py\ngone.py", "old.py -> new.py\ngone.py", "f()"]


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 3\n", ""),
        ("Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 3\nOutput:\n", "error"),
        ("Exit code: 1\nWall time: 0 seconds\nOutput:\n", "error"),
        ("Exit code: 0\nWall time: 0 seconds\nOutput:\n", ""),
        ('{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.0}}', "error"),
        ("Script failed\nWall time 0.1 seconds\nOutput:\n", "error"),
        ("unsupported call: x", "error"),
        ("apply_patch verification failed: no", "error"),
        ("`quoted` text of an answer", ""),
        ("plain", ""),
        ([{"type": "input_text", "text": "a"}, {"type": "input_image", "image_url": "data:"}], ""),
    ],
)
def test_a_result_is_an_error_where_its_header_says_so(run: Runner, home: Path, text: Any, status: str) -> None:
    rollout(home, [meta(), call(1, "exec_command", {"cmd": "x"}), output(2, text)])
    (row,) = run(home).of(turn_type="tool_result")
    assert (row["status"], row["tool_name"], row["tool_use_id"]) == (status, "exec_command", "c1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('exec_command failed: CreateProcess { message: "Rejected(\\"rejected by user\\")" }', "user"),
        ("exec command rejected by user", "user"),
        ("patch rejected by user", "user"),
        ("patch rejected: writing outside of the project; rejected by user approval settings",
         "policy patch rejected: writing outside of the project; rejected by user approval settings"),
        ("patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings",
         "sandbox patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings"),
        ("`rm x` rejected: policy forbids commands starting with `rm`",
         "rule policy forbids commands starting with `rm`"),
        ('exec_command failed for `rm x`: CreateProcess { message: "Rejected(\\"`rm x` rejected: use git rm\\")" }',
         "rule use git rm"),
        ("`x` rejected: blocked by policy", "policy blocked by policy"),
        ("automatic approval review denied the action", "policy automatic approval review denied the action"),
    ],
)  # fmt: skip
def test_a_denied_call_has_an_error_and_a_decision(run: Runner, home: Path, text: str, said: str) -> None:
    rollout(home, [meta(), call(1, "exec_command", {"cmd": "x"}), output(2, text)])
    result, decision = run(home).rows[-2:]
    assert (result["turn_type"], result["status"]) == ("tool_result", "error")
    assert (decision["text"], decision["status"], decision["tool_name"], decision["tool_use_id"]) == (
        f"permission decision: denied by {said}", "denied", "exec_command", "c1",
    )  # fmt: skip


def test_a_stopped_call_was_denied_only_when_it_waited_for_an_approval(run: Runner, home: Path) -> None:
    stopped = "Wall time: 0.1 seconds\naborted by user"
    rollout(home, [
        meta(), call(1, "exec_command", {"cmd": "x", "sandbox_permissions": "require_escalated"}), output(2, stopped),
        call(3, "exec_command", {"cmd": "y"}, "c2"), output(4, stopped, "c2"),
    ])  # fmt: skip
    result = run(home)
    assert [row["status"] for row in result.of(turn_type="tool_result")] == ["error", "error"]
    assert result.texts(event="permission_decision") == ["permission decision: denied by user aborted by user"]


def test_settings_become_rows_when_they_change(run: Runner, home: Path) -> None:
    settings = {"model": "beta-2", "approval_policy": "never", "active_permission_profile": {"id": ":workspace"}}
    rollout(home, [
        meta(), message(1, "user", "first"), turn(2), turn(3), message(4, "assistant", "one"),
        event(5, "thread_settings_applied", thread_settings=settings), turn(6, "beta-2", approval_policy="never"),
        event(6, "thread_settings_applied", thread_settings=settings), message(7, "assistant", "two"),
    ])  # fmt: skip
    result = run(home)
    assert result.texts(event="model") == ["model: alpha-1", "model: alpha-1 -> beta-2"]
    assert [row["model"] for row in result.rows if row["turn_type"] in ("user", "assistant")] == [
        "alpha-1",
        "alpha-1",
        "beta-2",
    ]
    assert result.texts(event="permission_mode") == [
        "permission mode: approval_policy=on-request", "permission mode: sandbox_policy=:workspace",
        "permission mode: approval_policy=never",
    ]  # fmt: skip


def test_a_picture_in_a_prompt_does_not_double_it(run: Runner, home: Path) -> None:
    asked = "what is this"
    content = [
        {"type": "input_text", "text": '<image name=[Image #1] path="/a.png">'},
        {"type": "input_image", "image_url": "data:"},
        {"type": "input_text", "text": "</image>"}, {"type": "input_text", "text": asked},
    ]  # fmt: skip
    rollout(home, [
        meta(), item(1, "message", role="user", content=content),
        event(1, "user_message", message=asked, images=[], local_images=["/a.png"]),
        completed(1, "UserMessage", content=[{"type": "local_image"}, {"type": "text", "text": asked}]),
    ])  # fmt: skip
    assert run(home).texts(turn_type="user") == [
        '<image name=[Image #1] path="/a.png">\n[image]\n</image>\nwhat is this'
    ]


def test_the_last_words_of_a_cut_turn_stay_as_secondary_rows(run: Runner, home: Path) -> None:
    rollout(home, [
        meta(), message(1, "user", "go"), event(1, "user_message", message="go"),
        event(2, "agent_reasoning", text="half"), event(3, "agent_message", message="almost"),
    ])  # fmt: skip
    rows = [(row["turn_type"], row["text"], row["role"], row["source_line"]) for row in run(home).rows[1:]]
    assert rows == [
        ("user", "go", "primary", 2),
        ("thinking", "half", "secondary", 4),
        ("assistant", "almost", "secondary", 5),
    ]


def test_an_event_repeats_its_item_on_either_side_of_it(run: Runner, home: Path) -> None:
    thought = item(
        2, "reasoning", summary=[{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}]
    )
    events = [event(2, "agent_reasoning", text="a"), event(2, "agent_reasoning", text="b")]
    rollout(home, [meta(), *events, thought, thought, *events, event(3, "agent_reasoning", text="c")])
    result = run(home)
    assert result.texts(turn_type="thinking") == ["a\nb", "a\nb", "c"]
    assert [row["role"] for row in result.of(turn_type="thinking")] == ["primary", "primary", "secondary"]
