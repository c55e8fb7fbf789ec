"""The stores of nanobot beside its session files, and what stands in two of them."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import nanobot_home as made
import pytest
from agent_run import Runner
from nanobot_home import call, header, message, shown, shown_record
from nanobot_rare import DELIVERY, RUN, cron_run, trigger_run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".nanobot").mkdir(parents=True)
    return tmp_path / "home"


# ---------------------------------------------------------------------------------- turns that were cut off


def test_the_sidecar_of_a_cut_turn_gives_what_no_message_holds(home: Path, run: Runner) -> None:
    saved = [call("exec", "{}", "c1")]
    made.session(home, [header("websocket:c"), message("user", "go", 1), message("assistant", "Done before.", 2)])
    turn = {
        "model": "large",
        "assistant_message": message("assistant", "Starting.", tool_calls=saved, reasoning_content="Long tool."),
        "completed_tool_results": [{"role": "tool", "tool_call_id": "c1", "name": "exec", "content": "half"}],
        "pending_tool_calls": saved,
    }
    made.write(home, f"{made.SESSIONS}/{made.stem('websocket:c')}.checkpoint.json", {"version": 1, "checkpoint": turn})
    made.transcript(
        home, "c", [shown_record("stream_end", 30, "Starting."), shown_record("reasoning_end", 29, "Long tool.")]
    )
    rows = run(home).of(time_basis="approximate")
    assert [(r["turn_type"], r["text"], r["model"], r["timestamp_utc"], r["role"]) for r in rows] == [
        ("thinking", "Long tool.", "large", shown(59), "primary"),
        ("assistant", "Starting.", "large", shown(59), "primary"),
        ("tool_use", "{}", "large", shown(59), "primary"),
        ("tool_result", "half", "large", shown(59), "primary"),
    ]


def test_what_messages_hold_of_a_cut_turn_is_not_repeated(home: Path, run: Runner) -> None:
    calls = [call("exec", "{}", "c1")]
    turn = {
        "assistant_message": message("assistant", "Starting.", tool_calls=calls),
        "completed_tool_results": [{"role": "tool", "tool_call_id": "c1", "content": "half"}],
    }
    followups = [{"id": "1", "content": "asked twice"}, {"id": "2", "content": "asked once"}]
    metadata = {"runtime_checkpoint": turn, "pending_user_followups": followups}
    made.session(home, [
        header("cli:r", metadata),
        message("user", "asked twice", 1),
        message("assistant", "Starting.", 2, tool_calls=calls),
        message("tool", "half", 3, tool_call_id="c1"),
    ])  # fmt: skip
    assert [row["text"] for row in run(home).of(time_basis="approximate")] == ["asked once"]


# ------------------------------------------------------------------------------------------------- database


def test_what_only_the_frozen_copy_holds_is_secondary(home: Path, run: Runner) -> None:
    kept, lost = message("user", "kept", 1), message("assistant", "lost", 2)
    made.session(home, [header("cli:a"), kept, lost])
    made.session(
        home, [header("cli:a"), kept, message("user", "older", 3)], f"{made.SESSIONS}/jsonl-backup/cli_a.jsonl"
    )
    made.database(home, {"cli:a": ({}, [kept, message("user", "later", 50)])})
    rows = [row for row in run(home).rows if row["event"] == "message"]
    assert [(r["text"], r["role"], r["source_file"].rsplit("/", 1)[1]) for r in rows] == [
        ("kept", "primary", "sessions.sqlite3"),
        ("lost", "secondary", f"{made.stem('cli:a')}.jsonl"),
        ("older", "secondary", "cli_a.jsonl"),
        ("later", "primary", "sessions.sqlite3"),
    ]


def test_rows_of_the_write_ahead_log_are_read(home: Path, run: Runner) -> None:
    path = made.database(home, {"cli:a": ({}, [message("user", "first", 1)])})
    writer = sqlite3.connect(path)
    try:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("PRAGMA wal_autocheckpoint=0")
        record = json.dumps(message("assistant", "only in the log", 2))
        writer.execute("INSERT INTO messages VALUES ('cli:a', 1, ?)", (record,))
        writer.commit()
        assert run(home).texts(event="message") == ["first", "only in the log"]
    finally:
        writer.close()


def test_messages_without_their_session_have_no_start(home: Path, run: Runner) -> None:
    sessions: dict[str, Any] = {
        "cli:gone": (None, [message("user", "left", 1)]),
        "cli:a": ({}, [message("user", "here", 2)]),
    }
    made.database(home, sessions)
    result = run(home)
    (left,) = result.of(session_id="cli:gone")
    assert (left["text"], left["project_path"], left["role"]) == ("left", "/home/alice/proj", "primary")
    assert [row["event"] for row in result.of(session_id="cli:a")] == ["session_start", "message"]


def test_bad_records_of_the_database_are_notes_and_the_rest_is_read(home: Path, run: Runner) -> None:
    made.database(
        home,
        {"cli:a": ("{broken", [message("user", "one", 1), "[1,2]", "{cut", message("user", "two", 2)])},
        checkpoints={"cli:a": "[]"},
        followups={"cli:a": ["{"]},
    )
    result = run(home)
    assert sorted(result.texts(event="note")) == [
        "parser: unparseable record 0 (not a JSON object): {",
        "parser: unparseable record 1 (not a JSON object): [1,2]",
        "parser: unparseable record 1 (not a JSON object): []",
        "parser: unparseable record 2 (not JSON): {cut",
        "parser: unparseable session metadata (not JSON): {broken",
    ]
    assert result.texts(event="message") == ["one", "two"]


@pytest.mark.parametrize(
    ("without", "texts"),
    [("messages", []), ("sessions", ["one"]), ("checkpoints", ["one"]), ("pending_inputs", ["one"])],
)
def test_a_database_without_a_table_is_a_note_and_the_rest_is_read(
    without: str, texts: list[str], home: Path, run: Runner
) -> None:
    made.database(home, {"cli:a": ({}, [message("user", "one", 1)])}, without=[without])
    result = run(home)
    assert result.texts(event="message") == texts
    assert result.texts(event="note") == [f"parser: SQLite error: no such table: {without}"]
    assert len(result.of(event="session_start")) == (without != "sessions")


# --------------------------------------------------------------------------------------- hosts far from Greenwich


@pytest.mark.parametrize("hours", [-11, -5, 0, 1, 13])
def test_transcripts_pair_wherever_the_host_is(hours: int, home: Path, run: Runner) -> None:
    """The first chat was cleared: its `go` is not the one of the session."""
    texts = ["go", "one", "two"]
    made.session(home, [header("websocket:c"), *(message("user", text, 3600 + 60 * n) for n, text in enumerate(texts))])
    lost = [shown_record("user", 60 * n, text, hours) for n, text in enumerate(["go", "lost"])]
    kept = [shown_record("user", 3600 + 60 * n, text, hours) for n, text in enumerate(texts)]
    made.transcript(home, "c", lost + kept)
    rows = run(home).of(role="secondary")
    assert [(row["text"], row["source_line"]) for row in rows] == [("go", 1), ("lost", 2)]


def test_local_times_are_corrected_when_asked_for(home: Path, tmp_path: Path, run: Runner) -> None:
    made.session(home, [header("websocket:c"), *(message("user", f"t{n}", n) for n in range(3))])
    made.transcript(home, "c", [shown_record("user", n, f"t{n}", hours=-5) for n in range(3)])
    plain = run(home)
    clock = {"host": "", "user": "", "agent": "nanobot", "offset": "-05:00", "from": "2026-10-01", "to": "2026-10-01"}
    told = json.loads((tmp_path / "out1" / "run.json").read_text())
    assert told["clocks"] == [{**clock, "pairs": 3, "agree": 3, "corrected": False}]
    assert plain.of(text="t0")[0]["timestamp_utc"] == "2026-10-01T10:15:00.250Z"
    moved = run(home, "--correct-local-times")
    told = json.loads((tmp_path / "out2" / "run.json").read_text())
    assert told["clocks"] == [{**clock, "pairs": 3, "agree": 3, "corrected": True}]
    (row,) = moved.of(text="t0")
    assert (row["timestamp_utc"], row["time_basis"]) == ("2026-10-01T15:15:00.250Z", "local_corrected")
    assert row["time_raw"] == made.stamp(0)
    assert [r["text"] for r in moved.rows] == [r["text"] for r in plain.rows]


# -------------------------------------------------------------------------------- transcripts and run records


def test_run_records_join_by_their_ids(home: Path, run: Runner) -> None:
    job = {"kind": "cron", "cron_run_id": RUN}
    delivery = {"kind": "local_trigger", "trigger_delivery_id": DELIVERY}
    made.session(home, [
        header("websocket:c"),
        message("user", "Scheduled cron job triggered: renamed", 10, _automation_turn=job),
        message("assistant", "Three new mails.", 12),
        message("user", "Local trigger received: renamed", 20, _automation_turn=delivery),
        message("assistant", "Noted.", 22),
    ])  # fmt: skip
    made.write(home, ".nanobot/workspace/cron/runs/a.json", cron_run())
    made.write(home, ".nanobot/workspace/triggers/runs/b.json", trigger_run())
    result = run(home)
    assert result.texts(role="secondary") == [
        f"cron run: job digest (job:1) run {RUN} status=ok",
        "trigger run: trigger box (trg_1) delivery tdl_1 status=ok attempts=0",
    ]


def test_run_records_outlive_their_session(home: Path, run: Runner) -> None:
    failed = {"status": "error", "response": None, "error": "no model"}
    made.write(home, ".nanobot/workspace/cron/runs/a.json", cron_run(**failed))
    bare = trigger_run(trigger_name=None, content="", response=None, last_error="late", attempts=2)
    made.write(home, ".nanobot/workspace/triggers/runs/b.json", bare)
    rows = run(home).rows
    assert [(r["timestamp_utc"], r["event"], r["text"], r["session_id"]) for r in rows] == [
        (
            "2026-10-01T09:15:12.250Z",
            "task",
            f"cron run: job digest (job:1) run {RUN} status=error error=no model",
            "websocket:c",
        ),
        ("2026-10-01T09:15:20.250Z", "context", "context: local_trigger: Local trigger received: trg_1", "websocket:c"),
        (
            "2026-10-01T09:15:21.250Z",
            "task",
            "trigger run: trigger (trg_1) delivery tdl_1 status=ok attempts=2 error=late",
            "websocket:c",
        ),
        (
            "2026-10-01T10:15:10.250Z",
            "context",
            "context: cron: Scheduled cron job triggered: digest\n\nsummarise the inbox",
            "websocket:c",
        ),
    ]
    assert {row["role"] for row in rows} == {"secondary"}


def test_an_answer_of_a_deleted_session_stands_once_in_transcript_and_run_record(home: Path, run: Runner) -> None:
    made.transcript(home, "c", [shown_record("stream_end", 12, "Three new mails.", stream_id="websocket:c:1:0")])
    made.write(home, ".nanobot/workspace/cron/runs/a.json", cron_run())
    (row,) = run(home).of(turn_type="assistant")
    assert (row["role"], row["rule"]) == ("secondary", "nanobot/webui/answer")


def test_a_transcript_of_a_unified_session_belongs_to_it(home: Path, run: Runner) -> None:
    made.session(home, [header("unified:default"), message("assistant", "both", 1)])
    made.transcript(
        home,
        "c",
        [
            shown_record("user", 1, "asked"),
            shown_record("stream_end", 1, "both", stream_id="unified:default:1796:0"),
        ],
    )
    result = run(home)
    assert {row["session_id"] for row in result.rows} == {"unified:default"}
    assert len(result.texts(text="both")) == 1


def test_pieces_of_a_text_are_written_only_when_their_end_is_missing(home: Path, run: Runner) -> None:
    made.transcript(home, "c", [
        shown_record("delta", 1, "whole ", stream_id="s1"),
        shown_record("delta", 2, "text", stream_id="s1"),
        shown_record("stream_end", 3, "whole text", stream_id="s1"),
        shown_record("delta", 4, "half ", stream_id="s2"),
        shown_record("delta", 5, "a text", stream_id="s2"),
        shown_record("stream_end", 6, "part", stream_id="s3", merge_next=True),
        shown_record("stream_end", 7, "part and more", stream_id="s4"),
    ])  # fmt: skip
    rows = run(home).rows
    assert [(row["text"], row["source_line"]) for row in rows] == [
        ("whole text", 3),
        ("half a text", 5),
        ("part and more", 7),
    ]


@pytest.mark.parametrize("field", ["schema_version", "schemaVersion"])
def test_a_transcript_of_another_schema_is_notes(field: str, home: Path, run: Runner) -> None:
    made.transcript(home, "c", [{field: 4, "event": "begin"}, shown_record("user", 1, "hi")])
    made.transcript(home, "d", [{field: 3, "event": "user", "text": "known", "created_at_ms": 1}])
    result = run(home)
    notes = result.texts(event="note")
    assert len(notes) == 2 and all(note.startswith("transcript of schema version 4: {") for note in notes)
    assert result.texts(turn_type="user") == ["known"]


def test_unknown_records_are_notes_and_counted(home: Path, run: Runner) -> None:
    made.session(home, [header("cli:a"), message("narrator", "who am I", 1), {"x": 1}])
    made.transcript(home, "c", [
        shown_record("retry_status", 1, n=2), {"no": "event"}, shown_record("message", 2, "?", kind="new_kind"),
        shown_record("message", 2, "", kind="progress", tool_events=[{"phase": "wait", "call_id": "1"}]),
    ])  # fmt: skip
    result = run(home)
    notes = [
        note.split("(")[0] if note.startswith("parser") else note.split(":")[0] for note in result.texts(event="note")
    ]
    assert sorted(notes) == [
        "narrator",
        "new_kind",
        "parser: unparseable record 2 ",
        "parser: unparseable record 3 ",
        "retry_status",
        "wait",
    ]
