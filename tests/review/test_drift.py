"""Drift of cited lines between two revisions of a source, and the edit that follows places."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.review.cites import HOLDS, SEEN, check, citations, sources_of
from engine.review.cites_git import Repository as Objects
from engine.review.drift import Drifted, drift
from engine.review.drift_lines import Pair, difference
from engine.review.drift_write import Written, rewritten
from engine.review.spectext import SpecText, read_spec, spec_of
from tests.review.repositories import Repository, cited_files, pinned, text_of

FIRST = ("use std::fs;", "", "fn one() {", "    let a = 1;", "}", "", "fn two() {", "    let b = 2;", "}", "", "// end")

SPEC = """# a comment
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: source}
evidence:
  toy:
    repo: https://example.org/toy
    commit: PIN   # the pin
    license: MIT
    reviewed: '2026-01-01'
  notes: {repo: 'https://example.org/notes', commit: abc1234, license: MIT, reviewed: '2026-01-01'}
roots: {data: {cite: "seen:notes:page 3 #toy", home: [toy]}}
stores:
  log:   {cite: 'toy:src/a.rs:3-5 #one', files: ['{data}/log.jsonl'], read: jsonl, walk: log}
walks:
  log:
    columns: {time: {time: record.t, unit: iso}}
    steps:
      - switch: record.kind
        cases:
          user: {emit: prompt, turn: user, text: record.text, cite: ['toy:src/a.rs:7-9 #two', 'toy:src/a.rs:4 #a']}
          assistant:
            emit: answer
            cite: 'toy:src/a.rs:7-9
              #two'
            turn: assistant
            text: record.text
        otherwise: keep_json
"""


def drifted(spec: SpecText, source: Path, to: str = "HEAD") -> list[Drifted]:
    cited = citations(spec)
    with sources_of(spec, [f"{spec.plan.evidence[0].alias}={source}"], cited) as sources:
        return drift(cited, sources, {evidence.alias: to for evidence in spec.plan.evidence})


def brief(found: list[Drifted]) -> dict[str, tuple[str, str]]:
    """citation → status and the place proposed."""
    return {
        each.cited.citation.text: (each.status, each.at.text if each.at is not None else "")
        for each in found
        if each.status != "seen"
    }


def unheld(spec: SpecText, source: Path) -> list[str]:
    """What `cite check` has against a spec."""
    cited = citations(spec)
    with sources_of(spec, [f"{spec.plan.evidence[0].alias}={source}"], cited) as sources:
        checked = check(cited, sources)
    return [f"{e.cited.citation.text}: {e.message}" for e in checked if e.status not in (HOLDS, SEEN)]


class Toy:
    """The toy spec, pinned at the first commit of a repository with one file."""

    def __init__(self, base: Path, *lines: str):
        self.repository = Repository(base / "toy")
        self.pin = self.repository.commit({"src/a.rs": text_of(*(lines or FIRST))})
        self.spec = spec_of(SPEC.replace("PIN", self.pin).encode(), "toy.yaml")

    def now(self, *lines: str, **files: str | None) -> list[Drifted]:
        self.head = self.repository.commit({"src/a.rs": text_of(*lines)} | files)
        return drifted(self.spec, self.repository.path)

    def write(self, found: list[Drifted]) -> Written:
        return rewritten(self.spec, found, {"toy": self.head})


@pytest.fixture
def toy(tmp_path):
    return Toy(tmp_path)


def zed_in(base: Path) -> tuple[SpecText, Repository, dict[str, list[str]]]:
    """The Zed spec, pinned at a made-up repository in which all its citations hold, and that repository's files."""
    zed = read_spec("zed")
    files = cited_files(zed)
    repository = Repository(base / "zed")
    pin = repository.commit({name: text_of(*lines) for name, lines in files.items()})
    return spec_of(pinned(zed.text, zed.plan.evidence[0].commit, pin).encode(), "zed.yaml"), repository, files


