"""Rows for tests of the report, and the page that holds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from engine.lang.load import load_plan
from engine.lang.times import utc_text
from engine.report.page import ReportPage
from engine.rows import Row
from engine.write.files import OutputFile
from engine.write.sink import Facts

ATTACK = (
    '</script><script>document.title = "broken in"</script><img src=x onerror="document.title = \'broken in\'">'
    "<style>body { display: none }</style>"
)
EMPTY = Row(*(0 if name == "source_line" else "" for name in Row._fields))
FILES = [
    {
        "agent": "zed", "source_file": "a.db", "files": [{"source_file": "a.db", "size": 5, "sha256": "ab" * 32}],
        "stores": {"threads": {"read": 3, "rows": 2, "copies": 0, "ignored": {"empty": 1}, "bad": 0}},
    }
]  # fmt: skip


def row(number: int, text: str, turn: str = "user", event: str = "message", **more: Any) -> Row:
    """A row, `number` minutes after midnight."""
    stamp = f"2026-03-01T{number // 60 % 24:02d}:{number % 60:02d}:00.000Z"
    known = {"timestamp_utc": stamp, "time_raw": stamp, "agent": "zed", "session_id": "s1", "role": "primary"}
    return EMPTY._replace(
        **known | {"text": text, "turn_type": turn, "event": event, "rule": "zed/threads/prompt"} | more
    )


def some_rows() -> list[Row]:
    """Two sessions: a call with its result, a denial, a note, a survivor, an undated row, hostile text."""
    return [
        row(1, "count the widgets"),
        row(2, "ls -la", "tool_use", "tool_use", tool_name="terminal", tool_use_id="c1", arguments='{"command":"ls"}'),
        row(3, "twelve widgets", "tool_result", "tool_result", tool_name="terminal", tool_use_id="c1"),
        row(4, "permission decision: denied", "system", "permission_decision", status="denied"),
        row(5, ATTACK, "assistant"),
        row(6, "only in a copy", role="secondary", session_id="s2", agent="nanobot"),
        row(7, "İstanbul 🚀 例え", "assistant", session_id="s2", agent="nanobot"),
        row(8, "ends with nee", "assistant", session_id="s2", agent="nanobot"),
        row(9, "dle begins", "assistant", session_id="s2", agent="nanobot", model="model-x"),
        row(0, "parser: unparseable record 4", "system", "note", timestamp_utc="", time_raw="", session_id=""),
        row(10, "red \x1b[31mtext \u202egnp.exe", "assistant", session_id="s2", agent="nanobot"),
    ]


def many_rows(count: int) -> Iterator[Row]:
    """`count` rows in sessions of 150; one of them has a needle."""
    words = [f"word{n:04d}" for n in range(997)]
    for n in range(count):
        turn, event = (("user", "message"), ("assistant", "message"), ("tool_use", "tool_use"))[n % 3]
        text = " ".join(words[(n * 31 + k * k) % 997] for k in range(20 + n % 60))
        stamp = utc_text(1_770_000_000_000 + n * 20_000)
        yield row(
            0, "a needle here" if n == count // 2 else text, turn, event, timestamp_utc=stamp, time_raw=stamp,
            session_id=f"s{n // 150}", agent=("zed", "nanobot")[n // 150 % 2],
        )  # fmt: skip


def write_page(path: Path, rows: Iterable[Row]) -> Path:
    page = ReportPage(OutputFile(path), [load_plan("zed")])
    page.open()
    batch: list[Row] = []
    for each in rows:
        batch.append(each)
        if len(batch) == 512:
            page.write_rows(batch)
            batch = []
    page.write_rows(batch)
    run = {"specs": [{"agent": "zed", "sha256": "cd" * 32}], "unreadable": []}
    page.keep(Facts(run=lambda: run, sessions=list, files=lambda: FILES))
    page.close()
    return path
