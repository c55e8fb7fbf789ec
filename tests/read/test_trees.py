"""Records that are the nodes of trees inside a JSON document: whole, as a stream, and broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.read.limits import Limits
from tests.read.reading import read, store

BODY = store(
    "s",
    "{data}/c.json",
    "json",
    records="{tree: 'doc.a[<n>].text', below: [kids, one], keep: [id, 'm.x', 'l[].k', 'w.**']}",
    salvage="doc.log",
)
TREE = {
    "id": "root",
    "kids": [{"id": "leaf 1"}, {"id": "inner", "kids": [{"id": "leaf ü 😀"}, {"id": "leaf 3", "m": {"x": 1}}]}],
    "one": {"id": "only", "kids": []},
    "last": None,
}
STREAM = Limits(stream=0)


def document(*texts: Any) -> bytes:
    return json.dumps({"id": "d", "a": [{"text": text, "n": n} for n, text in enumerate(texts)], "log": [1]}).encode()


def nodes(base: Path, data: bytes, limits: Limits | None = None) -> list[tuple[int, Any, Any]]:
    """(number, position of its tree, node); of what can't be read its note."""
    records = read(base, BODY, {".toy/c.json": data}, limits).records
    return [
        (record.line, (record.names or {}).get("n"), record.bad.text if record.bad else record.value)  # type: ignore[union-attr]
        for record in records
    ]


@pytest.mark.parametrize("limits", [Limits(), STREAM])
@pytest.mark.parametrize("as_text", [True, False])
def test_each_node_comes_after_those_below_it_and_without_them(as_text: bool, limits: Limits, tmp_path: Path) -> None:
    found = nodes(tmp_path, document(json.dumps(TREE) if as_text else TREE), limits)
    assert [(line, n, node["id"]) for line, n, node in found] == [
        (1, 0, "leaf 1"),
        (2, 0, "leaf ü 😀"),
        (3, 0, "leaf 3"),
        (4, 0, "inner"),
        (5, 0, "only"),
        (6, 0, "root"),
    ]
    assert [sorted(node) for _, _, node in found] == [["id"], ["id"], ["id", "m"], ["id"], ["id"], ["id", "last"]]


@pytest.mark.parametrize("limits", [Limits(), STREAM])
def test_a_record_knows_the_position_of_its_tree(limits: Limits, tmp_path: Path) -> None:
    found = nodes(tmp_path, document('{"id": "x"}', None, {"id": "y"}), limits)
    assert found == [(1, 0, {"id": "x"}), (2, 2, {"id": "y"})]


@pytest.mark.parametrize("limits", [Limits(), STREAM])
def test_a_broken_tree_is_a_note_that_quotes_nothing_after_the_nodes_that_were_whole(
    limits: Limits, tmp_path: Path
) -> None:
    text = '{"kids": [{"id": "good"}, {"id": "secret'
    assert nodes(tmp_path, document(text, '{"id": "next"}'), limits) == [
        (1, 0, {"id": "good"}),
        (2, 0, "c.json a[0].text could not be decoded (cut off at byte 40)"),
        (3, 1, {"id": "next"}),
    ]


@pytest.mark.parametrize("limits", [Limits(), STREAM])
@pytest.mark.parametrize("value", ["5", '"x"', 5, True, "{]"])
def test_what_is_no_tree_is_a_note(value: Any, limits: Limits, tmp_path: Path) -> None:
    ((line, place, said),) = nodes(tmp_path, document(value), limits)
    assert (line, place) == (1, 0) and said.startswith("c.json a[0].text could not be decoded (")


@pytest.mark.parametrize("limits", [Limits(), STREAM])
def test_what_stands_in_a_list_of_nodes_and_is_none_is_a_record_and_null_is_nothing(
    limits: Limits, tmp_path: Path
) -> None:
    found = nodes(tmp_path, document({"kids": [5, None, "x", [{"id": "deep"}]]}), limits)
    assert [node for _, _, node in found] == [5, "x", {"id": "deep"}, {}]


def test_of_a_large_node_only_what_is_kept_is_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.read.jsonwindow.CHUNK", 64)
    node = {
        "id": "big",
        "m": {"x": 1, "y": "z" * 500},
        "l": [{"k": 2, "j": 3}, 4],
        "w": {"any": [{}]},
        "out": ["q"] * 99,
    }
    found = nodes(tmp_path, document(json.dumps({"kids": [node]})), STREAM)
    assert found[0][2] == {"id": "big", "m": {"x": 1}, "l": [{"k": 2}], "w": {"any": [{}]}}


def test_the_document_of_a_stream_has_null_where_a_tree_stands(tmp_path: Path) -> None:
    seen = read(tmp_path, BODY, {".toy/c.json": document(json.dumps(TREE), {"id": "x"})}, STREAM)
    assert seen.units[0][1]["doc"] == {"id": "d", "a": [{"text": None, "n": 0}, {"text": None, "n": 1}], "log": [1]}


def test_a_cut_document_gives_its_trees_when_they_were_whole(tmp_path: Path) -> None:
    data = json.dumps({"a": [{"text": json.dumps(TREE)}], "log": [1, 2]}).encode()[:-4]
    for name, limits in (("whole", Limits()), ("stream", STREAM)):
        found = nodes(tmp_path / name, data, limits)
        assert [node["id"] for _, _, node in found[:-1]][-1] == "root"
        assert found[-1] == (0, None, f"c.json could not be decoded (cut off at byte {len(data)})")


TREES = st.recursive(
    st.fixed_dictionaries({"id": st.text(max_size=12)}),
    lambda inner: st.fixed_dictionaries({"id": st.text(max_size=5), "kids": st.lists(inner, max_size=3)}),
    max_leaves=9,
)


@settings(max_examples=120, deadline=None)
@given(st.lists(TREES, max_size=3), st.integers(1, 90), st.booleans(), st.integers(0, 60))
def test_trees_are_the_same_whole_and_as_a_stream_in_windows_of_any_size(
    tmp_path_factory: pytest.TempPathFactory, trees: list[Any], window: int, ascii_only: bool, cut: int
) -> None:
    texts = [json.dumps(tree, ensure_ascii=ascii_only) for tree in trees]
    if texts and cut:
        texts[-1] = texts[-1][: -cut or None]
    base = tmp_path_factory.mktemp("trees")
    data = json.dumps({"a": [{"text": text} for text in texts], "log": [1]}, ensure_ascii=ascii_only).encode(
        "utf-8", "surrogatepass"
    )
    whole = nodes(base / "w", data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.read.jsonwindow.CHUNK", window)
        assert nodes(base / "s", data, STREAM) == whole
