"""`engine explain`: from rows and rules to lines of specs and sources."""

from __future__ import annotations

import io
import json

import pytest

from engine.cli.terminal import one_line
from tests.cli.command import Engine
from tests.review.repositories import Repository, text_of
from tests.review.test_drift import FIRST, SPEC

#: clears a terminal's screen
CLEAR = "\x1b[2J"
ROW = json.dumps({"rule": "toy/log/answer", "text": "hi" + CLEAR, "source_file": "log.jsonl", "source_line": 3})


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


@pytest.fixture
def toy(tmp_path):
    """A spec's path and its source's."""
    repository = Repository(tmp_path / "source")
    pin = repository.commit({"src/a.rs": text_of(*FIRST)})
    spec = tmp_path / "my.yaml"
    spec.write_text(SPEC.replace("PIN", pin))
    return spec, repository.path


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_a_row_leads_to_the_lines_that_wrote_it_and_to_the_cited_lines(engine, toy):
    spec, source = toy
    ended = engine("explain", ROW, "--spec", spec, "--source", f"toy={source}")
    assert (
        ended.out.decode()
        == f"""toy/log/answer: turn assistant, event message, basis source
row  undated  log.jsonl:3  {one_line("hi" + CLEAR)}
{spec}:22:13  walks.log.steps[0].cases.assistant
     15   log:
     16     columns: {{time: {{time: record.t, unit: iso}}}}
     17     steps:
     18       - switch: record.kind
     19         cases:
       …
     21           assistant:
>    22             emit: answer
>    23             cite: 'toy:src/a.rs:7-9
>    24               #two'
>    25             turn: assistant
>    26             text: record.text
cited toy:src/a.rs:7-9 #two
      7 fn two() {{
      8     let b = 2;
      9 }}

"""
    )


def test_rows_and_rules_are_read_from_stdin_and_each_rule_is_told_once(engine, toy, monkeypatch):
    given(monkeypatch, f"{ROW}\n\n{ROW}\ntoy/log/switch/otherwise/keep_json\n")
    out = engine("explain", "--spec", toy[0]).out.decode()
    assert [line for line in out.splitlines() if line.startswith("toy/")] == [
        "toy/log/answer: turn assistant, event message, basis source",
        "toy/log/switch/otherwise/keep_json: a note of what the spec does not know",
    ]


def test_as_json_each_rule_is_an_object_with_lines_and_citations(engine, toy):
    spec, source = toy
    found = json.loads(engine("explain", "toy/log/prompt", "--spec", spec, "--source", source, "--json").out)
    (place,) = found["places"]
    assert [line["line"] for line in place["lines"] if line["own"]] == [20]
    assert [cite["cite"] for cite in place["citations"]] == ["toy:src/a.rs:7-9 #two", "toy:src/a.rs:4 #a"]
    assert place["citations"][1]["lines"] == [{"line": 4, "text": "    let a = 1;"}]


def test_the_lets_that_a_step_names_are_shown_with_those_that_they_name(engine):
    out = engine("explain", "zed/threads/start").out.decode()
    assert "      parent: 'row.parent_id ||" in out and "      places_before: " in out
    assert "      model: " not in out and "https://github.com/zed-industries/zed/blob/" in out


def test_a_walk_that_others_use_says_where(engine):
    out = engine("explain", "zed/settings/setting").out.decode()
    assert any(line.startswith("used in lines ") and line.count(",") == 2 for line in out.splitlines())


@pytest.mark.parametrize("step", ["unparseable", "unknown", "file", "mended"])
def test_notes_of_the_engine_lead_to_their_store(engine, toy, step):
    out = engine("explain", f"toy/log/{step}", "--spec", toy[0]).out.decode()
    assert out.startswith(f"toy/log/{step}: the engine's note ") and "cited toy:src/a.rs:3-5 #one" in out


def test_every_rule_of_a_run_is_explained(engine, monkeypatch):
    rows = engine("run", "fixtures/zed/home", "--spec", "zed", "-q").out
    given(monkeypatch, rows.decode())
    ended = engine("explain")
    rules = {json.loads(line)["rule"] for line in rows.decode().split("\n") if line}
    assert ended.status == 0 and len(rules) > 10
    assert {line.split(": ")[0] for line in ended.out.decode().split("\n") if line.startswith("zed/")} == rules


def test_a_citation_that_does_not_hold_is_said_so(engine, toy):
    spec, source = toy
    spec.write_text(spec.read_text().replace("#a'", "#z'"))
    out = engine("explain", "toy/log/prompt", "--spec", spec, "--source", f"toy={source}").out.decode()
    assert "\n  `z` does not stand in these lines of " in out


@pytest.mark.parametrize(("arguments", "message"), [
    (["zed/threads/promt"], "has no step of store threads 'promt' (did you mean 'prompt'?)"),
    (["zed/thread/prompt"], "has no store 'thread' (did you mean 'threads'?)"),
    (["nosuch/a/b"], "zed); of another spec give --spec FILE"),
    (["zed/threads"], "'zed/threads' is no rule: a rule is AGENT/STORE/STEP"),
    (["toy/a/b", "--spec", "zed"], "is about zed, not toy"),
    (['{"a": 1}'], "this row has no `rule`"),
    (['{"a": '], "this row is no JSON"),
    (["zed/threads/prompt", "--source", "/no/such"], "--source /no/such: no such directory"),
    ([], "nothing to explain"),
])  # fmt: skip
def test_each_wrong_use_is_one_clear_line(engine, monkeypatch, arguments, message):
    given(monkeypatch, "\n")
    ended = engine("explain", *arguments)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, b"", 1) and message in ended.err
