"""What differs in meaning between two specs, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SpecError, UsageError
from engine.review.diff import Change, compare
from engine.review.diff_rows import compare_rows
from engine.review.diff_specs import read_side
from engine.review.spectext import SpecText, read_spec, spec_of
from engine.spec.library import all_specs
from tests.review.repositories import Repository
from tests.run.walking import home_of

SPEC = """
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: fixture}
evidence: {toy: {repo: 'https://example.org/toy', commit: abc1234, license: MIT, reviewed: '2026-01-01'}}
roots: {data: {cite: 'toy:paths.rs:1 #x', home: [toy]}}
tables:
  labels: {a: first, ab: second, z: last}
  kept: [one, two]
stores:
  log: {cite: 'toy:log.rs:1 #x', files: ['{data}/<session>.jsonl'], read: jsonl, walk: log,
        find: {model: {value: record.model}}}
  old: {cite: 'toy:log.rs:2 #x', files: ['{data}/old/<session>.jsonl'], read: jsonl, walk: log}
walks:
  log:
    let: {text: record.text, said: 'concat(text, record.more)'}
    columns: {session_id: path.session, time: {time: record.t, unit: iso}}
    steps:
      - switch: record.kind
        cases:
          user: {emit: prompt, turn: user, text: said}
          'reply | answer': {emit: answer, turn: assistant, text: {text: 'said: {said}[ ({record.why})]'}, model: model}
          call: {use: call, with: {call: record.call}}
        otherwise: keep_json
      - {emit: note, event: notice, when: record.note, text: record.note}
      - choose:
          record.a: {emit: a, event: notice, text: record.a}
          record.b: {emit: b, event: notice, text: record.b}
        otherwise: {ignore: neither}
  call:
    cite: 'toy:call.rs:1 #x'
    params: [call]
    steps:
      - {emit: call, turn: tool_use, text: call.command, tool_use_id: call.id}
pairings:
  - {secondary: old, primary: [log], within: 0 s, why: a copy}
