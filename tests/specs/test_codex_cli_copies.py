"""The Codex spec on homes where one thing stands twice, or where its original is gone."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import codex_home
import pytest
from agent_run import Result, Runner
from codex_home import (
    CHILD,
    CODEX,
    PARENT,
    SEGMENT,
    THREAD,
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
    write_database,
    write_lines,
)

from engine.lang.load import load_plan
from engine.read.discover import discover
from engine.run.pools import pools

FIXTURES = Path(__file__).parents[2] / "fixtures" / "codex-cli" / "cases"

#: turn ids are UUIDv7: those of the parent's turns are older than the fork's id
OLD_TURN, NEW_TURN = "01980000-0000-7000-8000-000000000001", "019a0000-0000-7000-8000-000000000002"


def said(result: Result) -> list[tuple[str, str]]:
    """(end of the session's id, text) of what was said and done."""
    kept = ("user", "assistant", "tool_use", "tool_result")
    return [(row["session_id"][-2:], row["text"]) for row in result.rows if row["turn_type"] in kept]


def parent_records() -> list[dict[str, Any]]:
    return [
        meta(0, PARENT), event(1, "task_started", turn_id=OLD_TURN), turn(1, turn_id=OLD_TURN),
        message(2, "user", "go on"), call(3, "exec_command", {"cmd": "ls"}), output(4, "a"),
        message(5, "assistant", "done"),
    ]  # fmt: skip


def again(second: float, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The records as a fork copies them: at its own time."""
    return [{**record, "timestamp": codex_home.at(second)} for record in records]


def test_a_fork_shows_what_it_copied_once_under_the_parent(run: Runner, home: Path) -> None:
    parent = parent_records()
    own = [
        event(61, "task_started", turn_id=NEW_TURN), turn(61, turn_id=NEW_TURN),
        message(62, "user", "go on"), message(63, "assistant", "done"),
    ]  # fmt: skip
    rollout(home, parent, PARENT)
    rollout(home, [meta(60, CHILD, forked_from_id=PARENT), *again(60, parent), *own], CHILD)
    result = run(home)
    assert said(result) == [
        ("a1", "go on"), ("a1", "ls"), ("a1", "a"), ("a1", "done"), ("b2", "go on"), ("b2", "done"),
    ]  # fmt: skip
    assert result.texts(session_id=CHILD, event="notice")[0] == f"forked from {PARENT}"


def test_a_fork_keeps_what_it_copied_when_the_parent_is_gone(run: Runner, home: Path) -> None:
    records = [meta(60, CHILD, forked_from_id=PARENT), *again(60, parent_records()), message(62, "user", "more")]
    rollout(home, records, CHILD)
    result = run(home)
    assert said(result) == [("b2", "go on"), ("b2", "ls"), ("b2", "a"), ("b2", "done"), ("b2", "more")]
    assert f"forked from {PARENT}" in result.texts(event="notice")


def test_a_fork_without_turn_ids_is_told_by_ids_and_places(run: Runner, home: Path) -> None:
    parent = [record for record in parent_records() if record["payload"].get("type") != "task_started"]
    for record in parent:
        record["payload"].pop("turn_id", None)
    own = [message(62, "user", "go on"), message(63, "assistant", "done")]
    rollout(home, [*parent, message(9, "user", "later")], PARENT)
    rollout(home, [meta(60, CHILD, forked_from_id=PARENT), *again(60, parent), *own], CHILD)
    result = run(home)
    assert said(result) == [
        ("a1", "go on"), ("a1", "ls"), ("a1", "a"), ("a1", "done"), ("a1", "later"), ("b2", "go on"), ("b2", "done"),
    ]  # fmt: skip
    assert [stores["rollouts"]["copies"] for file, stores in result.stores.items() if CHILD in file] == [5]


def test_a_subagent_that_inherits_context_shows_only_its_own(run: Runner, home: Path) -> None:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    inherited = [message(60, "user", "go on"), message(60, "assistant", "done")]
    own = [message(61, "user", "name it"), message(62, "assistant", "Bo")]
    paginated = {"history_mode": "paginated", "subagent_history_start_ordinal": 3}
    records = [meta(60, CHILD, source=spawn, parent_thread_id=PARENT, **paginated), *inherited, *own]
    rollout(home, [{**record, "ordinal": n} for n, record in enumerate(records)], CHILD)
    alone = run(home)
    assert said(alone) == [("b2", "done"), ("b2", "Bo")]
    assert alone.texts(event="notice") == [f"subagent {CHILD} of {PARENT}"]
    assert alone.texts(event="context") == ["subagent task: go on", "subagent task: name it"]
    rollout(home, parent_records(), PARENT)
    assert said(run(home))[-1:] == [("b2", "Bo")]


def test_a_reverted_thread_is_one_session_and_tells_its_model_once(run: Runner, home: Path) -> None:
    rollout(home, [meta(), turn(1), message(2, "user", "one"), message(3, "assistant", "first")])
    base = {"thread_id": THREAD, "end_ordinal_exclusive": 3, "end_byte_offset": 9}
    segment = [
        meta(10, history_mode="paginated", history_base=base), turn(11), message(12, "user", "two"),
        completed(12, "UserMessage", id="u2", content=[{"type": "text", "text": "two"}]), turn(13, "beta-2"),
    ]  # fmt: skip
    rollout(home, segment, name=f"rollout-2026-10-05T11-00-09-{THREAD}_{SEGMENT}.jsonl")
    kept = '{"type":"userMessage","id":"u2","content":[{"type":"text","text":"two"}]}'
    row = {"thread_id": SEGMENT, "item_id": "u2", "created_at_ms": 1791190812000, "item_json": kept}
    write_database(home / CODEX / "thread_history_1.sqlite", {"thread_items": [row]})
    result = run(home)
    assert said(result) == [("c1", "one"), ("c1", "first"), ("c1", "two")]
    assert result.texts(event="model") == ["model: alpha-1", "model: alpha-1 -> beta-2"]
    assert len(result.of(event="session_start")) == 2
    assert len(result.of(event="permission_mode")) == 2


def test_an_archived_or_compressed_copy_beside_the_file_adds_nothing(run: Runner, home: Path) -> None:
    shutil.copytree(FIXTURES / "amend-compact-rename-fork-archive" / "home", home)
    before = run(home)
    (archived,) = (home / CODEX / "archived_sessions").iterdir()
    day = home / CODEX / "sessions/2026/11/30"
    shutil.copy(archived, day)
    records = archived.read_text(encoding="utf-8").splitlines()
    write_lines(day / f"{archived.name}.zst", records[:-3])
    after = run(home)
    strip = ("source_file", "rule", "timestamp_utc")
    assert [{k: v for k, v in row.items() if k not in strip} for row in before.rows] == [
        {k: v for k, v in row.items() if k not in strip} for row in after.rows
    ]
    assert {row["role"] for row in after.rows} == {"primary"}


def test_rows_wait_for_no_pairing_where_nothing_can_stand_twice(home: Path) -> None:
    plan = load_plan("codex-cli")
    rollout(home, [meta(), message(1, "user", "hi")])
    assert pools(plan, discover([home], [plan])) == []
    write_lines(home / CODEX / "history.jsonl", [{"session_id": THREAD, "ts": 1, "text": "hi"}])
    assert [pool.store for pool in pools(plan, discover([home], [plan]))] == ["rollouts", "history"]


def test_a_compressed_file_alone_is_read(run: Runner, home: Path) -> None:
    name = f"rollout-2026-10-05T11-00-00-{THREAD}.jsonl.zst"
    rollout(home, [meta(), message(1, "user", "cold")], name=name)
    assert said(run(home)) == [("c1", "cold")]


def test_the_saves_of_one_typescript_session_are_told_by_an_id(run: Runner, home: Path) -> None:
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "a"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]
    for number, count in enumerate((2, 4)):
        session = {"timestamp": codex_home.at(number), "id": f"{THREAD[:-1]}{number}"}
        file = home / CODEX / f"sessions/rollout-2026-10-05-{session['id']}.json"
        write_lines(file, [{"session": session, "items": items[:count]}])
    assert [text for _, text in said(run(home))] == ["hi", "ls", "a", "done"]


def test_the_prompt_history_outlives_its_rollout(run: Runner, home: Path) -> None:
    codex_home.build(FIXTURES / "tui-history", home)
    assert run(home).of(role="secondary") == []
    shutil.rmtree(home / CODEX / "sessions")
    (row,) = run(home).of(turn_type="user")
    assert (row["text"], row["role"], row["source_file"]) == ("second prompt", "secondary", ".codex/history.jsonl")


def test_a_deleted_thread_leaves_no_message_and_no_fault(run: Runner, home: Path) -> None:
    write_database(home / CODEX / "state_5.sqlite", {"threads": [], "thread_spawn_edges": []})
    write_database(home / CODEX / "thread_history_1.sqlite", {"thread_items": []})
    (home / CODEX / "config.toml").write_text('approval_policy = "never"\n', encoding="utf-8")
    result = run(home)
    assert [row["event"] for row in result.rows] == ["permission_setting"]


def test_two_sessions_with_one_id_keep_their_projects(run: Runner, home: Path) -> None:
    for number, folder in enumerate(("sessions/2026/10/05", "sessions/2026/10/06")):
        records = [meta(number, cwd=f"/p{number}"), message(number + 1, "user", f"ask {number}")]
        rollout(home, records, folder=folder)
    rows = run(home).of(turn_type="user")
    assert [(row["text"], row["project_path"], row["session_id"]) for row in rows] == [
        ("ask 0", "/p0", THREAD), ("ask 1", "/p1", THREAD),
    ]  # fmt: skip


def test_a_header_that_is_gone_leaves_the_name_of_the_file(run: Runner, home: Path) -> None:
    rollout(home, ['{"timestamp":"2026', meta(0, PARENT), turn(1), message(2, "user", "hi")])
    result = run(home)
    assert {row["session_id"] for row in result.rows} == {THREAD}
    (note,) = result.of(event="note")
    assert note["text"].startswith("parser: unparseable record 1 (")


def test_what_is_broken_or_unknown_is_a_note_and_the_rest_is_read(run: Runner, home: Path) -> None:
    cut = json.dumps(message(9, "assistant", "cut off"))[:-20]
    file = rollout(home, [
        meta(), line(1, "new_kind", {"mark": "A"}), item(2, "new_item", mark="B"), event(3, "new_event", mark="C"),
        completed(4, "NewItem", mark="D"), line(5, "response_item", ["E"]), "7", message(6, "user", "still here"), cut,
    ])  # fmt: skip
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    result = run(home)
    notes = result.of(event="note")
    assert [(row["source_line"], row["text"].split(":")[0]) for row in notes[:4]] == [
        (2, "new_kind"), (3, "new_item"), (4, "new_event"), (5, "NewItem"),
    ]  # fmt: skip
    assert [row["source_line"] for row in notes[4:]] == [6, 7, 9]
    assert {(row["session_id"], row["project_path"]) for row in notes} == {(THREAD, "/home/alice/proj")}
    assert said(result) == [("c1", "still here")]
    assert result.count("rollouts")["unknown"] == 4


def test_no_secret_is_in_any_output(run: Runner, home: Path, tmp_path: Path) -> None:
    (home / CODEX).mkdir(parents=True)
    files = {
        "auth.json": '{"OPENAI_API_KEY": "SECRET-1", "tokens": {"access_token": "SECRET-2"}}',
        ".credentials.json": '{"token": "SECRET-3"}',
        "config.toml": 'approval_policy = "never"\n[model_providers.x]\nexperimental_bearer_token = "SECRET-4"\n'
        'http_headers = { K = "SECRET-5" }\n[mcp_servers.m]\nenv = { T = "SECRET-6" }\n'
        'bearer_token_env_var = "SECRET-7"\n[permissions.p.network]\nproxy_url = "http://u:SECRET-8@h"\n'
        '[shell_environment_policy.set]\nA = "SECRET-9"\n',
        "broken.config.toml": 'approval_policy = "never"\nkey = "SECRET-10\n',
        "config.json": '{"approvalMode": "suggest", "providers": {"x": {"envKey": "SECRET-11"}}}',
        "shell_snapshots/s.sh": "export T=SECRET-12\n",
    }
    for name, text in files.items():
        (home / CODEX / name).parent.mkdir(exist_ok=True)
        (home / CODEX / name).write_text(text, encoding="utf-8")
    url = "https://alice:SECRET-13@example.invalid/p.git"
    rollout(home, [meta(git={"branch": "main", "repository_url": url}), message(1, "user", "hi")])
    thread = {"id": THREAD, "rollout_path": "/r", "updated_at": 1, "cwd": "/p", "title": "t", "git_origin_url": url}
    enrolled = {"server_name": "desk", "updated_at": 1, "account_id": "SECRET-14", "server_id": "SECRET-15"}
    write_database(home / CODEX / "state_5.sqlite", {"threads": [thread], "remote_control_enrollments": [enrolled]})
    result = run(home)
    assert result.texts(event="git") == ["git remote: https://example.invalid/p.git branch=main"]
    assert len(result.of(event="permission_setting")) == 2
    assert len(result.of(event="note")) == 1
    written = [file.read_bytes() for file in tmp_path.glob("out*/**/*") if file.is_file()]
    assert written and not [data for data in [*written, result.said.encode()] if b"SECRET" in data]


def test_a_rollout_that_grows_while_it_is_read_gives_its_whole_records(run: Runner, home: Path) -> None:
    file = rollout(home, [meta(), *(message(n % 60, "user", f"ask {n}") for n in range(300))])
    more = file.read_bytes().splitlines()[-1] + b"\n"
    stop = threading.Event()

    def append() -> None:
        while not stop.is_set():
            for part in (more[:50], more[50:]):
                with file.open("ab") as out:
                    out.write(part)

    writer = threading.Thread(target=append)
    writer.start()
    try:
        result = run(home)
    finally:
        stop.set()
        writer.join()
    assert {f"ask {n}" for n in range(300)} == set(result.texts(turn_type="user"))
    assert len(result.of(event="note")) <= 1


def test_codex_home_replaces_the_folder_of_the_own_home(
    run: Runner, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir()
    elsewhere = tmp_path / "elsewhere"
    write_lines(elsewhere / f"sessions/2026/10/05/rollout-2026-10-05T11-00-00-{THREAD}.jsonl", [
        meta(), message(1, "user", "hi"),
    ])  # fmt: skip
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CODEX_HOME", str(elsewhere))
    assert said(run(None)) == [("c1", "hi")]
