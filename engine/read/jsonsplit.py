"""One list inside a JSON document, element by element, and the document around it: for documents too large to hold,
and for documents that are cut. Only the way to the list is followed here; every value is decoded by the cursor.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from engine.read.codecs import Readable
from engine.read.jsoncursor import Broken, Cursor
from engine.read.limits import Limits

__all__ = ["ELEMENT", "Broken", "Path", "Place", "Splitter"]

#: in a path: each element of a list
ELEMENT = "[]"

Path = tuple[str, ...]

#: where a value stands: names, and positions in lists
Place = tuple[str | int, ...]


class Splitter:
    """Reads a document once. `lists` yields what stands in the list at `path` (None: there is none to look for), some
    elements at a time; `document` is the rest: complete when `lists` has ended, and what was whole when it raises
    Broken. The list itself is empty there, and null is in the places of `leave`.

    `start` is the byte where the list begins, None where it was not found; `left` has the bytes where the values begin
    that were left, in their order. `flags` tells what had to be mended, `doubled` that a name on the way to the list or
    to what is left stands twice: the last would win.
    """

    def __init__(self, source: Readable, path: Path | None, limits: Limits, leave: tuple[Path, ...] = ()):
        self._cursor, self._path, self._leave = Cursor(source, limits), path, leave
        self.document: Any = None
        self.start: int | None = None
        self.left: dict[Place, int] = {}
        self.doubled = False

    @property
    def found(self) -> bool:
        return self.start is not None

    @property
    def flags(self) -> tuple[str, ...]:
        return self._cursor.flags

    def elements(self) -> Iterator[Any]:
        """The elements of the list, in order. Raises Broken."""
        return chain.from_iterable(self.lists())

    def lists(self) -> Iterator[list[Any]]:
        """The elements of the list, in order, some at a time. Raises Broken."""
        self._cursor.pass_mark()
        if self._path is None:
            self.document = self._built((), self._leave)
        else:
            yield from self._value(self._path, self._leave, (), None)
        self._cursor.end()

    def _value(
        self, path: Path, leave: tuple[Path, ...], place: Place, parent: dict[str, Any] | None
    ) -> Iterator[list[Any]]:
        """The value at the cursor, which lies on the way to the list."""
        start = self._cursor.peek()
        if path and start == b"{":
            yield from self._object(path, leave, place, parent)
        elif not path and start == b"[":
            self.start = self._cursor.position
            self._put(parent, place, [])
            yield from self._cursor.lists(len(place) + 1)
        else:
            self._put(parent, place, self._built(place, leave))

    def _put(self, parent: dict[str, Any] | None, place: Place, value: Any) -> None:
        if parent is None:
            self.document = value
        else:
            parent[str(place[-1])] = value

    def _object(
        self, path: Path, leave: tuple[Path, ...], place: Place, parent: dict[str, Any] | None
    ) -> Iterator[list[Any]]:
        members: dict[str, Any] = {}
        self._put(parent, place, members)
        for key in self._cursor.members():
            below = _below(leave, key)
            self.doubled = self.doubled or (key in members and (key == path[0] or bool(below)))
            if key == path[0]:
                yield from self._value(path[1:], below, (*place, key), members)
            else:
                members[key] = self._built((*place, key), below)

    def _built(self, place: Place, leave: tuple[Path, ...]) -> Any:
        """The value at the cursor, with null where it is to be left."""
        if not leave:
            return self._cursor.value(len(place))
        start = self._cursor.peek()
        if () in leave:
            self.left[place] = self._cursor.position
            self._cursor.pass_over()
            return None
        if start == b"{":
            members: dict[str, Any] = {}
            for key in self._cursor.members():
                below = _below(leave, key)
                self.doubled = self.doubled or (key in members and bool(below))
                members[key] = self._built((*place, key), below)
            return members
        if start == b"[":
            below = _below(leave, ELEMENT)
            return [self._built((*place, at), below) for at, _ in enumerate(self._cursor.elements())]
        return self._cursor.value(len(place))


def _below(paths: tuple[Path, ...], name: str) -> tuple[Path, ...]:
    return tuple(path[1:] for path in paths if path and path[0] == name)
