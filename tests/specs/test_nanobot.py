"""The nanobot spec on homes that the program left, and on sessions of every kind of message."""

from __future__ import annotations

import shutil
from pathlib import Path

import nanobot_home as made
import pytest
from agent_run import Runner, cut, emits, read_rows
from nanobot_home import call, header, message, shown, shown_record
from nanobot_rare import RUN, SWITCHED, whole_home

FIXTURES = Path(__file__).parents[2] / "fixtures" / "nanobot" / "cases"
CASES = sorted(case.name for case in FIXTURES.iterdir())


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".nanobot").mkdir(parents=True)
    return tmp_path / "home"


# -------------------------------------------------------------------------------------- what the program left


@pytest.mark.parametrize("name", CASES)
def test_each_home_gives_its_rows(name: str, tmp_path: Path, run: Runner) -> None:
    home = Path(shutil.copytree(FIXTURES / name / "home", tmp_path / "home"))
    rows = cut(run(home).rows)
    assert rows == read_rows(FIXTURES / name / "rows.jsonl")
    assert cut(run(home, "--interpret").rows) == rows


def test_each_rule_writes_a_row(home: Path, run: Runner) -> None:
    whole_home(home)
    result = run(home)
    assert emits("nanobot") - {row["rule"] for row in result.rows} == set()
    assert cut(run(home, "--interpret").rows) == cut(result.rows)


def test_a_chat_in_two_stores_stands_once(tmp_path: Path, run: Runner) -> None:
    rows = run(Path(shutil.copytree(FIXTURES / "webui" / "home", tmp_path / "home"))).rows
    chat = [row for row in rows if row["session_id"].endswith("ae5d59e8-71fa-4776-980b-70f293815c80")]
    for text in ("what is using port 8080?", "One process listens on **8080**.", "question with a quote"):
        assert [row["role"] for row in chat if row["text"] == text] == ["primary"]
    calls = [row["tool_use_id"] for row in chat if row["turn_type"] == "tool_use"]
    assert sorted(calls) == ["call_abc123", "call_bad1", "call_bad2", "call_c1", "call_e1", "call_s1", "call_w1"]
    assert len([row for row in chat if row["text"] == "Three new mails."]) == 4
    (deleted,) = [row for row in rows if row["event"] == "sidebar"]
    assert "preview=this chat is deleted" in deleted["text"] and deleted["role"] == "secondary"
    (fork,) = [row for row in rows if row["text"].startswith("forked from")]
    assert fork["text"] == "forked from websocket:ae5d59e8-71fa-4776-980b-70f293815c80"
    assert fork["session_id"] == "websocket:15a64480-493c-4749-8a3e-ba37dde0b29b"


# ------------------------------------------------------------------------------------------------- sessions


def test_the_seed_session_gives_its_rows(home: Path, run: Runner) -> None:
    calls = [call("exec", '{"command": "ss -ltnp | grep 8080"}', "call_abc123")]
    made.session(home, [
        header("telegram:123456789", {"last_channel": "telegram:123456789"}),
        message("user", "what is using port 8080?", 1),
        message("assistant", "", 4, tool_calls=calls, reasoning_content="Check listening sockets."),
        message("tool", "LISTEN 0 128 *:8080", 5, tool_call_id="call_abc123", name="exec"),
        message("assistant", "python3 (pid 4242) is listening on 8080.", 9),
    ])  # fmt: skip
    rows = run(home).rows
    assert [(row["turn_type"], row["event"], row["text"]) for row in rows] == [
        ("system", "session_start", "session start: key=telegram:123456789 last_channel=telegram:123456789 "
         f"updated_at={made.stamp(59)} workspace=/home/alice/proj"),
        ("system", "session_relayed", "session relayed: telegram chat 123456789 (from session key)"),
        ("user", "message", "what is using port 8080?"),
        ("thinking", "thinking", "Check listening sockets."),
        ("tool_use", "tool_use", "ss -ltnp | grep 8080"),
        ("tool_result", "tool_result", "LISTEN 0 128 *:8080"),
        ("assistant", "message", "python3 (pid 4242) is listening on 8080."),
    ]  # fmt: skip
    assert {row["project_path"] for row in rows} == {"/home/alice/proj"}
    assert [row["timestamp_utc"] for row in rows[2:]] == [shown(n) for n in (1, 4, 4, 5, 9)]
    assert rows[4]["arguments"] == '{"command":"ss -ltnp | grep 8080"}' and rows[4]["tool_name"] == "exec"


