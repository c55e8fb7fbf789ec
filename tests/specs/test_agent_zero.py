"""The Agent Zero spec on homes that the program wrote, on a home with every kind of row, and on what breaks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from agent_run import Result, Runner, cut, emits, read_rows
from agent_zero_home import USR, chat, history, item, message, talk, turn, write, write_chat

from engine.lang.load import load_plan
from engine.read.globs import crossing_regex

FIXTURES = Path(__file__).parents[2] / "fixtures" / "agent-zero"
CASES = sorted(case.name for case in (FIXTURES / "cases").iterdir())
CHAT = f"{USR}/chats/AbCd1234/chat.json"
TRIMMED = "log trimmed to its last 1000 items; earlier turns follow from the agent history without timestamps"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """The runs of all cases by name, and of the home with every kind of row as `home`."""
    made = {}
    for name in [*CASES, "home"]:
        base = tmp_path_factory.mktemp(name)
        shutil.copytree(FIXTURES if name == "home" else FIXTURES / "cases" / name, base / "case")
        made[name] = Runner("agent-zero", base)(base / "case" / "home")
    return made


@pytest.fixture(scope="module")
def whole(results: dict[str, Result]) -> Result:
    return results["home"]


# ------------------------------------------------------------------------------------------------- rows, whole homes


@pytest.mark.parametrize("name", CASES)
def test_each_case_gives_its_rows(name: str, results: dict[str, Result]) -> None:
    assert cut(results[name].rows) == read_rows(FIXTURES / "cases" / name / "rows.jsonl")


def test_the_home_with_every_kind_of_row_gives_its_rows(whole: Result) -> None:
    assert cut(whole.rows) == read_rows(FIXTURES / "rows.jsonl")


def test_every_emit_of_the_spec_writes_a_row(results: dict[str, Result]) -> None:
    """By name: log items and messages share walks."""
    written = {row["rule"].rsplit("/", 1)[1] for result in results.values() for row in result.rows}
    assert {rule.rsplit("/", 1)[1] for rule in emits("agent-zero")} - written == set()


def test_no_secret_is_in_any_output(tmp_path: Path, run: Runner) -> None:
    shutil.copytree(FIXTURES / "home", tmp_path / "home")
    result = run(tmp_path / "home")
    told = "".join(file.read_text(encoding="utf-8") for file in tmp_path.glob("out1/*"))
    assert len(result.rows) > 100
    assert "PLANTED" not in told + result.said
    assert "§§secret(DEPLOY_KEY)" in told


def test_a_message_that_can_not_be_read_shows_nothing_of_its_unmasked_copy(home: Path, run: Runner) -> None:
    odd = message("m1", {"odd": 1}, ai=False, model="openai/demo")
    logs = [item(5, "user", "late", id="u5")]
    write_chat(home, chat("AbCd1234", logs, history(odd)))
    write_chat(home, chat("Broken01", logs, history(odd)[:-20]))
    result = run(home)
    assert [row["text"] for row in result.of(event="note") if "Message" in row["text"]] == [
        'Message: {"id":"m1","ai":false,"content":{"odd":1}}'
    ]
    assert "PLANTED" not in json.dumps(result.rows)


# ------------------------------------------------------------------------------------------------- turns and answers


def test_a_reply_in_an_agent_item_and_a_response_item_is_one_assistant_row(home: Path, run: Runner) -> None:
    write_chat(home, talk())
    rows = run(home).of(turn_type="assistant")
    assert [(row["text"], row["source_line"], row["model"]) for row in rows] == [
        ("Listing\nlist", 1, "openai/demo"),
        ("There is one file.", 4, "openai/demo"),
    ]


def test_a_call_and_its_result_have_the_same_id_the_whole_command_and_the_bare_output(home: Path, run: Runner) -> None:
    write_chat(home, talk())
    call, result = (row for row in run(home).rows if row["turn_type"].startswith("tool_"))
    assert (call["text"], call["arguments"]) == ("ls", '{"runtime":"terminal","code":"ls"}')
    assert result["text"] == "a.txt"
    assert call["tool_use_id"] == result["tool_use_id"] == "t1"
    assert call["tool_name"] == result["tool_name"] == "code_execution_tool"


def test_an_intervention_a_retry_and_an_error_are_told_apart(results: dict[str, Result]) -> None:
    rows = {row["source_line"]: row for row in results["warnings"].rows}
    assert (rows[24]["turn_type"], rows[24]["text"]) == ("user", "stop, do it differently")
    assert rows[29]["event"] == "notice"
    assert rows[29]["text"].startswith("warning: Critical error occurred, retrying... | litellm.")
    assert rows[31]["event"] == "error"
    assert rows[31]["text"].startswith("error: litellm.")


def test_a_plain_answer_that_only_the_history_has_is_a_row(results: dict[str, Result]) -> None:
    (row,) = [row for row in results["warnings"].rows if row["source_line"] == 16]
    assert (row["turn_type"], row["text"]) == ("assistant", "This reply is plain text, with no tool request in it.")


def test_a_result_that_compression_took_from_the_history_is_not_told_twice(results: dict[str, Result]) -> None:
    assert not [row for row in results["compressed"].rows if row["role"] == "secondary"]
    assert results["compressed"].count("spills")["paired"] == 1


def test_turns_before_a_compaction_are_secondary_rows(results: dict[str, Result]) -> None:
    assert results["compaction"].texts(turn_type="user", role="secondary") == ["long task"]
    assert results["compaction"].texts(turn_type="user", role="primary") == ["go on"]


def test_the_first_prompt_of_a_parallel_child_is_no_persons(whole: Result) -> None:
    assert whole.texts(session_id="ParKid01", turn_type="user") == ["go on"]
    assert whole.texts(session_id="ParKid01", event="context") == ["subagent task: count to three"]


def test_the_result_of_a_parallel_call_follows_its_children(whole: Result) -> None:
    rows = whole.of(session_id="ParDad01", turn_type="tool_result")
    assert [(row["tool_name"], row["tool_use_id"], row["time_basis"]) for row in rows] == [
        ("call_subordinate", "s1", "utc"),
        ("code_execution_tool", "c1", "utc"),
        ("parallel", "p1", "approximate"),
    ]


# ---------------------------------------------------------------------------------------------------- trimmed logs


def long_chat(kept: int = 1000) -> dict[str, Any]:
    """A chat with `kept` log items, numbered anew by a reload, of a history of more turns."""
    questions = [message(f"u{n}", {"user_message": f"question {n}"}) for n in range(kept + 3)]
    logs = [{**item(n, "user", f"question {n}", id=f"u{n}"), "no": n - 3} for n in range(3, kept + 3)]
    return chat("AbCd1234", logs, history(*questions))


def test_a_log_of_a_thousand_items_is_followed_by_the_turns_that_it_lost(home: Path, run: Runner) -> None:
    write_chat(home, long_chat())
    rows = run(home).rows
    assert [row["text"] for row in rows[-4:]] == [TRIMMED, "question 0", "question 1", "question 2"]
    assert {(row["timestamp_utc"], row["time_basis"], row["source_line"]) for row in rows[-4:]} == {("", "", 0)}
    assert len([row for row in rows if row["turn_type"] == "user"]) == 1003


def test_a_log_of_fewer_items_that_begins_at_zero_is_whole(home: Path, run: Runner) -> None:
    write_chat(home, long_chat(999))
    result = run(home)
    assert TRIMMED not in result.texts()
    ignored = result.count("histories")["ignored"]
    assert ignored["a history node without a log item in a chat whose log is whole"] == 5


def test_a_log_whose_first_number_is_not_zero_is_trimmed(home: Path, run: Runner) -> None:
    made = long_chat(5)
    for entry in made["log"]["logs"]:
        entry["no"] += 3
    write_chat(home, made)
    assert run(home).texts()[-4:] == [TRIMMED, "question 0", "question 1", "question 2"]


def test_a_turn_without_headline_and_thoughts_shows_what_the_model_wrote(home: Path, run: Runner) -> None:
    raw = turn("search", {"query": "x"})
    made = item(0, "agent", raw, id="a", tool_name="search", tool_args={"query": "x"})
    write_chat(home, chat("AbCd1234", [made]))
    assert run(home).texts(turn_type="assistant") == [raw]


def test_a_task_and_its_run_pair_within_a_minute(results: dict[str, Result]) -> None:
    rows = [row for row in results["scheduler"].rows if row["role"] == "secondary" and row["event"] != "task"]
    assert [(row["turn_type"], row["text"].split("\n")[0]) for row in rows] == [
        ("system", "scheduled task failed: litellm.BadRequestError: OpenAIException - stub: connection refused"),
        ("user", "## Task:"),
    ]


def test_a_telegram_chat_is_deleted_when_no_chat_that_was_read_has_its_id(home: Path, run: Runner) -> None:
    """The folder of a chat may bear another name than its id."""
    write(home, f"{USR}/chats/Dem/chat.json", talk("Demojson"))
    state = {"chats": {"bot:1:2": "Demojson", "bot:3:-4": "Gone0001"}}
    write(home, f"{USR}/plugins/_telegram_integration/state.json", state)
    assert run(home).texts(event="session_deleted") == [
        "session deleted: telegram bot bot chat -4 user 3 ctxid Gone0001 (from state.json, no chat.json in the input, "
        "file mtime)"
    ]


def test_a_volume_is_read_like_a_home(tmp_path: Path, run: Runner) -> None:
    data = tmp_path / "root" / "var/lib/docker/volumes/a0-launcher-demo-usr/_data"
    write(data, "chats/AbCd1234/chat.json", talk())
    write(data, "scheduler/tasks.json", {"tasks": []})
    result = run(tmp_path / "root")
    assert result.texts(turn_type="user") == ["list files"]
    assert result.rows[0]["source_file"] == "volumes/a0-launcher-demo-usr/chats/AbCd1234/chat.json"


@pytest.mark.parametrize("usr", ["agent-zero/usr", "agent-zero/box/tmp", "Desktop/agent-zero/usr",
                                 "Desktop/agent-zero/tmp"])  # fmt: skip
def test_every_place_of_an_install_is_read(usr: str, home: Path, run: Runner) -> None:
    write_chat(home, talk(), usr)
    assert run(home).texts(turn_type="user") == ["list files"]


def test_a_queued_message_stands_at_the_time_of_its_file(whole: Result) -> None:
    (row,) = whole.of(event="draft")
    assert (row["text"], row["time_basis"]) == (
        "unsent draft: and then? [attachments: /a0/usr/uploads/n.txt]",
        "file_mtime",
    )
    assert row["timestamp_utc"] == "2026-03-01T13:00:00.000Z"


def test_a_bad_task_is_one_note_and_the_tasks_around_it_are_read(whole: Result) -> None:
    file = f"{USR}/scheduler/tasks.json"
    assert [row["text"] for row in whole.of(source_file=file, event="task")] == [
        "scheduled task: Nightly type=scheduled state=idle",
        "scheduled task: Check type=adhoc state=error",
        "scheduled task: Never type=planned state=disabled",
        "scheduled task: Gone type=planned state=idle",
    ]
    (note,) = whole.of(source_file=file, event="note")
    assert (note["text"], note["source_line"]) == ('parser: unparseable record 3 (not a JSON object): "not a task"', 3)


def test_a_turn_that_the_log_cut_is_shown_as_the_history_holds_it(home: Path, run: Runner) -> None:
    raw = turn("search", {"query": "x" * 50})
    made = item(0, "agent", raw[:20] + "\n\n<< 41 Characters hidden >>", id="a", tool_name="search", tool_args={})
    write_chat(home, chat("AbCd1234", [made], history(message("a", raw, ai=True, model="openai/demo"))))
    assert run(home).texts(turn_type="assistant") == [raw]


def test_the_chat_of_the_first_description_gives_its_rows(home: Path, run: Runner) -> None:
    """A call of a tool of its own type, a turn without content, a log that is older than the chat says it is."""
    shell = {"runtime": "terminal", "code": "ls"}
    kvps = {"thoughts": ["list"], "headline": "Listing", "tool_name": "code_execution_tool", "tool_args": shell}
    logs = [
        item(0, "user", "list files", id="u1", attachments=[]),
        item(1, "agent", "", heading="A0: Listing", id="g1", step="Writing terminal command... (2)", **kvps),
        item(2, "tool", "a.txt", id="t1", **shell, _tool_name="code_execution_tool"),
    ]
    made = chat("AbCd1234", logs, data={"project": "demo"}, created_at="2026-10-05T14:00:00+02:00", name="List files")
    write_chat(home, made)
    rows = run(home).rows
    assert [(row["turn_type"], row["text"], row["timestamp_utc"][11:19]) for row in rows] == [
        ("system", "chat start | List files | type=user | profile=agent0 | project=demo", "09:00:00"),
        ("user", "list files", "09:00:00"),
        ("assistant", "Listing\nlist", "09:00:01"),
        ("tool_use", "ls", "09:00:02"),
        ("tool_result", "a.txt", "09:00:02"),
    ]
    assert {row["project_path"] for row in rows} == {"/a0/usr/projects/demo"}
    assert rows[3]["arguments"] == '{"runtime":"terminal","code":"ls"}'


_HELD_SECRETS = (
    ".env", "secrets.env", "settings.json", "plugins/_oauth/github_copilot/auth.json", "plugins/_oauth/codex/auth.json",
    "plugins/_telegram_integration/config.json", "plugins/_model_config/presets.yaml",
    "projects/demo/.a0proj/secrets.env", "projects/demo/.a0proj/mcp_servers.json",
    "plugins/_desktop/profiles/agent-zero-desktop/.ssh/id_ed25519", "tailscale/state.json",
)  # fmt: skip


@pytest.mark.parametrize("usr", ["agent-zero/a0/usr/", "agent-zero/usr/", "Desktop/agent-zero/usr/", ""])
def test_what_holds_credentials_is_a_secret_in_every_place_and_a_chat_is_none(usr: str) -> None:
    secrets = [crossing_regex(glob) for glob in load_plan("agent-zero").catalog.secrets]
    for name in _HELD_SECRETS:
        assert any(regex.fullmatch(usr + name) for regex in secrets), name
    for name in ("chats/AbCd1234/chat.json", "scheduler/tasks.json", "uploads/a.txt"):
        assert not any(regex.fullmatch(usr + name) for regex in secrets), name


def test_login_state_outside_of_an_install_is_a_secret() -> None:
    secrets = [crossing_regex(glob) for glob in load_plan("agent-zero").catalog.secrets]
    for name in (
        ".agent-zero/.env", ".agent-zero/session_cookies.json", "agent-zero/a0/tmp/whatsapp/session/creds.json",
        ".config/Agent Zero Launcher/docker_manager/state.json",
    ):  # fmt: skip
        assert any(regex.fullmatch(name) for regex in secrets), name
