"""The OpenHands spec on homes: its rows, the models in force, times, forks, older layouts, and what is broken."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openhands_home as made
import pytest
from agent_run import Result, cut, emits, read_rows
from openhands_home import CANVAS, CLI, ONE, PROJECT, THREE, TWO, conversation, event, meta, ran, said, saw, state, uuid

FIXTURES = Path(__file__).parents[2] / "fixtures" / "openhands"
CASES = ["home", *(f"cases/{case.name}" for case in sorted((FIXTURES / "cases").iterdir()))]
Run = Callable[..., Result]


def messages(result: Result) -> list[str]:
    return result.texts(event="message")


def notes(result: Result) -> list[str]:
    return result.texts(event="note")


# ------------------------------------------------------------------------------------------------------ all of it


@pytest.mark.parametrize("case", CASES)
def test_each_case_gives_its_rows(case: str, home: Path, run: Run) -> None:
    at = FIXTURES / case
    shutil.copytree(at if case == "home" else at / "home", home)
    rows = read_rows(FIXTURES / f"{case}.jsonl" if case == "home" else at / "rows.jsonl")
    assert cut(run(home).rows) == rows


def test_every_emit_of_the_spec_writes_a_row(home: Path, run: Run) -> None:
    rows = run(made.every_rule(home)).rows
    # the stores of the 1.x apps share the walk of the conversations
    shared = {"app_events": "conversations", "early_app_events": "conversations"}

    def step(rule: str) -> tuple[str, str]:
        _, store, name = rule.split("/")
        return shared.get(store, store), name

    assert {step(rule) for rule in emits("openhands")} == {
        step(row["rule"]) for row in rows if not row["rule"].endswith(("/unparseable", "/file")) and _emitted(row)
    }


def _emitted(row: dict[str, Any]) -> bool:
    return row["rule"] in emits("openhands")


def test_generated_code_gives_the_rows_of_the_interpreter(home: Path, run: Run) -> None:
    made.every_rule(home)
    assert run(home).rows == run(home, "--interpret").rows


def test_the_1_x_apps_give_the_rows_of_the_same_events(home: Path, run: Run) -> None:
    rows = run(made.every_rule(home), "--order", "file")
    late, other, early = (
        [(row["event"], row["text"]) for row in rows.rows if row["rule"].startswith(store) and row["session_id"] == sid]
        for store, sid in (
            ("openhands/app_events/", "c" * 32),
            ("openhands/app_events/", "d" * 32),
            ("openhands/early_app_events/", uuid(99).replace("-", "")),
        )
    )
    assert late[0][1].startswith("conversation start | App | id=" + "c" * 32)
    assert late[0][1].endswith("corrected by UTC+02:00 from openhands.db created_at")
    assert len(late) > 40 and late[1:] == other[1:] == early[1:]


# -------------------------------------------------------------------------------------------------------- secrets


def test_no_key_no_token_and_no_secret_is_in_any_output(home: Path, run: Run, tmp_path: Path) -> None:
    events = made.every_event()
    events += [
        event(31, "MoonEvent", api_key="SECRET-UNKNOWN", secrets={"x": "SECRET-MEMBER"}, agent={"llm": "SECRET-AGENT"}),
        made.update(32, "secret_registry", {"secret_sources": {"T": {"value": "gAAAAASECRET"}}}),
        made.update(33, "llms", [{"api_key": "SECRET-LIST"}]),
        {
            "id": uuid(34),
            "timestamp": made.stamp(34),
            "source": "agent",
            "agent": {"llm": {"api_key": "SECRET-NO-KIND"}},
        },
    ]
    folder = conversation(home, events, root=CANVAS, base=state(hook_config={"env": "SECRET-HOOK"}), meta=meta())
    made.write(folder / "acp/codex/auth.json", '{"token": "SECRET-ACP"}')
    for name in ("settings.json", "secrets.json", "agent_settings.json", "mcp.json", "profiles/fast.json"):
        made.write(home / ".openhands" / name, '{"api_key": "SECRET-STORE"}')
    made.write(home / ".openhands/cloud/api_key.txt", "SECRET-CLOUD")
    made.write(home / ".openhands/agent-canvas/secret-key.txt", "SECRET-MASTER")
    for name in ("base_state.json", "meta.json"):
        made.write(home / CLI / TWO / name, '{"agent": {"llm": {"api_key": "SECRET-CUT')
    result = run(home)
    assert "state update: secret_registry" in result.texts() and "state update: llms" in result.texts()
    everything = result.said + "".join(
        path.read_text(errors="replace") for path in tmp_path.glob("out*/**/*") if path.is_file()
    )
    assert "SECRET" not in everything and "gAAAA" not in everything


# --------------------------------------------------------------------------------------------------------- models


def test_each_row_has_the_model_in_force(home: Path, run: Run) -> None:
    stats = made.usage(("r1", "one"), ("r2", "one"), ("r3", "two"), ("r4", "three"), ("c", "condenser"))
    conversation(home, [
        said(0, "a"), said(1, "b", "agent", llm_response_id="r1"),
        event(2, "Condensation", forgotten_event_ids=[], summary="s", llm_response_id="c"),
        saw(3, 1, "x", "SwitchLLMObservation", profile_name="p", active_model="two"),
        said(4, "c", "agent", llm_response_id="r3"), said(5, "d"), said(6, "e", "agent", llm_response_id="r4"),
        saw(7, 1, "missing", "SwitchLLMObservation", profile_name="q", is_error=True),
    ], base=state("four", stats=stats))  # fmt: skip
    rows = run(home, "--order", "file").rows
    assert [(row["model"], row["text"]) for row in rows if row["event"] == "model"] == [
        ("one", "model: one"),
        ("two", "model: one -> two profile=p"),
        ("three", "model: two -> three"),
        ("four", "model: three -> four (from base_state.json agent.llm, file mtime)"),
    ]
    of_line = {row["source_line"]: row["model"] for row in rows if row["source_line"]}
    assert list(of_line.values()) == ["one", "one", "condenser", "two", "two", "two", "three", "three"]


def test_a_conversation_that_begins_with_a_switch_names_no_model_before_it(home: Path, run: Run) -> None:
    events = [
        said(0, "a"),
        saw(1, 0, "x", "ClassifyAndSwitchLLMObservation", model="p", active_model="m", chosen_class="hard"),
    ]
    conversation(home, events, base=state("m"))
    result = run(home)
    assert result.texts(event="model") == ["model: m profile=p class=hard"]
    assert [row["model"] for row in result.of(text="a")] == [""]


def test_meta_json_of_older_servers_names_the_first_model(home: Path, run: Run) -> None:
    conversation(home, [said(0, "a")], meta=meta(agent={"llm": {"model": "first"}}), base=state("last"))
    assert run(home, "--order", "file").texts(event="model") == [
        "model: first",
        "model: first -> last (from base_state.json agent.llm, file mtime)",
    ]


# ---------------------------------------------------------------------------------------------------------- times


def moments(home: Path, run: Run, stamps: list[str], created: str, updated: str, **more: Any) -> list[str]:
    """The times of prompts with these local stamps, in the order of the conversation."""
    events = [{**said(number, "x"), "timestamp": local} for number, local in enumerate(stamps)]
    conversation(home, events, meta={**meta(created), "updated_at": updated, **more})
    return [row["timestamp_utc"][5:16] for row in run(home, "--order", "file").rows if row["text"] == "x"]


@pytest.mark.parametrize(
    ("stamps", "created", "updated", "expected"),
    [
        # Europe, the hour that comes twice
        (["10-25T01:30", "10-25T02:50", "10-25T02:10", "10-25T03:05"], "10-24T23:30", "10-25T02:05",
         ["10-24T23:30", "10-25T00:50", "10-25T01:10", "10-25T02:05"]),
        # a night between the last event before and the first one after
        (["10-24T22:00", "10-26T09:00"], "10-24T20:00", "10-26T08:00", ["10-24T20:00", "10-26T08:00"]),
        # spring in New York
        (["03-07T23:00", "03-08T01:59", "03-08T03:01"], "03-08T04:00", "03-08T07:01",
         ["03-08T04:00", "03-08T06:59", "03-08T07:01"]),
        # days without a change
        (["10-26T09:00", "10-27T09:00"], "10-26T08:00", "10-27T08:00", ["10-26T08:00", "10-27T08:00"]),
        # a title that was changed an hour after the last event is no change of the clocks
        (["06-01T09:00", "06-02T09:00"], "06-01T07:00", "06-02T08:00", ["06-01T07:00", "06-02T07:00"]),
    ],
)  # fmt: skip
def test_a_change_of_the_clocks_is_followed(
    stamps: list[str], created: str, updated: str, expected: list[str], home: Path, run: Run
) -> None:
    full = [f"2026-{stamp}:00.000000" for stamp in stamps]
    found = moments(home, run, full, f"2026-{created}:00.000000Z", f"2026-{updated}:00.500000Z")
    assert found == expected


def test_the_start_row_names_both_offsets_where_the_clocks_changed(home: Path, run: Run) -> None:
    moments(home, run, ["2026-10-24T22:00:00", "2026-10-26T09:00:00"], "2026-10-24T20:00:00Z", "2026-10-26T08:00:00Z")
    (start,) = run(home).texts(event="session_start")
    assert start.endswith(
        "event times are host local, corrected by UTC+02:00 from meta.json created_at, later by UTC+01:00 from "
        "meta.json updated_at"
    )


@pytest.mark.parametrize(
    ("created", "more", "basis"),
    [
        ("2026-10-01T06:30:00Z", {}, "local_corrected"),
        ("2026-10-01T10:00:59Z", {}, "local_corrected"),
        ("2026-10-01T10:02:00Z", {}, "local_as_utc"),
        ("2026-09-30T10:00:00Z", {}, "local_as_utc"),
        ("2026-10-01T10:00:00Z", {"forked_from_conversation_id": TWO}, "local_as_utc"),
        ("gestern", {}, "local_as_utc"),
    ],
)
def test_only_an_offset_that_some_zone_has_is_inferred_and_none_in_a_fork(
    created: str, more: dict[str, Any], basis: str, home: Path, run: Run
) -> None:
    conversation(home, [said(0, "x")], meta=meta(created, **more))
    assert [row["time_basis"] for row in run(home).of(text="x")] == [basis]


# ----------------------------------------------------------------------------------------- forks, children, branches


def test_a_fork_whose_source_is_gone_keeps_the_copies_with_the_models_that_they_name(home: Path, run: Run) -> None:
    copied = [
        said(0, "a"), made.update(1, "stats", {"usage_to_metrics": {"agent": {"model_name": "one"}}}),
        said(2, "b", "agent", llm_response_id="r1"), made.update(3, "agent", {"llm": {"model": "two"}}), said(4, "c"),
    ]  # fmt: skip
    fork = meta(forked_from_conversation_id=THREE)
    conversation(home, copied, root=CANVAS, meta=fork, base=state("two", stats=made.usage()))
    result = run(home)
    assert [(row["model"], row["text"]) for row in result.of(event="message")] == [
        ("one", "a"),
        ("one", "b"),
        ("two", "c"),
    ]
    assert f" | forked_from={THREE} | " in result.texts(event="session_start")[0]
    assert not any(text.startswith("forked from") for text in result.texts())


def test_copies_stand_once_where_they_arose_whatever_the_names_of_the_folders(home: Path, run: Run) -> None:
    events = [said(0, "a"), said(1, "b", "agent", llm_response_id="r1"), said(2, "c")]
    own = said(9, "d")
    conversation(home, events, THREE, CANVAS, base=state(stats=made.usage(("r1", "one"))), meta=meta())
    fork = meta(forked_from_conversation_id=THREE)
    conversation(home, [*events, own], ONE, CANVAS, base=state(stats=made.usage()), meta=fork)
    result = run(home)
    assert [(row["session_id"], row["text"]) for row in result.of(event="message")] == [
        (THREE, "a"), (THREE, "b"), (THREE, "c"), (ONE, "d"),
    ]  # fmt: skip
    assert [row["text"] for row in result.of(session_id=ONE, event="notice")] == [f"forked from {THREE} (3 events)"]
    assert sum(stores["conversations"]["copies"] for stores in result.stores.values() if "conversations" in stores) == 3


def test_children_below_children_name_their_parents(home: Path, run: Run) -> None:
    four = "f" * 32
    conversation(home, [said(0, "ask")], ONE, CANVAS, meta=meta())
    conversation(home, [said(10, "task")], TWO, CANVAS / ONE / "subagents")
    conversation(home, [said(20, "part")], THREE, CANVAS / ONE / "subagents" / TWO / "subagents")
    conversation(home, [said(30, "ask too")], four, CANVAS, meta=meta(parent_conversation_id=made.uuid(7)))
    result = run(home)
    parents = {row["session_id"]: row["text"].partition("parent=")[2][:32] for row in result.of(event="session_start")}
    assert parents == {ONE: "", TWO: ONE, THREE: TWO, four: uuid(7).replace("-", "")}
    assert messages(result) == ["ask", "ask too"]
    assert result.texts(event="context") == ["subagent task: task", "subagent task: part"]


# ------------------------------------------------------------------------------------------------------ permissions


def test_an_approval_names_each_call_of_the_batch_that_waited(home: Path, run: Run) -> None:
    conversation(home, [
        ran(0, "ls", llm_response_id="r1"), ran(1, "a", llm_response_id="r2"), ran(2, "b", llm_response_id="r2"),
        made.update(3, "execution_status", "waiting_for_confirmation"), made.update(4, "execution_status", "running"),
        made.update(5, "execution_status", "waiting_for_confirmation"), made.update(6, "execution_status", "idle"),
    ])  # fmt: skip
    result = run(home)
    approved = result.of(text="permission decision: approved")
    assert [(row["tool_name"], row["tool_use_id"]) for row in approved] == [
        ("terminal", "call_1"),
        ("terminal", "call_2"),
    ]


def test_a_clipped_output_is_shown_whole_from_its_file(home: Path, run: Run) -> None:
    place = "/home/alice/.openhands/conversations/x/observations"
    note = f"The complete output has been saved to {place}/terminal_output_1.txt - you can use other tools to view"
    events = [saw(0, 0, f"head<response clipped><NOTE>{note}</NOTE>tail", full_output_save_dir=place)]
    folder = conversation(home, events)
    assert run(home).texts(event="tool_result") == [events[0]["observation"]["content"][0]["text"]]
    made.write(folder / "observations/terminal_output_1.txt", "head and all and tail\n")
    assert run(home).texts(event="tool_result") == ["head and all and tail"]


# ---------------------------------------------------------------------------------------------------- other stores


def test_a_prompt_pairs_with_its_message_and_what_is_left_has_the_project_of_its_hash(home: Path, run: Run) -> None:
    conversation(home, [said(0, "list the files")])
    folder = home / ".openhands/projects" / hashlib.sha256(PROJECT.encode()).hexdigest()
    prompts = [
        {"text": "list the files", "timestamp": made.stamp(0)},
        {"text": "deleted", "timestamp": made.stamp(9)},
        7,
    ]
    text = json.dumps(prompts, indent=2)
    made.write(folder / "prompt_history.json", text)
    result = run(home)
    columns = ("role", "project_path", "session_id", "text")
    assert [tuple(row.values()) for row in cut(result.of(turn_type="user"), columns)] == [
        ("primary", PROJECT, ONE, "list the files"), ("secondary", PROJECT, "", "deleted"),
    ]  # fmt: skip
    assert notes(result) == ["parser: unparseable record 3 (not a JSON object): 7"]
    made.write(folder / "prompt_history.json", text[: text.index("deleted") + 3])
    (note,) = notes(run(home))
    assert note.startswith("parser: unparseable record 2 (") and note.endswith('"text": "del')


def test_pickles_and_pages_of_the_0_x_app_are_not_read(home: Path, run: Run) -> None:
    result = run(made.every_rule(home))
    text = json.dumps(result.rows)
    assert "MARK-ACTION" in text and "MARK-OBSERVATION" in text and "MARK-NEITHER" in text
    assert "MARK-CACHE" not in text and "MARK-PICKLE" not in text
    assert not any("pkl" in file or "event_cache" in file for file in result.stores)


def test_a_legacy_conversation_of_a_user_is_found(home: Path, run: Run) -> None:
    folder = made.legacy(home, [{"action": "message", "source": "user", "args": {"content": "hi"}}])
    target = home / ".openhands/users/u1/conversations/s9"
    target.parent.mkdir(parents=True)
    shutil.move(folder, target)
    assert [(row["session_id"], row["text"]) for row in run(home).of(turn_type="user")] == [("s9", "hi")]


# ----------------------------------------------------------------------------------------------------------- places


@pytest.mark.parametrize("root", [".openhands/conversations", ".openhands/agent-canvas/dev_conversations",
                                  ".openhands/agent-canvas/conversations", "workspace/conversations"])  # fmt: skip
def test_conversations_are_found_where_each_program_keeps_them(root: str, home: Path, run: Run) -> None:
    conversation(home, [said(0, "here")], root=Path(root))
    assert messages(run(home)) == ["here"]


@pytest.mark.parametrize("root", ["conversations", "agent-canvas/conversations", ".openhands/conversations",
                                  "workspace/conversations"])  # fmt: skip
def test_a_docker_volume_is_read(root: str, tmp_path: Path, run: Run) -> None:
    volume = tmp_path / "disk/var/lib/docker/volumes/my_openhands_state/_data"
    conversation(volume, [said(0, "inside")], root=Path(root))
    result = run(tmp_path / "disk")
    assert [(row["text"], row["user"]) for row in result.of(event="message")] == [("inside", "docker")]
    assert all(row["source_file"].startswith("volumes/my_openhands_state/") for row in result.rows)


@pytest.mark.parametrize("name", ["OPENHANDS_CONVERSATIONS_DIR", "OH_CONVERSATIONS_PATH"])
def test_variables_move_the_conversations_of_ones_own_home(
    name: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation(tmp_path, [said(0, "moved")], root=Path("elsewhere"))
    (tmp_path / "mine/.openhands").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "mine"))
    monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    assert messages(run(None)) == ["moved"]


# ---------------------------------------------------------------------------------------------------- what is broken


def test_event_files_that_are_missing_doubled_cut_or_foreign_are_notes_and_the_rest_is_read(
    home: Path, run: Run
) -> None:
    folder = conversation(home, [said(number, f"m{number}") for number in range(9)]) / "events"
    for number in (2, 3):
        (folder / f"event-0000{number}-{uuid(number)}.json").unlink()
    made.write(folder / f"event-00005-{uuid(55)}.json", said(55, "twice"))
    made.write(folder / f"event-00006-{uuid(6)}.json", '{"id":"')
    made.write(folder / f"event-00007-{uuid(7)}.json", "[]")
    made.write(folder / "notes.txt", "mine")
    made.write(folder / f"event-00008-{uuid(8)}.json.tmp", "{")
    made.write(folder / ".eventlog.lock", "")
    made.write(folder / ".eventlog-len-9.marker", "")
    result = run(home, "--order", "file")
    assert messages(result) == ["m0", "m1", "m4", "m5", "twice", "m8"]
    assert notes(result) == [
        "parser: event files are missing: number 2 to 3",
        "parser: another event file has the number 5 too",
        *(text for text in notes(result) if "event file could not be decoded" in text),
        f"parser: event-00008-{uuid(8)}.json.tmp is no event file",
        "parser: notes.txt is no event file",
    ]
    cut_file, no_object = result.of(event="note")[2:4]
    assert no_object["text"] == "parser: event file could not be decoded (not a JSON object)"
    assert (cut_file["session_id"], cut_file["project_path"], cut_file["timestamp_utc"]) == (ONE, PROJECT, "")
    assert cut_file["source_file"].endswith(f"event-00006-{uuid(6)}.json")
    assert " | 8 events | " in result.texts(event="session_start")[0]


@pytest.mark.parametrize("content", ['{"id": "x", "title": "cu', "[]", "", "null"])
@pytest.mark.parametrize("name", ["meta.json", "base_state.json"])
def test_a_sidecar_that_is_cut_or_no_object_is_one_note_and_the_other_still_gives_the_project(
    name: str, content: str, home: Path, run: Run
) -> None:
    folder = conversation(home, [said(0, "x")], root=CANVAS, meta=meta(), base=state())
    made.write(folder / name, content)
    result = run(home)
    assert messages(result) == ["x"]
    (note,) = result.of(event="note")
    assert note["text"].startswith(f"parser: {name} ")
    assert (note["session_id"], note["project_path"], note["timestamp_utc"]) == (ONE, PROJECT, "")


@pytest.mark.parametrize(
    "broken",
    [
        {"llm_message": "text"}, {"llm_message": {"role": "user", "content": 7}}, {"kind": 7}, {"kind": None},
        {"kind": "ActionEvent", "tool_call": [], "action": "x", "thought": "said", "tool_name": {}},
        {"kind": "ObservationEvent", "observation": "x"}, {"kind": "ObservationEvent", "observation": {"content": 5}},
        {"kind": "SecurityAnalysisEvent", "risks": ["x"]}, {"kind": "ConversationStateUpdateEvent", "key": {"a": 1}},
        {"kind": "ConversationStateUpdateEvent", "key": "agent", "value": "x"},
        {"kind": "ConversationStateUpdateEvent", "key": "execution_status", "value": ["running"]},
        {"kind": "ACPToolCallEvent", "content": ["x", None, {"type": "content"}], "status": "failed",
         "tool_call_id": 5},
        {"kind": "HookExecutionEvent", "stderr": 5},
        {"kind": "Condensation", "forgotten_event_ids": "x", "summary": {}},
        {"kind": "SystemPromptEvent", "tools": 5}, {"timestamp": "gestern"}, {"timestamp": 5}, {"parent_id": {"a": 1}},
        {"id": None}, {"id": ["x"]}, {"source": None}, {"source": {"a": 1}}, {"llm_response_id": {"a": 1}},
    ],
)  # fmt: skip
def test_values_of_a_wrong_type_end_nothing(broken: dict[str, Any], home: Path, run: Run) -> None:
    folder = conversation(home, [said(0, "a"), {**said(1, "b"), **broken, "x": 1}, said(2, "c")])
    for path in (folder / "events").glob("*-*.json"):
        if '"x":1' in path.read_text():
            path.rename(folder / "events" / f"event-00001-{uuid(1)}.json")
    result = run(home)
    assert result.code == 0 and "Traceback" not in result.said
    assert {"a", "c"} <= set(messages(result))
    assert result.rows == run(home, "--interpret").rows


@pytest.mark.parametrize(
    "base", [[], 5, {"agent": [], "workspace": "x", "stats": {"usage_to_metrics": [1]}}, {"stats": 5}]
)
def test_a_state_of_a_wrong_shape_ends_nothing(base: Any, home: Path, run: Run) -> None:
    conversation(home, [said(0, "a"), ran(1, "ls", llm_response_id="r")], base=json.dumps(base), meta=json.dumps(base))
    assert messages(run(home)) == ["a"]


def test_links_and_an_empty_folder_are_not_followed(home: Path, run: Run, tmp_path: Path) -> None:
    folder = conversation(home, [said(0, "a")]) / "events"
    target = made.write(tmp_path / "outside.json", said(1, "outside"))
    (folder / f"event-00001-{uuid(1)}.json").symlink_to(target)
    (home / CLI / TWO / "events").mkdir(parents=True)
    result = run(home)
    assert messages(result) == ["a"]
    assert notes(result) == ["parser: event file could not be read (a link, not followed)"]


def test_the_input_is_as_it_was_after_a_run(home: Path, run: Run) -> None:
    made.every_rule(home)

    def seen() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}

    before = seen()
    run(home)
    assert seen() == before
