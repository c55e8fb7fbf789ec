"""Which rows are written."""

from __future__ import annotations

import re

import pytest

from engine.errors import UsageError
from engine.read.discover import DiscoverOptions, discover
from engine.rows import COLUMNS
from engine.run import order
from engine.run.filters import COMPANION, IN, OUT, Filters, pattern
from engine.run.interpret import batches
from engine.run.passes import prepare
from engine.run.pipeline import Run, Setup
from engine.run.window import Window
from tests.run.test_pipeline import FILES, SPEC, Heard, Lines, line
from tests.run.walking import HEAD, home_of, plan_of


def row(**more):
    return tuple(more.get(name, 0 if name == "source_line" else "") for name in COLUMNS)


def fate(filters, **more):
    return filters.chosen([row(**more)])[0]


def at(time):
    return {"timestamp_utc": time}


WINDOW = Window("2026-01-01T00:00:00.000Z", "2026-01-01T23:59:59.999Z")


@pytest.mark.parametrize(
    ("filters", "inside", "outside"),
    [
        (Filters(window=WINDOW), at("2026-01-01T23:59:59.999Z"), at("2026-01-02T00:00:00.000Z")),
        (Filters(window=WINDOW), at("2026-01-01T00:00:00.000Z"), at("2025-12-31T23:59:59.999Z")),
        (Filters(window=WINDOW, undated=True), at(""), at("2026-01-02T00:00:00.000Z")),
        (Filters(window=WINDOW), at("2026-01-01T10:00:00.000Z"), at("")),
        (Filters(sessions=("ab*", "x")), {"session_id": "abc"}, {"session_id": "xy"}),
        (Filters(projects=("/home/a/p/",)), {"project_path": "/home/a/p/sub"}, {"project_path": "/home/a/p2"}),
        (Filters(projects=("/home/a/p",)), {"project_path": "/home/a/p"}, {"project_path": ""}),
        (Filters(projects=("C:\\p",)), {"project_path": "C:\\p\\sub"}, {"project_path": "C:\\pq"}),
        (Filters(turns=("user", "system")), {"turn_type": "user"}, {"turn_type": "assistant"}),
        (Filters(events=("note",)), {"event": "note"}, {"event": "message"}),
        (Filters(thinking=False), {"turn_type": "user"}, {"turn_type": "thinking"}),
        (Filters(match=re.compile("rm -")), {"text": "rm -rf"}, {"text": "RM -rf"}),
        (Filters(match=re.compile("rm -")), {"arguments": '{"c":"rm -rf"}'}, {"project_path": "rm -"}),
        (Filters(match=re.compile("^Bash$")), {"tool_name": "Bash"}, {"tool_name": "Bashful"}),
    ],
)  # fmt: skip
def test_a_row_is_in_when_each_condition_holds(filters, inside, outside):
    assert filters
    assert fate(filters, **inside) == IN
    assert fate(filters, **outside) == OUT


def test_no_condition_keeps_everything():
    assert not Filters()
    assert fate(Filters()) == IN


def test_a_call_with_an_id_may_be_kept_for_its_partner_when_all_else_holds():
    filters = Filters(match=re.compile("x"), thinking=False, turns=("tool_use",))
    assert fate(filters, turn_type="tool_use", tool_use_id="1", text="a") == COMPANION
    assert fate(filters, turn_type="tool_result", tool_use_id="1", text="a") == OUT
    assert fate(filters, turn_type="tool_use", text="a") == OUT


def test_a_pattern_that_is_none_is_an_error_of_use():
    with pytest.raises(UsageError, match="--match"):
        pattern("(")


CALLS = SPEC.replace(
    "call: {emit: call, turn: tool_use}",
    "call: {emit: call, turn: tool_use}\n              result: {emit: result, turn: tool_result}",
)


def run(base, files, filters, *, order_by="time", redact=None):
    plan = plan_of(base, CALLS, HEAD)
    sources = discover([home_of(base, files)], [plan], DiscoverOptions(as_="home"))
    sink, heard = Lines(), Heard()
    setup = Setup({"toy": prepare(plan, sources)}, batches, order_by, None, filters, redact)
    running = Run(setup, sources, sink, heard)
    running.run()
    running.close()
    return sink.rows, running, heard


@pytest.mark.parametrize("order_by", ["time", "file"])
def test_pairing_sees_rows_that_the_filters_leave_out(tmp_path, order_by):
    """The echo of a prompt at 00:01 pairs with it, although the window begins between the two."""
    filters = Filters(window=Window("2026-01-01T00:00:01.200Z", ""))
    found, running, heard = run(tmp_path, FILES, filters, order_by=order_by)
    assert sorted(row[11] for row in found) == ["cut", "deleted", "gone", "hi", "second"]
    assert running.tally.totals()["rows"] == len(found)
    assert running.seen - len(heard.paired_rows) - len(found) == 4


TOOLS = {
    "toy/chats/a.jsonl": line("call", "rm -rf", "00:01.000", id="1")
    + line("result", "done", "00:02.000", id="1")
    + line("call", "ls", "00:03.000", id="2")
    + line("result", "a file rm -x", "00:04.000", id="2")
    + line("call", "pwd", "00:05.000", id="3")
    + line("result", "/", "00:06.000", id="3"),
    "toy/chats/b.jsonl": line("result", "another session", "00:01.000", id="1"),
    "toy/frozen/a.jsonl": line("result", "done", "00:02.000", id="1") + line("result", "old", "00:02.500", id="2"),
}


@pytest.mark.parametrize("order_by", ["time", "file"])
@pytest.mark.parametrize("budget", [None, 1])
def test_with_a_match_its_call_or_result_is_kept_in_the_same_session(tmp_path, monkeypatch, order_by, budget):
    if budget:
        monkeypatch.setattr(order.Sorter.__init__, "__defaults__", (1, 2, 2))
    found, running, _ = run(tmp_path, TOOLS, Filters(match=re.compile("rm -")), order_by=order_by)
    assert [row[11] for row in found] == ["rm -rf", "done", "ls", "a file rm -x"]
    totals = running.tally.totals()
    assert (totals["rows"], totals["turns"]) == (4, {"tool_use": 2, "tool_result": 2})
    (session,) = running.tally.sessions.records()
    assert session.tool_calls == 2


def test_secrets_are_counted_in_rows_that_are_written_and_in_no_other(tmp_path):
    def redact(some):
        return [(*row[:11], row[11].replace("rm", "[x]"), *row[12:]) for row in some], [
            row[11].count("rm") for row in some
        ]

    found, running, _ = run(tmp_path, TOOLS, Filters(), redact=redact)
    assert {row[11] for row in found} >= {"[x] -rf", "a file [x] -x"}
    assert running.secrets == 2
    _, running, _ = run(tmp_path, TOOLS, Filters(match=re.compile("a file")), redact=redact)
    assert running.secrets == 1
    (tmp_path / "other").mkdir()
    frozen = {
        "toy/chats/a.jsonl": line("user", "rm", "00:01.000"),
        "toy/frozen/a.jsonl": line("user", "rm", "00:01.000"),
    }
    _, running, heard = run(tmp_path / "other", frozen, Filters(), redact=redact)
    assert len(heard.paired_rows) == 2
    assert running.secrets == 1
