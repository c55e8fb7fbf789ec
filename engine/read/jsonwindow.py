"""A window on the text of one JSON document that passes by, and where a value ends that begins in it. Memory holds the
value that is looked at and one chunk.
"""

from __future__ import annotations

import re

from engine.read.codecs import Readable
from engine.read.limits import KIB, Limits

#: the size of a window: a list of lists of records begins its parts alike, and one such part should end in it
CHUNK = 512 * KIB

_SPACE = re.compile(rb"[ \t\r\n]*")
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\r\n,\]}\[{\":]+")
#: what stands before a bracket, before the end of the window, or before the quote of a string that does not end there
_PLAIN = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_QUOTE, _OPENERS = ord('"'), frozenset(b"[{")


class Broken(Exception):
    """The document ends early or is no JSON. `reason` is for the note, `at` the byte where the last value begins."""

    def __init__(self, reason: str, at: int):
        self.reason, self.at = reason, at
        super().__init__(reason)


class Window:
    """The bytes from `_at` on are those that come next; `position` is their place in the text. Every method raises
    Broken."""

    def __init__(self, source: Readable, limits: Limits):
        self._source, self._limits = source, limits
        self._data, self._base, self._at, self._ended = b"", 0, 0, False

    @property
    def position(self) -> int:
        return self._base + self._at

    def peek(self, end: bool = False) -> bytes:
        """The next byte that is no white space; the cursor moves to it. b'' at the end, which `end` allows."""
        while True:
            found = _SPACE.match(self._data, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._data):
                return self._data[self._at : self._at + 1]
            if not self._more():
                if end:
                    return b""
                raise self._cut(self.position)

    def _more(self) -> bool:
        """Takes more of the source, twice as much each time that a value does not end; whether there was any."""
        if self._ended:
            return False
        data = self._source.read(max(CHUNK, len(self._data) - self._at))
        self._ended = not data
        if data:
            self._data = self._data + data if self._data else data
        return bool(data)

    def _fill(self) -> None:
        """Sees to a window that holds some values."""
        if len(self._data) - self._at < CHUNK // 2:
            self._forget(always=True)
            self._more()

    def _forget(self, always: bool = False) -> None:
        if self._at > CHUNK or always:
            self._data, self._base, self._at = self._data[self._at :], self._base + self._at, 0

    def _cut(self, at: int) -> Broken:
        return Broken(f"cut off at byte {self._base + len(self._data)}", at)

    def _fault(self) -> Broken:
        return Broken(f"no JSON at byte {self.position}", self.position)

    # ------------------------------------------------------------------------------------------------ ends of values

    def _string(self, origin: int) -> int:
        while (found := STRING.match(self._data, origin - self._base)) is None:
            if not self._more():
                raise self._cut(origin)
        return self._base + found.end()

    def _scalar(self, origin: int, last: bool = False) -> int:
        """`last`: it may end where the text ends. A number that the end cuts looks whole."""
        while found := _SCALAR.match(self._data, origin - self._base):
            if found.end() < len(self._data) or not self._more():
                if found.end() == len(self._data) and not last:
                    raise self._cut(origin)
                return self._base + found.end()
        raise self._fault()

    def _container(self, origin: int) -> int:
        at, depth, ended = self._scan(origin, 0)
        while not ended:
            if not self._more():
                raise self._cut(origin)
            at, depth, ended = self._scan(at, depth)
        return at

    def _scan(self, at: int, depth: int) -> tuple[int, int, bool]:
        """Follows containers, `depth` of which are open at `at`, through the window: how far (to the quote of a string
        that does not end), how many are open there, and whether the outermost ended."""
        data, place = self._data, at - self._base
        while found := _PLAIN.match(data, place):
            place = found.end()
            if place == len(data) or data[place] == _QUOTE:
                break
            depth += 1 if data[place] in _OPENERS else -1
            place += 1
            if depth == 0:
                return self._base + place, depth, True
        return self._base + place, depth, False
