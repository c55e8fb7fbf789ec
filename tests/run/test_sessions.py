"""Sessions, whatever the order in which their rows come."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rows import COLUMNS
from engine.run import sessions
from engine.run.sessions import Session, Sessions

VALUES = {
    "timestamp_utc": ["", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.001Z", "2026-01-02T00:00:00.000Z"],
    "session_id": ["", "s", "t", "\ud800"],
    "project_path": ["", "/p", "/q"],
    "turn_type": ["user", "assistant", "tool_use", "system"],
    "model": ["", "m", "n"],
    "source_file": ["a", "b"],
    "event": ["message", "note"],
}


@st.composite
def numbered_rows(draw):
    rows = []
    for seq in range(draw(st.integers(0, 25))):
        values = {name: draw(st.sampled_from(VALUES[name])) if name in VALUES else "" for name in COLUMNS}
        source = draw(st.integers(0, 3))
        values["host"] = "h" if source == 3 else ""
        rows.append((source, (*values.values(), "", seq)))
    return rows


def plainly(rows) -> list[Session]:
    """The sessions of rows, read off the rows in their order."""
    ordered = sorted(rows, key=lambda item: (item[1][0] == "", item[1][0], item[0], item[1][23]))
    found: dict[tuple[str, ...], list] = {}
    for _, row in ordered:
        if row[4] and row[14] != "note":
            found.setdefault(row[1:5], []).append(row)
    result = []
    for name, mine in found.items():
        times = sorted(row[0] for row in mine if row[0])
        turns = Counter(row[7] for row in mine)
        files = Counter(row[12] for row in mine)
        result.append(
            Session(
                *name,
                project_path=next((row[5] for row in mine if row[5]), ""),
                first_timestamp_utc=times[0] if times else "",
                last_timestamp_utc=times[-1] if times else "",
                models=list(dict.fromkeys(row[8] for row in mine if row[8])),
                user_turns=turns["user"],
                assistant_turns=turns["assistant"],
                tool_calls=turns["tool_use"],
                source_file=min(files, key=lambda file: (-files[file], file)),
            )
        )
    return sorted(result, key=lambda s: (s.first_timestamp_utc or "~", *s[:4]))


@pytest.mark.parametrize("held", [0, 3, 10_000])
@given(numbered_rows())
def test_sessions_say_what_their_rows_say_in_whatever_order_they_came(held, rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sessions, "_HELD", held)
        gathered = Sessions()
        for source, row in rows:
            gathered.add([row], source)
        assert list(gathered.records()) == plainly(rows)
