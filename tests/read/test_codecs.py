"""Compressed data in memory: any frames, any cut, bounded."""

from __future__ import annotations

import gzip
import io

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadRecord
from engine.read import codecs
from engine.read.limits import Limits


def frame(data: bytes, **options: bool) -> bytes:
    return zstandard.ZstdCompressor(**options).compress(data)


FRAMES = st.lists(st.tuples(st.binary(max_size=2000), st.booleans(), st.booleans()), min_size=1, max_size=3)
SKIPPED = (0x184D2A55).to_bytes(4, "little") + (3).to_bytes(4, "little") + b"abc"


@settings(max_examples=60, deadline=None)
@given(FRAMES, st.booleans())
def test_frames_with_and_without_size_and_checksum_are_unpacked_one_after_the_other(parts, skipped):
    packed = b"".join(frame(data, write_content_size=size, write_checksum=check) for data, size, check in parts)
    packed += SKIPPED if skipped else b""
    assert codecs.unpack("zstd", packed, 10**6) == b"".join(data for data, _, _ in parts)


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=1, max_size=300), st.booleans(), st.data())
def test_a_cut_frame_is_a_fault_wherever_it_is_cut(data, check, draw):
    packed = frame(data, write_content_size=False, write_checksum=check)
    cut = draw.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(BadRecord, match="cut off"):
        codecs.unpack("zstd", packed[:cut], 10**6)


@settings(max_examples=40, deadline=None)
@given(st.binary(min_size=1, max_size=300), st.data())
def test_a_cut_gzip_member_is_a_fault_wherever_it_is_cut(data, draw):
    packed = gzip.compress(data)
    with pytest.raises(BadRecord):
        codecs.unpack("gzip", packed[: draw.draw(st.integers(1, len(packed) - 1))], 10**6)


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
def test_a_bomb_stops_at_the_limit(codec):
    data = b"\0" * 50_000_000
    packed = frame(data, write_content_size=False) if codec == "zstd" else gzip.compress(data, 1)
    with pytest.raises(BadRecord, match="unpacks to over 1000000 bytes"):
        codecs.unpack(codec, packed, 1_000_000)
    assert len(codecs.unpack(codec, packed, 50_000_000)) == 50_000_000


@pytest.mark.parametrize("codec", ["zstd", "gzip"])
@pytest.mark.parametrize("data", [b"", b"x", b"garbage that is no frame at all"])
def test_what_is_no_frame_is_a_fault(codec, data):
    with pytest.raises(BadRecord):
        codecs.unpack(codec, data, 1000)


def test_zeros_behind_gzip_members_are_padding():
    assert codecs.unpack("gzip", gzip.compress(b"a") + b"\0" * 700 + gzip.compress(b"b") + b"\0" * 9, 10) == b"ab"


@settings(max_examples=60, deadline=None)
@given(FRAMES, st.lists(st.integers(1, 9)))
def test_the_walk_over_frames_knows_a_whole_end_in_pieces_of_any_size(parts, sizes):
    packed = b"".join(frame(data, write_content_size=size, write_checksum=check) for data, size, check in parts)
    for cut, whole in ((len(packed), True), (len(packed) - 1, False)):
        walk, stream = codecs.FrameWalk(), io.BytesIO(packed[:cut])
        for size in [*sizes, 10**6]:
            walk.feed(stream.read(size))
        assert walk.whole == whole


def test_a_chain_goes_from_bytes_to_values():
    assert codecs.decode(frame(b'{"a":1}'), ("zstd", "json"), Limits()) == {"a": 1}
    assert codecs.decode(gzip.compress(b"\xc3\xa4"), ("gzip", "utf8"), Limits()) == "ä"
    assert codecs.decode('{"a":1}', ("json",), Limits()) == {"a": 1}


@pytest.mark.parametrize(("value", "chain"), [(5, ("zstd",)), (5, ("json",)), ("x", ("gzip",)), (b"{", ("json",))])
def test_a_value_that_a_chain_does_not_take_is_a_bad_record(value, chain):
    with pytest.raises(BadRecord):
        codecs.decode(value, chain, Limits())
