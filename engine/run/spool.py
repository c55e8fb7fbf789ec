"""Encoded rows aside: in the order in which they come, to be read back in another.

What is sorted is a row's key and its place here, so a long row is written once and read once. Rows that were written
one after the other and are wanted so come back in one piece.
"""

from __future__ import annotations

import struct
import tempfile
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import IO

#: bytes that are kept in memory before they go to a file
BUDGET = 6 << 20
#: bytes that are read back at once; a longer row comes whole where rows are wanted one by one
PIECE = 1 << 20
#: the place of a row: its start and its size in bytes
_PLACE = struct.Struct(">QQ")

END = b"\n"


class Spool:
    """Rows in, places out. `add` first, then `texts` or `rows`, as often as wanted. The file is an unnamed one."""

    def __init__(self, budget: int = BUDGET):
        self._budget = budget
        self._kept: list[bytes] = []
        self._starts: list[int] = []
        self._size = 0
        self._file: IO[bytes] | None = None

    def add(self, rows: list[bytes]) -> list[bytes]:
        """Takes rows, each of which gets a line's end; gives the place of each, as bytes."""
        starts = list(accumulate((len(row) + 1 for row in rows), initial=self._size))
        self._keep(END.join((*rows, b"")))
        pack = _PLACE.pack
        return [pack(start, end - start) for start, end in pairwise(starts)]

    def _keep(self, data: bytes) -> None:
        if self._file is None and self._size + len(data) > self._budget:
            self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  `clear` closes it
            for kept in self._kept:
                _write(self._file, kept)
            self._kept, self._starts = [], []
        if self._file is None:
            self._starts.append(self._size)
            self._kept.append(data)
        else:
            _write(self._file, data)
        self._size += len(data)

    def texts(self, places: Iterable[bytes]) -> Iterator[bytes]:
        """The rows at these places with their ends, in pieces that may hold many of them, or a part of one."""
        for start, end in _joined(map(_PLACE.unpack, places)):
            for at in range(start, end, PIECE):
                yield self._read(at, min(PIECE, end - at))

    def rows(self, places: Iterable[bytes]) -> Iterator[list[bytes]]:
        """The rows at these places without their ends, some at a time."""
        some: list[bytes] = []
        held = 0
        for start, size in map(_PLACE.unpack, places):
            some.append(self._read(start, size - 1))
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

    def _read(self, start: int, size: int) -> bytes:
        if self._file is None:
            at = bisect_right(self._starts, start) - 1
            inside = start - self._starts[at]
            data = self._kept[at][inside : inside + size]
            while len(data) < size:
                at += 1
                data += self._kept[at][: size - len(data)]
            return data
        self._file.seek(start)
        data = self._file.read(size)
        while len(data) < size:
            data += self._file.read(size - len(data))
        return data


def _joined(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
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
