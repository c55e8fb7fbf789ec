"""The rules of rows that need no word in a spec."""

from __future__ import annotations

from pathlib import Path

from tests.run.walking import log, walk

SAID = "steps: [{emit: said, turn: user, text: record.t}]"


def test_a_result_without_a_name_takes_that_of_the_call_with_its_id(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {tool_use_id: record.id, tool_name: record.name, text: record.t}
        steps:
          - switch: record.kind
            cases: {call: {emit: call, turn: tool_use}}
            otherwise: {emit: result, turn: tool_result}
        """,
        '{"kind": "result", "id": "a", "t": "too early"}',
        '{"kind": "call", "id": "a", "name": "grep"}',
        '{"kind": "result", "id": "a"}',
        '{"kind": "result", "id": "b"}',
        '{"kind": "result", "id": "a", "name": "own"}',
        '{"kind": "call", "id": "a", "name": "ls"}',
        '{"kind": "result", "id": "a"}',
    )
    assert found.column("tool_name") == ["", "grep", "grep", "", "own", "ls", "ls"]


def test_messages_thinking_and_context_without_text_are_not_written_but_counted_by_step(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - {emit: said, turn: user, text: record.t}
          - {emit: thought, when: record.think, turn: thinking, text: record.none}
          - {emit: injected, when: record.inject, event: context, text: {const: '  '}}
          - {emit: call, when: record.call, turn: tool_use}
        """,
        '{"t": "\\u2003\\n"}',
        '{"t": null, "think": 1}',
        '{"inject": 1, "call": 1}',
    )
    assert [row["rule"] for row in found.rows] == ["toy/log/call"]
    count = found.ledger.store("log")
    assert count.ignored == {"no text: said": 2}
    assert (count.rows, count.rows_written) == (1, 1)


def test_text_loses_outer_white_space_only(tmp_path: Path) -> None:
    found = log(tmp_path, SAID, '{"t": "\\u2028\\u00a0 \\u001f a\\tb \\u001f\\u3000\\n"}')
    assert found.texts == ["\x1f a\tb \x1f"]


def test_a_session_start_written_in_end_stands_first_in_its_unit(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - set: {first: record.t}
          - {emit: said, turn: user, text: record.t}
        end:
          - {emit: start, event: session_start, text: {text: 'start, {unit.count} records'}}
          - {emit: stop, event: session_end, text: {const: end}}
        """,
        '{"t": "a"}',
        '{"t": "b"}',
    )
    assert [(row["seq"], row["text"]) for row in found.rows] == [
        (1, "a"),
        (2, "b"),
        (0, "start, 2 records"),
        (3, "end"),
    ]


def test_begin_runs_before_the_first_good_record_and_the_notes_before_it(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {session_id: path.session, project_path: record.cwd}
        begin:
          columns: {time: {time: record.at, unit: iso}}
          steps:
            - {emit: start, event: session_start, text: {text: 'start {unit.line} {unit.count}'}}
        steps: [{emit: said, turn: user, text: record.t}]
        end: [{emit: stop, event: session_end, text: {text: 'end {unit.line} {unit.count}'}}]
        """,
        "{broken",
        '{"t": "a", "cwd": "/w", "at": "2026-01-01T00:00:00Z"}',
        "[also broken",
    )
    assert [(row["text"][:30], row["source_line"], row["project_path"]) for row in found.rows] == [
        ("start 2 2", 2, "/w"),
        ("parser: unparseable record 1 (", 1, ""),
        ("a", 2, "/w"),
        ("parser: unparseable record 3 (", 3, ""),
        ("end 0 3", 0, ""),
    ]
    assert {row["session_id"] for row in found.rows} == {"s1"}
    assert found.rows[0]["timestamp_utc"] == "2026-01-01T00:00:00.000Z"
    note = found.rows[1]
    assert note["text"].endswith(": {broken")
    assert (note["event"], note["turn_type"], note["timestamp_utc"]) == ("note", "system", "")
    assert note["rule"] == "toy/log/unparseable"
    count = found.ledger.store("log")
    assert (count.read, count.rows, count.bad, count.notes, count.rows_written) == (3, 1, 2, 2, 5)


