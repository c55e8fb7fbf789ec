"""Citations of a spec: where they stand, what rests on them, and whether they hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.lang.compile_cites import read_citation
from engine.lang.links import link
from engine.review.cites import Checked, check, citations, fault_of, sources_of
from engine.review.spectext import SpecText, read_spec, spec_of
from tests.review.repositories import Repository, text_of
from tests.review.test_drift import FIRST, SPEC


def toy(pin: str, *changes: tuple[str, str]) -> SpecText:
    text = SPEC.replace("PIN", pin)
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return spec_of(text.encode(), "toy.yaml")


def checked(spec: SpecText, *given: str | Path) -> list[Checked]:
    cited = citations(spec)
    with sources_of(spec, [str(source) for source in given], cited) as sources:
        return check(cited, sources)


def broken(spec: SpecText, *given: str | Path) -> list[str]:
    return [each.message for each in checked(spec, *given) if each.status == "broken"]


@pytest.fixture
def source(tmp_path):
    repository = Repository(tmp_path / "source")
    repository.commit({"src/a.rs": text_of(*FIRST)})
    return repository


def test_a_citation_has_all_its_places_and_the_rules_that_rest_on_it():
    found = {each.citation.text: each for each in citations(toy("abc"))}
    two = found["toy:src/a.rs:7-9 #two"]
    assert [place.path for place in two.places] == [
        "walks.log.steps[0].cases.user.cite[0]", "walks.log.steps[0].cases.assistant.cite",
    ]  # fmt: skip
    assert two.rules == ("toy/log/prompt", "toy/log/answer")
    assert found["toy:src/a.rs:3-5 #one"].rules == (), "each step below has its own"


def test_every_citation_of_a_plan_is_found_in_its_text():
    spec = read_spec("zed")
    texts = {each.citation.text for each in citations(spec)}
    plan = {cite.text for store in spec.plan.stores for cite in store.cites}
    assert plan < texts and {cite.text for root in spec.plan.roots for cite in root.cites} < texts


def test_what_is_called_cite_and_is_none_is_passed_over():
    spec = toy("abc", ("columns: {time:", "let: {cite: record.text}\n    columns: {time:"))
    assert len(citations(spec)) == len(citations(toy("abc")))


def test_citations_hold_at_the_pin_whatever_came_after(source):
    pin = source.git("rev-parse", "HEAD")
    source.commit({"src/a.rs": None})
    assert broken(toy(pin), source.path) == []


@pytest.mark.parametrize(("change", "message"), [
    (("a.rs:4 #a", "b.rs:4 #a"), "no file src/b.rs in {pin}"),
    (("a.rs:4 #a", "a.rs:12 #a"), "src/a.rs has 11 lines in {pin}"),
    (("a.rs:4 #a", "a.rs:4 #b"), "`b` does not stand in these lines of {pin} (it stands in line 8)"),
    (("a.rs:4 #a", "a.rs:4 #fn a"), "`fn a` does not stand in these lines of {pin} (nor anywhere else in the file)"),
    (("a.rs:4 #a", "src:4 #a"), "no file src/src in {pin}"),
    (("a.rs:4 #a", "../src/a.rs:4 #a"), "no file src/../src/a.rs in {pin}"),
])  # fmt: skip
def test_a_citation_that_does_not_hold_says_why(source, change, message):
    pin = source.git("rev-parse", "HEAD")
    assert broken(toy(pin, change), source.path) == [message.format(pin=pin[:10])]


def test_an_anchor_is_a_whole_word():
    assert fault_of(_cite("created"), ["created_at"], "x") and not fault_of(
        _cite("created_at"), ["a.created_at()"], "x"
    )
    assert not fault_of(_cite(".claude.json"), ['"x/.claude.json"'], "x")


def _cite(anchor: str):
    cite = read_citation(f"toy:a:1 #{anchor}")
    assert cite is not None
    return cite


def test_a_short_pin_names_its_commit(source):
    assert broken(toy("'" + source.git("rev-parse", "--short=12", "HEAD") + "'"), source.path) == []


def test_a_folder_without_history_is_checked_as_it_stands(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.rs").write_text(text_of(*FIRST).replace("let a", "let c"))
    messages = broken(toy("abc"), tmp_path)
    assert messages == ["`a` does not stand in these lines of the folder as it stands (nor anywhere else in the file)"]


def test_no_path_and_no_link_leads_out_of_a_folder(tmp_path):
    (tmp_path / "secret.rs").write_text(text_of(*FIRST))
    inside = tmp_path / "source"
    (inside / "src").mkdir(parents=True)
    (inside / "src/a.rs").symlink_to(tmp_path / "secret.rs")
    assert set(broken(toy("abc"), inside)) == {"no file src/a.rs in the folder as it stands"}
    spec = toy("abc", ("src/a.rs:4", "../secret.rs:4"))
    assert "no file ../secret.rs in the folder as it stands" in broken(spec, inside)


def test_a_home_in_a_source_s_path_is_known_behind_its_alias_too(source, monkeypatch):
    monkeypatch.setenv("HOME", str(source.path.parent))
    assert broken(toy(source.git("rev-parse", "HEAD")), f"toy=~/{source.path.name}") == []


def test_aliases_of_one_repository_share_its_source(source):
    pin = source.git("rev-parse", "HEAD")
    other = (
        "  other: {repo: 'https://example.org/Toy.git', commit: " + pin + ", license: MIT, reviewed: '2026-01-01'}\n"
    )
    spec = toy(pin, ("  notes:", other + "  notes:"), ("toy:src/a.rs:4 #a", "other:src/a.rs:4 #a"))
    assert broken(spec, source.path) == [] and not any(e.status == "unchecked" for e in checked(spec, source.path))


def test_an_alias_whose_pin_the_shared_source_lacks_is_not_checked(source):
    pin = source.git("rev-parse", "HEAD")
    other = "  other: {repo: 'https://example.org/toy', commit: abc1234, license: MIT, reviewed: '2026-01-01'}\n"
    spec = toy(pin, ("  notes:", other + "  notes:"), ("toy:src/a.rs:4 #a", "other:src/a.rs:4 #a"))
    found = {e.cited.citation.alias: e.message for e in checked(spec, f"toy={source.path}") if e.status == "unchecked"}
    assert found == {"other": "no --source for other"}


def test_an_alias_without_a_source_is_not_checked(source):
    pin = source.git("rev-parse", "HEAD")
    spec = toy(pin, ("toy:src/a.rs:4 #a", "notes:src/a.rs:4 #a"))
    statuses = {e.cited.citation.text: e.status for e in checked(spec, f"toy={source.path}")}
    assert statuses["notes:src/a.rs:4 #a"] == "unchecked" and statuses["seen:notes:page 3 #toy"] == "seen"


@pytest.mark.parametrize(("given", "message"), [
    ([], "no --source: say where the sources are, as --source toy=DIR"),
    (["toi={source}"], "the spec has no evidence alias 'toi' (did you mean 'toy'?)"),
    (["toy=/no/such"], "--source /no/such: no such directory"),
    (["{source}"], "the pin abc123 is not"),
])  # fmt: skip
def test_a_source_that_can_not_serve_is_refused(source, given, message):
    message = message.replace("the pin", "its pin")
    with pytest.raises(UsageError) as raised:
        checked(toy("abc123"), *(text.format(source=source.path) for text in given))
    assert message in str(raised.value)


def test_a_source_without_an_alias_is_refused_when_two_repositories_are_cited(source):
    spec = toy("abc", ("toy:src/a.rs:4 #a", "notes:src/a.rs:4 #a"))
    with pytest.raises(UsageError, match=r"say whose source it is, as ALIAS=.* \(aliases: toy, notes\)"):
        checked(spec, source.path)


def test_a_citation_links_to_its_lines_at_the_pin():
    spec = read_spec("zed")
    cite = next(each.citation for each in citations(spec) if each.citation.anchor == "DbThread")
    commit = spec.plan.evidence[0].commit
    place = f"{cite.path}#L{cite.first}-L{cite.last}"
    assert link(cite, spec.plan.evidence[0]) == f"https://github.com/zed-industries/zed/blob/{commit}/{place}"
    assert link(_cite("x"), toy("abc").plan.evidence[0]) is None
