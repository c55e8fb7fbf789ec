"""Broken files, settings and secrets of nanobot, and the other places of its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nanobot_home as made
import pytest
from agent_run import Result, Runner
from nanobot_home import call, header, message, shown, shown_record
from nanobot_rare import cron_run, trigger_run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".nanobot").mkdir(parents=True)
    return tmp_path / "home"


# ------------------------------------------------------------------------------------------------- bad files


def test_a_line_is_ended_by_a_line_feed_alone(home: Path, run: Runner) -> None:
    made.session(home, [header("cli:a"), message("assistant", "one\u2028two\u2029three\x85four\rfive", 1)])
    assert run(home).texts(turn_type="assistant") == ["one\u2028two\u2029three\x85four\rfive"]


def test_broken_lines_are_notes_and_the_rest_is_read(home: Path, run: Runner) -> None:
    made.session(home, [
        '{"_type": "metadata", "key": "cli:direct", "meta',
        message("user", "one", 1), "[1]", "null", "", message("assistant", "two", 2), '{"role": "user", "content": "cu',
    ], f"{made.SESSIONS}/Y2xpOmRpcmVjdA.jsonl")  # fmt: skip
    result = run(home)
    assert [row["source_line"] for row in result.of(event="note")] == [1, 3, 4, 7]
    assert {row["session_id"] for row in result.rows} == {"cli:direct"}
    assert result.texts(event="message") == ["one", "two"]
    (start,) = result.of(event="session_start")
    assert (start["text"], start["timestamp_utc"]) == (
        "session start: key=cli:direct workspace=/home/alice/proj",
        shown(1),
    )


def test_odd_tool_calls_are_notes(home: Path, run: Runner) -> None:
    calls: list[Any] = [None, "x", {"id": "c"}, call("exec", None, "d"), call("exec", ["a"], "e")]
    made.session(
        home,
        [
            header("cli:a"),
            message("assistant", "", 1, tool_calls=calls),
            message("assistant", "said", 2, tool_calls={"a": 1}),
        ],
    )
    result = run(home)
    assert [(row["tool_use_id"], row["text"]) for row in result.of(turn_type="tool_use")] == [("d", ""), ("e", '["a"]')]
    assert len(result.of(event="note")) == 4


@pytest.mark.parametrize("content", ["", "[]", "{", "\x00\x01", '{"version": 8, "sessions": 5}'])
def test_hostile_documents_end_no_run(content: str, home: Path, run: Runner) -> None:
    for name in (
        ".nanobot/config.json", ".nanobot/pairing.json", f"{made.SESSIONS}/.webui_session_index.json",
        ".nanobot/workspace/cron/runs/a.json", ".nanobot/workspace/triggers/runs/a.json", made.DATABASE,
        ".nanobot/workspace/memory/history.jsonl", ".nanobot/webui/websocket_c.jsonl", ".nanobot/history/cli_history",
        f"{made.SESSIONS}/a.jsonl", f"{made.SESSIONS}/a.checkpoint.json", f"{made.SESSIONS}/.workspace",
    ):  # fmt: skip
        made.write(home, name, content)
    result = run(home)
    assert "Traceback" not in result.said
    assert {row["event"] for row in result.rows} <= {"note", "session_start"}


# ---------------------------------------------------------------------------------------- settings and secrets


@pytest.mark.parametrize("spelling", ["camel", "snake"])
def test_standing_permissions_are_named_as_the_file_spells_them(spelling: str, home: Path, run: Runner) -> None:
    camel = {
        "tools": {
            "restrictToWorkspace": False,
            "ssrfWhitelist": ["10.0.0.0/8"],
            "webuiAllowLocalServiceAccess": True,
            "webuiAllowRemotePackageInstall": None,
            "exec": {
                "enable": True,
                "sandbox": "bwrap",
                "allowPatterns": ["git *", "ls"],
                "denyPatterns": [],
                "allowedEnvKeys": ["HOME"],
            },
        },
        "channels": {"telegram": {"enabled": True, "allowFrom": ["1", "2"]}},
    }
    snake = {
        "tools": {
            "restrict_to_workspace": False,
            "ssrf_whitelist": ["10.0.0.0/8"],
            "allow_local_preview_access": True,
            "exec": {
                "enable": True,
                "sandbox": "bwrap",
                "allow_patterns": ["git *", "ls"],
                "allowed_env_keys": ["HOME"],
            },
        },
        "channels": {"telegram": {"enabled": True, "allow_from": ["1", "2"]}},
    }
    made.write(home, ".nanobot-work/config.json", camel if spelling == "camel" else snake)
    result = run(home)
    names = {
        "camel": [
            "restrictToWorkspace",
            "ssrfWhitelist",
            "webuiAllowLocalServiceAccess",
            "allowPatterns",
            "allowedEnvKeys",
            "allowFrom",
        ],
        "snake": [
            "restrict_to_workspace",
            "ssrf_whitelist",
            "allow_local_preview_access",
            "allow_patterns",
            "allowed_env_keys",
            "allow_from",
        ],
    }[spelling]
    wanted = [
        f"tools.{names[0]}=false",
        f"tools.{names[1]}=10.0.0.0/8",
        f"tools.{names[2]}=true",
        "tools.exec.enable=true",
        "tools.exec.sandbox=bwrap",
        f"tools.exec.{names[3]}=git *",
        f"tools.exec.{names[3]}=ls",
        f"tools.exec.{names[4]}=HOME",
        f"channels.telegram.{names[5]}=1",
        f"channels.telegram.{names[5]}=2",
    ]
    assert sorted(result.texts()) == sorted(
        f"permission setting: {text} (from .nanobot-work/config.json, file mtime)" for text in wanted
    )
    assert {(row["time_basis"], row["event"]) for row in result.rows} == {("file_mtime", "permission_setting")}


def test_senders_are_named_and_codes_never_are(home: Path, run: Runner) -> None:
    made.write(
        home,
        ".nanobot/pairing.json",
        {
            "approved": {"telegram": ["123456789"]},
            "pending": {
                "ABCD-EFGH": {
                    "channel": "discord",
                    "sender_id": "999",
                    "created_at": 1791187200.5,
                    "expires_at": 1791187800.5,
                    "delivery_status": "sent",
                }
            },
        },
    )
    rows = run(home).rows
    assert [(row["timestamp_utc"], row["time_basis"], row["text"]) for row in rows] == [
        ("2026-03-01T13:00:00.000Z", "file_mtime",
         "permission setting: pairing.approved.telegram=123456789 (from .nanobot/pairing.json, file mtime)"),
        ("2026-10-05T08:00:00.500Z", "utc", "permission setting: pairing.pending.discord=999 "
         "expires_at=2026-10-05T08:10:00.500Z delivery_status=sent (from .nanobot/pairing.json, created_at)"),
    ]  # fmt: skip
    assert "ABCD" not in json.dumps(rows)


@pytest.mark.parametrize("cut_short", [False, True])
def test_no_secret_leaves_a_settings_file(cut_short: bool, home: Path, tmp_path: Path, run: Runner) -> None:
    secrets = {
        "providers": {"openai": {"apiKey": "SECRET-1"}},
        "api": {"apiKey": "SECRET-2"},
        "tools": {
            "mcpServers": {"github": {"env": {"TOKEN": "SECRET-3"}}},
            "exec": {"enable": True, "token": "SECRET-4"},
        },
        "channels": {"feishu": {"appSecret": "SECRET-5", "allowFrom": ["9"]}},
        "agents": {"defaults": {"workspace": "/SECRET-6"}},
    }
    text = json.dumps(secrets)
    made.write(home, ".nanobot/config.json", text[:-40] if cut_short else text)
    pending = '{"pending": {"SECR-ETCO": {"channel": "x", "sender_id": "1", "note": "SECRET-7"}}}'
    made.write(home, ".nanobot/pairing.json", pending[:-2] if cut_short else pending)
    for name in ("auth/xai.json", "auth/mcp.json", "webui/remote-pairing/1/identity"):
        made.write(home, f".nanobot/{name}", '{"token": "SECRET-8"}')
    result = run(home)
    assert len(result.of(event="note" if cut_short else "permission_setting")) == (2 if cut_short else 3)
    outputs = "".join(file.read_text(encoding="utf-8") for file in tmp_path.glob("out*/*"))
    assert "SECR" not in outputs + result.said


# --------------------------------------------------------------------------------------- other places and stores


def test_segments_belong_to_the_chat(home: Path, run: Runner) -> None:
    made.session(home, [header("websocket:c"), message("user", "old", 1), message("user", "new", 2)])
    made.transcript(home, "c", [shown_record("user", 1, "old"), shown_record("user", 1, "lost")], part="000001")
    made.transcript(home, "c", [shown_record("user", 2, "new")])
    made.write(home, ".nanobot/webui/websocket_c.segments/manifest.json", {"version": 2, "segments": []})
    assert run(home).texts(role="secondary") == ["lost"]


def test_typed_commands_pair_with_sessions_of_the_same_moment(home: Path, run: Runner) -> None:
    made.session(home, [header("cli:direct"), message("user", "first\nline", 3), message("user", "again", 20)])
    entries = [("10:15:02.000000", "+first\n+line"), ("10:15:10", "+again"), ("10:15:12", "+exit")]
    history = "".join(f"\n# 2026-10-01 {time}\n{text}\n" for time, text in entries)
    made.write(home, ".nanobot/history/cli_history", history)
    result = run(home)
    assert [(row["text"], row["session_id"]) for row in result.of(role="secondary")] == [("again", ""), ("exit", "")]


def test_the_memory_journal_is_rows_of_its_own(home: Path, run: Runner) -> None:
    entries = [
        {"cursor": 1, "timestamp": "2026-10-01 10:15", "content": "likes milk", "session_key": "cli:a"},
        {"cursor": "x", "timestamp": "2026-10-01 10:16", "content": [{"type": "text", "text": "a list"}]},
        {"cursor": 3, "timestamp": "never", "content": "undated"},
    ]
    made.session(home, [header("cli:a")])
    made.write(home, ".nanobot/workspace/memory/history.jsonl", made.lines(entries))
    rows = run(home).of(event="memory")
    assert [(r["timestamp_utc"], r["text"], r["session_id"], r["project_path"]) for r in rows] == [
        ("2026-10-01T10:15:00.000Z", "memory history #1: likes milk", "cli:a", "/home/alice/proj"),
        ("2026-10-01T10:16:00.000Z", "memory history #x: a list", "", ""),
        ("", "memory history #3: undated", "", ""),
    ]


def test_a_sidebar_entry_stands_only_for_a_chat_that_was_not_read(home: Path, run: Runner) -> None:
    made.session(home, [header("websocket:file")])
    made.database(home, {"websocket:row": ({}, [])}, name=".nanobot/sessions/ffff/sessions.sqlite3")
    entries = [
        {"key": f"websocket:{name}", "title": "T", "created_at": made.stamp(1)} for name in ("file", "row", "gone")
    ]
    made.write(home, f"{made.SESSIONS}/.webui_session_index.json", {"version": 8, "sessions": entries})
    (row,) = run(home).of(event="sidebar")
    assert row["text"] == "webui sidebar entry: key=websocket:gone title=T (from .webui_session_index.json version 8)"
    assert (row["session_id"], row["project_path"], row["timestamp_utc"]) == ("websocket:gone", "", shown(1))


def test_a_project_keeps_its_old_sessions_and_runs(home: Path, tmp_path: Path, run: Runner) -> None:
    project = tmp_path / "proj"
    (project / ".git").mkdir(parents=True)
    made.session(project, [header("cli:direct"), message("user", "long ago", 1)], "sessions/cli_direct.jsonl")
    made.write(project, "sessions/other.jsonl", '{"type": "event", "of": "another program"}\n')
    made.write(project, "memory/history.jsonl", '{"cursor": 1, "timestamp": "2026-10-01 10:15", "content": "x"}\n')
    made.write(project, "cron/runs/a.json", cron_run(response=None))
    made.write(project, "triggers/runs/a.json", trigger_run(response=None))
    result = run(project, "--as", "project")
    assert {row["source_file"].rsplit("/", 2)[-2] for row in result.rows} == {"sessions", "memory", "runs"}
    assert {row["project_path"] for row in result.rows} == {str(project)}
    assert result.texts(turn_type="user") == ["long ago"] and result.of(event="note") == []
    (other,) = [stores["legacy"] for file, stores in result.stores.items() if file.endswith("other.jsonl")]
    assert other["ignored"] == {"a file of another program": 1}


def test_a_session_file_without_one_good_line_is_notes_only(home: Path, run: Runner) -> None:
    made.write(home, ".nanobot/sessions/cli_a.jsonl", '{"_type": "meta\n[]\n')
    assert [(row["event"], row["source_line"]) for row in run(home).rows] == [("note", 1), ("note", 2)]


def test_a_container_volume_is_an_instance(tmp_path: Path, run: Runner) -> None:
    volume = tmp_path / "volumes" / "my_nanobot_data" / "_data"
    made.write(volume, f"sessions/{made.NS}/.workspace", "/root/w")
    made.write(
        volume,
        f"sessions/{made.NS}/{made.stem('cli:a')}.jsonl",
        made.lines([header("cli:a"), message("user", "hi", 1)]),
    )
    made.write(
        volume, "config.json", {"tools": {"restrictToWorkspace": True}, "providers": {"x": {"apiKey": "SECRET"}}}
    )
    rows = run(volume, "--as", "volume").rows
    assert [row["event"] for row in rows] == ["permission_setting", "session_start", "message"]
    assert {row["user"] for row in rows} == {"docker"} and "SECRET" not in json.dumps(rows)


def test_files_that_could_not_be_moved_are_sessions(home: Path, run: Runner) -> None:
    name = f"{made.SESSIONS}/.migration-conflicts/{made.stem('cli:a')}.workspace.0123456789ab.01234567.jsonl"
    made.session(home, [header(None), message("user", "in conflict", 1)], name)
    (row,) = run(home).of(turn_type="user")
    assert (row["session_id"], row["role"], row["project_path"]) == ("cli:a", "primary", "/home/alice/proj")


def test_a_run_names_no_result_of_an_empty_home(home: Path, run: Runner) -> None:
    result: Result = run(home)
    assert (result.code, result.rows) == (1, [])
