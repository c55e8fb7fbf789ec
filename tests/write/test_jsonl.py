"""JSON lines as the row contract has them."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from engine.rows import COLUMNS
from engine.write.jsonl import JsonLines
from tests.write.rows import Kept, row_tuples


def written(rows) -> bytes:
    target = Kept()
    sink = JsonLines(target)
    sink.write_text(sink.lines(rows)[0])
    return target.data


@given(st.lists(row_tuples, min_size=1, max_size=3))
def test_every_row_comes_back_from_its_own_line_with_its_keys_in_order(rows):
    *lines, end = written(rows).decode().split("\n")
    assert not end
    assert [list(json.loads(line).items()) for line in lines] == [list(zip(COLUMNS, row, strict=False)) for row in rows]


@given(row_tuples)
def test_a_line_is_compact_utf_8_unless_a_lone_surrogate_needs_escapes(row):
    line = written([row]).removesuffix(b"\n").decode()
    plain = json.dumps(dict(zip(COLUMNS, row, strict=False)), ensure_ascii=False, separators=(",", ":"))
    plain = plain.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    lone = any("\ud800" <= char <= "\udfff" for char in plain)
    assert line == (json.dumps(json.loads(plain), separators=(",", ":")) if lone else plain)


def test_line_and_paragraph_separators_are_escaped():
    row = ("",) * 11 + ("a\u2028b\u2029c", "", 0) + ("",) * 8
    assert b'"text":"a\\u2028b\\u2029c"' in written([row])
