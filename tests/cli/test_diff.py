"""`engine diff`: what it prints and how it ends."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import Engine
from tests.review.test_diff import LINES, SPEC, changed
from tests.run.walking import home_of


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


@pytest.fixture
def sides(tmp_path):
    """Two specs that differ in a text, and a home."""
    (tmp_path / "old.yaml").write_text(SPEC)
    (tmp_path / "new.yaml").write_text(changed(("'said: {said}", "'told: {said}")))
    return tmp_path / "old.yaml", tmp_path / "new.yaml", home_of(tmp_path / "more", {"toy/s1.jsonl": LINES})


def test_what_differs_is_told_with_rules_places_and_both_values(engine, sides):
    old, new, home = sides
    ended = engine("diff", old, new, "--rows", home)
    assert ended.status == 1
    assert (
        ended.out.decode()
        == f"""~ text  toy/log/answer, toy/old/answer  {old}:21 -> {new}:21
    - said: {{said}}[ ({{record.why}})]
    + told: {{said}}[ ({{record.why}})]
rows: 3 -> 3 (0 added, 0 removed, 1 changed)
~ toy/s1.jsonl:2  2026-01-01T00:00:01.000Z  toy/log/answer
    text: "said: yes" -> "told: yes"
"""
    )


def test_specs_that_mean_the_same_end_with_0(engine, sides):
    old, _, home = sides
    ended = engine("diff", old, old, "--rows", home)
    assert (ended.status, ended.out) == (
        0, b"no difference in meaning\nrows: 3 -> 3 (0 added, 0 removed, 0 changed)\n",
    )  # fmt: skip


def test_as_json(engine, sides):
    old, new, home = sides
    found = json.loads(engine("diff", old, new, "--rows", home, "--json").out)
    (change,) = found["changes"]
    assert (change["kind"], change["what"], change["rules"]) == (
        "changed",
        "text",
        ["toy/log/answer", "toy/old/answer"],
    )
    assert (found["rows"]["changed"], found["rows"]["shown"][0]["columns"]) == (
        1, {"text": {"old": "said: yes", "new": "told: yes"}},
    )  # fmt: skip
    assert json.loads(engine("diff", old, old, "--json").out) == {
        "old": str(old), "new": str(old), "changes": [], "rows": None,
    }  # fmt: skip


def test_no_more_rows_are_shown_than_asked_for(engine, sides):
    old, new, home = sides
    assert engine("diff", old, new, "--rows", home, "--most", "0").out.endswith("… and 1 more\n".encode())


@pytest.mark.parametrize(("arguments", "message"), [
    ([], "Missing argument 'OLD'"),
    (["zed"], "Missing argument 'NEW'"),
    (["zed", "nosuch"], "no such spec: nosuch"),
    (["zed", "nosuch:specs/zed.yaml"], "has no revision 'nosuch'"),
    (["zed", "zed", "--rows", "/no/such"], "/no/such: does not exist"),
    (["zed", "zed", "--most", "x"], "Invalid value for '--most'"),
    (["zed", "{bad}"], "bad.yaml:1:1: error E202"),
])  # fmt: skip
def test_each_wrong_use_is_one_clear_line(engine, tmp_path, arguments, message):
    (tmp_path / "bad.yaml").write_text("spec: 1\n")
    ended = engine("diff", *(text.format(bad=tmp_path / "bad.yaml") for text in arguments))
    lines = ended.err.splitlines()
    assert (ended.status, ended.out) == (2, b"") and message in lines[0]
    assert len(lines) == 1 or all(": error E" in line for line in lines)
