"""Builds Zed homes from text: the records of a case stand in JSON beside its other files, so that a diff shows them.

A case is a directory with any of
- `home/`              files that are copied as they are
- `threads.jsonl`      rows of threads.db; `blob` is compressed as Zed writes it, `hex` and `text` go in as they are
- `db-<channel>.json`  table → rows of db.sqlite; text that begins with `hex:` is a blob
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

DATA = Path(".local/share/zed")
CONFIG = Path(".config/zed")

#: the columns of `threads` as Zed adds them
THREAD_COLUMNS = {
    "id": "TEXT PRIMARY KEY", "summary": "TEXT NOT NULL", "updated_at": "TEXT NOT NULL", "data_type": "TEXT NOT NULL",
    "data": "BLOB NOT NULL", "parent_id": "TEXT", "folder_paths": "TEXT", "folder_paths_order": "TEXT",
    "created_at": "TEXT",
}  # fmt: skip

#: table → columns, of db.sqlite after its last migration
TABLES = {
    "scoped_kv_store": "namespace TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(namespace, key)",
    "kv_store": "key TEXT PRIMARY KEY, value TEXT NOT NULL",
    "sidebar_threads": (
        "thread_id BLOB PRIMARY KEY, session_id TEXT, agent_id TEXT, title TEXT NOT NULL, updated_at TEXT NOT NULL, "
        "created_at TEXT, folder_paths TEXT, folder_paths_order TEXT, archived INTEGER DEFAULT 0, "
        "main_worktree_paths TEXT, main_worktree_paths_order TEXT, remote_connection TEXT, interacted_at TEXT, "
        "title_override TEXT"
    ),
    "archived_git_worktrees": (
        "id INTEGER PRIMARY KEY, worktree_path TEXT NOT NULL, main_repo_path TEXT NOT NULL, branch_name TEXT, "
        "staged_commit_hash TEXT, unstaged_commit_hash TEXT, original_commit_hash TEXT"
    ),
    "thread_archived_worktrees": (
        "thread_id BLOB NOT NULL, archived_worktree_id INTEGER NOT NULL, "
        "PRIMARY KEY (thread_id, archived_worktree_id)"
    ),
    "sidebar_terminal_threads": (
        "terminal_id TEXT PRIMARY KEY, title TEXT NOT NULL, custom_title TEXT, created_at TEXT NOT NULL, "
        "working_directory TEXT, folder_paths TEXT, folder_paths_order TEXT, main_worktree_paths TEXT, "
        "main_worktree_paths_order TEXT, remote_connection TEXT"
    ),
    "trusted_worktrees": (
        "trust_id INTEGER PRIMARY KEY AUTOINCREMENT, absolute_path TEXT, user_name TEXT, host_name TEXT"
    ),
    "workspaces": "workspace_id INTEGER PRIMARY KEY, paths TEXT, paths_order TEXT, timestamp TEXT, session_id TEXT",
}  # fmt: skip


def frame(text: bytes) -> bytes:
    """A zstd frame without a content size, as a streaming writer makes it."""
    packer = zstandard.ZstdCompressor(level=3).compressobj()
    return packer.compress(text) + packer.flush()


def blob_of(row: Mapping[str, Any]) -> bytes:
    """What the `data` column of a described row holds."""
    if "hex" in row:
        return bytes.fromhex(row["hex"])
    if "text" in row:
        return str(row["text"]).encode()
    text = json.dumps(row["blob"], ensure_ascii=False, separators=(",", ":")).encode()
    return frame(text) if row["data_type"] == "zstd" else text


def write_threads(home: Path, rows: Iterable[Mapping[str, Any]], columns: Iterable[str] = THREAD_COLUMNS) -> Path:
    """threads.db with these rows; columns that a row lacks are null, `columns` leaves some out of the table."""
    path = home / DATA / "threads" / "threads.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    names = list(columns)
    with closing_commit(path) as db:
        db.execute("PRAGMA page_size=1024")
        db.execute(f"CREATE TABLE threads({', '.join(f'{name} {THREAD_COLUMNS[name]}' for name in names)})")
        for row in rows:
            values = [blob_of(row) if name == "data" else row.get(name) for name in names]
            db.execute(f"INSERT INTO threads({', '.join(names)}) VALUES ({', '.join('?' * len(names))})", values)
    return path


#: the same of before the seventh migration of the sidebar, which gave threads an id of their own
OLD_TABLES = {
    "sidebar_threads": (
        "session_id TEXT PRIMARY KEY, agent_id TEXT, title TEXT NOT NULL, updated_at TEXT NOT NULL, created_at TEXT, "
        "folder_paths TEXT, folder_paths_order TEXT"
    ),
    "archived_git_worktrees": (
        "id INTEGER PRIMARY KEY, worktree_path TEXT NOT NULL, main_repo_path TEXT NOT NULL, branch_name TEXT"
    ),
    "thread_archived_worktrees": "session_id TEXT NOT NULL, archived_worktree_id INTEGER NOT NULL",
}


def write_database(
    home: Path,
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
    channel: str = "stable",
    tables: Mapping[str, str] = TABLES,
) -> Path:
    """db.sqlite of a channel: these tables with these rows."""
    path = home / DATA / "db" / f"0-{channel}" / "db.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing_commit(path) as db:
        db.execute("PRAGMA page_size=1024")
        for table, columns in tables.items():
            db.execute(f"CREATE TABLE {table}({columns})")
        for table, described in rows.items():
            insert(db, table, described)
    return path


def insert(db: sqlite3.Connection, table: str, rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        values = [bytes.fromhex(v[4:]) if isinstance(v, str) and v.startswith("hex:") else v for v in row.values()]
        db.execute(f"INSERT INTO {table}({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", values)


class closing_commit:
    """A connection that commits and closes at the end of a block."""

    def __init__(self, path: Path):
        self.path = path

    def __enter__(self) -> sqlite3.Connection:
        self.db = sqlite3.connect(self.path)
        return self.db

    def __exit__(self, *_: object) -> None:
        self.db.commit()
        self.db.close()


def write_config(home: Path, name: str, text: str | bytes) -> Path:
    path = home / CONFIG / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def build(case: Path, home: Path) -> Path:
    """The home that a case describes."""
    if (case / "home").is_dir():
        shutil.copytree(case / "home", home, dirs_exist_ok=True)
    home.mkdir(parents=True, exist_ok=True)
    if (case / "threads.jsonl").is_file():
        rows = [json.loads(line) for line in (case / "threads.jsonl").read_text(encoding="utf-8").splitlines()]
        old = not any("created_at" in row for row in rows)
        write_threads(home, rows, list(THREAD_COLUMNS)[:5] if old else THREAD_COLUMNS)
    for described in sorted(case.glob("db-*.json")):
        write_database(home, json.loads(described.read_text(encoding="utf-8")), described.stem.removeprefix("db-"))
    return home
