"""Steps that say what becomes of a record, and when columns and lets are computed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import RowFault
from tests.run.walking import log

SAID = """
    columns: {session_id: path.session}
    steps: [{emit: said, turn: user, text: record.text}]
"""


def test_keep_json_writes_type_and_rest_of_an_unknown_record(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {session_id: path.session, time: {time: record.at, unit: iso}, tool_name: record.kind}
        steps:
          - switch: record.kind
            cases: {a: {ignore: known}}
            otherwise: keep_json
        """,
        '{"kind": "new", "b": 1, "at": "2026-01-01T00:00:00Z"}',
        '{"kind": "bare"}',
        '{"b": 1}',
    )
    assert found.texts == [
        'new: {"b":1,"at":"2026-01-01T00:00:00Z"}',
        "bare",
        'parser: unparseable record 3 (no type): {"b":1}',
    ]
    assert found.column("event") == ["note"] * 3
    assert found.column("timestamp_utc") == ["2026-01-01T00:00:00.000Z", "", ""]
    assert found.column("rule")[0] == "toy/log/switch/otherwise/keep_json"
    count = found.ledger.store("log")
    assert (count.rows, count.bad, count.unknown) == (2, 1, 2)


def test_keep_json_takes_the_body_of_a_variant(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        let: {v: variant(record.m)}
        steps:
          - switch: v.tag
            cases: {User: {ignore: known}}
            otherwise: keep_json
        """,
        '{"m": {"Robot": {"x": [1]}}}',
        '{"m": "Pause"}',
    )
    assert found.texts == ['Robot: {"x":[1]}', "Pause"]


def test_unparsed_writes_a_bad_record_without_a_time(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        columns: {session_id: path.session, time: {time: record.at, unit: iso}, git_branch: {const: main}}
        steps:
          - each: {part: record.parts}
            choose: {part.ok: {ignore: fine}}
            otherwise: {unparsed: {text: 'part {pos.part}'}, number: 'add(pos.part, `1`)', text: part}
          - {when: '!(record.parts)', unparsed: no parts}
        """,
        '{"parts": [{"ok": true}, {"x": 1}], "at": "2026-01-01T00:00:00Z"}',
        '{"at": "2026-01-01T00:00:00Z"}',
    )
    assert found.texts == [
        'parser: unparseable record 2 (part 1): {"x":1}',
        'parser: unparseable record 2 (no parts): {"at":"2026-01-01T00:00:00Z"}',
    ]
    for row, line in zip(found.rows, (1, 2), strict=True):
        assert (row["timestamp_utc"], row["session_id"], row["git_branch"]) == ("", "s1", "")
        assert (row["source_line"], row["event"], row["turn_type"]) == (line, "note", "system")
    assert found.ledger.store("log").bad == 2


def test_ignore_names_why(tmp_path: Path) -> None:
    found = log(tmp_path, "steps: [{ignore: told elsewhere}, {ignore: later}]", "{}", "{}")
    assert found.rows == []
    assert found.ledger.store("log").ignored == {"told elsewhere": 2}


def test_columns_are_computed_at_the_emit_and_lets_where_they_stand(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        let: {before: state.cwd}
        columns: {project_path: state.cwd, session_id: before}
        steps:
          - set: {cwd: record.cwd}
          - {emit: said, turn: user, text: record.text}
        """,
        '{"cwd": "/a", "text": "x"}',
        '{"cwd": "/b", "text": "y"}',
    )
    assert found.column("project_path") == ["/a", "/b"]
    assert found.column("session_id") == ["", "/a"]


def test_a_let_may_bear_the_name_of_an_outer_one_and_read_it(tmp_path: Path) -> None:
    found = log(
        tmp_path,
        """
        let: {t: record.text}
        steps:
          - each: {n: record.list}
            steps:
              - let: {t: 'concat(t, n)', u: t}
                emit: said
                turn: user
                text: u
        """,
        '{"text": "x", "list": [1, 2]}',
    )
    assert found.texts == ["x1", "x2"]


def test_a_fault_inside_a_rule_names_the_line_of_the_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.lang.functions import FUNCTIONS

    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setitem(FUNCTIONS, "trim", FUNCTIONS["trim"]._replace(impl=broken))
    with pytest.raises(RowFault, match=r"toy\.yaml:\d+: internal fault at walks\.log\.steps\[0\]\.text: ZeroDivision"):
        log(tmp_path, "steps: [{emit: said, turn: user, text: trim(record.text)}]", '{"text": "x"}')
