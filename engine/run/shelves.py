"""Where rows wait for their order: what a sink makes of them lies aside, and comes back by its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, islice, repeat
from operator import itemgetter
from typing import Any, Protocol, runtime_checkable

from engine.run.spool import Place, Spool

RowTuple = tuple[Any, ...]

#: characters of texts up to which rows wait as they are
MOST = 8 << 20
#: rows that a sink is given at once
_ROWS = 256

#: the starts and the sizes of rows that were added, the shorter one of which counts
Places = tuple[Iterable[int], Iterable[int]]

_text = itemgetter(11)


class RecordSink(Protocol):
    """The part of a sink that the run uses: rows in their order, or what it made of each row, in any order."""

    def encode(self, row: RowTuple) -> bytes: ...
    def write(self, encoded: list[bytes]) -> None: ...
    def write_rows(self, rows: list[RowTuple]) -> None: ...


@runtime_checkable
class TextSink(Protocol):
    """A sink of lines: it gives rows as text, one behind the other, and their sizes; and takes them, cut anywhere."""

    def lines(self, rows: list[RowTuple]) -> tuple[bytes, list[int]]: ...
    def write_text(self, data: bytes) -> None: ...
    def write_rows(self, rows: list[RowTuple]) -> None: ...


Sink = RecordSink | TextSink


class TextShelf:
    """Rows as text."""

    def __init__(self, sink: TextSink):
        self._sink, self._spool = sink, Spool()

    def clear(self) -> None:
        """Lets go of all rows."""
        self._spool.clear()

    def add(self, rows: list[RowTuple]) -> Places:
        data, sizes = self._sink.lines(rows)
        return accumulate(sizes, initial=self._spool.add(data)), sizes

    def write(self, places: Iterable[Place]) -> None:
        """Writes the rows at these places, in this order."""
        for data in self._spool.texts(places):
            self._sink.write_text(data)


class RowShelf:
    """Rows as they are, while they are few, for a sink that is no text: each costs as much to encode as to write. Their
    places are their numbers, with size 0."""

    def __init__(self, sink: RecordSink):
        self._sink, self._spool = sink, Spool()
        self.clear()

    def clear(self) -> None:
        """Lets go of all rows."""
        self._spool.clear()
        self._rows: list[RowTuple] = []
        self._size = 0
        self._moved: list[Place] = []

    def add(self, rows: list[RowTuple]) -> Places:
        self._size += sum(map(len, map(_text, rows)))
        if self._size <= MOST:
            first = len(self._rows)
            self._rows += rows
            return range(first, len(self._rows)), repeat(0)
        for at in range(0, len(self._rows), _ROWS):
            self._moved += zip(*self._spooled(self._rows[at : at + _ROWS]), strict=False)
        self._rows = []
        return self._spooled(rows)

    def _spooled(self, rows: list[RowTuple]) -> Places:
        encoded = list(map(self._sink.encode, rows))
        sizes = list(map(len, encoded))
        return accumulate(sizes, initial=self._spool.add(b"".join(encoded))), sizes

    def write(self, places: Iterable[Place]) -> None:
        """Writes the rows at these places, in this order."""
        if self._size <= MOST:
            ordered: Iterator[RowTuple] = (self._rows[n] for n, _ in places)
            while rows := list(islice(ordered, _ROWS)):
                self._sink.write_rows(rows)
            return
        moved = self._moved
        for encoded in self._spool.rows((start, size) if size else moved[start] for start, size in places):
            self._sink.write(encoded)
