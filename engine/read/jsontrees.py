"""Records that are the nodes of a tree inside a JSON document, often in a text that is JSON itself: whole, and as a
stream. Either way a node comes after the nodes below it, without the members that hold them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from engine.errors import BadFile, BadRecord
from engine.lang import jsontext
from engine.lang.plan import Tree
from engine.read.codecs import Readable
from engine.read.files import Stream
from engine.read.jsoncursor import Broken, Cursor
from engine.read.jsonsplit import ELEMENT
from engine.read.jsonsplit import Place as Where
from engine.read.keys import NOTHING, segments
from engine.read.limits import Limits
from engine.read.names import base_name
from engine.read.units import Block, Record

#: where a tree stands: the positions of the list elements on the way to it
Place = tuple[int, ...]


class Trees(Struct, frozen=True):
    """The trees of one store in one file. `file` is its path, for notes."""

    tree: Tree
    file: str
    limits: Limits

    def blocks(self, document: Any) -> list[Block] | None:
        """The records of a document that is held whole, a block for each tree; None where one is broken."""
        found: list[Block] = []
        before = 0
        for place, value in _places(document, self.tree.path):
            nodes = self._whole(value)
            if nodes is None:
                return None
            if nodes:
                found.append(Block(before, nodes, self._captured(place)))
                before += len(nodes)
        return found

    def records(self, document: Any) -> Iterator[Record]:
        """The records of a document that is held whole, one by one."""
        found = (pair for place, value in _places(document, self.tree.path) for pair in self._nodes(place, value))
        return self._numbered(found)

    def streamed(self, source: Stream, left: Mapping[Where, int]) -> Iterator[Record]:
        """The records of a document whose trees begin at these bytes; of a record only what `keep` names."""
        return self._numbered(self._passing(source, left))

    def _numbered(self, found: Iterator[tuple[Place, Any]]) -> Iterator[Record]:
        last, captured = None, None
        for number, (place, node) in enumerate(found, 1):
            if place is not last:
                last, captured = place, self._captured(place)
            if isinstance(node, BadFile):
                yield Record(number, None, captured, bad=node)
            else:
                yield Record(number, node, captured)

    def _captured(self, place: Place) -> dict[str, Any]:
        return {name: at for name, at in zip(self.tree.captures, place, strict=True) if name}

    def _bad(self, place: Place, reason: str) -> BadFile:
        """The note on a tree that can't be read, or not to its end; it quotes nothing."""
        positions = iter(place)
        steps = "".join(f"[{next(positions)}]" if step == ELEMENT else f".{step}" for step in self.tree.path)
        return BadFile(reason, f"{base_name(self.file)} {steps.lstrip('.')} could not be decoded ({reason})")

    # ------------------------------------------------------------------------------------------------ held whole

    def _nodes(self, place: Place, value: Any) -> Iterator[tuple[Place, Any]]:
        nodes = self._whole(value)
        if nodes is not None:
            for node in nodes:
                yield place, node
        elif isinstance(value, str):
            yield from self._text(place, io.BytesIO(value.encode("utf-8", "surrogatepass")))
        else:
            yield place, self._bad(place, "no object")

    def _whole(self, value: Any) -> list[Any] | None:
        """The nodes of a tree, None where it is none or broken."""
        if isinstance(value, str):
            try:
                value = jsontext.loads(value, self.limits.nesting)
            except BadRecord:
                return None
        if isinstance(value, dict | list):
            return self._below(value)
        return [] if value is None else None

    def _below(self, value: Any) -> list[Any]:
        """The nodes of a tree, those below before each."""
        below = frozenset(self.tree.below)
        # a node to look at, or one whose turn has come, in a list of one
        stack: list[Any] = [value]
        found: list[Any] = []
        while stack:
            node = stack.pop()
            if type(node) is tuple:
                found.append(node[0])
            elif type(node) is list:
                stack.extend(reversed(node))
            elif type(node) is dict:
                if below.isdisjoint(node):
                    found.append(node)
                    continue
                inner = [name for name in node if name in below]
                stack.append(({name: member for name, member in node.items() if name not in below},))
                stack.extend(node[name] for name in reversed(inner))
            elif node is not None:
                found.append(node)
        return found

    # ------------------------------------------------------------------------------------------------- passing by

    def _passing(self, source: Stream, left: Mapping[Where, int]) -> Iterator[tuple[Place, Any]]:
        for where, start in left.items():
            if tuple(ELEMENT if isinstance(step, int) else step for step in where) != self.tree.path:
                continue
            place = tuple(step for step in where if isinstance(step, int))
            source.seek(start)
            cursor = Cursor(source, self.limits)
            try:
                if cursor.peek() == b'"':
                    yield from self._text(place, _Joined(cursor.pieces()))
                elif cursor.peek() in (b"{", b"["):
                    for node in self._stream(cursor, len(where)):
                        yield place, node
                elif cursor.value(len(where)) is not None:
                    yield place, self._bad(place, "no object")
            except Broken:
                # a note on the file says so where the document is loaded
                return

    def _text(self, place: Place, text: Readable) -> Iterator[tuple[Place, Any]]:
        """The nodes of a tree in a text, up to where it is broken."""
        cursor = Cursor(text, self.limits)
        try:
            if cursor.peek(end=True) in (b"{", b"["):
                for node in self._stream(cursor, 0):
                    yield place, node
                cursor.end()
            elif cursor.value(0) is not None:
                yield place, self._bad(place, "no object")
        except Broken as broken:
            yield place, self._bad(place, broken.reason)
            if isinstance(text, _Joined):
                text.drain()

    def _stream(self, cursor: Cursor, level: int) -> Iterator[Any]:
        """The nodes of the tree at the cursor: of an object or list that is small, as it is; of a larger one member by
        member."""
        if cursor.peek() not in (b"{", b"["):
            value = cursor.value(level)
            if value is not None:
                yield value
            return
        held, value = cursor.small(level)
        if held:
            yield from self._below(value)
        elif cursor.peek() == b"[":
            for _ in cursor.elements():
                if nodes := cursor.several(level + 1):
                    yield from self._below(nodes)
                else:
                    yield from self._stream(cursor, level + 1)
        else:
            node, keep = {}, [segments(path) for path in self.tree.keep]
            for name in cursor.members():
                if name in self.tree.below:
                    yield from self._stream(cursor, level + 1)
                elif (member := _take(cursor, [p[1:] for p in keep if p[0] == name], level + 1)) is not NOTHING:
                    node[name] = member
            yield node


