"""Line files at full speed: whole blocks of lines, decoded together.

The values are those of `engine.read.jsonl`, which takes over whatever is not plain: a line that the fast decoder
refuses, and from there on a file that breaks off or has a line over the limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from engine.lang.fastjson import Decode, decode_all, decode_any
from engine.read.codecs import Cut
from engine.read.files import Stream
from engine.read.jsonl import decode_json, record_of
from engine.read.limits import CHUNK, Limits
from engine.read.lines import BOM, Line, unpacked
from engine.read.units import Record


class Irregular(Exception):
    """The rest of the file has to be read by `engine.read.jsonl`."""


class Block(NamedTuple):
    """Lines of a file and their values, REFUSED for those that are not plain; the number of the line before them."""

    before: int
    lines: list[bytes]
    values: list[object]


class LineFile(NamedTuple):
    """A JSON line file, as far as it is read."""

    path: str
    size: int
    need: str | None
    limits: Limits

    def blocks(self, decode: Decode = decode_any) -> Iterator[Block]:
        """The file's lines. Raises Irregular where it stops being plain."""
        number, held, nesting, limit = 0, 0, self.limits.nesting, self.limits.line
        # only under a low limit can a line inside a chunk be too long
        within = limit < CHUNK
        # the pieces of a line that has not ended: joined once, however long it is
        parts: list[bytes] = []
        with Stream(self.path, self.size) as stream:
            source, first = unpacked(stream, self.limits), True
            while True:
                try:
                    chunk = source.read(CHUNK)
                except Cut:
                    raise Irregular from None
                if not chunk:
                    break
                if first:
                    chunk, first = chunk.removeprefix(BOM), False
                lines = chunk.split(b"\n")
                rest = lines.pop()
                if lines and parts:
                    lines[0] = b"".join((*parts, lines[0]))
                if lines:
                    parts, held = [], 0
                parts.append(rest)
                held += len(rest)
                if held > limit or (lines and len(lines[0]) > limit) or (within and any(len(n) > limit for n in lines)):
                    raise Irregular
                if lines:
                    yield Block(number, lines, decode_all(lines, nesting, decode))
                    number += len(lines)
        if held:
            lines = [b"".join(parts)]
            yield Block(number, lines, decode_all(lines, nesting, decode))

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
        """A line that is not plain; None for a blank one."""
        if not line or line.isspace():
            return None
        return record_of(Line(number, line, None), decode_json, self.need, self.limits)
