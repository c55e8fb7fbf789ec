"""The tests of a spec: run, compared, covered, updated."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.review.spectext import SpecText, read_spec
from engine.review.testing import Outcome, all_rules, cases, reached_rules, run_case
from engine.review.testing_rows import differences
from engine.review.testing_update import update
from engine.spec.library import all_specs
from tests.review.toy import TESTS, toy

EVERYTHING = """
tests:
  - name: every store
    given:
      '.toy/a.jsonl':
        - {kind: user, text: hi, at: '2026-01-02T03:04:05Z'}
        - {kind: note, text: n}
        - {kind: new, x: 1}
        - 'no'
      '.toy/b.jsonl.zst': [{kind: user, text: packed}]
      '.toy/boards.db': {boards: [{id: 1, kind: packed, data: {title: t}, tags: [x]}]}
      '.toy/config.toml': {mode: free}
    expect: []
"""


def outcomes(text: SpecText) -> list[Outcome]:
    return [run_case(text, case) for case in cases(text)]


def test_a_test_passes_when_all_rows_are_as_expected(tmp_path: Path) -> None:
    (outcome,) = outcomes(toy(tmp_path))
    assert outcome.passed and outcome.case.name == "a prompt is a row" and outcome.rules == {"toy/log/prompt"}


def test_a_missing_row_another_row_and_one_too_many_are_told_apart() -> None:
    rows = [
        {"turn_type": "user", "text": t, "source_file": "f", "source_line": n, "rule": "r"} for n, t in enumerate("abd")
    ]
    expected = [{"text": "a"}, {"text": "x"}, {"text": "c"}, {"text": "d"}]
    assert list(differences(expected, rows)) == [
        '~ {"source_file":"f","source_line":1,"rule":"r"}: text: x -> b',
        '- {"text":"c"}',
    ]
    assert list(differences(expected[:1], rows[:2])) == ['+ {"text":"b"}']
    assert list(differences([{"text": t} for t in "abd"], rows)) == []


def test_rows_are_expected_in_the_order_of_the_timeline(tmp_path: Path) -> None:
    one = "{kind: user, text: hi, at: '2026-01-02T03:04:05Z'}"
    tests = TESTS.replace(f"[{one}]", f"[{one.replace('05Z', '06Z').replace('hi', 'b')}, {one.replace('hi', 'a')}]")
    rows = outcomes(toy(tmp_path, tests))[0].rows
    assert [row["text"] for row in rows] == ["a", "b"]


def test_coverage_names_every_rule_that_writes_rows(tmp_path: Path) -> None:
    text = toy(tmp_path, EVERYTHING)
    rules = all_rules(text.plan)
    assert rules == [
        "toy/log/prompt", "toy/log/note", "toy/log/switch/otherwise/keep_json",
        "toy/packed/prompt", "toy/packed/note", "toy/packed/switch/otherwise/keep_json",
        "toy/boards/board", "toy/settings/mode",
    ]  # fmt: skip
    assert set(rules) - reached_rules(text) == {"toy/packed/note", "toy/packed/switch/otherwise/keep_json"}


def test_an_update_writes_the_rows_into_the_spec_and_nothing_else(tmp_path: Path) -> None:
    text = toy(tmp_path, EVERYTHING)
    update(text, outcomes(text))
    updated = read_spec(text.label)
    assert [outcome.passed for outcome in outcomes(updated)] == [True]
    assert updated.text.startswith(text.text[: text.text.index("    expect: []")])
    expected = updated.plan.tests[0]["expect"]
    assert {
        "turn_type": "user",
        "timestamp_utc": "2026-01-02T03:04:05.000Z",
        "session_id": "a",
        "text": "hi",
    } in expected
    assert [row["text"] for row in expected if row.get("event") == "task"] == ['1 t ["x"]']


def test_an_update_keeps_the_columns_and_what_stands_around(tmp_path: Path) -> None:
    tests = TESTS.replace("text: hi, session_id: s", "text: 'was: this', session_id: s # why") + (
        "  # the next one\n  - name: two\n    given: {'.toy/t.jsonl': [{kind: user, text: \"a\\nb: c\"}]}\n"
        "    expect: [{text: x}]\n"
    )
    text = toy(tmp_path, tests.replace(" # why", ""))
    update(text, outcomes(text))
    updated = read_spec(text.label)
    assert [outcome.passed for outcome in outcomes(updated)] == [True, True]
    assert "  # the next one\n" in updated.text
    assert [list(row) for row in updated.plan.tests[0]["expect"]] == [
        ["turn_type", "text", "session_id", "timestamp_utc"]
    ]
    assert updated.plan.tests[1]["expect"] == [{"text": "a\nb: c"}]


def test_rows_that_no_longer_come_leave_an_empty_list(tmp_path: Path) -> None:
    text = toy(tmp_path, TESTS.replace("kind: user, text: hi", "kind: user, text: ''"))
    update(text, outcomes(text))
    assert read_spec(text.label).plan.tests[0]["expect"] == []


def test_a_golden_file_is_written_by_an_update_and_read_by_the_next_run(tmp_path: Path) -> None:
    text = toy(tmp_path, EVERYTHING.replace("expect: []", "expect: golden/rows.jsonl"))
    before = outcomes(text)
    assert not before[0].passed
    update(text, before)
    lines = (tmp_path / "golden/rows.jsonl").read_text().splitlines()
    assert len(lines) == 7 and "host" not in json.loads(lines[0]) and json.loads(lines[0])["rule"].startswith("toy/")
    assert outcomes(text)[0].passed
    (tmp_path / "golden/rows.jsonl").write_text("\n".join([lines[0].replace("toy/", "toi/"), *lines[1:]]) + "\n")
    assert [d[:2] for d in outcomes(text)[0].differences] == ["~ "]


def test_a_project_is_given_as_one(tmp_path: Path) -> None:
    text = toy(tmp_path, TESTS.replace("    given:", "    as: project\n    given:"))
    assert outcomes(text)[0].rows == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    expect:\n", "    expected:\n", "`expect` is a list of rows"),
        ("text: hi, session_id: s", "txet: hi", "rows have no column `txet`"),
        ("{'.toy/s.jsonl': [", "{'/s.jsonl': [", "a given file lies below the home"),
        ("    given: {", "    as: planet\n    given: {", "planet"),
    ],
)
def test_a_test_that_can_not_be_run_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        outcomes(toy(tmp_path, TESTS.replace(old, new)))
    assert message in str(error.value)


@pytest.mark.parametrize("path", all_specs(), ids=lambda path: path.stem)
def test_the_tests_of_a_spec_of_the_library_pass(path: Path) -> None:
    found = outcomes(read_spec(path))
    assert len(found) >= 4
    assert {outcome.case.name: outcome.differences for outcome in found if not outcome.passed} == {}