def test_zed_with_one_line_moved_one_changed_and_one_deleted_drifts_in_just_these(tmp_path):
    spec, repository, files = zed_in(tmp_path)
    assert unheld(spec, repository.path) == []
    project = files["crates/settings_content/src/project.rs"]
    project.insert(400, project.pop(393))
    files["crates/agent/src/legacy_thread.rs"][44] = "let changed = true; // SerializedLanguageModel"
    del files["crates/paths/src/paths.rs"][150]
    head = repository.commit({name: text_of(*lines) for name, lines in files.items()})
    found = drifted(spec, repository.path)
    assert {cite: fate for cite, fate in brief(found).items() if fate[0] != "same"} == {
        "zed:crates/settings_content/src/project.rs:394 #trust_all_worktrees":
            ("moved", "zed:crates/settings_content/src/project.rs:399 #trust_all_worktrees"),
        "zed:crates/agent/src/legacy_thread.rs:45-49 #SerializedLanguageModel":
            ("changed", "zed:crates/agent/src/legacy_thread.rs:45-49 #SerializedLanguageModel"),
        "zed:crates/paths/src/paths.rs:144-165 #data_dir":
            ("changed", "zed:crates/paths/src/paths.rs:144-164 #data_dir"),
    }  # fmt: skip
    diffs = {each.cited.citation.path: each.diff for each in found if each.status == "changed"}
    assert "\n-let filler_3_151 = 151;\n" in diffs["crates/paths/src/paths.rs"]
    assert "\n+let changed = true; // SerializedLanguageModel\n" in diffs["crates/agent/src/legacy_thread.rs"]
    written = rewritten(spec, found, {"zed": head})
    after = spec_of(written.text.encode(), "zed.yaml")
    assert (written.moved, list(written.held.values())) == (1, [2])
    assert unheld(after, repository.path) == []
    old = f"zed-{spec.plan.evidence[0].commit[:8]}"
    assert {cite: fate[0] for cite, fate in brief(drifted(after, repository.path)).items() if fate[0] != "same"} == {
        f"{old}:crates/agent/src/legacy_thread.rs:45-49 #SerializedLanguageModel": "changed",
        f"{old}:crates/paths/src/paths.rs:144-165 #data_dir": "changed",
    }


def test_a_cited_line_that_is_deleted_is_gone(tmp_path):
    spec, repository, files = zed_in(tmp_path)
    name = "crates/settings_content/src/project.rs"
    line = files[name].pop(393)
    repository.commit({name: text_of(*files[name])})
    (gone,) = (each for each in drifted(spec, repository.path) if each.status != "same")
    assert (gone.status, gone.at, gone.diff) == ("gone", None, f"@@ -394 +0,0 @@\n-{line}")
    assert gone.cited.rules == ("zed/settings/setting",)


def test_lines_that_stand_where_they_stood_are_the_same(toy):
    assert set(brief(toy.now(*FIRST[:10], "// another end")).values()) == {
        ("same", "toy:src/a.rs:3-5 #one"), ("same", "toy:src/a.rs:7-9 #two"), ("same", "toy:src/a.rs:4 #a"),
    }  # fmt: skip


def test_a_line_put_in_above_moves_what_follows(toy):
    found = toy.now("// new", *FIRST)
    assert brief(found) == {
        "toy:src/a.rs:3-5 #one": ("moved", "toy:src/a.rs:4-6 #one"),
        "toy:src/a.rs:7-9 #two": ("moved", "toy:src/a.rs:8-10 #two"),
        "toy:src/a.rs:4 #a": ("moved", "toy:src/a.rs:5 #a"),
    }
    assert all(each.sure for each in found if each.status == "moved")


def test_lines_that_swap_places_are_moved(toy):
    found = brief(toy.now(*FIRST[:2], *FIRST[6:9], "", *FIRST[2:5], *FIRST[9:]))
    assert found["toy:src/a.rs:3-5 #one"] == ("moved", "toy:src/a.rs:7-9 #one")
    assert found["toy:src/a.rs:7-9 #two"] == ("moved", "toy:src/a.rs:3-5 #two")


def test_a_changed_line_is_shown_with_its_numbers_and_where_the_lines_are_now(toy):
    changed = next(e for e in toy.now("// new", *FIRST[:7], "    let b = 3;", *FIRST[8:]) if e.status == "changed")
    assert (changed.cited.citation.text, changed.sure) == ("toy:src/a.rs:7-9 #two", False)
    assert changed.at is not None and changed.at.text == "toy:src/a.rs:8-10 #two"
    assert changed.diff == "@@ -7,3 +8,3 @@\n fn two() {\n-    let b = 2;\n+    let b = 3;\n }"


def test_another_indentation_is_a_change_and_said_to_be_white_space_only(toy):
    changed = next(e for e in toy.now(*FIRST[:7], "\tlet b = 2;", *FIRST[8:]) if e.status == "changed")
    assert changed.note == "white space only"


