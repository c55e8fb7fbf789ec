"""Homes of nanobot in which each rule of its spec writes a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nanobot_home as made
from nanobot_home import Record, call, header, message, shown_record

RUN, DELIVERY = "job:1:1790849710250:ab12cd34", "tdl_1"
SWITCHED = "Switched model preset to `{0}`.\n- Scope: current session\n- Model: `{1}`\n- Context window: 1"


def cron_run(**more: Any) -> Record:
    return {
        "job_id": "job:1", "job_name": "digest", "session_key": "websocket:c", "prompt_ref": "x",
        "prompt_vars": {"message": "summarise the inbox"}, "rendered_prompt": "Reminder: summarise the inbox",
        "status": "ok", "response": "Three new mails.", "run_id": RUN, "updated_at_ms": made.true_ms(12, 1), **more,
    }  # fmt: skip


def trigger_run(**more: Any) -> Record:
    return {
        "kind": "local_trigger", "trigger_id": "trg_1", "delivery_id": DELIVERY, "content": "from the box",
        "created_at_ms": made.true_ms(20, 1), "attempts": 0, "trigger_name": "box", "session_key": "websocket:c",
        "status": "ok", "response": "Noted.", "updated_at_ms": made.true_ms(21, 1), **more,
    }  # fmt: skip


def everything(tag: str) -> tuple[Record, list[Record]]:
    """Metadata and messages with each kind of record that a session knows, their texts ending in `tag`."""
    metadata = {
        "workspace_scope": {"project_path": "/home/alice/scope", "access_mode": "restricted"},
        "last_channel": "slack:C9",
        "_compaction_route": {"channel": "feishu", "chat_id": "F1", "metadata": {}},
        "runtime_checkpoint": {
            "phase": "awaiting_tools",
            "model": "large",
            "assistant_message": message(
                "assistant",
                f"cut {tag}",
                tool_calls=[call("exec", '{"command": "x"}', f"u{tag}")],
                reasoning_content=f"cut thought {tag}",
            ),
            "completed_tool_results": [
                {"role": "tool", "tool_call_id": f"u{tag}", "name": "exec", "content": f"cut result {tag}"}
            ],
            "pending_tool_calls": [],
        },
        "pending_user_followups": [{"id": "f", "content": f"and then {tag}"}],
    }
    records = [
        message("user", f"hello {tag}", 1),
        message(
            "assistant",
            f"answer {tag}",
            2,
            reasoning_content=f"thought {tag}",
            tool_calls=[call("exec", "{}", f"c{tag}")],
        ),
        message("tool", f"result {tag}", 3, tool_call_id=f"c{tag}", name="exec"),
        message("system", f"rules {tag}", 4),
        message("user", f"boundary {tag}", 5, _hidden_history=True),
        message("user", f"task done {tag}", 6, _hidden_history={"kind": "subagent_result"}),
        message("assistant", f"late {tag}", 7, injected_event="subagent_result", sender_id="subagent"),
        message("user", f"ask {tag}\n\nquote {tag}", 8, _runtime_context={"version": 1, "suffix": f"quote {tag}"}),
        message("user", "/model fast", 9, _command=True),
        message("assistant", SWITCHED.format("fast", "mini") + tag, 10, _command=True),
    ]
    return metadata, records


def whole_home(home: Path) -> None:
    """A home in which each rule of the spec writes a row."""
    for name, files in {
        "backup": f"{made.SESSIONS}/jsonl-backup/telegram_b.jsonl",
        "namespace": f"{made.SESSIONS}/old.jsonl",
        "legacy": ".nanobot/sessions/telegram_l.jsonl",
    }.items():
        metadata, records = everything(name)
        made.session(home, [header(f"telegram:{name}", metadata), *records], files)
        child = [header(f"subagent:{name}", {"parent_session_key": f"cli:{name}", "_nanobot_model_preset": "fast"})]
        made.session(home, [*child, message("user", f"count {name}", 3)], files.replace(".jsonl", "-sub.jsonl"))
        fork = [header(f"cli:fork-{name}", {"parent_session_key": f"cli:{name}"})]
        made.session(home, [*fork, message("user", f"go on {name}", 3)], files.replace(".jsonl", "-fork.jsonl"))
    metadata, records = everything("database")
    unsaved, followups = metadata.pop("runtime_checkpoint"), metadata.pop("pending_user_followups")
    parent = {"parent_session_key": "cli:x", "_nanobot_model_preset": "fast"}
    sessions = {
        "telegram:db": (metadata, records),
        "subagent:db": (parent, [message("user", "count", 3)]),
        "cli:fork": ({"parent_session_key": "cli:x"}, []),
        "cli:broken": ("{", []),
        "telegram:gone": (None, everything("orphans")[1]),
        "subagent:gone": (None, [message("user", "count the orphans", 3)]),
    }
    made.database(home, sessions, checkpoints={"telegram:db": unsaved}, followups={"telegram:db": followups})
    made.write(
        home,
        ".nanobot/workspace/memory/history.jsonl",
        '{"cursor": 1, "timestamp": "2026-10-01 10:20", "content": "likes milk"}\n',
    )
    made.write(home, ".nanobot/config.json", {"tools": {"restrictToWorkspace": True}})
    made.write(
        home,
        ".nanobot/pairing.json",
        {
            "approved": {"telegram": ["1"]},
            "pending": {
                "ABCD-EFGH": {
                    "channel": "discord",
                    "sender_id": "9",
                    "created_at": 1791187200.5,
                    "expires_at": 1791187800.5,
                }
            },
        },
    )
    edits = [
        {"tool": "write_file", "path": "a", "phase": phase, "added": 1, "deleted": 0}
        for phase in ("start", "end", "error")
    ]
    made.transcript(
        home,
        "c",
        [
            shown_record("user", 1, "typed"),
            shown_record("user", 2, "from another chat", session_message={"message_id": "m", "session": {"id": "s"}}),
            shown_record("reasoning_end", 3, "shown thought"),
            shown_record("stream_end", 4, "shown answer", stream_id="websocket:source:1:0"),
            shown_record("message", 5, "shown reply"),
            shown_record(
                "message",
                6,
                "",
                kind="tool_hint",
                tool_events=[{"phase": "start", "call_id": "w", "name": "exec", "arguments": {}}],
            ),
            shown_record(
                "message",
                7,
                "",
                kind="progress",
                tool_events=[
                    {"phase": "end", "call_id": "w", "name": "exec", "result": "done"},
                    {"phase": "error", "call_id": "v", "name": "exec", "error": "failed"},
                ],
            ),
            shown_record("message", 8, "working", kind="progress"),
            shown_record("message", 9, "old thought", kind="reasoning"),
            shown_record("file_edit", 10, edits=edits),
            shown_record("context_compaction", 11, phase="succeeded"),
            shown_record("fork_marker", 12),
            shown_record("reasoning_delta", 13, "open ", stream_id="s1"),
            shown_record("reasoning_delta", 14, "thought", stream_id="s1"),
            shown_record("delta", 15, "open ", stream_id="s1"),
            shown_record("delta", 16, "answer", stream_id="s1"),
        ],
    )
    made.write(home, ".nanobot/workspace/cron/runs/a.json", cron_run())
    made.write(home, ".nanobot/workspace/triggers/runs/b.json", trigger_run())
    made.write(home, ".nanobot/history/cli_history", "\n# 2026-10-01 10:15:01.250000\n+typed in a terminal\n")
    made.write(
        home, f"{made.SESSIONS}/.webui_session_index.json", {"version": 8, "sessions": [{"key": "websocket:gone"}]}
    )
