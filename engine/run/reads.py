"""Typed decoding: of the objects in line files only the members that a walk reads, where that is worth while.

It is worth while when the members that nobody reads are a good part of the text; the first plain block of a store
tells. A record that is asked for as a whole after all is decoded once more; when that happens often, typed decoding
ends. The decoder checks the syntax of what it skips, but not that it is UTF-8, so that is looked at by itself.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.lang.fastjson import Members, decode_any_lines, decode_objects, is_utf8, lines_decoder
from engine.lang.jsontext import loads
from engine.read.blocks import LineBlock

#: typed decoding has to leave away so much of a text to pay for the look at its UTF-8
_WORTH = 0.25
#: records in `_RARE` that may be asked for as a whole, after the first `_SOME`
_SOME, _RARE = 64, 8
#: longer texts are decoded as they are: looking at their UTF-8 takes as much memory again
_LONGEST = 1 << 20


class TypedLines:
    """Lines of which only some members were decoded."""

    def __init__(self, block: LineBlock, nesting: int):
        self._before, self._data, self._count, _ = block
        self._nesting = nesting

    def hold(self, line: int) -> bool:
        return self._before < line <= self._before + self._count

    def value(self, line: int) -> Any:
        """The whole value of a line."""
        start = 0
        for _ in range(line - self._before - 1):
            start = self._data.index(b"\n", start) + 1
        end = self._data.find(b"\n", start)
        return loads(self._data[start : end if end >= 0 else None], self._nesting)


class Reads:
    """What the walk of a store reads of its records; None for all. `worth` is not known before the first block."""

    worth: bool | None = None

    def __init__(self, members: Members | None):
        self._decode = decode_any_lines if members is None else lines_decoder(members)
        if members is None:
            self.worth = False
        self._given = self._asked = 0

    def decoded(self, block: LineBlock, nesting: int) -> tuple[list[Any] | None, bool]:
        """The values of plain lines, None where some are not plain, and whether unread members are missing."""
        data = block.data
        if not block.objects:
            return None, False
        typed = None
        if self.worth is not False and len(data) <= _LONGEST and is_utf8(data):
            typed = decode_objects(data, block.lines, nesting, self._decode)
        if typed is not None and self.worth:
            self._given += len(typed)
            return typed, True
        values = decode_objects(data, block.lines, nesting)
        if typed is not None and values is not None:
            kept, size = len(msgspec.json.encode(typed)), len(msgspec.json.encode(values))
            self.worth = kept <= (1 - _WORTH) * size
        return values, False

    def ask(self) -> None:
        """A record is asked for as a whole."""
        self._asked += 1
        if self._asked > _SOME and self._asked * _RARE > self._given:
            self.worth = False
