"""What the compiler makes of a spec that is good."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from engine.lang.compile import compile_document
from engine.lang.plan import (
    Block,
    Choose,
    Const,
    Earliest,
    Emit,
    Expr,
    First,
    KeepJson,
    Optional,
    Plan,
    Previous,
    Set,
    Switch,
    Text,
    Time,
    Unparsed,
)  # fmt: skip
from engine.spec.yamlio import read_document

HEAD = """\
spec: 1
agent: {id: notes, name: Notes, summary: An agent that takes notes., basis: fixture}
evidence:
  src: {repo: 'https://example.org/notes', commit: '1234567', license: MIT, reviewed: '2026-11-30'}
roots:
  data: {home: ['.notes']}
"""
STORE = """\
stores:
  log:
    cite: 'src:log.py:1-9 #Log'
    files: ['{data}/<id>.jsonl']
    read: jsonl
    walk: entry
"""


def plan_of(text: str) -> Plan:
    plan, problems = compile_document(read_document((HEAD + text).encode(), "notes.yaml"))
    assert [str(problem) for problem in problems] == [] and plan is not None
    return plan


def steps_of(steps: str, walk: str = "") -> tuple[Any, ...]:
    """The compiled steps of a walk whose steps are these lines."""
    indented = "".join(f"      {line}\n" for line in steps.splitlines())
    return plan_of(f"{STORE}walks:\n  entry:\n{walk}    steps:\n{indented}").walks[0].steps


def step_of(step: str, walk: str = "") -> Any:
    lines = step.splitlines()
    return steps_of("\n".join([f"- {lines[0]}", *(f"  {line}" for line in lines[1:])]), walk)[0]


def test_a_turn_gives_the_event_and_an_event_alone_is_of_the_system() -> None:
    told = steps_of("- {emit: a, turn: tool_use}\n- {emit: b, event: git}\n- {emit: c, turn: user, event: draft}")
    assert [(step.turn, step.event) for step in told] == [
        ("tool_use", "tool_use"),
        ("system", "git"),
        ("user", "draft"),
    ]


def test_the_columns_of_an_emit_are_those_of_the_step_and_its_own() -> None:
    step = step_of("{emit: a, turn: user, columns: {model: record.m}, text: record.t}")
    assert isinstance(step, Emit)
    assert [(name, value.source) for name, value in step.columns] == [("model", "record.m"), ("text", "record.t")]


def test_an_emit_has_its_own_citation_or_the_nearest_around_it() -> None:
    block = step_of(
        "cite: 'src:b.py:2 #block'\n"
        "steps:\n"
        "  - {emit: a, turn: user, cite: 'src:a.py:1-3 #own'}\n"
        "  - {emit: b, turn: user}"
    )  # fmt: skip
    assert [[cite.text for cite in step.cites] for step in block.steps] == [
        ["src:a.py:1-3 #own"],
        ["src:b.py:2 #block"],
    ]
    (own,) = block.steps[0].cites
    assert (own.alias, own.path, own.first, own.last, own.anchor, own.seen) == ("src", "a.py", 1, 3, "own", False)
    (step,) = steps_of("- {emit: c, turn: user}")
    assert [cite.text for cite in step.cites] == ["src:log.py:1-9 #Log"]
    (step,) = steps_of("- {emit: c, turn: user}", "    cite: 'src:w.py:4 #walk'\n")
    assert [cite.text for cite in step.cites] == ["src:w.py:4 #walk"]


def test_a_citation_of_what_was_seen_has_no_lines() -> None:
    (cite,) = step_of("{emit: a, turn: user, cite: 'seen:src:a page, part 2 #the key'}").cites
    assert (cite.alias, cite.path, cite.first, cite.last, cite.anchor, cite.seen) == (
        "src", "a page, part 2", 0, 0, "the key", True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("on", "let", "kind", "rest"),
    [
        ("record.type", "", "record.type", "omit(record, 'type')"),
        ("record.payload.type", "", "record.payload.type", "omit(record.payload, 'type')"),
        ('record."a b"', "", 'record."a b"', "omit(record, 'a b')"),
        ("v.tag", "let: {v: variant(record)}\n", "v.tag", "v.body"),
        ("variant(record.x).tag", "", "variant(record.x).tag", "variant(record.x).body"),
        ("v.tag", "let: {v: record.v}\n", "v.tag", "omit(v, 'tag')"),
    ],
)
def test_keep_json_takes_type_and_rest_from_the_switch(on: str, let: str, kind: str, rest: str) -> None:
    step = step_of(f"{let}switch: '{on}'\ncases: {{}}\notherwise: keep_json")
    assert isinstance(step, Switch)
    (kept,) = step.otherwise
    assert isinstance(kept, KeepJson) and isinstance(kept.type, Expr) and isinstance(kept.rest, Expr)
    assert (kept.type.source, kept.rest.source) == (kind, rest)


def test_keep_json_inside_a_choose_takes_the_switch_around_it() -> None:
    step = step_of(
        "switch: record.type\n"
        "cases:\n"
        "  a: {choose: {record.x: {ignore: 'x'}}, otherwise: keep_json}\n"
        "otherwise: {keep_json: true, type: record.kind}"
    )  # fmt: skip
    (inner,) = step.cases[0][1]
    assert isinstance(inner, Choose) and inner.otherwise[0].rest.source == "omit(record, 'type')"  # type: ignore[union-attr]
    (kept,) = step.otherwise
    assert (kept.type.source, kept.rest.source) == ("record.kind", "omit(record, 'type')")


def test_cases_are_split_and_kept_in_order() -> None:
    step = step_of("switch: record.x\ncases:\n  a | 5: []\n  null: {ignore: 'none'}\n  true: keep_json\notherwise: []")
    assert [keys for keys, _ in step.cases] == [("a", "5"), ("null",), ("true",)]
    assert step.otherwise == ()


def test_several_names_under_set_are_a_block_in_order() -> None:
    block = step_of("{when: record.a, set: {a: record.a, b: state.a}}")
    assert isinstance(block, Block) and block.when is not None
    assert [(step.name, step.when) for step in block.steps if isinstance(step, Set)] == [("a", None), ("b", None)]


def test_ids_of_steps_are_unique_paths_of_names() -> None:
    steps = steps_of(
        "- {emit: a, turn: user}\n"
        "- switch: record.x\n"
        "  cases: {b | c: [{ignore: 'one'}, {ignore: 'two'}]}\n"
        "  otherwise: keep_json\n"
        "- {ignore: 'three'}"
    )  # fmt: skip
    assert [step.id for step in steps] == ["a", "switch", "ignore"]
    assert [step.id for step in steps[1].cases[0][1]] == ["switch/b | c/ignore", "switch/b | c/ignore2"]
    assert steps[1].otherwise[0].id == "switch/otherwise/keep_json"


def test_a_list_in_the_time_column_is_the_first_that_parses() -> None:
    step = step_of("{emit: a, turn: user, time: [{time: record.at, unit: ms}, previous, file.mtime]}")
    ((name, value),) = step.columns
    assert name == "time" and isinstance(value, First)
    first, previous, third = value.times
    assert isinstance(first, Time) and (first.unit, first.time.source) == ("ms", "record.at")
    assert isinstance(previous, Previous) and isinstance(third, Expr)


def test_values_have_all_their_forms() -> None:
    step = step_of(
        "let:\n"
        "  a: {const: {x: [1, null]}}\n"
        "  b: {text: 'x[ {record.a}]\\{'}\n"
        "  c: {earliest: [{time: record.a, unit: iso, basis: approximate}, {previous: true, basis: approximate}]}\n"
        "emit: a\n"
        "turn: user"
    )  # fmt: skip
    (_, constant), (_, text), (_, earliest) = step.let
    assert constant == Const(value={"x": [1, None]})
    assert isinstance(text, Text) and text.parts[0] == "x" and text.parts[2] == "{"
    assert isinstance(part := text.parts[1], Optional) and part.parts[0] == " "
    assert isinstance(earliest, Earliest) and earliest.times[1] == Previous(basis="approximate")


def test_the_place_of_an_expression_is_that_of_its_first_character() -> None:
    step = step_of("{emit: a, turn: user, when: record.x, text: {text: 'a {record.y}'}}")
    assert (step.when.mark.line, step.when.mark.column) == (16, 37)
    assert step.when.mark.path == "walks.entry.steps[0].when"
    hole = step.columns[0][1].parts[1]
    assert (hole.mark.line, hole.mark.column) == (16, 64)


def test_a_bad_record_has_a_reason_in_words_or_as_a_template() -> None:
    plain = step_of("{unparsed: no text, number: record.n, text: record.raw}")
    assert isinstance(plain, Unparsed) and plain.reason == Const(value="no text")
    assert isinstance(step_of("unparsed: {text: 'kind {record.kind}'}").reason, Text)


@pytest.mark.parametrize(
    ("written", "milliseconds"),
    [("0 s", 0), ("500 ms", 500), ("5 min", 300_000), ("15 h", 54_000_000), ("1 day", 86_400_000)],
)  # fmt: skip
def test_tolerances_are_milliseconds(written: str, milliseconds: int) -> None:
    pairing = f"pairings:\n  - {{secondary: log, primary: [log], within: {written}, why: echoes}}\n"
    plan = plan_of(STORE + "walks:\n  entry: {steps: [{emit: a, turn: user}]}\n" + pairing)
    assert plan.pairings[0].within == milliseconds


def test_globs_have_a_root_a_pattern_and_captures() -> None:
    store = plan_of(STORE + "walks:\n  entry: {steps: [{emit: a, turn: user}]}\n").stores[0]
    (glob,) = store.files
    assert (glob.root, glob.pattern, glob.captures) == ("data", "<id>.jsonl", (("id", ""),))


def test_the_scope_name_follows_from_the_way_to_read() -> None:
    stores = """\
