"""`sessions.jsonl`: one line a session."""

from __future__ import annotations

from collections.abc import Iterable

from engine.run.sessions import Session
from engine.write.files import Target
from engine.write.jsonl import as_line, escape_separators


def write_sessions(sessions: Iterable[Session], target: Target | None) -> int:
    """Writes all sessions to an open target, if there is one; gives their number."""
    count = 0
    for session in sessions:
        count += 1
        if target is not None:
            target.write(escape_separators(as_line(session._asdict())) + b"\n")
    return count
