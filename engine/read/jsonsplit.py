"""One list inside a JSON document, element by element, and the document around it: for documents too large to hold,
and for documents that are cut. Only the way to the list is followed here; every value is decoded by the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.read.codecs import Readable
from engine.read.jsoncursor import Broken, Cursor
from engine.read.limits import Limits

__all__ = ["ELEMENT", "Broken", "Path", "Splitter"]

#: in a path: each element of a list
ELEMENT = "[]"

Path = tuple[str, ...]


class Splitter:
    """Reads a document once. `elements` yields what stands in the list at `path` (None: there is none to look for);
    `document` is the rest: complete when `elements` has ended, and what was whole when it raises Broken. The list
    itself is empty there, and null is in the places of `leave`.

    With `build` false the values around the list are passed over. `flags` tells what had to be mended, `doubled` that
    a name on the way to the list stands twice: the last would win, but elements of both were given.
    """

    def __init__(
        self,
        source: Readable,
        path: Path | None,
        limits: Limits,
        build: bool = True,
        leave: tuple[Path, ...] = (),
    ):
        self._cursor, self._path, self._build, self._leave = Cursor(source, limits), path, build, leave
        self.document: Any = None
        self.found = self.doubled = False

    @property
    def flags(self) -> tuple[str, ...]:
        return self._cursor.flags

    def elements(self) -> Iterator[Any]:
        """The elements of the list, in order. Raises Broken."""
        self._cursor.pass_mark()
        if self._path is None:
            self.document = self._built(0, self._leave)
        else:
            yield from self._value(self._path, self._leave, 0, None, "")
        self._cursor.end()

    def _value(
        self, path: Path, leave: tuple[Path, ...], level: int, parent: dict[str, Any] | None, name: str
    ) -> Iterator[Any]:
        """The value at the cursor, which lies on the way to the list."""
        start = self._cursor.peek()
        if path and start == b"{":
            yield from self._object(path, leave, level, parent, name)
        elif not path and start == b"[":
            self.found = True
            self._put(parent, name, [])
            for _ in self._cursor.elements():
                yield self._cursor.value(level + 1)
        else:
            self._put(parent, name, self._built(level, leave))

    def _put(self, parent: dict[str, Any] | None, name: str, value: Any) -> None:
        if parent is None:
            self.document = value
        else:
            parent[name] = value

    def _object(
        self, path: Path, leave: tuple[Path, ...], level: int, parent: dict[str, Any] | None, name: str
    ) -> Iterator[Any]:
        members: dict[str, Any] = {}
        self._put(parent, name, members)
        for key in self._cursor.members():
            if key == path[0]:
                self.doubled = self.doubled or key in members
                yield from self._value(path[1:], _below(leave, key), level + 1, members, key)
            elif self._build:
                members[key] = self._built(level + 1, _below(leave, key))
            else:
                self._cursor.pass_over()

    def _built(self, level: int, leave: tuple[Path, ...]) -> Any:
        """The value at the cursor, with null where it is to be left."""
        if not leave:
            return self._cursor.value(level)
        start = self._cursor.peek()
        if () in leave:
            self._cursor.pass_over()
            return None
        if start == b"{":
            return {key: self._built(level + 1, _below(leave, key)) for key in self._cursor.members()}
        if start == b"[":
            return [self._built(level + 1, _below(leave, ELEMENT)) for _ in self._cursor.elements()]
        return self._cursor.value(level)


def _below(paths: tuple[Path, ...], name: str) -> tuple[Path, ...]:
    return tuple(path[1:] for path in paths if path and path[0] == name)