stores:
  a: {files: ['a'], read: json}
  b: {files: ['b'], read: {sqlite: t, order: [x, y]}}
  c: {files: ['c'], read: lines}
  d: {folder: ['d'], records: {files: '*.json'}, read: json}
  e: {files: ['e'], read: json, as: chat}
walks: {}
"""
    plan = plan_of(stores)
    assert [store.as_name for store in plan.stores] == ["doc", "row", "record", "record", "chat"]
    assert plan.stores[1].sqlite is not None and plan.stores[1].sqlite.order == ("x", "y")


def test_a_plan_goes_through_messagepack_unchanged() -> None:
    plan = plan_of(
        STORE + "tables: {t: {a: [1]}}\nwalks:\n  entry:\n    steps:\n      - {emit: a, turn: user, text: record.x}\n"
        "      - {set: {m: record.m}, changed: [{emit: m, event: model, text: was}]}\n"
    )
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(plan), type=Plan) == plan


def test_problems_come_in_the_order_of_the_file_and_all_at_once() -> None:
    text = (HEAD + STORE).replace("read: jsonl", "read: jsnl") + "walks:\n  entry:\n    steps:\n      - {emti: a}\n"
    plan, problems = compile_document(read_document(text.encode(), "notes.yaml"))
    assert plan is None
    assert [(problem.code, problem.line, problem.nearest) for problem in problems] == [
        ("E204", 11, "jsonl"), ("E201", 16, "emit"),
    ]  # fmt: skip
