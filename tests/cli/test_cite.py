"""`engine cite`: what it prints, how it ends, what it writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.command import Engine
from tests.review.repositories import Repository, text_of
from tests.review.test_drift import FIRST, SPEC


@dataclass
class Case:
    """The toy spec in a file, pinned at the first of two commits; `engine` runs the command."""

    engine: Engine
    spec: Path
    repository: Repository
    pin: str
    head: str

    def drift(self, *more: str):
        return self.engine("cite", "drift", self.spec, "--source", f"toy={self.repository.path}", *more)

    def check(self, *more: str):
        return self.engine("cite", "check", self.spec, "--source", f"toy={self.repository.path}", *more)


@pytest.fixture
def case(tmp_path, capsysbinary):
    repository = Repository(tmp_path / "source")
    pin = repository.commit({"src/a.rs": text_of(*FIRST)})
    head = repository.commit({"src/a.rs": text_of("// new", *FIRST[:7], "    let b = 3;", *FIRST[8:])})
    spec = tmp_path / "my.yaml"
    spec.write_text(SPEC.replace("PIN", pin))
    return Case(Engine(tmp_path, capsysbinary), spec, repository, pin, head)


def test_check_says_how_many_hold(case):
    ended = case.check()
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == b"4 citations: 3 hold, 0 do not; 1 `seen:`, exempt: no public source\n"


def test_check_names_every_place_of_a_citation_that_does_not_hold_and_ends_with_1(case):
    case.spec.write_text(case.spec.read_text().replace("#two", "#tow"))
    ended = case.check()
    first, second, _ = ended.out.decode().splitlines()
    assert ended.status == 1
    assert first == (
        f"{case.spec}:20:70: toy:src/a.rs:7-9 #tow: `tow` does not stand in these lines of {case.pin[:10]} "
        "(nor anywhere else in the file)"
    )
    assert second.startswith(f"{case.spec}:23:19: ")


def test_check_as_json_has_every_citation_with_its_status(case):
    found = json.loads(case.check("--json").out)
    assert found["counts"] == {"holds": 3, "broken": 0, "seen": 1, "unchecked": 0}
    assert {each["cite"]: each["status"] for each in found["citations"]}["toy:src/a.rs:4 #a"] == "holds"


def test_drift_groups_by_rule_and_ends_with_1_when_something_changed(case):
    ended = case.drift("--to", case.head)
    assert ended.status == 1
    assert (
        ended.out.decode()
        == f"""stores.log
  moved    toy:src/a.rs:3-5 #one -> 4-6
           {case.spec}:13

toy/log/prompt, toy/log/answer
  changed  toy:src/a.rs:7-9 #two -> 8-10
           {case.spec}:20, {case.spec}:23
           @@ -7,3 +8,3 @@
            fn two() {{
           -    let b = 2;
           +    let b = 3;
            }}

toy/log/prompt
  moved    toy:src/a.rs:4 #a -> 5
           {case.spec}:20

4 citations: 0 same, 2 moved, 1 changed, 0 gone; 1 `seen:`, exempt: no public source
"""
    )


def test_drift_ends_with_0_when_nothing_changed_but_place(case):
    head = case.repository.commit({"src/a.rs": text_of("// new", *FIRST)})
    assert case.drift("--to", f"toy={head}").status == 0
    assert case.drift("--to", case.pin, "--all").out.startswith(b"roots.data\n  seen     seen:notes:page 3 #toy (no ")


def test_drift_writes_a_spec_that_check_accepts_and_keeps_its_mode(case):
    case.spec.chmod(0o640)
    ended = case.drift("--write")
    assert ended.out.decode().endswith(
        f"{case.spec}: toy is now pinned at {case.head}\n{case.spec}: 2 citations moved to new lines\n"
        f"{case.spec}: 1 citation to look at stays at the old pin, as toy-{case.pin[:8]}\n"
    )
    assert case.spec.stat().st_mode & 0o777 == 0o640
    assert case.check().status == 0 and b"3 hold, 0 do not" in case.check().out
    again = case.drift("--write")
    assert again.out.endswith(f"{case.spec}: nothing to write\n".encode()) and again.status == 1


def test_drift_as_json_has_rules_proposals_and_what_was_written(case):
    found = json.loads(case.drift("--write", "--json").out)
    assert found["rules"]["toy/log/prompt"] == {"toy:src/a.rs:7-9 #two": "changed", "toy:src/a.rs:4 #a": "moved"}
    moved = next(each for each in found["citations"] if each["anchor"] == "a")
    assert moved["proposed"] == {"path": "src/a.rs", "first": 5, "last": 5, "cite": "toy:src/a.rs:5 #a"}
    assert found["written"] == {"pins": {"toy": case.head}, "moved": 2, "held": {f"toy-{case.pin[:8]}": 1}}
    assert found["to"] == {"toy": case.head} and found["open"] == 1


@pytest.mark.parametrize(("arguments", "message"), [
    (["check"], "Missing argument 'SPEC'"),
    (["check", "nosuch"], "no such spec: nosuch"),
    (["check", "{spec}"], "no --source: say where the sources are"),
    (["drift", "{spec}", "--source", "{source}/src"], "drift needs a git repository"),
    (["drift", "{spec}", "--source", "{source}", "--to", "nosuch"], "the source of toy has no such commit"),
    (["drift", "{spec}", "--source", "{source}", "--to", ""], "--to: an empty revision"),
    (["drift", "{spec}", "--source", "{source}", "--to", "a", "--to", "b"], "--to b: one revision for all is enough"),
    (["nosuch"], "No such command 'nosuch'"),
])  # fmt: skip
def test_each_wrong_use_is_one_clear_line(case, arguments, message):
    arguments = [text.format(spec=case.spec, source=case.repository.path) for text in arguments]
    ended = case.engine("cite", *arguments)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, b"", 1) and message in ended.err


@pytest.mark.parametrize("sub", ["check", "drift"])
def test_help_has_an_example_and_every_option_is_explained(case, sub):
    out = case.engine("cite", sub, "--help").out.decode()
    assert f"Example: engine cite {sub}" in out and "--json" in out and "Exit status" in out


def test_without_a_command_there_is_help_and_status_2(case):
    ended = case.engine("cite")
    assert (ended.status, ended.err) == (2, "")
    assert ended.out.startswith(b"Usage: engine cite")
