"""The linter: each check on a spec that has the fault, and on one that comes near to it and is right."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine.review.lint import CHECKS, UNUSED_EXCEPTION, lint
from engine.review.lint_rests import HookInputs
from engine.review.spectext import SpecText, read_spec, spec_of
from engine.spec.library import all_specs
from engine.spec.problems import WARNINGS

CLEAN = """
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: fixture}
evidence:
  toy:
    repo: 'https://example.org/toy'
    commit: '0123456789012345678901234567890123456789'
    license: MIT
    reviewed: '2026-01-01'
roots: {data: {cite: 'toy:paths.rs:1 #x', home: [.toy]}}
tables: {labels: {a: first}}
lookups: {titles: {from: [boards], key: row.id, value: row.title}}
catalog:
  home: [.toy]
  project: [TOY.md]
  exclude: [{glob: '.toy/cache', why: a cache}]
  secrets: ['.toy/auth.json']
stores:
  log:
    cite: 'toy:log.rs:1 #x'
    files: ['{data}/<session>.jsonl']
    read: jsonl
    find: {model: {value: record.model, when: record.first}}
    beside: {meta: {json: '{data}/<session>.meta'}}
    versions: [{id: new, when: record.v, shape: line}, {id: old, shape: line}]
    walk: log
  boards:
    cite: 'toy:boards.rs:1 #x'
    files: ['{data}/boards.db']
    read: {sqlite: boards, need: [id], want: [title]}
  auth: {cite: 'toy:auth.rs:1 #x', files: ['{data}/auth.json'], read: json, keys: [kind], walk: auth}
shapes:
  line:
    type: object
    properties:
      kind: {enum: [user, call]}
      text: {type: string}
      parts: {type: array, items: {$ref: '#/shapes/part'}}
      model: {type: string}
      first: {type: boolean}
      v: {type: integer}
      at: {type: object, additionalProperties: {type: string}}
  part: {type: object, properties: {text: {type: string}}}
walks:
  log:
    let: {text: "label(record.text, 'labels')"}
    columns: {session_id: path.session, model: "lookup('titles', model)"}
    steps:
      - {set: {seen: record.text}}
      - switch: record.kind
        cases:
          user: {emit: prompt, turn: user, text: text, status: 'if(unit.version == `"new"`, meta.status, state.seen)'}
          call: {use: call, with: {parts: record.parts}}
        otherwise: {ignore: other}
  call:
    cite: 'toy:call.rs:1 #x'
    params: [parts]
    steps:
      - hook: merge
        with: {lines: parts}
        as: merged
        steps: [{emit: call, turn: tool_use, text: merged.text}]
  auth:
    cite: 'toy:auth.rs:1 #x'
    steps: [{emit: login, event: notice, text: {text: 'login: {doc.kind}'}}]
hooks: {merge: {call: 'engine.hooks.openhands:doubled', inputs: [lines], gives: [text], state: unit, why: a reason}}
unread: {TOY.md: instructions}
tests:
  - name: a prompt
    given:
      .toy/s.jsonl: [{kind: user, text: a, first: true}]
      .toy/auth.json: {kind: key}
    expect: [{turn_type: user, text: first}, {event: notice, text: 'login: key'}]
lint: [{code: W801, at: walks.call, why: the hook has tests of its own}]
"""


#: code → bad and good edits, place and words; see the file's head
CASES: dict[str, dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "lint_cases.yaml").read_text())


def spec(edits: Mapping[str, str]) -> SpecText:
    text = CLEAN
    for old, new in edits.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return spec_of(text.encode(), "toy.yaml")


@pytest.fixture(autouse=True)
def hook_of_the_toy(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubled(lines: list[str], state: dict[str, str]) -> tuple[dict[str, str], ...]:
        return ()

    doubled.__module__ = "engine.hooks.openhands"
    monkeypatch.setattr("engine.hooks.openhands.doubled", doubled, raising=False)


def test_every_code_has_a_check_and_cases() -> None:
    assert [check.code for check in CHECKS] + [UNUSED_EXCEPTION] == list(WARNINGS) == list(CASES)


def test_a_clean_spec_has_no_findings() -> None:
    assert [str(problem) for problem in lint(spec({}))] == []


@pytest.mark.parametrize("code", CASES)
def test_a_fault_is_told_with_its_code_at_its_place(code: str) -> None:
    case = CASES[code]
    found = lint(spec(case["bad"]))
    mine = [problem for problem in found if problem.code == code]
    assert [problem.path for problem in mine] == [case["at"]] and case["says"] in str(mine[0]), [str(p) for p in found]


@pytest.mark.parametrize("code", CASES)
def test_what_only_comes_near_to_a_fault_is_not_told(code: str) -> None:
    assert [str(problem) for problem in lint(spec(CASES[code]["good"])) if problem.code == code] == []


def test_an_exception_leaves_a_finding_at_its_path_and_below_and_no_other() -> None:
    edit = ("project: [TOY.md]", "project: [A.md, B.md]")
    with_exception = CLEAN.replace(*edit).replace(
        "lint: [", "lint: [{code: W502, at: 'catalog.project[0]', why: mine}, "
    )
    found = lint(spec_of(with_exception.encode(), "toy.yaml"))
    assert [(problem.code, problem.path) for problem in found] == [("W502", "catalog.project[1]")]


def test_emits_are_not_called_untested_where_a_fixture_is_not_at_hand() -> None:
    more = "  - {name: more, given: ../nothing, expect: []}\n  - name: a prompt\n"
    assert lint(spec({"  - name: a prompt\n": more})) == []


def test_an_exception_of_a_check_that_did_not_run_is_not_called_idle() -> None:
    assert lint(spec({}), [HookInputs]) == []


@pytest.mark.parametrize("path", all_specs(), ids=lambda path: path.stem)
def test_a_spec_of_the_library_is_clean_or_says_why_not(path: Path) -> None:
    assert [str(problem) for problem in lint(read_spec(path))] == []
