"""Typed decoding: of the objects in line files only the members that a walk reads, where that is worth while.

It is worth while when the members that nobody reads are a good part of the text; the first plain block of a store
tells. A record that is asked for as a whole after all is decoded once more; when that happens often, typed decoding
ends. The decoder checks the syntax of what it skips, but not that it is UTF-8, so that is looked at by itself.
"""

from __future__ import annotations

from typing import Any

import msgspec

from engine.lang.fastjson import Members, decode_any, decode_any_lines, decode_block, is_utf8, lines_decoder

#: typed decoding has to leave away so much of a text to pay for the look at its UTF-8
_WORTH = 0.25
#: records in `_RARE` that may be asked for as a whole, after the first `_SOME`
_SOME, _RARE = 64, 8
#: longer texts are decoded as they are: looking at their UTF-8 takes as much memory again
_LONGEST = 1 << 20


class TypedLines:
    """Lines of which only some members were decoded. `before` is the number of the line before them."""

    def __init__(self, before: int, data: bytes, count: int):
        self.before, self._data, self._count = before, data, count

    def hold(self, line: int) -> bool:
        return self.before < line <= self.before + self._count

    def value(self, line: int) -> Any:
        """The whole value of a line."""
        start = 0
        for _ in range(line - self.before - 1):
            start = self._data.index(b"\n", start) + 1
        end = self._data.find(b"\n", start)
        return decode_any(self._data[start : end if end >= 0 else None])


class Reads:
    """What the walk of a store reads of its records; None for all. `worth` is not known before the first block."""

    worth: bool | None = None

    def __init__(self, members: Members | None):
        self._decode = decode_any_lines if members is None else lines_decoder(members)
        if members is None:
            self.worth = False
        self._given = self._asked = 0

    def decoded(self, data: bytes, nesting: int, needed: type | None) -> tuple[list[Any] | None, bool]:
        """The values of plain lines, as `decode_block` gives them, and whether unread members are missing."""
        if self.worth is False or len(data) > _LONGEST or not is_utf8(data):
            return decode_block(data, nesting, needed), False
        values = decode_block(data, nesting, needed, self._decode)
        if values is None:
            return decode_block(data, nesting, needed), False
        if self.worth is None:
            whole = decode_block(data, nesting, needed)
            kept, size = len(msgspec.json.encode(values)), len(msgspec.json.encode(whole))
            self.worth = kept <= (1 - _WORTH) * size
            return whole, False
        self._given += len(values)
        return values, True

    def ask(self) -> None:
        """A record is asked for as a whole."""
        self._asked += 1
        if self._asked > _SOME and self._asked * _RARE > self._given:
            self.worth = False
