"""A spec's page for people: what stands on it, and that nothing of a spec breaks it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.review.docs import index, page
from engine.review.docs_shapes import Member, members, what
from engine.review.docs_site import site
from engine.review.spectext import read_spec
from engine.spec.library import all_specs
from tests.review.toy import toy


def test_a_page_says_where_what_is_stored_on_each_system(tmp_path: Path) -> None:
    text = page(toy(tmp_path))
    assert "| data (or $TOY\\_HOME) | any | `.toy` |" in text
    assert "| data (or $TOY\\_HOME) | Windows | `AppData/Local/Toy` |" in text
    assert "- `.toy/cache`: a cache" in text and "- `.toy/auth.json`" in text


def test_citations_are_links_to_the_lines_at_their_pin(tmp_path: Path) -> None:
    pin = "https://github.com/toy/toy/blob/0123456789abcdef0123456789abcdef01234567"
    text = page(toy(tmp_path))
    assert f"[`toy:log.rs:1-9 #x`]({pin}/log.rs#L1-L9)" in text
    assert "`toy:config page #mode`" in text and "](None" not in text


def test_rows_shapes_and_what_is_left_unread_stand_on_it(tmp_path: Path) -> None:
    text = page(toy(tmp_path))
    assert "| note | notice | `note: {record.text}` |" in text
    assert "| mode | permission_setting | `permission setting: mode={doc.mode}` |" in text
    assert "| `kind` | one of user, note | yes |" in text
    assert "- `cache`: nothing \\| of interest" in text


def test_members_of_a_shape_are_listed_outer_before_inner() -> None:
    shape = {
        "type": "object", "required": ["a"],
        "properties": {
            "a": {"type": "array", "items": {"properties": {"b": {"const": 1}}}},
            "c": {"$ref": "#/shapes/x"},
        },
        "additionalProperties": {"anyOf": [{"type": "string"}, {"type": ["integer", "null"]}]},
    }  # fmt: skip
    assert list(members(shape)) == [
        Member("a", "array of anything", True), Member("a[].b", "always 1", False), Member("c", "as x", False),
        Member("*", "string or integer or null", False),
    ]  # fmt: skip
    assert what({}) == "anything"


def test_every_table_has_as_many_cells_in_each_line_as_in_its_head() -> None:
    for path in all_specs():
        head = 0
        for line in page(read_spec(path)).splitlines():
            cells = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
            assert cells in (0, head) or not head, line
            head = cells


@pytest.mark.parametrize("path", all_specs(), ids=lambda path: path.stem)
def test_the_page_of_a_spec_of_the_library_names_every_store_and_every_citation(path: Path) -> None:
    text = read_spec(path)
    made = page(text)
    for store in text.plan.stores:
        assert f"### Store {store.name}\n" in made
        assert all(cite.text.removeprefix("seen:").replace("|", "\\|") in made for cite in store.cites)


def test_a_site_has_an_index_that_leads_to_each_page_and_anchors_that_links_reach(tmp_path: Path) -> None:
    files = site([toy(tmp_path)])
    assert list(files) == ["index.html", "toy.html"]
    assert '<a href="toy.html">Toy</a>' in files["index.html"]
    anchors = set(re.findall(r' id="([^"]+)"', files["toy.html"]))
    assert set(re.findall(r'href="#([^"]+)"', files["toy.html"])) <= anchors and "store-log" in anchors
    assert "<script" not in files["toy.html"] and "http-equiv" not in files["toy.html"]


def test_markup_in_a_spec_stays_text(tmp_path: Path) -> None:
    text = toy(tmp_path)
    path = Path(text.label)
    path.write_text(text.text.replace("summary: A toy.", "summary: '<b>*A* toy</b>'"))
    made = site([read_spec(path)])["toy.html"]
    assert "&lt;b&gt;*A* toy&lt;/b&gt;" in made


def test_the_index_names_all_agents() -> None:
    texts = [read_spec(path) for path in all_specs()]
    made = index(texts)
    assert all(f"]({text.plan.agent}.md)" in made for text in texts)
