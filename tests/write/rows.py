"""Rows for the tests of sinks, and a place that remembers what was written."""

from __future__ import annotations

from hypothesis import strategies as st

from engine.rows import COLUMNS

#: every character, lone surrogates too
texts = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["", 'a "quoted" b', "a,b", "\r", "x\ny", "\u2028\u2029", "\ud800", "\0", "=1+1", " "]
)
_values = [st.integers(-(2**63), 2**63 - 1) if name == "source_line" else texts for name in COLUMNS]
row_tuples = st.tuples(*_values, st.just("key"), st.just(7))


class Kept:
    """A target in memory."""

    def __init__(self) -> None:
        self.data = b""

    def open(self) -> None: ...

    def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None: ...

    def abort(self) -> None: ...
