"""Documents that are cut, and documents that are read as a stream: the same records either way."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.read.jsonsplit import Broken, Splitter
from engine.read.limits import Limits
from tests.read.reading import read, store

ITEMS = [
    {"no": 0, "t": 'a "quoted" ]}{[ one\\', "l": [1, [2, {"x": []}]]},
    "text ü 😀",
    {"no": 2, "big": "x" * 300},
    [],
    {},
    12.5,
    None,
    {"no": 3},
]
DOCUMENT = {
    "id": "c1",
    "agents": [{"h": '[{"log": 1}]'}],
    "log": {"guid": "g", "logs": ITEMS, "p": 5},
    "data": {"a": None},
}


def ends(text: bytes) -> list[int]:
    """Where each item of the list ends in the text: when it is cut there or later, the item is whole."""
    at, found = text.index(b'"logs"'), []
    for item in ITEMS:
        part = json.dumps(item, ensure_ascii=False).encode("utf-8", "surrogatepass")
        at = text.index(part, at) + len(part)
        # a number is whole only when something follows it
        found.append(at + 1 if isinstance(item, float) or item is None else at)
    return found


TEXT = json.dumps(DOCUMENT, ensure_ascii=False, indent=1).encode()
PLAIN = json.dumps(DOCUMENT, ensure_ascii=False).encode()
SALVAGE = store("s", "{data}/c.json", "json", records="doc.log.logs", salvage="doc.log.logs")


def elements(data: bytes, path: tuple[str, ...]) -> tuple[list, object, Broken | None]:
    splitter, found = Splitter(io.BytesIO(data), path, Limits()), []
    try:
        for element in splitter.elements():
            found.append(element)
    except Broken as broken:
        return found, splitter.document, broken
    return found, splitter.document, None


def test_every_item_that_was_whole_survives_a_cut_at_any_byte():
    places = ends(PLAIN)
    for cut in range(len(PLAIN)):
        found, document, broken = elements(PLAIN[:cut], ("log", "logs"))
        assert broken is not None and broken.at <= cut
        assert found == ITEMS[: sum(place <= cut for place in places)], cut
        if found:
            assert document["id"] == "c1" and document["agents"] == DOCUMENT["agents"]
            assert document["log"]["guid"] == "g"


def test_a_cut_document_gives_its_whole_items_and_one_note(tmp_path):
    cut = PLAIN.index(b'"no": 3')
    seen = read(tmp_path, SALVAGE, {".toy/c.json": PLAIN[:cut]})
    assert [(record.line, record.value) for record in seen.records[:-1]] == list(enumerate(ITEMS[:-1], 1))
    assert seen.bad == [(0, f"c.json could not be decoded (cut off at byte {cut})", "")]
    assert seen.units[0][1]["doc"] == {
        **{k: DOCUMENT[k] for k in ("id", "agents")},
        "log": {"guid": "g", "logs": ITEMS[:-1]},
    }


@pytest.mark.parametrize("cut", [0, 1, 20, PLAIN.index(b'"logs"'), PLAIN.index(b'"no": 0')])
def test_a_document_without_one_whole_item_is_one_note(tmp_path, cut):
    seen = read(tmp_path, SALVAGE, {".toy/c.json": PLAIN[:cut]})
    assert seen.note.startswith("c.json could not be decoded (") and seen.units == []


def test_without_salvage_a_cut_document_is_one_note(tmp_path):
    body = store("s", "{data}/c.json", "json", records="doc.log.logs")
    assert read(tmp_path, body, {".toy/c.json": PLAIN[:-5]}).note.startswith("c.json could not be decoded (")


def test_a_cut_list_of_records_ends_with_a_bad_record_that_holds_the_rest(tmp_path):
    body = store("s", "{data}/p.json", "json", records="doc", salvage="doc")
    seen = read(tmp_path, body, {".toy/p.json": '[{"p":1}, {"p":2},\n{"p": "thi'})
    assert seen.values == [{"p": 1}, {"p": 2}]
    assert seen.bad == [(3, "cut off at byte 29", '{"p": "thi')]
    seen = read(tmp_path / "b", body, {".toy/p.json": '[{"p": "thi'})
    assert seen.bad == [(1, "cut off at byte 11", '{"p": "thi')]


# ---------------------------------------------------------------------------------------------------- streaming

SMALL, WHOLE = Limits(stream=64), Limits()


@pytest.mark.parametrize("text", [TEXT, PLAIN, b"\xef\xbb\xbf" + PLAIN])
def test_a_document_read_as_a_stream_has_the_same_records_and_no_list(tmp_path, text):
    whole = read(tmp_path / "w", SALVAGE, {".toy/c.json": text}, WHOLE)
    stream = read(tmp_path / "s", SALVAGE, {".toy/c.json": text}, SMALL)
    assert stream.records == whole.records
    assert stream.units[0][1]["doc"] == {**DOCUMENT, "log": {**DOCUMENT["log"], "logs": []}}


@pytest.mark.parametrize("body", [SALVAGE, store("s", "{data}/c.json", "json", records="doc.log.logs")])
def test_a_stream_that_is_cut_ends_like_the_whole(tmp_path, body):
    for at, cut in enumerate(range(70, len(PLAIN), 31)):
        whole = read(tmp_path / f"w{at}", body, {".toy/c.json": PLAIN[:cut]}, WHOLE)
        stream = read(tmp_path / f"s{at}", body, {".toy/c.json": PLAIN[:cut]}, SMALL)
        assert (stream.values, stream.bad, stream.note) == (whole.values, whole.bad, whole.note)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, deadline=None)
@given(JSON_VALUES, st.lists(JSON_VALUES, max_size=5), st.integers(1, 40), st.sampled_from([None, 1]), st.booleans())
def test_the_splitter_gives_what_the_decoder_gives_in_pieces_of_any_size(other, items, size, indent, ascii_only):
    class Pieces(io.BytesIO):
        def read(self, count=-1, /):
            return super().read(min(count, size))

    document = {"a": other, "b": {"c": other, "d": items, "e": other}, "f": other}
    text = json.dumps(document, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    splitter = Splitter(Pieces(text), ("b", "d"), Limits())
    assert list(splitter.elements()) == items
    document["b"]["d"] = []
    assert splitter.document == document


#: objects that begin alike, and hold some that begin so too
ALIKE = st.recursive(
    st.builds(lambda kind, n: {"k": kind, "n": n}, st.sampled_from(["a", "b", 1, '"},{"k":']), st.integers(0, 9)),
    lambda inner: st.builds(lambda below, n: {"k": "a", "l": below, "n": n}, st.lists(inner, max_size=4), st.just(1)),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(ALIKE, max_size=8), st.integers(1, 200), st.sampled_from([None, 1]), st.integers(0, 60))
def test_elements_that_begin_alike_are_those_that_stand_there_in_windows_of_any_size(items, window, indent, cut):
    text = json.dumps({"b": items}, indent=indent).encode()
    text = text[: len(text) - cut]
    one_by_one, _, fault = elements(text, ("b",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.read.jsonwindow.CHUNK", window)
        found, _, broken = elements(text, ("b",))
    assert found == items[: len(found)] and found == one_by_one
    assert (broken and broken.reason, broken and broken.at) == (fault and fault.reason, fault and fault.at)


def test_elements_that_begin_alike_are_decoded_together():
    items = [{"no": n, "kvps": {"no": n}} for n in range(1000)]
    text = json.dumps({"b": items}).encode()
    lists = list(Splitter(io.BytesIO(text), ("b",), Limits()).lists())
    assert [item for some in lists for item in some] == items and len(lists) < 10


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=30).map(lambda noise: PLAIN[:60] + noise + PLAIN[60:]))
def test_the_splitter_takes_nothing_that_the_decoder_refuses(text):
    from engine.errors import BadRecord
    from engine.lang import jsontext

    _, document, broken = elements(text, ("log", "logs"))
    try:
        whole = jsontext.loads(text)
    except BadRecord:
        assert broken is not None
    else:
        assert broken is None
        assert isinstance(whole, dict) == isinstance(document, dict)


def test_a_large_string_is_found_across_many_chunks(tmp_path):
    big = json.dumps({"id": "x", "agents": ["y" * 3_000_000 + '"\\'], "log": {"logs": [{"n": 1}]}, "z": 1}).encode()
    seen = read(tmp_path, SALVAGE, {".toy/c.json": big}, Limits(stream=1000))
    assert seen.values == [{"n": 1}]
    assert seen.units[0][1]["doc"]["agents"] == ["y" * 3_000_000 + '"\\']


def test_a_name_that_stands_twice_is_read_whole_and_the_last_wins(tmp_path):
    text = b'{"log":{"logs":[1]},"log":{"logs":[2]},"pad":"' + b"x" * 100 + b'"}'
    assert read(tmp_path, SALVAGE, {".toy/c.json": text}, SMALL).values == [2]
