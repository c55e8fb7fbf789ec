"""Sinks that are given rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.write.sink import RowSink
from tests.write.rows import row_tuples


class Remembering(RowSink):
    def __init__(self) -> None:
        self.rows: list = []

    def open(self) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...

    def write_rows(self, rows) -> None:
        self.rows += rows


@given(st.lists(row_tuples, max_size=3))
def test_a_row_sink_is_given_the_columns_of_every_row_as_they_were(rows):
    sink = Remembering()
    sink.write([sink.encode(row) for row in rows])
    assert sink.rows == [row[:22] for row in rows]