def test_a_file_that_is_renamed_moves_its_citations(toy):
    found = brief(toy.now(**{"src/a.rs": None, "lib/b.rs": text_of(*FIRST)}))
    assert found["toy:src/a.rs:7-9 #two"] == ("moved", "toy:lib/b.rs:7-9 #two")
    found = brief(toy.now(**{"src/a.rs": None, "lib/b.rs": None, "lib/a.rs": text_of("// head", *FIRST)}))
    assert found["toy:src/a.rs:4 #a"] == ("moved", "toy:lib/a.rs:5 #a")


def test_lines_that_go_into_another_file_are_moved_when_they_say_enough_to_be_known_again(tmp_path):
    long = ("pub fn two(an_argument_with_a_name: u8) -> usize {", "    compute_the_answer(41) + 1", "}")
    toy = Toy(tmp_path, *FIRST[:6], *long)
    found = brief(toy.now(*FIRST[:2], **{"src/other.rs": text_of("// head", *long, *FIRST[2:5])}))
    assert found["toy:src/a.rs:7-9 #two"] == ("moved", "toy:src/other.rs:2-4 #two")
    assert found["toy:src/a.rs:3-5 #one"][0] == "gone"


def test_a_file_that_is_gone_takes_its_citations_with_it(toy):
    found = toy.now(*FIRST, **{"src/a.rs": None})
    gone = [each for each in found if each.status == "gone"]
    assert len(gone) == 3 and gone[0].note == f"no file src/a.rs in {toy.head[:10]}"
    assert toy.write(found).text == toy.spec.text


def test_an_equal_line_that_was_there_before_is_not_what_moved(toy):
    old = [*FIRST, "fn three() {", "    let a = 1;", "}"]
    toy.repository.commit({"src/a.rs": text_of(*old)})
    pin = toy.repository.git("rev-parse", "HEAD")
    toy.spec = spec_of(SPEC.replace("PIN", pin).encode(), "toy.yaml")
    found = brief(toy.now(*old[:3], *old[4:]))
    assert found["toy:src/a.rs:4 #a"] == ("gone", "")


def test_what_does_not_hold_at_its_pin_is_broken(toy):
    toy.spec = spec_of(SPEC.replace("PIN", toy.pin).replace("7-9 #two'", "7-90 #two'").encode(), "toy.yaml")
    broken = next(each for each in toy.now(*FIRST) if each.status == "broken")
    assert broken.note == f"does not hold at its pin: src/a.rs has 11 lines in {toy.pin[:10]}"


def test_citations_of_what_was_seen_are_exempt(toy):
    seen = [each for each in toy.now("fn other() {}") if each.cited.citation.seen]
    assert [(each.status, each.note) for each in seen] == [("seen", "no public source: exempt from drift")]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_write_moves_pin_and_numbers_and_leaves_every_other_byte(toy, newline):
    toy.spec = spec_of(("\ufeff" + toy.spec.text.replace("\n", newline)).encode(), "toy.yaml")
    written = toy.write(toy.now("// new", *FIRST))
    expected = toy.spec.text.replace(toy.pin, toy.head)
    for old, new in (("a.rs:3-5", "a.rs:4-6"), ("a.rs:7-9", "a.rs:8-10"), ("a.rs:4 #", "a.rs:5 #")):
        expected = expected.replace(old, new)
    assert written.text == expected and written.moved == 3 and not written.held
    assert unheld(spec_of(written.text.encode(), "toy.yaml"), toy.repository.path) == []


def test_write_keeps_what_changed_at_the_old_pin_under_an_alias_of_its_own(toy):
    written = toy.write(toy.now("// new", *FIRST[:7], "    let b = 3;", *FIRST[8:]))
    old = f"toy-{toy.pin[:8]}"
    entry = (
        "    repo: https://example.org/toy\n    commit: {}   # the pin\n    license: MIT\n    reviewed: '2026-01-01'\n"
    )
    expected = toy.spec.text.replace(
        "  toy:\n" + entry.format(toy.pin), f"  toy:\n{entry.format(toy.head)}  {old}:\n{entry.format(toy.pin)}"
    )
    expected = expected.replace("toy:src/a.rs:7-9", f"{old}:src/a.rs:7-9").replace("a.rs:3-5", "a.rs:4-6")
    expected = expected.replace("a.rs:4 #", "a.rs:5 #")
    assert written.text == expected and written.held == {old: 1}
    assert unheld(spec_of(written.text.encode(), "toy.yaml"), toy.repository.path) == []