"""


def changed(*edits: tuple[str, str]) -> str:
    text = SPEC
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def spec(text: str = SPEC) -> SpecText:
    return spec_of(text.encode(), "toy.yaml")


def diff(*edits: tuple[str, str]) -> list[Change]:
    return compare(spec().plan, spec(changed(*edits)).plan)


def brief(*edits: tuple[str, str]) -> list[tuple[str, ...]]:
    return [(each.kind, each.what, ", ".join(each.rules or each.where), each.old, each.new) for each in diff(*edits)]


@pytest.mark.parametrize("path", all_specs(), ids=lambda path: path.stem)
def test_a_spec_does_not_differ_from_itself(path):
    plan = read_spec(path).plan
    assert compare(plan, read_spec(path).plan) == []


@pytest.mark.parametrize(
    "edits",
    [
        [("walks:\n", "# what becomes rows\nwalks:\n")],
        [
            ("    params: [call]\n    steps:", "    steps:"),
            (
                "turn: tool_use, text: call.command, tool_use_id: call.id}",
                "tool_use_id: call.id, turn: tool_use, text: call.command}\n    params: [call]",
            ),
        ],
        [
            (
                "let: {text: record.text, said: 'concat(text, record.more)'}",
                "let:\n      text: 'record . text'\n      said: concat( text , record.more )",
            )
        ],
        [
            ("user: {emit: prompt, turn: user, text: said}\n          ", ""),
            ("call: {use: call,", "user: {emit: prompt, turn: user, text: said}\n          call: {use: call,"),
        ],
        [("'reply | answer'", "'answer | reply'")],
        [("'said: {said}[ ({record.why})]'", "'said: { said }[ ({record.why})]'")],
        [("{a: first, ab: second, z: last}", "{z: last, a: first, ab: second}")],
        [("{data}/<session>.jsonl'], read: jsonl, walk: log,", "{data}/<session>.jsonl'], walk: log, read: jsonl,")],
    ],
    ids=["comment", "keys of a step", "form of expressions", "cases", "keys of a case", "hole", "table", "store"],
)
def test_comments_form_and_the_order_of_keys_are_no_difference(edits):
    assert diff(*edits) == []


def test_a_rule_that_comes_and_one_that_goes_are_told_for_each_store():
    found = brief(("{emit: note, event: notice,", "{emit: remark, event: notice,"))
    assert found[:4] == [
        ("added", "rule", "toy/log/remark", "", ""), ("added", "rule", "toy/old/remark", "", ""),
        ("removed", "rule", "toy/log/note", "", ""), ("removed", "rule", "toy/old/note", "", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            ("{emit: prompt, turn: user, text: said}", "{emit: prompt, turn: user, text: text}"),
            [
                ("changed", "text", "toy/log/prompt, toy/old/prompt", "said", "text"),
                ("removed", "let said", "toy/log/prompt, toy/old/prompt", "concat(text, record.more)", ""),
            ],
        ),
        (
            ("time: {time: record.t, unit: iso}", "time: {time: record.t, unit: ms}"),
            [("changed", "time", "*", "{time: record.t, unit: iso}", "{time: record.t, unit: ms}")],
        ),
        (
            ("when: record.note,", "when: record.note.text,"),
            [("changed", "condition", "toy/log/note, toy/old/note", "when record.note", "when record.note.text")],
        ),
        (
            ("{emit: prompt, turn: user,", "{emit: prompt, event: draft,"),
            [
                ("changed", "turn", "toy/log/prompt, toy/old/prompt", "user", "system"),
                ("changed", "event", "toy/log/prompt, toy/old/prompt", "message", "draft"),
            ],
        ),
        (
            ("({record.why})]'}, model: model}", "({record.why})]'}}"),
            [("removed", "column model", "toy/log/answer, toy/old/answer", "model", "")],
        ),
        (
            ("{emit: note, event: notice,", "{emit: note, cite: 'toy:a:1 #x', event: notice,"),
            [
                (
                    "changed",
                    "citation",
                    "toy/log/note, toy/old/note",
                    "[toy:log.rs:1 #x, toy:log.rs:2 #x]",
                    "[toy:a:1 #x]",
                )
            ],
        ),
        (
            ("said: 'concat(text, record.more)'", "said: 'concat(text, record.rest)'"),
            [
                (
                    "changed",
                    "let said",
                    "toy/log/prompt, toy/old/prompt, toy/log/answer, toy/old/answer",
                    "concat(text, record.more)",
                    "concat(text, record.rest)",
                )
            ],
        ),
        (
            ("with: {call: record.call}", "with: {call: record.tool}"),
            [("changed", "with call", "toy/log/call, toy/old/call", "record.call", "record.tool")],
        ),
        (
            ("user: {emit:", "'user | human': {emit:"),
            [
                (
                    "changed",
                    "condition",
                    "toy/log/prompt, toy/old/prompt",
                    "case user of record.kind",
                    "case human | user of record.kind",
                )
            ],
        ),
        (
            ("otherwise: {ignore: neither}", "otherwise: {ignore: no text}"),
            [("removed", "step", "log: ignore neither", "", ""), ("added", "step", "log: ignore no text", "", "")],
        ),
    ],
    ids=["text", "time", "condition", "event", "column", "citation", "let", "argument", "case", "otherwise"],
)
def test_what_changed_in_a_rule_is_named(edit, expected):
    found = brief(edit)
    if expected[0][2] == "*":
        assert "toy/log/prompt" in found[0][2] and "toy/old/b" in found[0][2]
        found = [(*found[0][:2], "*", *found[0][3:])]
    assert found == expected


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (("commit: abc1234", "commit: def5678"), [("changed", "evidence.toy.commit", "", "abc1234", "def5678")]),
        (
            ("home: [toy]", "home: [toy, .toy]"),
            [("changed", "roots.data.bases", "", "[[home, toy]]", "[[home, toy], [home, .toy]]")],
        ),
        (("kept: [one, two]", "kept: [two, one]"), [("changed", "tables.kept =", "", "[one, two]", "[two, one]")]),
        (("ab: second,", "ab: third,"), [("changed", "tables.labels.ab", "", "second", "third")]),
        (
            ("{a: first, ab: second,", "{ab: second, a: first,"),
            [("changed", "tables.labels (order of keys that begin alike)", "", "a, ab", "ab, a")],
        ),
        (
            ("find: {model: {value: record.model}}", "find: {model: {value: record.model, within: 5}}"),
            [("added", "stores.log.find.model.within", "", "", "5")],
        ),
        (
            ("  - {secondary: old, primary: [log], within: 0 s, why: a copy}", "  []"),
            [("removed", "pairings.old", "", "", "")],
        ),
        (("within: 0 s", "within: 5 s"), [("changed", "pairings.old.within", "", "0", "5000")]),
    ],
    ids=["pin", "root", "list", "entry", "order", "find", "pairing gone", "tolerance"],
)
def test_what_changed_beside_the_rules_is_named_by_its_path(edit, expected):
    assert brief(edit) == expected


def test_the_order_of_steps_and_of_choices_means_something():
    a = "          record.a: {emit: a, event: notice, text: record.a}\n"
    note = "      - {emit: note, event: notice, when: record.note, text: record.note}\n"
    found = brief(
        (a, ""), ("        otherwise: {ignore: neither}", a + "        otherwise: {ignore: neither}"),
        (note, ""), ("      - switch: record.kind", note + "      - switch: record.kind"),
    )  # fmt: skip
    assert [each[:2] for each in found] == [
        ("changed", "order of the steps of log"), ("changed", "order of the choices of walks.log.steps[2]"),
    ]  # fmt: skip
    assert found[0][3:] == ("emit note after switch with emit prompt", "emit note first")
    assert found[1][3:] == ("record.b after record.a", "record.b first")


def test_lines_lead_to_both_specs():
    (change,) = diff(("walks:\n", "# a\n# b\nwalks:\n"), ("when: record.note,", "when: record.notes,"))
    assert (change.old_line, change.new_line) == (24, 26)


# --------------------------------------------------------------------------------------------------------------- rows

LINES = (
    '{"kind": "user", "text": "hi", "t": "2026-01-01T00:00:00Z"}\n'
    '{"kind": "reply", "text": "yes", "t": "2026-01-01T00:00:01Z"}\n'
    '{"kind": "new", "body": 1}\n'
)


def rows(base: Path, *edits: tuple[str, str], most: int = 20):
    home = home_of(base, {"toy/s1.jsonl": LINES, "toy/s2.jsonl": LINES})
    return compare_rows(spec().plan, spec(changed(*edits)).plan, [str(home)], "home", most)


def test_the_same_spec_gives_the_same_rows(tmp_path):
    found = rows(tmp_path)
    assert (found.old, found.new, found.any, found.shown) == (6, 6, False, ())


def test_rows_that_change_are_shown_by_column(tmp_path):
    found = rows(tmp_path, ("'said: {said}", "'told: {said}"))
    assert (found.added, found.removed, found.changed) == (0, 0, 2)
    assert [(each.row["source_file"], each.row["source_line"], each.columns) for each in found.shown] == [
        ("toy/s1.jsonl", 2, {"text": ("said: yes", "told: yes")}),
        ("toy/s2.jsonl", 2, {"text": ("said: yes", "told: yes")}),
    ]


def test_rows_that_come_and_go_are_counted_and_shown_up_to_the_limit(tmp_path):
    found = rows(
        tmp_path,
        ("      - {emit: note,", "      - {emit: kind, event: notice, text: record.kind}\n      - {emit: note,"),
        most=1,
    )
    assert (found.old, found.new, found.added, found.removed, found.changed) == (6, 12, 6, 0, 0)
    assert [(each.kind, each.row["rule"]) for each in found.shown] == [("added", "toy/log/kind")]


def test_a_record_that_gets_a_rule_is_a_change_of_its_note(tmp_path):
    found = rows(
        tmp_path,
        (
            "          call: {use:",
            "          new: {emit: new, event: notice, text: record.body}\n          call: {use:",
        ),
    )
    assert (found.removed, found.added, found.changed) == (2, 2, 0)
    assert {each.row["rule"] for each in found.shown} == {"toy/log/new", "toy/log/switch/otherwise/keep_json"}


# -------------------------------------------------------------------------------------------------------------- sides


@pytest.fixture
def repository(tmp_path):
    made = Repository(tmp_path / "repository")
    made.commit({"specs/toy.yaml": SPEC})
    made.commit({"specs/toy.yaml": changed(("within: 0 s", "within: 5 s"))})
    return made


@pytest.mark.parametrize("name", ["HEAD~1:specs/toy.yaml", "main^:./toy.yaml", "HEAD~1:../specs/toy.yaml"])
def test_a_side_may_be_a_file_at_a_revision(repository, name):
    side = read_side(name, repository.path / "specs")
    assert (side.label, side.text) == (name, SPEC)


def test_a_file_is_taken_before_a_revision(repository, monkeypatch):
    (repository.path / "HEAD:specs").mkdir()
    (repository.path / "HEAD:specs/toy.yaml").write_text(SPEC)
    monkeypatch.chdir(repository.path)
    assert read_side("HEAD:specs/toy.yaml").text == SPEC


@pytest.mark.parametrize(("name", "message"), [
    ("nosuch:specs/toy.yaml", "has no revision 'nosuch'"),
    ("HEAD:nosuch.yaml", "no file 'nosuch.yaml' at HEAD"),
    ("--help:specs/toy.yaml", "has no revision '--help'"),
    ("HEAD:../../x.yaml", "outside the repository"),
    ("nosuch", "no such spec: nosuch"),
])  # fmt: skip
def test_a_side_that_is_not_there_is_said_so(repository, name, message):
    with pytest.raises(UsageError, match=message):
        read_side(name, repository.path / "specs")


def test_a_side_that_is_no_spec_has_its_problems(repository):
    repository.commit({"bad.yaml": "spec: 1\n"})
    with pytest.raises(SpecError, match=r"HEAD:bad\.yaml:1:1: error E202"):
        read_side("HEAD:bad.yaml", repository.path)
