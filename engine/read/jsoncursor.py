"""A cursor in the text of one JSON document that passes by: values are decoded, passed over, or read in pieces. Memory
holds the value that is being decoded and a window of one chunk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.errors import BadRecord
from engine.lang import jsontext
from engine.lang.fastjson import REFUSED, decode_one
from engine.read.codecs import Readable
from engine.read.jsonwindow import STRING, Broken, Window
from engine.read.limits import Limits, whole_characters
from engine.read.lines import BOM

#: how an object begins: with its first name, and what that names if it is a short string
_NAME = re.compile(rb'\{[ \t\r\n]*"[^"\\]*"')
_HEAD = re.compile(_NAME.pattern + rb'[ \t\r\n]*:[ \t\r\n]*"[^"\\]{0,64}"')
#: how many places are tried where elements may be parted
_CUTS = 4
#: a string up to this length is found without a look at the rest of the window
_SHORT = 1024


class Cursor(Window):
    """Stands before a value. Whoever takes a member or an element leaves the cursor behind its value. `flags` tells
    what had to be mended. Every method raises Broken."""

    def __init__(self, source: Readable, limits: Limits):
        super().__init__(source, limits)
        self._one_by_one: dict[int, int] = {}
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

    def lists(self, level: int) -> Iterator[list[Any]]:
        """The elements of the list at the cursor, some at a time; they stand `level` containers deep."""
        for _ in self.elements():
            yield self.several(level) or [self.value(level)]

    def several(self, level: int) -> list[Any]:
        """The values from the cursor on, which stands before an element of a list: as many as the window holds where
        all begin alike; none where that can't be told, and the cursor stays.

        What begins like them inside of one is no place to cut; but text that is a list once it has its brackets was cut
        between elements, because what was read before such a place does not depend on what follows."""
        self.peek()
        if self.position < self._one_by_one.get(level, 0):
            return []
        self._fill()
        cuts = self._cuts()
        for cut in cuts:
            text = self._data[self._at : cut].rstrip(b" \t\r\n")
            if text.endswith(b","):
                values = decode_one(b"[%b]" % text[:-1], self._limits.nesting - level + 1)
                if values is not REFUSED:
                    self._at += len(text) - 1
                    return list(values)
        self._one_by_one[level] = self._base + max(cuts, default=0)
        return []

    def _cuts(self) -> list[int]:
        """The last places in the window where something begins like the value at the cursor, from the last on."""
        for pattern in (_HEAD, _NAME):
            head = pattern.match(self._data, self._at)
            cuts: list[int] = []
            cut = len(self._data)
            while head and len(cuts) < _CUTS and (cut := self._data.rfind(head[0], self._at + 1, cut)) >= 0:
                cuts.append(cut)
            if cuts:
                return cuts
        return []

    def small(self, level: int) -> tuple[bool, Any]:
        """The object or list at the cursor, if it ends in the window and can be decoded; else the cursor stays."""
        self.peek()
        self._fill()
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
        if short := STRING.match(self._data, self._at - 1, self._at + _SHORT):
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
