"""Each kind of step that leads to rows: what the home held and which rows came out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.walking import log

SAID = """
    columns: {session_id: path.session}
    steps: [{emit: said, turn: user, text: record.text}]
"""


def test_emit_writes_a_row_with_the_columns_around_it(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {session_id: path.session, time: {time: record.at, unit: iso}, model: record.none}
        steps:
          - columns: {project_path: record.cwd}
            steps:
              - emit: said
                turn: user
                text: record.text
                model: {const: m1}
                status: 'record.text == `"no"`'
        """,
        '{"text": "hello", "cwd": "/w", "at": "2026-01-02T03:04:05.6789+02:00"}',
    )
    (row,) = found.rows
    assert row == {
        "timestamp_utc": "2026-01-02T01:04:05.678Z",
        "host": "",
        "user": "alice",
        "agent": "toy",
        "session_id": "s1",
        "project_path": "/w",
        "git_branch": "",
        "turn_type": "user",
        "model": "m1",
        "tool_name": "",
        "tool_use_id": "",
        "text": "hello",
        "source_file": "toy/s1.jsonl",
        "source_line": 1,
        "event": "message",
        "status": "",
        "time_basis": "offset",
        "time_raw": "2026-01-02T03:04:05.6789+02:00",
        "role": "primary",
        "basis": "fixture",
        "rule": "toy/log/said",
        "arguments": "",
        "pair_key": "",
        "seq": 1,
    }


def test_null_and_false_columns_are_empty_and_objects_are_compact_json(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - emit: call
            turn: tool_use
            tool_name: record.none
            status: record.no
            text: record.input
            arguments: record.input
            tool_use_id: record.id
            pair_key: record.id
        """,
        '{"no": false, "input": {"b": 1.50, "a": ["ü"]}, "id": 7}',
    )
    (row,) = found.rows
    assert (row["tool_name"], row["status"]) == ("", "")
    assert row["text"] == row["arguments"] == '{"b":1.5,"a":["ü"]}'
    assert (row["tool_use_id"], row["pair_key"]) == ("7", "7")


def test_an_emit_may_have_its_own_role_basis_and_place(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - {emit: a, turn: user, role: secondary, basis: observed, text: record.t, source_line: record.n,
             source_file: record.f}
        """,
        '{"t": "x", "n": 5, "f": "toy/other"}',
        '{"t": "x", "n": "6"}',
        '{"t": "x", "n": null}',
    )
    assert found.column("role") == ["secondary"] * 3
    assert found.column("basis") == ["observed"] * 3
    assert found.column("source_line") == [5, 6, 0]
    assert found.column("source_file") == ["toy/other", "toy/s1.jsonl", "toy/s1.jsonl"]


def test_each_runs_a_step_for_every_element_null_ones_too(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - each: {part: record.parts}
            let: {shown: 'if(part == `null`, `"-"`, part)'}
            emit: part
            turn: user
            text: {text: '{pos.part} {shown} then {next.part}'}
          - ignore: nothing
        """,
        '{"parts": ["a", null, "c"]}',
        '{"parts": "no list"}',
    )
    assert found.texts == ["0 a then", "1 - then c", "2 c then"]
    assert found.ledger.store("log").ignored == {"nothing": 1}


def test_when_is_asked_for_every_element_and_sees_the_lets(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - each: {n: record.list}
            let: {big: 'n > `1`'}
            when: big
            steps: [{emit: n, turn: user, text: n}]
        """,
        '{"list": [1, 2, 3]}',
    )
    assert found.texts == ["2", "3"]


def test_nested_eaches_keep_the_outer_position(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - each: {row: record.rows}
            steps:
              - each: {cell: row}
                emit: cell
                turn: user
                text: {text: '{pos.row}.{pos.cell} {cell} of {pos.record}'}
        """,
        '{"rows": [["a"], ["b", "c"]]}',
    )
    assert found.texts == ["0.0 a of 0", "1.0 b of 0", "1.1 c of 0"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('"a"', "first"),
        ('"b"', "first"),
        ("5", "five"),
        ('"5"', "five"),
        ("true", "yes"),
        ("null", "none"),
        ("1", "other"),
        ("5.0", "other"),
        ('["a"]', "other"),
    ],
)
def test_switch_takes_the_case_of_the_value(tmp_path: Path, value: str, text: str) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - switch: record.kind
            cases:
              'a | b': {emit: ab, turn: user, text: {const: first}}
              '5': [{emit: five, turn: user, text: {const: five}}]
              'true': {emit: sure, turn: user, text: {const: 'yes'}}
              'null': {emit: none, turn: user, text: {const: none}}
            otherwise: {emit: other, turn: user, text: {const: other}}
        """,
        f'{{"kind": {value}}}',
    )
    assert found.texts == [text]


def test_choose_takes_the_first_condition_that_holds(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - choose:
              'record.n > `5`': {emit: big, turn: user, text: {const: big}}
              record.n: {emit: any, turn: user, text: {const: any}}
            otherwise: {ignore: no number}
        """,
        '{"n": 7}',
        '{"n": 0}',
        "{}",
    )
    assert found.texts == ["big", "any"]
    assert found.ledger.store("log").ignored == {"no number": 1}


def test_set_keeps_a_value_and_tells_of_its_changes(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - set: {model: record.model}
            changed:
              - {emit: model, event: model, text: {text: 'model: [{was} -> ]{state.model}'}}
          - {emit: said, turn: user, text: {text: 'by {state.model}'}}
        """,
        '{"model": "a"}',
        "{}",
        '{"model": "a"}',
        '{"model": "b"}',
    )
    assert found.texts == ["model: a", "by a", "by a", "by a", "model: a -> b", "by b"]


def test_set_with_at_keeps_a_value_a_key(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - set: {names: record.name}
            at: record.id
            changed: [{emit: named, event: notice, text: {text: '{record.id}: {was} to {get(state.names, record.id)}'}}]
          - ignore: the rest
        """,
        '{"id": "x", "name": "a"}',
        '{"id": "y", "name": "b"}',
        '{"id": "x", "name": "c"}',
        '{"id": null, "name": "d"}',
        '{"id": "y"}',
    )
    assert found.texts == ["x:  to a", "y:  to b", "x: a to c"]


def test_true_is_not_one_when_a_state_changes(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        steps:
          - set: {v: record.v}
            changed: [{emit: v, event: notice, text: state.v}]
          - ignore: the rest
        """,
        '{"v": 1}',
        '{"v": true}',
        '{"v": 1.0}',
    )
    assert found.texts == ["1", "true", "1.0"]


def test_use_runs_another_walk_that_sees_what_it_is_given(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {session_id: path.session, model: {const: m}}
        steps:
          - set: {seen: record.a}
          - use: part
            with: {it: record.a}
        """,
        '{"a": {"t": "deep"}}',
        walks="""
          part:
            cite: 'toy:part.rs:1 #x'
            params: [it]
            let: {shown: it.t}
            columns: {project_path: file.name}
            steps:
              - {emit: part, turn: user, text: {text: '{shown} {unit.line} {state.seen.t}'}}
        """,
    )
    (row,) = found.rows
    assert row["text"] == "deep 1 deep"
    assert (row["session_id"], row["model"], row["project_path"]) == ("s1", "m", "s1.jsonl")
    assert row["rule"] == "toy/log/part"
