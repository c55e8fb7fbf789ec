"""The row contract: columns, turn types, events. Everything that reads our output depends on this module.

Columns are only ever added at the end; `SCHEMA_VERSION` then grows by one.
"""

from __future__ import annotations

from typing import NamedTuple

SCHEMA_VERSION = 1


class Row(NamedTuple):
    """One thing that happened. No column is ever None; strings but `source_line`.

    `timestamp_utc` is `YYYY-MM-DDTHH:MM:SS.mmmZ` or empty; so text order is time order.
    """

    timestamp_utc: str
    host: str
    user: str
    agent: str
    session_id: str
    project_path: str
    git_branch: str
    turn_type: str
    model: str
    tool_name: str
    tool_use_id: str
    text: str
    source_file: str
    source_line: int
    event: str
    status: str
    time_basis: str
    time_raw: str
    role: str
    basis: str
    rule: str
    arguments: str


COLUMNS: tuple[str, ...] = Row._fields

TURN_TYPES = ("user", "assistant", "thinking", "tool_use", "tool_result", "system")

#: the event of a row whose step names its turn only
DEFAULT_EVENT = {
    "user": "message",
    "assistant": "message",
    "thinking": "thinking",
    "tool_use": "tool_use",
    "tool_result": "tool_result",
}

EVENTS = (
    "message", "thinking", "tool_use", "tool_result", "session_start", "session_end", "model", "permission_setting",
    "permission_mode", "permission_decision", "session_synced", "session_relayed", "session_origin", "session_deleted",
    "scratch_directory", "draft", "worktree", "terminal", "sidebar", "memory", "task", "git", "context", "compaction",
    "notice", "error", "note",
)  # fmt: skip

STATUSES = ("", "error", "denied")

TIME_BASES = ("", "utc", "offset", "local_as_utc", "local_corrected", "approximate", "file_mtime")

ROLES = ("primary", "secondary")

BASES = ("observed", "fixture", "source")

#: columns that a spec may set; the engine sets the rest. `time` stands for timestamp_utc, time_basis and time_raw.
SPEC_COLUMNS = (
    "time", "session_id", "project_path", "git_branch", "model", "tool_name", "tool_use_id", "text", "source_file",
    "source_line", "status", "arguments", "pair_key",
)  # fmt: skip

#: messages, thinking and context without text are not written, and counted so
TEXT_REQUIRED = frozenset({"message", "thinking", "context"})
