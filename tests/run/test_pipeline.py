"""Sources in, rows out: order, pairing and totals of whole runs over small homes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.read.discover import DiscoverOptions, discover
from engine.run import order
from engine.run.interpret import batches
from engine.run.passes import prepare
from engine.run.pipeline import Run, Setup
from tests.run.walking import HEAD, home_of, plan_of

SPEC = """
    stores:
      chats: {cite: 'toy:a:1 #x', files: ['{data}/chats/<id>.jsonl'], read: jsonl, walk: chat}
      history: {cite: 'toy:a:1 #x', role: secondary, files: ['{data}/history.jsonl'], read: jsonl, walk: prompt}
      frozen: {cite: 'toy:a:1 #x', role: secondary, files: ['{data}/frozen/<id>.jsonl'], read: jsonl, walk: chat}
    walks:
      chat:
        cite: 'toy:a:1 #x'
        columns: {session_id: path.id, time: {time: record.t, unit: iso}, text: record.text, model: record.model,
                  project_path: record.cwd, tool_use_id: record.id}
        steps:
          - switch: record.kind
            cases:
              user: {emit: prompt, turn: user}
              echo: {emit: echo, turn: user, role: secondary}
              assistant: {emit: answer, turn: assistant}
              call: {emit: call, turn: tool_use}
            otherwise: keep_json
        end:
          - {emit: start, event: session_start, columns: {time: {time: '`"2026-01-01T00:00:00Z"`', unit: iso},
             text: {const: start}}}
      prompt:
        cite: 'toy:a:1 #x'
        columns: {time: {time: record.t, unit: iso}, text: record.text}
        steps: [{emit: prompt, turn: user}]
    pairings:
      - {secondary: chats/echo, primary: [chats], within: 60 s, why: they repeat the prompt before}
      - {secondary: history, primary: [chats], within: 1 day, why: it is written when the prompt is sent}
      - {secondary: frozen, primary: [chats], within: 0 s, why: a copy}
"""


class Lines:
    """A sink that keeps rows."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._waiting: list[tuple[Any, ...]] = []

    def encode(self, row: tuple[Any, ...]) -> bytes:
        self._waiting.append(row)
        return b"%d" % (len(self._waiting) - 1)

    def write(self, encoded: list[bytes]) -> None:
        self.rows += [self._waiting[int(item)] for item in encoded]

    def write_rows(self, rows: list[tuple[Any, ...]]) -> None:
        self.rows += rows


class Heard:
    """A listener that remembers."""

    def __init__(self) -> None:
        self.ledgers: dict[str, Any] = {}
        self.paired_rows: list[tuple[str, str]] = []

    def source_begins(self, number, source) -> None: ...

    def source_done(self, number, source, ledger) -> None:
        self.ledgers[source.source_file] = ledger

    def paired(self, number, source, store) -> None:
        self.paired_rows.append((source.source_file, store))


def line(kind: str, text: str, t: str = "", **more: str) -> str:
    import json

    return json.dumps({"kind": kind, "text": text, "t": f"2026-01-01T00:{t}Z" if t else None, **more}) + "\n"


def run(base: Path, files: dict[str, str], *, order_by: str = "time", body: str = SPEC):
    plan = plan_of(base, body, HEAD)
    sources = discover([home_of(base, files)], [plan], DiscoverOptions(as_="home"))
    sink, heard = Lines(), Heard()
    running = Run(Setup({"toy": prepare(plan, sources)}, batches, order_by), sources, sink, heard)
    tally = running.run()
    return sink.rows, tally, heard


def texts(found):
    return [row[11] for row in found if row[14] != "session_start"]


FILES = {
    "toy/chats/b.jsonl": line("user", "second", "00:02.000")
    + line("assistant", "later")
    + line("user", "hi", "05:00.000"),
    "toy/chats/a.jsonl": line("user", "first", "00:01.000")
    + line("echo", "first", "00:01.5")
    + line("echo", "cut", "09:00"),
    "toy/history.jsonl": line("", "hi", "05:01.000") + line("", "deleted", "04:00.000"),
    "toy/frozen/a.jsonl": line("user", "first", "00:01.000") + line("user", "gone", "00:03.000"),
}


def test_rows_stand_in_the_order_of_time_and_undated_ones_last(tmp_path):
    found, _, _ = run(tmp_path, FILES)
    assert texts(found) == ["first", "second", "gone", "deleted", "hi", "cut", "later"]


def test_by_file_rows_stand_as_the_walk_wrote_them_with_a_late_start_first(tmp_path):
    found, _, _ = run(tmp_path, FILES, order_by="file")
    assert [row[11] for row in found] == [
        "start", "first", "cut", "start", "second", "later", "hi", "gone", "deleted",
    ]  # fmt: skip


@pytest.mark.parametrize("order_by", ["time", "file"])
def test_what_pairing_leaves_out_is_counted_and_what_stays_is_secondary(tmp_path, order_by):
    found, tally, heard = run(tmp_path, FILES, order_by=order_by)
    assert sorted(heard.paired_rows) == [
        ("toy/chats/a.jsonl", "chats"), ("toy/frozen/a.jsonl", "frozen"), ("toy/frozen/a.jsonl", "frozen"),
        ("toy/history.jsonl", "history"),
    ]  # fmt: skip
    assert sorted(row[11] for row in found if row[18] == "secondary") == ["cut", "deleted", "gone"]
    assert tally.totals()["rows"] == len(found)
    assert tally.totals()["secondary"] == 3


def test_both_orders_hold_the_same_rows_when_everything_spills(tmp_path, monkeypatch):
    by_time, _, _ = run(tmp_path, FILES)
    monkeypatch.setattr(order.Sorter.__init__, "__defaults__", (1, 2, 2))
    spilled, tally, _ = run(tmp_path, FILES)
    by_file, _, _ = run(tmp_path, FILES, order_by="file")
    assert spilled == by_time
    assert sorted(by_file) == sorted(by_time)
    assert [s.session_id for s in tally.sessions.records()] == ["a", "b"]
