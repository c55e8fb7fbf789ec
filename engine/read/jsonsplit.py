"""One list inside a JSON document, element by element, and the document around it: for documents too large to hold,
and for documents that are cut. Only the way to the list is followed here; every value is decoded by `jsontext`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.errors import BadRecord
from engine.lang import jsontext
from engine.read.codecs import Readable
from engine.read.limits import CHUNK, Limits
from engine.read.lines import BOM

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\r\n,\]}\[{\":]+")
#: what changes the depth, whole strings, and the quote of a string that does not end
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|["\[\]{}]', re.DOTALL)


class Broken(Exception):
    """The document ends early or is no JSON. `reason` is for the note, `at` the byte where the last value begins."""

    def __init__(self, reason: str, at: int):
        self.reason, self.at = reason, at
        super().__init__(reason)


class Splitter:
    """Reads a document once. `elements` yields what stands in the list at `path`; `document` is the rest: complete when
    `elements` has ended, and what was whole when it raises Broken. The list itself is empty there.

    With `build` false the values around the list are passed over. `flags` tells what had to be mended, `doubled` that
    a name on the way to the list stands twice: the last would win, but elements of both were given.
    """

    def __init__(self, source: Readable, path: tuple[str, ...], limits: Limits, build: bool = True):
        self._source, self._path, self._limits, self._build = source, path, limits, build
        self._data, self._base, self._at, self._ended = b"", 0, 0, False
        self.document: Any = None
        self.found = self.doubled = False
        self.flags: tuple[str, ...] = ()

    def elements(self) -> Iterator[Any]:
        """The elements of the list, in order. Raises Broken."""
        while len(self._data) < len(BOM) and self._more():
            pass
        if self._data.startswith(BOM):
            self._at = len(BOM)
        yield from self._value(self._path, None, "")
        if self._peek(end=True):
            raise Broken(f"text after the JSON value at byte {self._position}", self._position)

    # ------------------------------------------------------------------------------------------------- structure

    def _value(self, path: tuple[str, ...], parent: dict[str, Any] | None, name: str) -> Iterator[Any]:
        """The value at the cursor, which lies on the way to the list."""
        start = self._peek()
        if path and start == b"{":
            yield from self._object(path, parent, name)
        elif not path and start == b"[":
            self.found = True
            self._put(parent, name, [])
            yield from self._list()
        else:
            self._put(parent, name, self._decoded(len(self._path) - len(path)))

    def _put(self, parent: dict[str, Any] | None, name: str, value: Any) -> None:
        if parent is None:
            self.document = value
        else:
            parent[name] = value

    def _object(self, path: tuple[str, ...], parent: dict[str, Any] | None, name: str) -> Iterator[Any]:
        members: dict[str, Any] = {}
        self._put(parent, name, members)
        self._at += 1
        if self._peek() == b"}":
            self._at += 1
            return
        while True:
            if self._peek() != b'"':
                raise self._fault()
            key = self._decoded(0)
            if self._peek() != b":":
                raise self._fault()
            self._at += 1
            if key == path[0]:
                self.doubled = self.doubled or key in members
                yield from self._value(path[1:], members, key)
            elif self._build:
                members[key] = self._decoded(1 + len(self._path) - len(path))
            else:
                self._skip()
            if self._after(b"}"):
                return

    def _list(self) -> Iterator[Any]:
        self._at += 1
        if self._peek() == b"]":
            self._at += 1
            return
        while True:
            yield self._decoded(1 + len(self._path))
            if self._after(b"]"):
                return

    def _after(self, closer: bytes) -> bool:
        """Passes the `,` or the end behind a value; whether it was the end."""
        found = self._peek()
        if found not in (b",", closer):
            raise self._fault()
        self._at += 1
        return found == closer

    # ---------------------------------------------------------------------------------------------------- values

    def _decoded(self, level: int) -> Any:
        """The value at the cursor, decoded, which stands `level` containers deep; the cursor moves behind it."""
        self._peek()
        start = self._position
        text = self._skip()
        try:
            value, flags = jsontext.loads_flagged(text, self._limits.nesting - level)
        except BadRecord as fault:
            raise Broken(f"{fault.reason} of the value at byte {start}", start) from None
        self.flags = self.flags or flags
        return value

    def _skip(self) -> bytes:
        """The bytes of the value at the cursor; the cursor moves behind them."""
        start = self._peek()
        origin = self._position
        if start == b'"':
            end = self._ending(_STRING, origin)
        elif start in (b"{", b"["):
            end = self._container(origin)
        else:
            end = self._scalar(origin)
        text = self._data[origin - self._base : end - self._base]
        self._at = end - self._base
        self._forget()
        return text

    def _ending(self, pattern: re.Pattern[bytes], origin: int) -> int:
        while (found := pattern.match(self._data, origin - self._base)) is None:
            if not self._more():
                raise self._cut(origin)
        return self._base + found.end()

    def _scalar(self, origin: int) -> int:
        while True:
            found = _SCALAR.match(self._data, origin - self._base)
            if found is None:
                raise self._fault()
            if found.end() < len(self._data):
                return self._base + found.end()
            if not self._more():
                # a number that the end of the file cuts looks whole; only one that is the whole document may end there
                if (self._path and self.document is not None) or self.found:
                    raise self._cut(origin)
                return self._base + found.end()

    def _container(self, origin: int) -> int:
        depth, at = 0, origin
        while True:
            for token in _TOKEN.finditer(self._data, at - self._base):
                if token.end() - token.start() > 1:
                    continue
                character = token[0]
                if character == b'"':
                    at = self._base + token.start()
                    break
                depth += 1 if character in b"[{" else -1
                if depth == 0:
                    return self._base + token.end()
                at = self._base + token.end()
            else:
                at = self._base + len(self._data)
            if not self._more():
                raise self._cut(origin)

    # ---------------------------------------------------------------------------------------------------- window

    @property
    def _position(self) -> int:
        return self._base + self._at

    def _peek(self, end: bool = False) -> bytes:
        """The next byte that is no white space; the cursor moves to it. b'' at the end, which `end` allows."""
        while True:
            found = _SPACE.match(self._data, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._data):
                return self._data[self._at : self._at + 1]
            if not self._more():
                if end:
                    return b""
                raise self._cut(self._position)

    def _more(self) -> bool:
        """Takes more of the source, twice as much each time that a value does not end; whether there was any."""
        if self._ended:
            return False
        data = self._source.read(max(CHUNK, len(self._data) - self._at))
        self._ended = not data
        if data:
            self._data = self._data + data if self._data else data
        return bool(data)

    def _forget(self) -> None:
        if self._at > CHUNK:
            self._data, self._base, self._at = self._data[self._at :], self._base + self._at, 0

    def _cut(self, at: int) -> Broken:
        return Broken(f"cut off at byte {self._base + len(self._data)}", at)

    def _fault(self) -> Broken:
        return Broken(f"no JSON at byte {self._position}", self._position)
