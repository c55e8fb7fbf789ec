"""Builds nanobot homes from records: session files, the session database, transcripts."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

Record = dict[str, Any]

NS = "0123456789abcdef0123456789abcdef"
SESSIONS = f".nanobot/sessions/{NS}"
DATABASE = f"{SESSIONS}/sessions.sqlite3"
WORKSPACE = "/home/alice/proj"

#: the tables of the session database
TABLES = {
    "storage_meta": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "sessions": (
        "key TEXT PRIMARY KEY, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, metadata TEXT NOT NULL, "
        "provider_state TEXT, last_archived INTEGER NOT NULL, revision INTEGER NOT NULL, generation TEXT NOT NULL, "
        "title TEXT NOT NULL, preview TEXT NOT NULL, visible_updated_at TEXT"
    ),
    "messages": (
        "session_key TEXT NOT NULL, position INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY(session_key, position)"
    ),
    "checkpoints": "session_key TEXT PRIMARY KEY, record TEXT NOT NULL",
    "pending_inputs": (
        "session_key TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL, record TEXT NOT NULL, "
        "PRIMARY KEY(session_key, kind, position)"
    ),
}


def stamp(second: int) -> str:
    """A zoneless local time of 1 October 2026, from 10:15 on."""
    return f"2026-10-01T{10 + (15 + second // 60) // 60:02d}:{(15 + second // 60) % 60:02d}:{second % 60:02d}.250000"


def shown(second: int) -> str:
    """The same time as a row shows it."""
    return stamp(second)[:23] + "Z"


def true_ms(second: int, hours: int = 0) -> int:
    """Milliseconds since 1970 of that moment on a host `hours` east of UTC."""
    return 1790849700250 + 1000 * second - 3_600_000 * hours


def message(role: str, content: Any, second: int = 0, **more: Any) -> Record:
    return {"role": role, "content": content, "timestamp": stamp(second), **more}


def call(name: str, arguments: Any, id_: str = "c1") -> Record:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def header(key: str | None, metadata: Any = None, **more: Any) -> Record:
    named = {} if key is None else {"key": key}
    times = {"created_at": stamp(0), "updated_at": stamp(59)}
    return {"_type": "metadata", **named, **times, "metadata": metadata or {}, "last_consolidated": 0, **more}


def lines(records: Iterable[Any]) -> str:
    """JSON lines; text goes in as it is."""
    return "".join((r if isinstance(r, str) else json.dumps(r, ensure_ascii=False)) + "\n" for r in records)


def write(home: Path, name: str, content: str | Record) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def stem(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def session(home: Path, records: Iterable[Any], name: str = "") -> Path:
    """A session file; its name follows from the key of its first record."""
    records = list(records)
    write(home, f"{SESSIONS}/.workspace", WORKSPACE + "\n")
    return write(home, name or f"{SESSIONS}/{stem(records[0]['key'])}.jsonl", lines(records))


def transcript(home: Path, chat: str, records: Iterable[Any], part: str = "") -> Path:
    """A transcript of the web interface, or a segment of one."""
    name = f"websocket_{chat}.segments/{part}.jsonl" if part else f"websocket_{chat}.jsonl"
    return write(home, f".nanobot/webui/{name}", lines(records))


def shown_record(event: str, second: int, text: str | None = None, hours: int = 1, **more: Any) -> Record:
    """A record of a transcript on a host that is `hours` east of UTC."""
    said = {} if text is None else {"text": text}
    return {"event": event, "chat_id": "c", **said, **more, "created_at_ms": true_ms(second, hours)}


def database(
    home: Path,
    sessions: Mapping[str, tuple[Any, Iterable[Any]]],
    *,
    checkpoints: Mapping[str, Any] | None = None,
    followups: Mapping[str, Iterable[Any]] | None = None,
    without: Iterable[str] = (),
    name: str = DATABASE,
) -> Path:
    """The session database: key → metadata and messages; text goes in as it is. Metadata of None: no session row."""
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write(home, f"{SESSIONS}/.workspace", WORKSPACE + "\n")
    connection = sqlite3.connect(path)
    for table, columns in TABLES.items():
        if table not in without:
            connection.execute(f"CREATE TABLE {table}({columns})")
    for n, (key, (metadata, messages)) in enumerate(sessions.items()):
        if metadata is not None and "sessions" not in without:
            row = (key, stamp(n), stamp(59), _text(metadata), None, 0, 1, "g", "", "", None)
            connection.execute(f"INSERT INTO sessions VALUES ({','.join('?' * len(row))})", row)
        if "messages" not in without:
            rows = [(key, at, _text(record)) for at, record in enumerate(messages)]
            connection.executemany("INSERT INTO messages VALUES (?, ?, ?)", rows)
    for key, record in (checkpoints or {}).items():
        connection.execute("INSERT INTO checkpoints VALUES (?, ?)", (key, _text(record)))
    for key, records in (followups or {}).items():
        queued = [(key, "pending_user_followups", at, _text(record)) for at, record in enumerate(records)]
        connection.executemany("INSERT INTO pending_inputs VALUES (?, ?, ?, ?)", queued)
    connection.commit()
    connection.close()
    return path


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
