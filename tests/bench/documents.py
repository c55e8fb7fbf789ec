"""Corpora of agents that keep documents: Zed's threads, agent-zero's chats."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import orjson
import zstandard

from tests.bench.texts import PROJECTS, Texts

Json = dict[str, Any]

# ----------------------------------------------------------------------------------------------------- Zed

_THREADS = (
    "CREATE TABLE IF NOT EXISTS threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL,"
    " data_type TEXT NOT NULL, data BLOB NOT NULL, parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT,"
    " created_at TEXT)"
)


def make_thread(t: Texts, home: Path, size: int) -> int:
    path, cwd = home / ".local/share/zed/threads/threads.db", t.random.choice(PROJECTS)
    path.parent.mkdir(parents=True, exist_ok=True)
    now = t.tick().isoformat(timespec="microseconds")
    tree = {
        "worktree_path": cwd,
        "git_state": {"remote_url": None, "current_branch": "main", "diff": t.text("shell", 3000)},
    }
    thread = orjson.dumps({
        "title": t.text("prose", 30), "messages": _zed_messages(t, cwd, size), "updated_at": f"{now}Z",
        "profile": "write",
        "initial_project_snapshot": {"worktree_snapshots": [tree], "timestamp": f"{now}Z"},
        "model": {"provider": "anthropic", "model": "claude-sonnet-4-6"}, "version": "0.3.0",
    })  # fmt: skip
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    packed = packer.compress(thread) + packer.flush()
    row = (t.uuid(), "a thread", f"{now}+00:00", "zstd", packed, None, cwd, "0", f"{now}+00:00")
    with sqlite3.connect(path) as database:
        database.execute(_THREADS)
        database.execute("INSERT INTO threads VALUES (?,?,?,?,?,?,?,?,?)", row)
    database.close()
    return len(thread)


def _zed_messages(t: Texts, cwd: str, size: int) -> list[Json]:
    messages: list[Json] = []
    written = 0
    while written < size:
        messages.append({"User": {"id": t.uuid(), "content": [{"Text": t.message()}]}})
        for _ in range(t.random.randint(2, 15)):
            call, arguments, shown = f"toolu_{t.hex(24)}", {"command": t.command(), "cd": cwd}, t.output()
            used = {
                "id": call, "name": "terminal", "raw_input": orjson.dumps(arguments).decode(),
                "input": {"type": "json", "value": arguments}, "is_input_complete": True,
            }  # fmt: skip
            result = {
                "tool_use_id": call, "tool_name": "terminal", "is_error": False, "content": [{"Text": shown}],
                "output": shown,
            }  # fmt: skip
            thought = {"text": t.prose(300, 0.9, 20, 4000), "signature": t.blob(400)}
            content = [{"Thinking": thought}, {"Text": t.prose(160)}, {"ToolUse": used}]
            messages.append({"Agent": {"content": content, "tool_results": {call: result}, "reasoning_details": None}})
            written += 2 * len(shown) + 2500
        messages.append({"Agent": {"content": [{"Text": t.message()}], "tool_results": {}, "reasoning_details": None}})
    return messages


# ---------------------------------------------------------------------------------------------- agent-zero


def make_chat(t: Texts, home: Path, size: int) -> int:
    """One chat: its log, and the agent's history as JSON inside the JSON."""
    name = t.hex(8)
    logs, history = _turns(t, int(size * 0.6))
    current = {"_cls": "Topic", "summary": "", "messages": history}
    inner = {"_cls": "History", "counter": len(logs), "bulks": [], "topics": [], "current": current}
    agent = {"number": 0, "agent_profile": "agent0", "data": {}, "history": orjson.dumps(inner).decode()}
    data = orjson.dumps({
        "id": name, "name": t.text("prose", 30), "created_at": "2026-03-02T09:00:00+01:00", "type": "user",
        "last_message": "2026-03-02T11:00:00+01:00", "agents": [agent], "streaming_agent": 0, "agent_profile": "agent0",
        "log": {"guid": t.uuid(), "logs": logs[-1000:], "progress": "", "progress_no": 0}, "data": {"project": "atlas"},
        "output_data": {},
    })  # fmt: skip
    path = home / f"agent-zero/usr/chats/{name}/chat.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.write_bytes(data)


def _turns(t: Texts, size: int) -> tuple[list[Json], list[Json]]:
    logs: list[Json] = []
    history: list[Json] = []
    written = 0

    def say(kind: str, by_model: bool, heading: str, content: str, said: Any, **more: Any) -> None:
        nonlocal written
        number, name = len(logs) + 1, t.uuid()
        history.append(
            {"_cls": "Message", "id": name, "ai": by_model, "content": said, "sequence": number, "tokens": 9}
        )
        logs.append({
            "no": number, "id": name, "type": kind, "heading": heading, "content": content[:15000], "kvps": more,
            "timestamp": t.tick().timestamp(), "agentno": 0,
        })  # fmt: skip
        written += len(orjson.dumps(said)) + len(content)

    while written < size:
        said = t.message()
        say("user", False, "User message", said, {"user_message": said, "attachments": []})
        for _ in range(t.random.randint(1, 12)):
            call: Json = {
                "thoughts": [t.prose(150)], "headline": t.text("prose", 30), "tool_name": "code_execution_tool",
                "tool_args": {"runtime": "terminal", "session": 0, "code": t.command()},
            }  # fmt: skip
            say("agent", True, call["headline"], "", orjson.dumps(call).decode(), **call)
            shown = t.output()
            result = {"tool_name": "code_execution_tool", "tool_result": shown}
            say("code_exe", False, "Terminal", shown, result, code=call["tool_args"]["code"])
        answer = t.message()
        reply = {"thoughts": ["x"], "tool_name": "response", "tool_args": {"text": answer}}
        say("response", True, "Response", answer, orjson.dumps(reply).decode())
    return logs, history
