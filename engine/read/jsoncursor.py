"""A cursor in the text of one JSON document that passes by: values are decoded, passed over, or read in pieces. Every
value is decoded by `jsontext`. Memory holds the value that is being decoded and a window of one chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.errors import BadRecord
from engine.lang import jsontext
from engine.read.codecs import Readable
from engine.read.limits import CHUNK, Limits, whole_characters
from engine.read.lines import BOM

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(rb"[^ \t\r\n,\]}\[{\":]+")
#: what stands before a bracket, before the end of the window, or before the quote of a string that does not end there
_PLAIN = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_QUOTE, _OPENERS = ord('"'), frozenset(b"[{")
#: a string up to this length is found without a look at the rest of the window
_SHORT = 1024


class Broken(Exception):
    """The document ends early or is no JSON. `reason` is for the note, `at` the byte where the last value begins."""

    def __init__(self, reason: str, at: int):
        self.reason, self.at = reason, at
        super().__init__(reason)


class Cursor:
    """Stands before a value. Whoever takes a member or an element leaves the cursor behind its value. `flags` tells
    what had to be mended. Every method raises Broken."""

    def __init__(self, source: Readable, limits: Limits):
        self._source, self._limits = source, limits
        self._data, self._base, self._at, self._ended = b"", 0, 0, False
        self.flags: tuple[str, ...] = ()

    def pass_mark(self) -> None:
        """Passes a byte order mark."""
        while len(self._data) < len(BOM) and self._more():
            pass
        if self._data.startswith(BOM):
            self._at = len(BOM)

    def end(self) -> None:
        """Makes sure that nothing follows."""
        if self.peek(end=True):
            raise Broken(f"text after the JSON value at byte {self.position}", self.position)

    # ------------------------------------------------------------------------------------------------- structure

    def members(self) -> Iterator[str]:
        """The names of the object at the cursor, each with the cursor before its value."""
        return self._inside(b"}", names=True)

    def elements(self) -> Iterator[str]:
        """Once for each element of the list at the cursor, which then stands before it."""
        return self._inside(b"]", names=False)

    def _inside(self, closer: bytes, *, names: bool) -> Iterator[str]:
        self.peek()
        self._at += 1
        if self.peek() == closer:
            self._at += 1
            return
        while True:
            yield self._name() if names else ""
            found = self.peek()
            if found not in (b",", closer):
                raise self._fault()
            self._at += 1
            if found == closer:
                return

    def _name(self) -> str:
        if self.peek() != b'"':
            raise self._fault()
        name: str = self.value(0)
        if self.peek() != b":":
            raise self._fault()
        self._at += 1
        return name

    # ---------------------------------------------------------------------------------------------------- values

    def value(self, level: int) -> Any:
        """The value at the cursor, decoded, which stands `level` containers deep."""
        start = self.peek()
        origin = self.position
        if start == b'"':
            end = self._string(origin)
        elif start in (b"{", b"["):
            end = self._container(origin)
        else:
            end = self._scalar(origin, last=level == 0)
        return self._decoded(end, level)

    def small(self, level: int) -> tuple[bool, Any]:
        """The object or list at the cursor, if it ends in the window and can be decoded; else the cursor stays."""
        self.peek()
        if len(self._data) - self._at < CHUNK // 2:
            self._forget(always=True)
            self._more()
        end, _, ended = self._scan(self.position, 0)
        if not ended:
            return False, None
        try:
            return True, self._decoded(end, level)
        except Broken:
            return False, None

    def _decoded(self, end: int, level: int) -> Any:
        start = self.position
        try:
            value, flags = jsontext.loads_flagged(self._data[self._at : end - self._base], self._limits.nesting - level)
        except BadRecord as fault:
            raise Broken(f"{fault.reason} of the value at byte {start}", start) from None
        self._at = end - self._base
        self._forget()
        self.flags = self.flags or flags
        return value

    def pass_over(self) -> None:
        """Passes the value at the cursor, without holding it."""
        start = self.peek()
        if start == b'"':
            self._at += 1
            self._pass_string()
        elif start in (b"{", b"["):
            self._pass_container()
        else:
            self._at = self._scalar(self.position) - self._base

    def pieces(self) -> Iterator[bytes]:
        """What the string at the cursor says, as UTF-8 in pieces; lone surrogates as three bytes each."""
        self.peek()
        origin, held = self.position, ""
        self._at += 1
        while True:
            end, ended = self._run()
            text = held + self._unescaped(self._data[self._at : end])
            self._at = end
            if not ended and text and "\ud800" <= text[-1] <= "\udbff":
                held, text = text[-1], text[:-1]
            else:
                if held:
                    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
                held = ""
            if text:
                yield text.encode("utf-8", "surrogatepass")
            if ended:
                self._at += 1
                return
            self._forget(always=True)
            if not self._more():
                raise self._cut(origin)

    def _run(self) -> tuple[int, bool]:
        """How far the inside of a string goes in the window, in whole characters and escapes, and whether it ends."""
        plain, end = self._until_quote()
        if end >= 0:
            return self._at + end, True
        tail = plain[-6:]
        escape = tail.rfind(b"\\")
        if escape >= 0 and (escape == len(tail) - 1 or (tail[escape + 1] == ord("u") and len(tail) - escape < 6)):
            return self._at + len(plain) - len(tail) + escape, False
        return self._at + len(whole_characters(plain)), False

    def _until_quote(self) -> tuple[bytes, int]:
        """The window from the cursor, which is inside a string, and where the string ends in it, -1 when it does not.
        Escaped backslashes and quotes are blanked, so that an escape begins at a backslash."""
        plain = self._data[self._at :]
        if b"\\" in plain:
            plain = plain.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        return plain, plain.find(b'"')

    def _unescaped(self, inside: bytes) -> str:
        if b"\\" not in inside:
            return inside.decode("utf-8", "replace")
        try:
            text, flags = jsontext.loads_flagged(b'"' + inside + b'"')
        except BadRecord as fault:
            raise Broken(f"{fault.reason} of the value at byte {self.position}", self.position) from None
        self.flags = self.flags or flags
        return str(text)

    def _pass_string(self) -> None:
        """Passes the rest of a string whose inside is at the cursor."""
        origin = self.position - 1
        if short := _STRING.match(self._data, self._at - 1, self._at + _SHORT):
            self._at = short.end()
            return
        while True:
            plain, end = self._until_quote()
            if end >= 0:
                self._at += end + 1
                return
            self._at += len(plain) - plain.endswith(b"\\")
            self._forget(always=True)
            if not self._more():
                raise self._cut(origin)

    def _pass_container(self) -> None:
        origin = self.position
        at, depth, ended = self._scan(origin, 0)
        while not ended:
            self._at = at - self._base
            if self._at < len(self._data):
                self._at += 1
                self._pass_string()
            else:
                self._forget(always=True)
                if not self._more():
                    raise self._cut(origin)
            at, depth, ended = self._scan(self.position, depth)
        self._at = at - self._base

    # ------------------------------------------------------------------------------------------------- their ends

    def _string(self, origin: int) -> int:
        while (found := _STRING.match(self._data, origin - self._base)) is None:
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

    # ---------------------------------------------------------------------------------------------------- window

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

    def _forget(self, always: bool = False) -> None:
        if self._at > CHUNK or always:
            self._data, self._base, self._at = self._data[self._at :], self._base + self._at, 0

    def _cut(self, at: int) -> Broken:
        return Broken(f"cut off at byte {self._base + len(self._data)}", at)

    def _fault(self) -> Broken:
        return Broken(f"no JSON at byte {self.position}", self.position)
