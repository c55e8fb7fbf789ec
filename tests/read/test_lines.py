"""Line files: the splitting, its bounds, and what becomes of lines that can't be read."""

from __future__ import annotations

import gzip
import hashlib
import io
import json

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadRecord
from engine.read import lines
from engine.read.limits import Limits
from tests.read.reading import read, store

JSONL = store("s", "{data}/a.jsonl", "jsonl")


class Dribble(io.BytesIO):
    """Gives a stream in pieces of the given sizes."""

    def __init__(self, data: bytes, sizes: list[int]):
        super().__init__(data)
        self.sizes = sizes

    def read(self, count=-1, /):
        return super().read(self.sizes.pop() if self.sizes else count)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from([b"", b"a", b"\n", b"\r\n", b"\xe2\x80\xa8", b"{}", b"x" * 9, b"\xef\xbb", b"\xbf"])).map(
        b"".join
    ),
    st.lists(st.integers(1, 7)),
)
def test_lines_are_those_of_bytes_split_wherever_the_chunks_end(data, sizes):
    expected = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    found = list(lines.split(Dribble(data, sizes), Limits()))
    assert [(line.number, line.data) for line in found] == list(enumerate(expected, 1))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 12)), st.lists(st.integers(1, 5)), st.booleans())
def test_a_line_over_the_limit_is_told_with_its_size_and_hash_and_the_rest_is_read(lengths, sizes, ended):
    texts = [bytes([97 + at % 26]) * length for at, length in enumerate(lengths)]
    data = b"\n".join(texts) + (b"\n" if ended and texts else b"")
    limits = Limits(line=5, quote=3)
    found = list(lines.split(Dribble(data, sizes), limits))
    kept = texts if ended or not texts or texts[-1] else texts[:-1]
    assert [line.number for line in found] == list(range(1, len(kept) + 1))
    for line, text in zip(found, kept, strict=True):
        if len(text) <= 5:
            assert (line.data, line.bad) == (text, None)
        else:
            digest = hashlib.sha256(text).hexdigest()
            assert isinstance(line.bad, BadRecord)
            assert line.bad.stored == f"{text[:3].decode()}… ({len(text)} bytes, sha256 {digest})"


def test_only_a_line_feed_ends_a_line(tmp_path):
    text = '{"a":"one\u2028two\u2029three\u0085four\\u000b"}\n{"b":"\x0c"}\n'
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": text.replace("\x0c", "\\f")})
    assert [record.line for record in seen.records] == [1, 2]
    assert seen.values[0] == {"a": "one\u2028two\u2029three\u0085four\u000b"}