def test_a_switch_of_the_model_counts_from_its_reply_on(home: Path, run: Runner) -> None:
    made.session(home, [
        header("cli:m", {"_nanobot_model_preset": "slow"}),
        message("user", "before", 1),
        message("user", "/model quick", 2, _command=True),
        message("assistant", SWITCHED.format("fast", "gpt-5.4-mini"), 3, _command=True),
        message("user", "/model no", 4, _command=True),
        message("assistant", "Could not switch model preset: no", 5, _command=True),
        message("user", "/model slow", 6, _command=True),
        message("assistant", SWITCHED.format("slow", "gpt-5.4"), 7, _command=True),
        message("assistant", "after", 8),
    ])  # fmt: skip
    result = run(home)
    assert result.texts(event="model") == [
        "model: fast (preset) requested=quick resolved=gpt-5.4-mini",
        "model: fast -> slow (preset) requested=slow resolved=gpt-5.4",
    ]
    models = {row["text"]: row["model"] for row in result.rows}
    assert (models["before"], models["/model no"], models["after"]) == ("", "fast", "slow")


def test_a_preset_without_a_switch_holds_for_the_whole_session(home: Path, run: Runner) -> None:
    records = [message("user", "one", 1), message("assistant", 'they said "Switched model preset to `x`"', 2)]
    made.session(home, [header("cli:m", {"_nanobot_model_preset": "slow"}), *records])
    result = run(home)
    assert result.texts(event="model") == ["model: slow (preset)"]
    assert [row["model"] for row in result.rows] == ["", "", "slow", "slow"]


def test_thinking_stands_in_the_text_or_in_the_blocks(home: Path, run: Runner) -> None:
    blocks = [{"type": "thinking", "thinking": "one"}, {"type": "redacted_thinking", "data": "x"}]
    made.session(home, [
        header("cli:t"),
        message("assistant", "a", 1, reasoning_content="plain", thinking_blocks=blocks),
        message("assistant", "b", 2, reasoning_content="", thinking_blocks=blocks),
        message("assistant", "c", 3, thinking_blocks=None),
    ])  # fmt: skip
    assert run(home).texts(turn_type="thinking") == ["plain", "one\n[redacted thinking]"]


def test_only_what_a_person_typed_is_a_user_row(home: Path, run: Runner) -> None:
    turn = {"kind": "cron", "cron_run_id": RUN}
    made.session(home, [
        header("websocket:c"),
        message("user", "typed", 1),
        message("user", "Scheduled cron job triggered: digest", 2, _automation_turn=turn, _cron_turn=True),
        message("user", "old form", 3, _cron_turn=True),
        message("user", "summed up", 4, _hidden_history=True),
        message("user", "found it", 5, _hidden_history={"kind": "subagent_result"}),
        message("user", "from a session", 6, _session_message={"message_id": "m"}),
        message("user", "odd", 7, _hidden_history={"other": 1}),
        message("user", "look\n\nquoted", 8, _runtime_context={"suffix": "quoted"}),
        message("user", "quoted", 9, _runtime_context={"suffix": "quoted"}),
        message("user", [{"type": "text", "text": "see"}, {"type": "text", "text": "more"}], 10,
                _runtime_context={"blocks": [{"type": "text", "text": "more"}]}),
        message("user", "", 11, media=["a.png", "b.png"]),
        message("user", "as stored", 12, _runtime_context=True),
    ])  # fmt: skip
    result = run(home)
    assert result.texts(turn_type="user") == ["typed", "look", "see", "[attachments: a.png, b.png]", "as stored"]
    assert result.texts(event="context") == [
        "context: cron: Scheduled cron job triggered: digest", "context: cron: old form",
        "context: subagent_result: found it", "context: session_message: from a session", "context: hidden: odd",
        "context: runtime: quoted", "context: runtime: quoted", "context: runtime: more",
    ]  # fmt: skip
    assert result.texts(event="compaction") == ["summarised history: summed up"]