def test_a_unit_without_one_good_record_has_notes_only(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        begin: [{emit: start, event: session_start, text: {const: start}}]
        steps: [{emit: said, turn: user, text: record.t}]
        end: [{emit: stop, event: session_end, text: {const: end}}]
        """,
        "{broken",
        "also broken",
    )
    assert found.column("event") == ["note", "note"]
    assert found.ledger.store("log").bad == 2


def test_a_record_that_makes_nothing_becomes_a_note_by_itself(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {session_id: path.session, time: {time: record.at, unit: iso}, model: {const: m}}
        steps: [{set: {x: record.x}}]
        """,
        '{"type": "odd", "x": 1, "at": "2026-01-01T00:00:00Z"}',
        '{"x": 2}',
        '{"type": 5}',
        '"text"',
    )
    assert found.texts == [
        'odd: {"x":1,"at":"2026-01-01T00:00:00Z"}',
        'parser: unparseable record 2 (no rule for it): {"x":2}',
        'parser: unparseable record 3 (no rule for it): {"type":5}',
        'parser: unparseable record 4 (no rule for it): "text"',
    ]
    assert found.column("rule") == ["toy/log/unknown", *["toy/log/unparseable"] * 3]
    assert found.column("timestamp_utc") == ["2026-01-01T00:00:00.000Z", "", "", ""]
    assert found.column("session_id") == ["s1"] * 4
    assert found.column("model") == ["m", "", "", ""]
    count = found.ledger.store("log")
    assert (count.rows, count.bad, count.unknown, count.notes) == (1, 3, 1, 4)


def test_a_long_bad_record_is_quoted_in_part(tmp_path: Path) -> None:
    found = log(tmp_path, SAID, '{"t": "ok"}', "{" + "x" * 70_000)
    note = found.texts[1]
    assert note.startswith("parser: unparseable record 2 (")
    assert len(note) < 66_000
    assert note.rpartition("… (")[2].startswith("70001 bytes, sha256 ")


def test_a_record_that_had_to_be_mended_is_a_row_and_a_note(tmp_path: Path) -> None:
    body = """
    stores: {log: {cite: 'toy:log.rs:1 #x', files: ['{data}/*.jsonl'], read: jsonl, walk: log}}
    walks: {log: {steps: [{emit: said, turn: user, text: record.t}]}}
    """
    found = walk(tmp_path, body, {"toy/a.jsonl": b'{"t": "caf\xe9"}\n'})
    assert found.texts == ["caf\ufffd", "parser: record 1 mended to be read (invalid UTF-8)"]
    count = found.ledger.store("log")
    assert (count.read, count.rows, count.notes) == (1, 1, 1)


def test_a_file_that_is_no_document_is_one_note_with_what_its_path_tells(tmp_path: Path) -> None:
    body = """
    stores: {chat: {cite: 'toy:chat.rs:1 #x', files: ['{data}/<id>/chat.json'], read: json, need: object, walk: chat}}
    walks:
      chat:
        columns: {session_id: path.id, project_path: doc.cwd}
        begin: [{emit: start, event: session_start, text: {const: start}}]
        steps: [{emit: said, turn: user, text: doc.t}]
    """
    found = walk(
        tmp_path, body, {"toy/a/chat.json": '{"t": ', "toy/b/chat.json": "[1]", "toy/c/chat.json": '{"t": "x"}'}
    )
    assert [(row["session_id"], row["event"]) for row in found.rows] == [
        ("a", "note"),
        ("b", "note"),
        ("c", "session_start"),
        ("c", "message"),
    ]
    for row in found.rows[:2]:
        assert row["text"].startswith("parser: chat.json ")
        assert (row["rule"], row["source_line"]) == ("toy/chat/file", 0)
    count = found.ledger.store("chat")
    assert (count.read, count.rows, count.bad) == (3, 1, 2)


def test_the_previous_time_is_that_of_the_last_row_with_a_time(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - emit: said
            turn: user
            text: record.t
            time: [{time: record.at, unit: iso}, {previous: true, basis: approximate}]
        """,
        '{"t": "no time yet"}',
        '{"t": "a", "at": "2026-01-01T00:00:00Z"}',
        '{"t": "", "at": "2026-01-01T00:00:09Z"}',
        '{"t": "b", "at": "broken"}',
    )
    assert [(row["text"], row["timestamp_utc"], row["time_basis"]) for row in found.rows] == [
        ("no time yet", "", ""),
        ("a", "2026-01-01T00:00:00.000Z", "utc"),
        ("b", "2026-01-01T00:00:00.000Z", "approximate"),
    ]


def test_next_and_pos_of_the_stores_records(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        "steps: [{emit: said, turn: user, text: {text: '{pos.record} {record.t} then [{next.record.t}]'}}]",
        '{"t": "a"}',
        '{"t": "b"}',
        "{broken",
        '{"t": "c"}',
    )
    assert [text for text in found.texts if not text.startswith("parser")] == ["0 a then b", "1 b then", "3 c then"]
