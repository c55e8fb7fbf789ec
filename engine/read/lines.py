"""Line files as streams: lines end at a line feed and nothing else, their length is bounded, their number kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from engine.errors import BadRecord, BadUnit
from engine.read.codecs import READERS, Bounded, Cut, Readable
from engine.read.files import Stream
from engine.read.limits import CHUNK, KIB, Limits, shortened

BOM = b"\xef\xbb\xbf"

#: how much is read first: many who read a file ask for its first lines only
_FIRST = 32 * KIB


class Line(NamedTuple):
    """A line without its line feed, its 1-based number, and why it can't be read when it can't. Cut or BadUnit: the
    file breaks off in this line."""

    number: int
    data: bytes
    bad: BadRecord | BadUnit | Cut | None


def unpacked(stream: Stream, limits: Limits) -> Readable:
    """The file's bytes, unpacked by the suffix of its name."""
    for suffix, reader in READERS.items():
        if stream.path.endswith(suffix):
            return Bounded(reader(stream), limits)
    return stream


class _Long:
    """A line over the limit: its head and its hash, the rest is gone."""

    def __init__(self, parts: list[bytes], keep: int):
        self.head, self.size, self.digest, self._keep = b"", 0, hashlib.sha256(), keep
        for part in parts:
            self.add(part)

    def add(self, part: bytes) -> None:
        if len(self.head) < self._keep:
            self.head += part[: self._keep - len(self.head)]
        self.size += len(part)
        self.digest.update(part)


class _Chunks:
    """The pieces of a stream without its byte order mark; `fault` is why it broke off, None when it ended."""

    def __init__(self, source: Readable):
        self._source = source
        self.fault: Cut | BadUnit | None = None

    def __iter__(self) -> Iterator[bytes]:
        head = b""
        while len(head) < len(BOM) and (chunk := self._next(_FIRST)):
            head += chunk
        if head := head.removeprefix(BOM):
            yield head
        while chunk := self._next():
            yield chunk

    def _next(self, size: int = CHUNK) -> bytes:
        try:
            return self._source.read(size) if self.fault is None else b""
        except (Cut, BadUnit) as fault:
            self.fault = fault
            return b""


def split(source: Readable, limits: Limits) -> Iterator[Line]:
    """The lines of a stream. A byte order mark at the head is skipped; blank lines are given too; the end of the file
    after a line feed is no line. Where the data breaks off, the last line has what is left and says why."""
    number, held = 0, 0
    parts: list[bytes] = []
    long: _Long | None = None
    chunks = _Chunks(source)
    for chunk in chunks:
        lines = chunk.split(b"\n")
        if long is not None:
            long.add(lines[0])
        else:
            parts.append(lines[0])
        if len(lines) > 1:
            number += 1
            if long is not None:
                yield _over(number, long, limits)
                long = None
            else:
                yield _checked(number, b"".join(parts) if len(parts) > 1 else lines[0], limits)
            for data in lines[1:-1]:
                number += 1
                yield Line(number, data, None) if len(data) <= limits.line else _checked(number, data, limits)
            parts, held = [lines[-1]], 0
        held += len(lines[-1])
        if held > limits.line and long is None:
            long, parts = _Long(parts, limits.quote), []
    data = b"".join(parts)
    if long is not None:
        yield _over(number + 1, long, limits)
    elif chunks.fault is None and data:
        yield _checked(number + 1, data, limits)
    if chunks.fault is not None:
        yield Line(number + 1, data, chunks.fault)


def _checked(number: int, data: bytes, limits: Limits) -> Line:
    return Line(number, data, None) if len(data) <= limits.line else _over(number, _Long([data], limits.quote), limits)


def _over(number: int, long: _Long, limits: Limits) -> Line:
    stored = shortened(long.head, long.size, long.digest.hexdigest())
    return Line(number, b"", BadRecord(f"line over the limit of {limits.line} bytes", stored))