def test_a_shell_command_of_the_web_interface_pairs_with_its_stored_form(home: Path, run: Runner) -> None:
    made.session(home, [header("websocket:c"), message("user", "/__shell ls -la", 1, _command=True)])
    made.transcript(home, "c", [shown_record("user", 1, "!  ls -la"), shown_record("user", 2, "!pwd")])
    assert run(home).texts(turn_type="user") == ["!pwd", "/__shell ls -la"]


def test_prompts_of_the_program_in_its_own_sessions_are_no_user_rows(home: Path, run: Runner) -> None:
    tick = "[Your response will be delivered directly to the user's messaging app. Output ONLY …]\n\nwater the plants"
    made.session(home, [header("heartbeat"), message("user", tick, 1), message("user", "typed with -s heartbeat", 2)])
    made.session(home, [header("dream:20261001-101500"), message("user", "Consolidate.", 3)])
    result = run(home)
    assert result.texts(turn_type="user") == ["typed with -s heartbeat"]
    assert result.texts(event="context") == [f"context: heartbeat: {tick}", "context: dream: Consolidate."]


def test_relays_name_each_channel_once(home: Path, run: Runner) -> None:
    route = {"channel": "discord", "chat_id": "D1", "metadata": {}}
    made.session(home, [header("unified:default", {"last_channel": "slack:C1", "_compaction_route": route})])
    made.session(home, [header("discord:D1:thread:T", {"_compaction_route": route, "last_channel": "cli:direct"})])
    made.session(home, [header("slack:C42:171.5", {"last_channel": "slack:C42:171.5"})])
    made.session(home, [header("cli:direct", {"last_channel": "telegram"})])
    result = run(home)
    assert sorted(result.texts(event="session_relayed")) == [
        "session relayed: discord chat D1 (from metadata._compaction_route)",
        "session relayed: discord chat D1:thread:T (from session key)",
        "session relayed: slack chat C1 (from metadata.last_channel)",
        "session relayed: slack chat C42:171.5 (from session key)",
    ]


@pytest.mark.parametrize(
    ("name", "key", "session"),
    [
        ("Y2xpOmRpcmVjdA", "telegram:a:b", "telegram:a:b"),
        ("Y2xpOmRpcmVjdA", None, "cli:direct"),
        ("telegram_a_b", None, "telegram:a_b"),
        ("notes", None, "notes"),
    ],
)
def test_a_session_is_named_by_its_key_else_by_its_file(
    name: str, key: str | None, session: str, home: Path, run: Runner
) -> None:
    made.session(home, [header(key), message("user", "hi", 1)], f"{made.SESSIONS}/{name}.jsonl")
    assert {row["session_id"] for row in run(home).rows} == {session}


def test_ids_of_the_responses_form_join_call_and_result(home: Path, run: Runner) -> None:
    both = "call_1|fc_2"
    made.session(home, [
        header("websocket:c"),
        message("assistant", "", 1, tool_calls=[call("exec", "{}", both)]),
        message("tool", "done", 2, tool_call_id=both),
    ])  # fmt: skip
    made.transcript(
        home,
        "c",
        [
            shown_record(
                "message",
                1,
                "",
                kind="tool_hint",
                tool_events=[{"phase": "start", "call_id": both, "name": "exec", "arguments": {}}],
            ),
            shown_record(
                "message",
                1,
                "",
                kind="progress",
                tool_events=[{"phase": "end", "call_id": both, "name": "exec", "result": "done, longer"}],
            ),
        ],
    )
    rows = [row for row in run(home).rows if row["tool_use_id"]]
    assert [(r["turn_type"], r["tool_use_id"], r["tool_name"], r["role"]) for r in rows] == [
        ("tool_use", both, "exec", "primary"),
        ("tool_result", both, "exec", "primary"),
    ]
