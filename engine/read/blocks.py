"""Line files at full speed.

The values are those of `engine.read.jsonl`, which takes over whatever is not plain: a line that the fast decoder
refuses, and from there on a file that breaks off or has a line over the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from engine.read.codecs import Cut
from engine.read.files import Stream
from engine.read.jsonl import decode_json, record_of
from engine.read.limits import CHUNK, Limits
from engine.read.lines import BOM, Line, unpacked
from engine.read.units import JSON_TYPES, Record

_OPEN, _CLOSE = b"{}"

#: how much of a file is decoded at once: little enough that its values stay in the processor's cache
BLOCK = 128 << 10


class Irregular(Exception):
    """The rest of the file has to be read by `engine.read.jsonl`."""


class LineBlock(NamedTuple):
    """Whole lines: the number of the line before them, their text, how many they are, and whether each begins and ends
    as an object does."""

    before: int
    data: bytes
    lines: int
    objects: bool


class Lines:
    """The lines of an open file, in blocks."""

    def __init__(self, stream: Stream, need: str | None, limits: Limits):
        self._source, self._limits = unpacked(stream, limits), limits
        self.needed = JSON_TYPES.get(need)
        self._before = 0

    def blocks(self) -> Iterator[LineBlock]:
        """Whole lines, about `BLOCK` bytes of them or one that is longer. Raises Irregular where the data breaks off or
        a line is over the limit."""
        held: list[bytes] = []
        size = 0
        while chunk := self._chunk():
            end = chunk.rfind(b"\n") + 1
            if end:
                block = b"".join((*held, chunk[:end])) if held else chunk[:end]
                held, size = [], 0
                yield self._block(block)
            if rest := chunk[end:]:
                held.append(rest)
                size += len(rest)
                if size > self._limits.line:
                    raise Irregular
        if held:
            yield self._block(b"".join(held))

    def _chunk(self) -> bytes:
        try:
            return self._source.read(BLOCK)
        except Cut:
            raise Irregular from None

    def _block(self, data: bytes) -> LineBlock:
        """The first block comes without its byte order mark."""
        before = self._before
        if not before:
            data = data.removeprefix(BOM)
        if len(data) > self._limits.line and max(map(len, data.split(b"\n"))) > self._limits.line:
            raise Irregular
        count, objects = _measured(data)
        self._before += count
        return LineBlock(before, data, count, objects and self.needed in (None, dict))


def _measured(data: bytes) -> tuple[int, bool]:
    """How many lines there are, and whether each begins and ends as an object does."""
    count, objects, start = 0, True, 0
    while start < len(data):
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        objects = objects and data[start] == _OPEN and data[end - 1] == _CLOSE
        count += 1
        start = end + 1
    return count, objects


class LineFile(NamedTuple):
    """A JSON line file, as far as it is read."""

    path: str
    size: int
    need: str | None
    limits: Limits

    @contextmanager
    def opened(self) -> Iterator[Lines]:
        """The file's lines. Raises Irregular."""
        with Stream(self.path, self.size) as stream:
            yield Lines(stream, self.need, self.limits)

    def holds(self, text: bytes) -> bool:
        """Whether the file's bytes hold a text; true where it breaks off before the text was seen."""
        end = b""
        with Stream(self.path, self.size) as stream:
            source = unpacked(stream, self.limits)
            while True:
                try:
                    chunk = source.read(CHUNK)
                except Cut:
                    return True
                if not chunk:
                    return False
                if text in chunk or text in end + chunk[: len(text)]:
                    return True
                end = (end + chunk[-len(text) :])[-len(text) :]

    def record(self, number: int, line: bytes) -> Record | None:
        """A line that is not plain; None for a blank one."""
        if not line or line.isspace():
            return None
        return record_of(Line(number, line, None), decode_json, self.need, self.limits)