def test_write_into_evidence_in_braces(toy):
    block = toy.spec.text[toy.spec.text.index("evidence:") : toy.spec.text.index("roots:")]
    more = "license: MIT, reviewed: '2026-01-01'"
    flow = f"evidence: {{toy: {{repo: r, commit: {toy.pin}, {more}}}, notes: {{repo: n, commit: a, {more}}}}}\n"
    toy.spec = spec_of(toy.spec.text.replace(block, flow).encode(), "toy.yaml")
    written = toy.write(toy.now(*FIRST[:7], "    let b = 3;", *FIRST[8:]))
    made = spec_of(written.text.encode(), "toy.yaml")
    commits = {evidence.alias: evidence.commit for evidence in made.plan.evidence}
    assert commits == {"toy": toy.head, f"toy-{toy.pin[:8]}": toy.pin, "notes": "a"}
    assert unheld(made, toy.repository.path) == []


def test_write_where_all_has_changed_changes_nothing(toy):
    written = toy.write(toy.now("fn other() {}"))
    assert (written.text, written.pins, written.held) == (toy.spec.text, {}, {})


@pytest.mark.parametrize(("to", "message"), [
    ("nosuch", "--to nosuch: the source of toy has no such commit"),
    ("--output=/tmp/x", "--to --output=/tmp/x: the source of toy has no such commit"),
    ("HEAD\nHEAD", "no such commit"),
])  # fmt: skip
def test_a_revision_that_is_not_there_is_an_error_and_never_an_option(toy, to, message):
    with pytest.raises(UsageError, match=message):
        drifted(toy.spec, toy.repository.path, to)


def test_a_bare_repository_is_read_and_nothing_that_it_configures_is_run(toy, tmp_path):
    toy.now("// new", *FIRST)
    bare = tmp_path / "bare.git"
    toy.repository.git("clone", "-q", "--bare", str(toy.repository.path), str(bare))
    trap = f"touch {tmp_path}/ran"
    for name in ("core.fsmonitor", "core.sshCommand", "diff.external", "core.pager", "core.alternateRefsCommand"):
        toy.repository.git("--git-dir", str(bare), "config", name, trap)
    for hook in ("post-checkout", "reference-transaction", "post-index-change"):
        (bare / "hooks" / hook).write_text(f"#!/bin/sh\n{trap}\n")
        (bare / "hooks" / hook).chmod(0o755)
    assert brief(drifted(toy.spec, bare, toy.head))["toy:src/a.rs:4 #a"] == ("moved", "toy:src/a.rs:5 #a")
    assert not (tmp_path / "ran").exists()


def test_a_missing_object_of_a_partial_copy_is_never_fetched(toy, tmp_path, monkeypatch):
    toy.now("// new", *FIRST)
    blob = toy.repository.git("rev-parse", "HEAD:src/a.rs")
    (toy.repository.path / ".git/objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "extensions.partialClone": "origin", "remote.origin.promisor": "true",
        "remote.origin.url": f"ext::sh -c touch% {tmp_path}/ran", "protocol.ext.allow": "always",
    }.items():  # fmt: skip
        toy.repository.git("config", name, value)
    toy.repository.git("config", "core.repositoryFormatVersion", "1")
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext")
    with pytest.raises(UsageError, match=r"src/a\.rs of .* can't be read: its content is not in the repository"):
        drifted(toy.spec, toy.repository.path)
    assert not (tmp_path / "ran").exists()


def test_replaced_objects_do_not_stand_for_what_was_pinned(toy):
    head = toy.repository.commit({"src/a.rs": "fn other() {}\n"})
    toy.repository.git("replace", toy.pin, head)
    assert unheld(toy.spec, toy.repository.path) == []


def test_a_directory_that_is_no_repository_is_said_so(tmp_path):
    (tmp_path / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "objects").mkdir()
    with pytest.raises(UsageError, match="git can't read this repository"):
        Objects(tmp_path).commit("HEAD")


def test_every_line_of_a_long_file_keeps_its_place_through_edits_elsewhere():
    old = [line for n in range(400) for line in (f"fn f{n}() {{", "    work();", "}", "")]
    new = [*old[:40], "fn added() {", "}", "", *old[40:800], *old[812:]]
    pair = Pair(old, new)
    assert pair.find(1, 4)[:3] == ("same", 1, 4)
    assert pair.find(401, 403)[:3] == ("moved", 404, 406)
    assert pair.find(1201, 1203)[:3] == ("moved", 1192, 1194)
    assert pair.find(801, 803).status == "gone"


def test_a_difference_has_the_numbers_of_both_files():
    assert difference(["a", "b"], ["a", "c"], 10, 20) == "@@ -10,2 +20,2 @@\n a\n-b\n+c"
