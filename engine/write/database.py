"""What the SQLite and the DuckDB sink share: the tables of a run, and views for the common questions.

Tables: `rows` (the columns of the contract and `id`, the row's place in the order; `timestamp_utc` null when undated),
`sessions`, `files` (each file that was read, with its SHA-256), `ledger` (what became of the records of each file and
store), `run` (one JSON document: versions, specs, options, totals).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from engine.rows import COLUMNS
from engine.write.sink import Facts

SESSION_COLUMNS = (
    "host", "user", "agent", "session_id", "project_path", "first_timestamp_utc", "last_timestamp_utc", "models",
    "user_turns", "assistant_turns", "tool_calls", "source_file",
)  # fmt: skip
FILE_COLUMNS = ("host", "user", "agent", "source_file", "what", "size", "sha256")
LEDGER_COLUMNS = ("host", "user", "agent", "source_file", "store", "read", "rows", "copies", "ignored", "bad", "paired")

_NUMBERS = {"source_line", "user_turns", "assistant_turns", "tool_calls", "size", "read", "rows", "copies", "ignored",
            "bad", "paired"}  # fmt: skip

VIEWS = {
    "prompts": "SELECT * FROM rows WHERE turn_type = 'user'",
    "calls": (
        'SELECT c.id, c.timestamp_utc, c.host, c."user", c.agent, c.session_id, c.project_path, c.tool_name, '
        "c.tool_use_id, c.text AS call, c.arguments, r.id AS result_id, r.timestamp_utc AS result_utc, "
        "r.status, r.text AS result FROM rows c LEFT JOIN rows r ON r.turn_type = 'tool_result' "
        "AND r.tool_use_id = c.tool_use_id AND r.session_id = c.session_id AND r.agent = c.agent "
        "AND r.host = c.host AND r.\"user\" = c.\"user\" AND c.tool_use_id <> '' WHERE c.turn_type = 'tool_use'"
    ),
    "decisions": "SELECT * FROM rows WHERE event = 'permission_decision'",
    "settings": "SELECT * FROM rows WHERE event IN ('permission_setting', 'permission_mode')",
    "survivors": "SELECT * FROM rows WHERE role = 'secondary'",
    "notes": "SELECT * FROM rows WHERE event = 'note'",
}


def table(name: str, columns: tuple[str, ...], *, text: str = "TEXT", integer: str = "INTEGER", time: str = "") -> str:
    """The statement that creates a table; `time` is the type of its times, text by default."""
    kinds = []
    for column in columns:
        kind = integer if column in _NUMBERS else time if time and column.endswith("timestamp_utc") else text
        kinds.append(f'"{column}" {kind}')
    first = f"id {integer} PRIMARY KEY, " if name == "rows" else ""
    return f"CREATE TABLE {name} ({first}{', '.join(kinds)})"


TABLES = {"rows": COLUMNS, "sessions": SESSION_COLUMNS, "files": FILE_COLUMNS, "ledger": LEDGER_COLUMNS}


def session_records(facts: Facts) -> Iterator[tuple[Any, ...]]:
    """Sessions as records of their table; models are a JSON list, an unknown time is null."""
    for session in facts.sessions():
        values = dict(session, models=json.dumps(session["models"], ensure_ascii=False))
        yield tuple(values[name] or None if name.endswith("utc") else values[name] for name in SESSION_COLUMNS)


def file_records(facts: Facts) -> Iterator[tuple[Any, ...]]:
    for entry in facts.files():
        for file in entry["files"]:
            yield (entry["host"], entry["user"], entry["agent"], *(file.get(name) for name in FILE_COLUMNS[3:]))


def ledger_records(facts: Facts) -> Iterator[tuple[Any, ...]]:
    for entry in facts.files():
        where = tuple(entry[name] for name in LEDGER_COLUMNS[:4])
        for store, count in entry["stores"].items():
            ignored = sum(count["ignored"].values())
            yield (*where, store, count["read"], count["rows"], count["copies"], ignored, count["bad"], count["paired"])
