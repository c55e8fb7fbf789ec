"""Line files at full speed.

The values are those of `engine.read.jsonl`, which takes over whatever is not plain: a line that the fast decoder
refuses, and from there on a file that breaks off or has a line over the limit.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from engine.lang.fastjson import decode_each
from engine.read.codecs import Cut, Readable
from engine.read.files import Stream
from engine.read.jsonl import decode_json, record_of
from engine.read.limits import CHUNK, Limits
from engine.read.lines import BOM, Line, unpacked
from engine.read.units import Record

_NEEDED: dict[str | None, type] = {"object": dict, "array": list}


class Irregular(Exception):
    """The rest of the file has to be read by `engine.read.jsonl`."""


class _Raw(io.RawIOBase):
    """A file's unpacked bytes; `taken` of them were read."""

    def __init__(self, source: Readable):
        self._source, self.taken = source, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Raises Irregular where the data breaks off."""
        try:
            data = self._source.read(len(buffer))
        except Cut:
            raise Irregular from None
        buffer[: len(data)] = data
        self.taken += len(data)
        return len(data)


class Lines:
    """The lines of an open file. `before` is the number of the line before the next, `done` says that there is none,
    `irregular` that there may be and this is not who reads them."""

    def __init__(self, stream: Stream, need: str | None, limits: Limits):
        self._raw, self._need, self._limits = _Raw(unpacked(stream, limits)), _NEEDED.get(need), limits
        read = partial(io.BufferedReader(self._raw, CHUNK).readline, limits.line + 1)
        first = whole(read(), limits).removeprefix(BOM)
        self._texts = chain((first,), iter(read, b"")) if first else iter(())
        self.before, self.done, self.irregular = 0, False, False

    @property
    def taken(self) -> int:
        """How much of the file was read."""
        return self._raw.taken

    def values(self) -> Iterator[Any]:
        """The value of each line, or a `Refused`. Raises Irregular where the data breaks off."""
        return decode_each(self._texts, self._limits.nesting, self._limits.line, self._need)


def whole(line: bytes, limits: Limits) -> bytes:
    """Raises Irregular for a piece of a line over the limit."""
    if len(line) > limits.line and not line.endswith(b"\n"):
        raise Irregular
    return line


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
                if text in end + chunk:
                    return True
                end = (end + chunk)[-len(text) :]

    def record(self, number: int, line: bytes) -> Record | None:
        """A line that is not plain; None for a blank one. Raises Irregular for a piece of a line over the limit."""
        if not whole(line, self.limits) or line.isspace():
            return None
        return record_of(Line(number, line.removesuffix(b"\n"), None), decode_json, self.need, self.limits)