def _places(value: Any, path: tuple[str, ...], place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """What stands at a path below a value, and where."""
    if not path:
        yield place, value
    elif path[0] == ELEMENT:
        for at, element in enumerate(value if isinstance(value, list) else ()):
            yield from _places(element, path[1:], (*place, at))
    elif isinstance(value, dict) and path[0] in value:
        yield from _places(value[path[0]], path[1:], place)


def _take(cursor: Cursor, paths: list[tuple[str, ...]], level: int) -> Any:
    """What the paths name of the value at the cursor; `keys.NOTHING` when that is nothing."""
    if any(not path or path[0] == "**" for path in paths):
        return cursor.value(level)
    start = cursor.peek()
    if not paths or start not in (b"{", b"["):
        cursor.pass_over()
        return NOTHING
    if start == b"[":
        below = [path[1:] for path in paths if path[0] == ELEMENT]
        elements = [_take(cursor, below, level + 1) for _ in cursor.elements()]
        return [element for element in elements if element is not NOTHING] or NOTHING
    found = {}
    for name in cursor.members():
        member = _take(cursor, [path[1:] for path in paths if path[0] in (name, "*")], level + 1)
        if member is not NOTHING:
            found[name] = member
    return found or NOTHING


class _Joined:
    """Pieces of text, read like a file."""

    def __init__(self, pieces: Iterator[bytes]):
        self._pieces = pieces

    def read(self, count: int = -1, /) -> bytes:
        """The next piece, whatever its size."""
        return next(self._pieces, b"")

    def drain(self) -> None:
        for _ in self._pieces:
            pass
