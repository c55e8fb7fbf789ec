"""Sorting records that are bytes, in bounded memory: a list that spills sorted runs to disk and merges them.

A record is its own key: records are compared as bytes, so whoever adds them puts a key of fixed width in front.
Merging takes a block of every run, finds the smallest of the blocks' last records, and sorts all that is not above it
in one call: the runs are sorted already, so that call only merges, in C.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import IO

from engine.read.temporary import unnamed_file

#: bytes that a sorter keeps in memory before it spills, its records' own overhead included
BUDGET = 12 << 20
#: records that a sorter keeps in memory before it spills
ITEMS = 200_000
#: runs that are merged at once; more are first merged into longer ones
FAN_IN = 32
#: what a record costs beside its own bytes: the object's head and its place in the list
OVERHEAD = 41

_HEAD = struct.Struct("<II")
_BLOCK = 128 << 10
_SLICE = 2048

Chunks = Iterator[list[bytes]]


class Sorter:
    """Records in any order in, the same records sorted out, as often as wanted.

    `chunks` yields lists of records, never an empty one; until they are all taken nothing may be added. Runs are
    unnamed temporary files in `TMPDIR`.
    """

    def __init__(self, budget: int = BUDGET, items: int = ITEMS, fan_in: int = FAN_IN):
        self._budget, self._items, self._fan_in = budget, items, fan_in
        self._buffer: list[bytes] = []
        self._held = 0
        self._levels: list[list[IO[bytes]]] = []
        self.count = 0

    def add(self, record: bytes) -> None:
        self._buffer.append(record)
        self._held += len(record) + OVERHEAD
        if self._held > self._budget or len(self._buffer) >= self._items:
            self._spill()

    def extend(self, records: Iterable[bytes]) -> None:
        """Adds records; no more at once than may stand in memory beside the budget."""
        start = len(self._buffer)
        self._buffer.extend(records)
        self._held += sum(map(len, self._buffer[start:])) + OVERHEAD * (len(self._buffer) - start)
        if self._held > self._budget or len(self._buffer) >= self._items:
            self._spill()

    def chunks(self) -> Chunks:
        self._buffer.sort()
        runs = [_blocks(run) for level in self._levels for run in level]
        rest = (self._buffer[i : i + _SLICE] for i in range(0, len(self._buffer), _SLICE))
        return _merge([*runs, rest]) if runs else rest

    def clear(self) -> None:
        """Lets go of all records and temporary files; the sorter can be used anew."""
        for level in self._levels:
            for run in level:
                run.close()
        self._levels, self._buffer, self._held, self.count = [], [], 0, 0

    def __len__(self) -> int:
        return self.count + len(self._buffer)

    def _spill(self) -> None:
        self._buffer.sort()
        self.count += len(self._buffer)
        self._store(0, [self._buffer])
        self._buffer, self._held = [], 0

    def _store(self, level: int, chunks: Iterable[list[bytes]]) -> None:
        """Writes one run; as many runs as are merged at once become one run of the next level."""
        if level == len(self._levels):
            self._levels.append([])
        runs = self._levels[level]
        runs.append(_write_run(chunks))
        if len(runs) == self._fan_in:
            self._store(level + 1, _merge([_blocks(run) for run in runs]))
            for run in runs:
                run.close()
            runs.clear()


def without(chunks: Chunks, dropped: Chunks, width: int) -> Chunks:
    """The records whose first `width` bytes are no record of `dropped`; both are sorted, `dropped` holds bare keys."""
    drops: list[bytes] = []
    for chunk in chunks:
        last = chunk[-1][:width]
        while not drops or drops[-1] <= last:
            more = next(dropped, None)
            if more is None:
                break
            drops += more
        if drops:
            cut = bisect_right(drops, last)
            here = set(drops[:cut])
            del drops[:cut]
            chunk = [record for record in chunk if record[:width] not in here]
        if chunk:
            yield chunk


def in_groups(chunks: Chunks, width: int) -> Iterator[list[bytes]]:
    """Sorted records as lists that agree in their first `width` bytes."""
    group: list[bytes] = []
    key = b""
    for chunk in chunks:
        for record in chunk:
            if record[:width] != key:
                if group:
                    yield group
                group, key = [], record[:width]
            group.append(record)
    if group:
        yield group


def _write_run(chunks: Iterable[list[bytes]]) -> IO[bytes]:
    run = unnamed_file(buffering=0)
    for chunk in chunks:
        start = size = 0
        for end, record in enumerate(chunk, 1):
            size += len(record)
            if size >= _BLOCK or end == len(chunk):
                _write(run, _block(chunk[start:end], size))
                start, size = end, 0
    return run


def _block(records: list[bytes], size: int) -> bytes:
    return b"".join((_HEAD.pack(len(records), size), array("I", map(len, records)).tobytes(), *records))


def _blocks(run: IO[bytes]) -> Chunks:
    """The blocks of a run, each a sorted list. Every caller reads at its own place."""
    place = 0
    while True:
        run.seek(place)
        head = run.read(_HEAD.size)
        if not head:
            return
        count, size = _HEAD.unpack(head)
        place += _HEAD.size + 4 * count + size
        data = _read(run, 4 * count + size)
        ends = list(accumulate(array("I", data[: 4 * count]), initial=4 * count))
        yield [data[a:b] for a, b in pairwise(ends)]


def _write(run: IO[bytes], data: bytes) -> None:
    """All of the bytes: one write to an unbuffered file may take less."""
    view = memoryview(data)
    while view:
        view = view[run.write(view) :]


def _read(run: IO[bytes], size: int) -> bytes:
    """Exactly `size` bytes: one read of an unbuffered file may give less."""
    data = run.read(size)
    while len(data) < size:
        data += run.read(size - len(data))
    return data


def _merge(runs: list[Chunks]) -> Chunks:
    heads: list[tuple[list[bytes], int, Chunks]] = []
    for run in runs:
        block = next(run, None)
        if block:
            heads.append((block, 0, run))
    while heads:
        bound = min(block[-1] for block, _, _ in heads)
        taken: list[bytes] = []
        rest: list[tuple[list[bytes], int, Chunks]] = []
        for block, place, run in heads:
            cut = bisect_right(block, bound, place)
            taken += block[place:cut]
            if cut < len(block):
                rest.append((block, cut, run))
            elif more := next(run, None):
                rest.append((more, 0, run))
        heads = rest
        taken.sort()
        yield taken
