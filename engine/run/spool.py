"""Encoded rows aside: in the order in which they come, to be read back in another.

What is sorted is a row's key and its place here, so a long row is written once and read once. Rows that were written
one after the other and are wanted so come back in one piece.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import IO

from engine.read.temporary import unnamed_file

#: bytes that are kept in memory before they go to a file
BUDGET = 6 << 20
#: bytes that are read back at once
PIECE = 1 << 20

#: where a row starts, and its size in bytes
Place = tuple[int, int]


class Spool:
    """Rows in; places give them back, by `texts` or `rows`, as often as wanted. The file is an unnamed one."""

    def __init__(self, budget: int = BUDGET):
        self._budget = budget
        self._kept: list[bytes] = []
        self._starts: list[int] = []
        self._size = 0
        self._file: IO[bytes] | None = None

    def add(self, data: bytes) -> int:
        """Takes rows, one behind the other; gives the place where the first one starts."""
        start = self._size
        if self._file is None and start + len(data) > self._budget:
            self._file = unnamed_file(buffering=0)
            for kept in self._kept:
                _write(self._file, kept)
            self._kept, self._starts = [], []
        if self._file is None:
            self._starts.append(start)
            self._kept.append(data)
        else:
            _write(self._file, data)
        self._size += len(data)
        return start

    def texts(self, places: Iterable[Place]) -> Iterator[bytes]:
        """The rows at these places, in pieces that may hold many of them, or a part of one."""
        for start, end in _joined(places):
            yield from self._read(start, end)

    def rows(self, places: Iterable[Place]) -> Iterator[list[bytes]]:
        """The rows at these places, some at a time."""
        some: list[bytes] = []
        held = 0
        for start, size in places:
            some.append(b"".join(self._read(start, start + size)))
            held += size
            if held > PIECE:
                yield some
                some, held = [], 0
        if some:
            yield some

    def clear(self) -> None:
        """Lets go of all rows; the spool can be used anew."""
        if self._file is not None:
            self._file.close()
        self._kept, self._starts, self._size, self._file = [], [], 0, None

    def _read(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes between two places; from a file `PIECE` at once."""
        if self._file is None:
            at = bisect_right(self._starts, start) - 1
            while start < end:
                first = self._starts[at]
                data = self._kept[at][start - first : end - first]
                yield data
                start, at = start + len(data), at + 1
            return
        self._file.seek(start)
        while start < end:
            data = self._file.read(min(PIECE, end - start))
            yield data
            start += len(data)


def _joined(places: Iterable[Place]) -> Iterator[tuple[int, int]]:
    """Start and end of the longest stretches that places which follow each other make."""
    first = end = 0
    for start, size in places:
        if start != end:
            if end > first:
                yield first, end
            first = start
        end = start + size
    if end > first:
        yield first, end


def _write(file: IO[bytes], data: bytes) -> None:
    """All of the bytes: one write to an unbuffered file may take less."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]