def test_blank_lines_are_passed_over_and_counted(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": b'\xef\xbb\xbf\n  \n{"a":1}\r\n\r\n{"a":2}'})
    assert [(record.line, record.value) for record in seen.records] == [(3, {"a": 1}), (5, {"a": 2})]


def test_a_cut_last_line_is_one_bad_record_that_quotes_it(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": '{"a":1}\n{"a":"tw'})
    assert seen.values == [{"a": 1}]
    ((line, reason, stored),) = seen.bad
    assert (line, stored) == (2, '{"a":"tw')
    assert reason.startswith("cut off")


def test_bytes_that_are_no_utf8_are_shown_as_replacement_characters(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": b'{"a":1}\n{"a":"\xe4\xba\n{"a":"\xff"}\n'})
    assert seen.bad == [(2, seen.bad[0][1], '{"a":"\ufffd')]
    assert seen.records[2].value == {"a": "\ufffd"}
    assert seen.records[2].flags == ("invalid UTF-8",)


def test_two_records_on_one_line_are_quoted_whole(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": '{"a":1}{"a":2}\n{"a":3}\n'})
    assert [bad[2] for bad in seen.bad] == ['{"a":1}{"a":2}']
    assert seen.values == [{"a": 3}]


def test_a_file_of_nul_bytes_is_one_note(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": b"\0" * 5000 + b"\n" + b"\0" * 300})
    assert [bad[1] for bad in seen.bad] == ["a.jsonl could not be decoded (none of its 2 lines can be read)"]
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": b"\0" * 5000})
    assert [bad[1] for bad in seen.bad] == ["a.jsonl could not be decoded (5000 NUL bytes)"]


def test_a_long_file_of_something_else_is_one_note(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": "no json\n" * 500})
    assert [bad[1] for bad in seen.bad] == ["a.jsonl could not be decoded (none of its 500 lines can be read)"]


def test_a_short_file_without_a_good_line_keeps_its_text(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": "one\ntwo\n"})
    assert [(line, stored) for line, _, stored in seen.bad] == [(1, "one"), (2, "two")]


def test_zeros_at_the_end_of_a_file_are_one_bad_record_without_them(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": b'{"a":1}\n' + b"\0" * 4096})
    assert seen.bad == [(2, "4096 NUL bytes", "")]


def test_zeros_before_a_record_do_not_fill_its_note(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": b'{"a":1}\n' + b"\0" * 4096 + b'{"a":2}\n{"a":3}\n'})
    assert seen.values == [{"a": 1}, {"a": 3}]
    assert seen.bad == [(2, "4096 NUL bytes in front", '{"a":2}')]


def test_an_empty_file_gives_a_unit_without_records(tmp_path):
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": ""})
    assert [len(records) for _, _, records in seen.units] == [0]


def test_a_line_that_is_no_object_is_bad_where_one_is_needed(tmp_path):
    seen = read(tmp_path, store("s", "{data}/a.jsonl", "jsonl", need="object"), {".toy/a.jsonl": "null\n[1]\n{}\n"})
    assert seen.bad == [(1, "not a JSON object", "null"), (2, "not a JSON object", "[1]")]
    assert seen.values == [{}]


def test_depth_over_the_limit_is_a_bad_record_and_quoted_in_part(tmp_path):
    deep = "[" * 100_000 + "]" * 100_000
    seen = read(tmp_path, JSONL, {".toy/a.jsonl": f'{{"a":1}}\n{{"a":{deep}}}\n{{"a":3}}\n'})
    ((line, reason, stored),) = seen.bad
    assert (line, reason) == (2, "nested deeper than 512")
    assert stored.startswith('{"a":[[[') and "(200006 bytes, sha256 " in stored and len(stored) < 66_000
    assert seen.values == [{"a": 1}, {"a": 3}]


def test_records_can_be_read_again(tmp_path):
    from engine.read.discover import find
    from engine.read.reader import open_units
    from tests.read.reading import make, plan_of

    home = make(tmp_path / "home", {".toy/a.jsonl": '{"a":1}\n{"a":2}\n'})
    plan = plan_of(tmp_path / "spec", JSONL)
    (source,) = find([home], [plan]).sources
    for unit in open_units(source, plan, Limits()):
        first = iter(unit.records())
        next(first)
        assert list(unit.records()) == list(unit.records()) and len(list(unit.records())) == 2


def test_what_is_appended_while_a_file_is_read_is_left_alone(tmp_path):
    from engine.read.discover import find
    from engine.read.reader import Opened
    from tests.read.reading import make, plan_of

    home = make(tmp_path / "home", {".toy/a.jsonl": '{"a":1}\n{"a":'})
    plan = plan_of(tmp_path / "spec", JSONL)
    (source,) = find([home], [plan]).sources
    opened = Opened(source, plan, Limits())
    for unit in opened.units():
        with source.path.open("a") as file:
            file.write('2}\n{"a":3}\n')
        records = list(unit.records())
    assert [record.line for record in records if record.bad is None] == [1]
    assert [record.line for record in records if record.bad is not None] == [2]
    assert opened.info.sha256 == hashlib.sha256(b'{"a":1}\n{"a":').hexdigest()


# --------------------------------------------------------------------------------------------------- compressed


def packed(kind: str, data: bytes) -> bytes:
    if kind == "gz":
        return gzip.compress(data)
    return zstandard.ZstdCompressor(write_content_size=False, write_checksum=True).compress(data)


RECORDS = b"".join(b'{"n":%d,"t":"%s"}\n' % (n, hashlib.sha256(b"%d" % n).hexdigest().encode()) for n in range(4000))


@pytest.mark.parametrize("kind", ["zst", "gz"])
def test_compressed_files_are_unpacked_by_their_suffix_also_in_several_pieces(tmp_path, kind):
    half = RECORDS.index(b"\n", len(RECORDS) // 2) - 10
    data = packed(kind, RECORDS[:half]) + packed(kind, b"") + packed(kind, RECORDS[half:])
    seen = read(tmp_path, store("s", "{data}/a.jsonl*", "jsonl"), {f".toy/a.jsonl.{kind}": data})
    assert [value["n"] for value in seen.values] == list(range(4000))
    assert seen.bad == []


@pytest.mark.parametrize("kind", ["zst", "gz"])
@pytest.mark.parametrize("share", [0.3, 0.75, 0.999])
def test_a_compressed_file_cut_anywhere_gives_its_whole_lines_and_one_note(tmp_path, kind, share):
    data = packed(kind, RECORDS)
    seen = read(
        tmp_path, store("s", "{data}/a.jsonl*", "jsonl"), {f".toy/a.jsonl.{kind}": data[: int(len(data) * share)]}
    )
    assert [value["n"] for value in seen.values] == list(range(len(seen.values)))
    assert len(seen.bad) == 1 and "cut off" in seen.bad[0][1]
    assert len(seen.values) > 4000 * share / 2 - 1500


@pytest.mark.parametrize("kind", ["zst", "gz"])
def test_a_compressed_file_that_is_none_is_one_note(tmp_path, kind):
    seen = read(tmp_path, store("s", "{data}/a.jsonl*", "jsonl"), {f".toy/a.jsonl.{kind}": b'{"a":1}\n'})
    assert seen.values == []
    assert len(seen.bad) == 1 and f"a.jsonl.{kind} could not be decoded (" in seen.bad[0][1]


@pytest.mark.parametrize("kind", ["zst", "gz"])
def test_a_stream_that_unpacks_to_far_too_much_is_stopped(tmp_path, kind):
    bomb = packed(kind, b'{"a":1}\n' + b"\n" * 30_000_000)
    limits = Limits(blob=1 << 20, ratio=100)
    seen = read(tmp_path, store("s", "{data}/a.jsonl*", "jsonl"), {f".toy/a.jsonl.{kind}": bomb}, limits)
    assert seen.values == [{"a": 1}]
    assert [bad[1] for bad in seen.bad] == [f"a.jsonl.{kind} could not be decoded (unpacks to over 100 times its size)"]


# --------------------------------------------------------------------------------------------- text, histories


def test_lines_are_their_text(tmp_path):
    seen = read(tmp_path, store("s", "{data}/x.rules", "lines"), {".toy/x.rules": b"allow a\r\n\r\n# b\n\xff c"})
    assert [(r.line, r.value, r.flags) for r in seen.records] == [
        (1, "allow a", ()),
        (3, "# b", ()),
        (4, "\ufffd c", ("invalid UTF-8",)),
    ]


HISTORY = (
    "\n# 2026-11-30 17:40:46.004564\n+first\n\n# 2026-11-30 17:40:59\n+line one\n++two\n+\n+untimed? no\nstray\n+late\n"
)


def test_a_prompt_history_gives_an_entry_a_record(tmp_path):
    seen = read(tmp_path, store("s", "{data}/hist", "prompt_toolkit"), {".toy/hist": HISTORY})
    assert [(r.line, r.value) for r in seen.records if r.bad is None] == [
        (3, {"time": "2026-11-30 17:40:46.004564", "text": "first"}),
        (6, {"time": "2026-11-30 17:40:59", "text": "line one\n+two\n\nuntimed? no"}),
        (11, {"time": None, "text": "late"}),
    ]
    assert seen.bad == [(10, "no line of a prompt history", "stray")]


def test_json_of_every_line_is_what_the_standard_library_reads(tmp_path):
    values = [{"a": [1, 2.5, None, True]}, {"b": "ä\ud83d"}, {"c": 12345678901234567890123}, 1e300, "x", []]
    text = "".join(json.dumps(value) + "\n" for value in values)
    assert read(tmp_path, JSONL, {".toy/a.jsonl": text}).values == values
