"""A session as a transcript, and words that are looked for."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from engine.ask.transcript import Transcript
from engine.ask.words import Words
from engine.cli.terminal import plain
from engine.rows import Row
from tests.write.rows import real_tuples

UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def row(turn, text, **more):
    known = {"timestamp_utc": "2026-01-01T00:00:00.000Z", "agent": "toy", "session_id": "s", "turn_type": turn,
             "text": text,
             "source_file": "f", "source_line": 1, "event": "message", "role": "primary", **more}  # fmt: skip
    return Row(*(known.get(name, "") for name in Row._fields))


def shown(*rows, most=0):
    transcript = Transcript(rows, plain=plain, style=lambda text, style: text, most=most)
    return "\n".join(transcript.lines())


def test_a_call_its_decision_and_its_result_stand_together():
    text = shown(
        row("tool_use", "ls", tool_use_id="1", tool_name="sh", arguments='{"c":"ls"}'),
        row("tool_use", "pwd", tool_use_id="2", tool_name="sh"),
        row("tool_result", "/", tool_use_id="2"),
        row("system", "permission decision: denied", tool_use_id="1", event="permission_decision", status="denied"),
        row("tool_result", "no", tool_use_id="1", status="error"),
        row("tool_result", "of a call that is elsewhere", tool_use_id="3"),
    )
    order = ["    ls", '    {"c":"ls"}', "    2026-01-01 00:00:00.000  permission decision: denied",
             "result error", "no",
             "    pwd", "        /", "of a call that is elsewhere"]  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_long_texts_are_cut_unless_asked_for():
    long = "\n".join(f"line {n}" for n in range(50))
    assert "line 9\n    … 40 more lines" in shown(row("assistant", long), most=10)
    assert "line 49" in shown(row("assistant", long))


def test_the_file_of_most_rows_is_named_once_and_times_of_files_are_no_end_of_a_session():
    mtime = {"timestamp_utc": "2026-01-09T00:00:00.000Z", "time_basis": "file_mtime", "source_file": "settings"}
    text = shown(row("user", "a"), row("assistant", "b"), row("assistant", "late", **mtime))
    assert text.count("file     f\n") == 1 and "  user  :1\n" in text and "  assistant  settings:1\n" in text
    assert "time     2026-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z\n" in text
    assert "time     2026-01-09T00:00:00.000Z to" in shown(row("assistant", "late", **mtime))


def test_facts_say_their_kind_once():
    text = shown(row("system", "model: a -> b", event="model"), row("system", "x", event="notice"))
    assert "  model: a -> b" in text and "notice: x" in text


@given(st.lists(real_tuples, min_size=1, max_size=4))
def test_no_control_sequence_of_evidence_survives(rows):
    assert not UNSAFE.search(shown(*(Row(*row[:22]) for row in rows)))


@given(st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=2), real_tuples)
def test_words_are_found_in_any_case_wherever_they_stand(words, row):
    said = "\0".join((row[11], row[21], row[9])).casefold()
    assert Words(words).stand_in(row) == all(word.casefold() in said for word in words)


def test_an_excerpt_shows_the_place():
    found = Words(["NEEDLE"]).excerpt(row("user", "x" * 100 + " needle " + "y" * 300))
    assert found.startswith("…xxx") and "x needle y" in found and found.endswith("y…") and len(found) < 180
    assert Words(["ls"]).excerpt(row("tool_use", "", arguments='{"c":"ls"}')) == '{"c":"ls"}'
