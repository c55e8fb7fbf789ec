"""Line files at full speed: the records are those of the plain reader, wherever the chunks end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.lang.jsontext import loads
from engine.read import blocks
from engine.read.jsonl import read_lines
from engine.read.limits import Limits

LINES = st.lists(st.sampled_from(['{"a":1}', '"text of some length"', "[1,2,3]", "", "  ", "5"]), max_size=8)


def lines_of(path: Path, limits: Limits) -> Iterator[tuple[int, bytes]]:
    """Number and text of each line that is not blank."""
    with blocks.LineFile(str(path), path.stat().st_size, None, limits).opened() as lines:
        for block in lines.blocks():
            for number, text in enumerate(block.data.split(b"\n"), block.before + 1):
                if text.strip():
                    yield number, text


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES, st.integers(3, 40), st.booleans(), st.booleans())
def test_the_lines_are_those_of_the_plain_reader(tmp_path, monkeypatch, lines, chunk, ended, marked):
    data = ("\ufeff" if marked else "") + "\n".join(lines) + ("\n" if ended else "")
    path = tmp_path / "a.jsonl"
    path.write_bytes(data.encode())
    monkeypatch.setattr(blocks, "BLOCK", chunk)
    wanted = read_lines(str(path), path.stat().st_size, "jsonl", None, Limits())
    assert [(number, loads(text)) for number, text in lines_of(path, Limits())] == [
        (record.line, record.value) for record in wanted
    ]


@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_a_text_is_found_wherever_the_chunks_end(tmp_path, monkeypatch, chunk):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "needle"}\n')
    monkeypatch.setattr(blocks, "CHUNK", chunk)
    file = blocks.LineFile(str(path), path.stat().st_size, None, Limits())
    assert file.holds(b"needle") and not file.holds(b"needles")


@pytest.mark.parametrize("lines", [[9], [3, 9], [9, 3]])
def test_a_line_over_the_limit_is_left_to_the_plain_reader(tmp_path, lines):
    path = tmp_path / "a.jsonl"
    path.write_text("".join('"' + "x" * (length - 2) + '"\n' for length in lines))
    with pytest.raises(blocks.Irregular):
        list(lines_of(path, Limits(line=5)))
