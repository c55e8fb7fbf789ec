"""`engine test` as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Engine
from tests.review.toy import TESTS, toy

FAILING = TESTS.replace("text: hi, session", "text: ho, session")


@pytest.fixture
def engine(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Engine:
    return Engine(tmp_path, capfdbinary)


def test_tests_that_pass_are_named_and_the_status_is_0(engine: Engine, tmp_path: Path) -> None:
    ended = engine("test", toy(tmp_path).label)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.decode() == "ok      toy: a prompt is a row\n1 test, 0 failed\n"
    assert engine("test", toy(tmp_path).label, "-q").out == b""


def test_a_test_that_fails_shows_what_differs_and_the_status_is_1(engine: Engine, tmp_path: Path) -> None:
    ended = engine("test", toy(tmp_path, FAILING).label)
    head, row, count = ended.out.decode().splitlines()
    assert ended.status == 1 and head.startswith("FAILED  toy: a prompt is a row  (") and count == "1 test, 1 failed"
    assert row.endswith('"rule":"toy/log/prompt"}: text: ho -> hi')


def test_an_update_shows_what_changes_and_the_next_run_passes(engine: Engine, tmp_path: Path) -> None:
    label = toy(tmp_path, FAILING).label
    ended = engine("test", label, "--update")
    assert ended.status == 0 and b"updated toy" in ended.out and b"text: ho -> hi" in ended.out
    assert engine("test", label).status == 0


def test_coverage_names_each_rule(engine: Engine, tmp_path: Path) -> None:
    lines = engine("test", toy(tmp_path).label, "--coverage").out.decode().splitlines()
    assert "+ toy/log/prompt" in lines and "- toy/boards/board" in lines
    assert "toy: 1 of 8 rules reached" in lines


def test_the_result_as_json_has_a_line_a_spec(engine: Engine, tmp_path: Path) -> None:
    ended = engine("test", toy(tmp_path, FAILING).label, "--json", "--coverage")
    told = json.loads(ended.out)
    assert ended.status == 1 and (told["agent"], told["tests"][0]["passed"], told["tests"][0]["rows"]) == (
        "toy",
        False,
        1,
    )
    assert told["rules"]["toy/log/prompt"] is True and told["rules"]["toy/boards/board"] is False


@pytest.mark.parametrize(
    ("tests", "options", "message"),
    [
        (TESTS, ["--only", "nothing"], "no test has `nothing` in its name"),
        (TESTS.replace("expect:\n", "expect: 5 #"), [], "`expect` is a list of rows"),
        (TESTS.replace("{'.toy/s.jsonl': [", "{'.toy/s.jsonl': 7, x: ["), [], ".toy/s.jsonl: a file is text"),
        (TESTS.replace("{'.toy/s.jsonl'", "../nothing #"), [], "nothing: no such file beside the spec"),
    ],
)
def test_a_wrong_use_is_one_line(engine: Engine, tmp_path: Path, tests: str, options: list[str], message: str) -> None:
    path = tmp_path / "toy.yaml"
    toy(tmp_path)
    text = path.read_text()
    path.write_text(text[: text.index("\ntests:")] + tests)
    ended = engine("test", str(path), *options)
    assert ended.status == 2 and message in ended.err and ended.err.count("\n") == 1


def test_a_spec_that_is_not_there_or_has_no_tests(engine: Engine, tmp_path: Path) -> None:
    assert (
        engine("test", "nosuch").err
        == "engine: no such spec: nosuch (known: " + engine("test", "nosuch").err.split("(known: ")[1]
    )
    assert engine("test", toy(tmp_path, "").label).out == b"no tests\n"
