"""Reading at full speed gives what the plain readers give."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import BadRecord
from engine.lang import fastjson, jsontext
from engine.lang.fastjson import REFUSED, Refused, decode_each, decode_one
from engine.lang.load import load_plan
from engine.read import blocks
from engine.read.limits import Limits
from tests.codegen.both import assert_one_result
from tests.codegen.test_generate import SPEC

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=10,
)
TEXTS = st.one_of(
    VALUES.map(lambda value: json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")),
    VALUES.map(lambda value: json.dumps(value).encode()),
    st.binary(max_size=20),
    st.sampled_from(
        (b"[NaN]", b"[1e400]", b'{"a":1,"a":2}', b'"\xff"', b'"\\ud800"', b"[1] 2", b"\xef\xbb\xbf[]", b"9" * 5000)
    ),
)


def exact(text: bytes) -> object:
    """What the exact reader says: the value's JSON, or that there is none."""
    with mock.patch("engine.lang.jsontext.decode_one", lambda *_: REFUSED):
        try:
            value, flags = jsontext.loads_flagged(text)
        except BadRecord:
            return REFUSED
    return REFUSED if flags else jsontext.dumps(value)


def decoded(texts: list[bytes], nesting: int) -> list[object]:
    values = decode_each(texts, nesting)
    return [REFUSED if isinstance(value, Refused) else value for value in values]


@given(TEXTS)
@example(b'{"a":18446744073709551616}')
@example(b'{"a":12345678901234567890.5}')
@example(b"-0")
def test_a_fast_value_is_the_exact_one(text: bytes) -> None:
    for value in (decode_one(text, 512), *decoded([text, text], 512)):
        assert value is REFUSED or jsontext.dumps(value) == exact(text)


@pytest.mark.parametrize("shared_limit", sorted({False, fastjson._SHARED_LIMIT}))
@pytest.mark.parametrize("form", [(b"[", b"]"), (b'{"a":', b"}")])
def test_nesting_is_taken_up_to_the_limit_and_no_further(
    form: tuple[bytes, bytes], shared_limit: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fastjson, "_SHARED_LIMIT", shared_limit)

    def deep(levels: int) -> bytes:
        return b" " * 1100 + form[0] * levels + b"1" + form[1] * levels

    assert decode_one(deep(500), 512) is not REFUSED
    assert decoded([deep(500)], 512)[0] is not REFUSED
    assert decode_one(deep(513), 512) is REFUSED
    assert decoded([deep(513), b"1"], 512) == [REFUSED, 1]
    assert jsontext.depth(jsontext.loads(deep(512))) == 512
    with pytest.raises(BadRecord):
        jsontext.loads(deep(513))


def test_the_recursion_limit_is_as_before() -> None:
    before = sys.getrecursionlimit()
    decoded([b"[" * 2000, b"[1]"], 512)
    decode_one(b"[" * 2000, 512)
    assert sys.getrecursionlimit() == before


def test_a_low_limit_holds_however_deep_the_stack_is() -> None:
    def at(levels: int) -> list[object]:
        return next(map(at, (levels - 1,))) if levels else [decode_one(b" " * 9 + b"[[1]]", 4), *decoded([b"[1]"], 1)]

    assert at(20) == [[[1]], [1]]


ROWS = b'{"a": "x"}\n{"a": "y"}\n'
FILES = {
    "s1.jsonl": ROWS,
    "byte order mark": b"\xef\xbb\xbf" + ROWS,
    "no line break at the end": ROWS.rstrip(),
    "blank lines": b"\n \n" + ROWS + b"\n\n" + ROWS,
    "a bad line first": b"{\n" + ROWS,
    "a bad line between": ROWS + b"{\n" + ROWS,
    "bytes that are no UTF-8": ROWS + b'{"a": "\xff"}\n' + ROWS,
    "NUL bytes": ROWS + b"\0\0\0\n" + ROWS,
    "no good line": b"{\n" * 150,
    "carriage returns": ROWS.replace(b"\n", b"\r\n"),
    "empty": b"",
    "two values on a line, and a blank one": b'\n{"a": "x"}{"a": "y"}\n',
    "a value on two lines, and two on one": b'{"a":\n"x"}\n{"a": "y"}{"a": "z"}\n' + ROWS,
    "a value on two lines that look whole": b'{"a": {}\n, "b": {}}\n{}{}\n' + ROWS,
    "values that are no objects": ROWS + b"[]\n5\n" + ROWS,
    "many blocks": ROWS * 40000,
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
@pytest.mark.parametrize("size", [30, blocks.BLOCK])
def test_a_line_file_gives_the_same_rows_in_blocks(
    content: bytes, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", size)
    if size == 30:
        content = content[: len(ROWS) * 50]
    assert_one_result(*_given(tmp_path, "s1.jsonl", content))


def test_a_cut_compressed_file_gives_the_same_rows(tmp_path: Path) -> None:
    packed = gzip.compress(ROWS * 50000)
    for size in (len(packed), len(packed) - 20, len(packed) // 2, 5):
        assert_one_result(*_given(tmp_path / str(size), "s1.jsonl.gz", packed[:size]))


def test_a_line_over_the_limit_gives_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = b'{"a": "' + b"x" * 300_000 + b'"}\n'
    monkeypatch.setattr("engine.run.passes.Limits", lambda: Limits(line=200_000))
    found = assert_one_result(*_given(tmp_path, "s1.jsonl", ROWS + long + ROWS))
    rows, ledger = found["toy/s1.jsonl"]
    assert ledger["log"]["bad"] == 1
    assert len(rows) == 5


def _given(base: Path, name: str, content: bytes) -> tuple[object, Path]:
    (base / "home" / "toy").mkdir(parents=True)
    spec = base / "toy.yaml"
    spec.write_text(SPEC.replace("<session>.jsonl'", f"<session>{name[2:]}'"), encoding="utf-8")
    (base / "home" / "toy" / name).write_bytes(content)
    return load_plan(spec), base / "home"
