"""Parts of walks printed where they are used: what an argument decides is decided while printing, in both passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.module import generate
from engine.lang.load import load_plan
from engine.lang.plan import Plan
from tests.codegen.both import assert_one_result
from tests.codegen.test_generate import SPEC

WALKS = """
walks:
  log:
    cite: 'toy:log.rs:1 #x'
    columns: {session_id: path.session}
    steps:
      - {use: part, with: {kind: '`"a"`', given: record.a}}
      - {use: part, with: {kind: '`null`', given: 'count(record.b)'}}
      - {emit: after, turn: user, text: {text: '{record.a.b} {record.c}'}}
  part:
    cite: 'toy:log.rs:1 #x'
    params: [kind, given]
    steps:
      - {when: 'kind', emit: kind, event: notice, text: {text: 'kind {kind || `"none"`}'}}
      - {when: '!(given.b.c)', emit: empty, event: notice, text: 'if(kind, given.b, `"no kind"`) || `"empty"`'}
      - choose:
          'kind && given': {emit: given, event: notice, text: {text: 'given {given}'}}
          '!kind': {emit: missing, event: notice, text: {text: 'missing[ {kind}]'}}
        otherwise: [{ignore: nothing given}]
"""
RECORDS = b"""{"a": {"b": {"c": 1}}, "b": [1], "c": "x"}
{"a": {"b": "y"}, "c": "x"}
{"a": 0, "b": "xyz"}
{"c": ""}
[]
"""


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "home" / "toy").mkdir(parents=True)
    (tmp_path / "home" / "toy" / "s1.jsonl").write_bytes(RECORDS)
    spec = tmp_path / "toy.yaml"
    spec.write_text(SPEC[: SPEC.index("walks:")] + WALKS, encoding="utf-8")
    return load_plan(spec)


def test_a_short_part_means_the_same_wherever_it_is_printed(plan: Plan, tmp_path: Path) -> None:
    assert_one_result(plan, tmp_path / "home")


def test_a_short_part_is_no_function_and_what_never_holds_is_left_out(plan: Plan) -> None:
    text = generate(plan)
    assert "def walk_part(" not in text
    assert text.count("# empty, line") == 2
    assert text.count("# kind, line") == 1
    assert text.count("# missing, line") == 1
