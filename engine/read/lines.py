"""Line files as streams: lines end at `\n` and nothing else, their length is bounded, their number kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from engine.errors import BadRecord, BadUnit
from engine.read.codecs import READERS, Bounded, Cut, Readable
from engine.read.files import Stream
from engine.read.limits import CHUNK, Limits, shortened

BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line without its `\n`, its 1-based number, and why it can't be read when it can't."""

    number: int
    data: bytes
    bad: BadRecord | BadUnit | None


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


def split(source: Readable, limits: Limits) -> Iterator[Line]:
    """The lines of a stream. A byte order mark at the head is skipped; blank lines are given too, the end of the file
    after a `\n` is no line. Data that breaks off gives a last line with what is left, then a note on the file."""
    number, parts, held, long, first, fault = 0, [], 0, None, True, None
    while True:
        try:
            chunk = source.read(CHUNK)
        except Cut as cut:
            chunk, fault = b"", cut
        if not chunk:
            break
        if first:
            while len(chunk) < 3 and BOM.startswith(chunk) and (more := source.read(CHUNK)):
                chunk += more
            chunk, first = chunk.removeprefix(BOM), False
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            if long is not None:
                long.add(chunk)
            else:
                parts.append(chunk)
                held += len(chunk)
        else:
            number += 1
            if long is not None:
                long.add(lines[0])
                yield _over(number, long, limits)
                long = None
            else:
                parts.append(lines[0])
                yield _checked(number, b"".join(parts) if len(parts) > 1 else lines[0], limits)
            for data in lines[1:-1]:
                number += 1
                yield Line(number, data, None) if len(data) <= limits.line else _checked(number, data, limits)
            parts, held = [lines[-1]], len(lines[-1])
        if held > limits.line:
            long, parts, held = _Long(parts, limits.quote), [], 0
    if long is not None:
        yield _over(number + 1, long, limits)
    elif held:
        yield _checked(number + 1, b"".join(parts), limits)
    if fault is not None:
        yield Line(0, b"", BadUnit(str(fault)))


def _checked(number: int, data: bytes, limits: Limits) -> Line:
    return Line(number, data, None) if len(data) <= limits.line else _over(number, _Long([data], limits.quote), limits)


def _over(number: int, long: _Long, limits: Limits) -> Line:
    stored = shortened(long.head, long.size, long.digest.hexdigest())
    return Line(number, b"", BadRecord(f"line over the limit of {limits.line} bytes", stored))
