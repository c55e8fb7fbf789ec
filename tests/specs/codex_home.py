"""Builds Codex homes from text, so that a diff shows them.

A case is a directory with `home/`, files that are copied as they are, and at times `databases.json`: file below
`.codex` → table → rows. Rollouts of tests are made of records by the functions below.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import zstandard

CODEX = Path(".codex")

#: table → columns, as the migrations of 0.171 leave them; only those that the spec knows, and keys
TABLES = {
    "threads": (
        "id TEXT PRIMARY KEY, rollout_path TEXT NOT NULL, created_at INTEGER, updated_at INTEGER NOT NULL, "
        "source TEXT, model_provider TEXT, cwd TEXT NOT NULL, title TEXT NOT NULL, sandbox_policy TEXT, "
        "approval_mode TEXT, archived INTEGER DEFAULT 0, archived_at INTEGER, git_branch TEXT, "
        "git_origin_url TEXT, model TEXT, thread_source TEXT, name TEXT"
    ),
    "thread_spawn_edges": "parent_thread_id TEXT NOT NULL, child_thread_id TEXT PRIMARY KEY, status TEXT NOT NULL",
    "remote_control_enrollments": (
        "websocket_url TEXT, account_id TEXT, app_server_client_name TEXT, server_id TEXT, environment_id TEXT, "
        "server_name TEXT NOT NULL, updated_at INTEGER NOT NULL, remote_control_enabled INTEGER"
    ),
    "external_agent_config_imports": (
        "import_id TEXT PRIMARY KEY, completed_at_ms INTEGER NOT NULL, successes TEXT, failures TEXT, provider_id TEXT"
    ),
    "thread_items": (
        "thread_id TEXT NOT NULL, turn_id TEXT, item_id TEXT NOT NULL, rollout_ordinal INTEGER, "
        "created_at_ms INTEGER NOT NULL, item_json TEXT NOT NULL, item_type TEXT, updated_at_ordinal INTEGER, "
        "started_at_ms INTEGER, completed_at_ms INTEGER"
    ),
    "queued_items": (
        "id TEXT PRIMARY KEY, thread_id TEXT NOT NULL, payload_json TEXT NOT NULL, queue_order INTEGER, "
        "created_at_ms INTEGER NOT NULL, updated_at_ms INTEGER"
    ),
    "thread_goals": (
        "thread_id TEXT PRIMARY KEY, goal_id TEXT, objective TEXT NOT NULL, status TEXT NOT NULL, "
        "token_budget INTEGER, tokens_used INTEGER, time_used_seconds INTEGER, created_at_ms INTEGER, "
        "updated_at_ms INTEGER NOT NULL"
    ),
    "stage1_outputs": (
        "thread_id TEXT PRIMARY KEY, source_updated_at INTEGER, raw_memory TEXT NOT NULL, "
        "rollout_summary TEXT NOT NULL, rollout_slug TEXT, generated_at INTEGER NOT NULL"
    ),
}

#: thread_history_1.sqlite of 0.171 has indexes of this kind, which an untrusted schema does not allow
HISTORY_INDEX = "CREATE INDEX idx_observed ON thread_items(json_extract(item_json, '$.observed_at_ms'))"

PARENT, CHILD = "01990000-0000-7000-8000-0000000000a1", "01990000-0000-7000-8000-0000000000b2"
THREAD = "01990000-0000-7000-8000-0000000000c1"
SEGMENT = "01990000-0000-7000-9000-00000000aaaa"

Record = dict[str, Any]


def build(case: Path, home: Path) -> Path:
    """Makes the home of a case below `home`."""
    shutil.copytree(case / "home", home)
    described = case / "databases.json"
    if described.exists():
        for name, tables in json.loads(described.read_text(encoding="utf-8")).items():
            write_database(home / CODEX / name, tables)
    return home


def write_database(file: Path, tables: Mapping[str, Iterable[Mapping[str, Any]]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(file)
    with connection:
        for table, rows in tables.items():
            connection.execute(f"CREATE TABLE {table} ({TABLES[table]})")
            for row in rows:
                names = ", ".join(row)
                connection.execute(
                    f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values())
                )
        if "thread_items" in tables:
            connection.execute(HISTORY_INDEX)
    connection.close()


def write_lines(file: Path, records: Iterable[Any]) -> Path:
    """Writes one JSON text a line; text goes in as it is, `.zst` is compressed."""
    texts = (r if isinstance(r, str) else json.dumps(r, ensure_ascii=False, separators=(",", ":")) for r in records)
    data = "".join(text + "\n" for text in texts).encode()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(zstandard.ZstdCompressor(level=3).compress(data) if file.suffix == ".zst" else data)
    return file


def rollout(home: Path, records: Iterable[Any], thread: str = THREAD, *, name: str = "", folder: str = "") -> Path:
    """Writes a rollout where Codex would: `name` replaces the file's, `folder` the one below `.codex`."""
    name = name or f"rollout-2026-10-05T11-00-00-{thread}.jsonl"
    return write_lines(home / CODEX / (folder or "sessions/2026/10/05") / name, records)


def at(second: float) -> str:
    """A stamp on 2026-10-05, `second` seconds after 09:00 UTC."""
    whole = int(second)
    return f"2026-10-05T09:{whole // 60:02d}:{whole % 60:02d}.{round((second - whole) * 1000):03d}Z"


def line(second: float, kind: str, payload: Any, **more: Any) -> Record:
    return {"timestamp": at(second), "type": kind, "payload": payload, **more}


def meta(second: float = 0, thread: str = THREAD, **more: Any) -> Record:
    """The header of an enveloped file."""
    payload = {
        "id": thread, "timestamp": at(second), "cwd": "/home/alice/proj", "originator": "codex_exec",
        "cli_version": "0.130.0", "source": "exec", "model_provider": "openai", "git": {"branch": "main"},
    }  # fmt: skip
    return line(second, "session_meta", {**payload, **more})


def turn(second: float, model: str = "alpha-1", **more: Any) -> Record:
    payload = {
        "turn_id": "t1", "cwd": "/home/alice/proj", "approval_policy": "on-request",
        "sandbox_policy": {"type": "read-only"}, "model": model,
    }  # fmt: skip
    return line(second, "turn_context", {**payload, **more})


def item(second: float, kind: str, /, **payload: Any) -> Record:
    return line(second, "response_item", {"type": kind, **payload})


def message(second: float, role: str, *texts: str, **more: Any) -> Record:
    kind = "output_text" if role == "assistant" else "input_text"
    return item(second, "message", role=role, content=[{"type": kind, "text": text} for text in texts], **more)


def event(second: float, kind: str, /, **payload: Any) -> Record:
    return line(second, "event_msg", {"type": kind, **payload})


def completed(second: float, kind: str, /, **item_: Any) -> Record:
    """A finished item of a paginated file."""
    return event(second, "item_completed", thread_id=THREAD, turn_id="t1", item={"type": kind, **item_})


def call(second: float, name: str, arguments: Any, call_id: str = "c1") -> Record:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, separators=(",", ":"))
    return item(second, "function_call", name=name, arguments=text, call_id=call_id)


def output(second: float, text: Any, call_id: str = "c1") -> Record:
    return item(second, "function_call_output", call_id=call_id, output=text)
