"""A document as one store reads it: whole, as a stream of the elements of one list, or what is left of a cut one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from itertools import count, islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from engine.errors import BadRecord, BadUnit
from engine.lang.plan import Expr, Store, Tree
from engine.read.documents import ABSENT, check_need, decode_document, not_needed, read_bytes
from engine.read.expressions import Expressions, plain_path
from engine.read.files import Stream, quote_rest, undecodable
from engine.read.jsoncursor import Cursor
from engine.read.jsonsplit import Broken, Path, Place, Splitter
from engine.read.jsontrees import Trees
from engine.read.limits import Limits, quote
from engine.read.units import Block, Record, records_of


class Loaded(Struct, frozen=True):
    """A document, what had to be mended, and the record that says where it breaks off, if it does. With `streamed`,
    what stores take as records is missing from `document`: lists are empty, trees null. The list at `stream` begins at
    the byte `start` of the file and has `count` whole elements; `left` has the bytes where trees begin."""

    document: Any
    flags: tuple[str, ...] = ()
    tail: Record | None = None
    streamed: bool = False
    stream: Path | None = None
    start: int = 0
    count: int = 0
    left: Mapping[Place, int] = {}


class Documents:
    """The documents of one file, each decoded once for all stores that read it alike. A large JSON document is read as
    a stream: one pass for what is around the records of all stores, one for the records of each."""

    def __init__(self, path: str, size: int, stores: Sequence[Store], limits: Limits, expressions: Expressions):
        self._path, self._size, self._limits, self._expressions = path, size, limits, expressions
        self._leave = tuple(store.tree.path for store in stores if store.tree is not None)
        self._lists = {found for store in stores if (found := _below(store.records, store)) is not None}
        self._large = size > limits.stream and not path.endswith((".zst", ".gz"))
        self._known: dict[tuple[str, Path | None, Path | None], Loaded | str] = {}
        self._trees: dict[str, list[Block] | None] = {}

    def load(self, store: Store) -> Loaded:
        """The store's document. Raises BadUnit."""
        salvage = _below(store.salvage, store) if store.read == "json" else None
        key = (store.read, self._stream(store), salvage)
        if key not in self._known:
            try:
                self._known[key] = self._load(store, *key[1:])
            except BadUnit as note:
                # kept as its words: a fault holds the frames that it passed, and all that is in them
                self._known[key] = note.text
        found = self._known[key]
        if isinstance(found, str):
            raise not_needed(self._path, store.need) if store.read == "jsonc" and store.need else BadUnit(found)
        if found.document is not ABSENT:
            check_need(self._path, found.document, store.need)
        return found

    def blocks(
        self, store: Store, loaded: Loaded, names: Mapping[str, Any], first: bool = True
    ) -> Iterable[Block] | None:
        """The records of a loaded document in blocks, None where they can be had by `records` only."""
        if loaded.tail is not None or (loaded.flags and first):
            return None
        if store.tree is not None:
            return None if loaded.streamed else self._held(store, store.tree, loaded)
        if store.records is None:
            return None
        if loaded.streamed:
            return self._streamed(loaded)
        values = list_elements(self._expressions.value(store.records, names))
        return [Block(0, values)] if values else []

    def records(self, store: Store, loaded: Loaded, names: Mapping[str, Any], first: bool = True) -> Iterator[Record]:
        """The records of a loaded document: the elements of the store's list, the nodes of its trees, or the document
        itself. What had to be mended is told by the `first` store that reads the file."""
        found = self._found(store, loaded, names)
        if loaded.flags and first:
            yield from (replace(record, flags=loaded.flags) for record in islice(found, 1))
        yield from found
        if loaded.tail is not None:
            yield loaded.tail

    def _found(self, store: Store, loaded: Loaded, names: Mapping[str, Any]) -> Iterator[Record]:
        if store.tree is not None:
            trees = Trees(store.tree, self._path, self._limits)
            if loaded.streamed:
                with Stream(self._path, self._size) as stream:
                    yield from trees.streamed(stream, loaded.left)
            elif (blocks := self._held(store, store.tree, loaded)) is not None:
                yield from records_of(blocks)
            else:
                yield from trees.records(loaded.document)
        elif store.records is None:
            yield Record(0, names[store.as_name])
        elif loaded.streamed:
            yield from records_of(self._streamed(loaded))
        else:
            yield from map(Record, count(1), list_elements(self._expressions.value(store.records, names)))

    def _held(self, store: Store, tree: Tree, loaded: Loaded) -> list[Block] | None:
        """The nodes of a store's trees, found once."""
        if store.name not in self._trees:
            self._trees[store.name] = Trees(tree, self._path, self._limits).blocks(loaded.document)
        return self._trees[store.name]

    def _streamed(self, loaded: Loaded) -> Iterator[Block]:
        if not loaded.count:
            return
        before = 0
        with Stream(self._path, self._size) as stream:
            stream.seek(loaded.start)
            for values in Cursor(stream, self._limits).lists(len(loaded.stream or ()) + 1):
                yield Block(before, values[: loaded.count - before])
                before += len(values)
                if before >= loaded.count:
                    return

    def _stream(self, store: Store) -> Path | None:
        """The list that is left out of a large document for this store: its own, else that of another store."""
        if store.read != "json" or store.keys or not self._large:
            return None
        if store.records is not None:
            return _below(store.records, store)
        return next(iter(sorted(self._lists)), None)

    # --------------------------------------------------------------------------------------------------- loading

    def _load(self, store: Store, stream: Path | None, salvage: Path | None) -> Loaded:
        if self._is_streamed(store, stream) and (found := self._scan(stream, salvage)) is not None:
            return found
        data = read_bytes(self._path, self._size, self._limits)
        try:
            document, flags = decode_document(self._path, data, store.read, self._limits)
            return Loaded(document, flags)
        except BadUnit as note:
            if salvage is None:
                raise
            return self._salvaged(data, salvage, note)

    def _is_streamed(self, store: Store, stream: Path | None) -> bool:
        if stream is not None:
            return True
        return bool(self._large and self._leave and store.read == "json" and not store.keys and store.records is None)

    def _scan(self, path: Path | None, salvage: Path | None) -> Loaded | None:
        """The document without its records, every element of the list looked at once. None where it has to be read
        whole: it can't be salvaged from the stream, or a name stands twice. Raises BadUnit."""
        number = 0
        with Stream(self._path, self._size) as stream:
            splitter = Splitter(stream, path, self._limits, leave=self._leave)
            try:
                for values in splitter.lists():
                    number += len(values)
            except Broken as broken:
                if salvage != path or splitter.doubled:
                    return None
                if not (number or (splitter.found and not path)):
                    raise undecodable(self._path, broken.reason) from None
                stream.seek(broken.at)
                tail = self._tail(path, number, broken, "" if path else quote_rest(stream, self._limits.quote))
                return _parted(splitter, path, number, tail)
        if splitter.doubled or (path is not None and not splitter.found):
            return None
        return _parted(splitter, path, number, None)

    def _salvaged(self, data: bytes, path: Path, note: BadUnit) -> Loaded:
        """What is whole of a cut document. Raises BadUnit where no element of the list is."""
        splitter = Splitter(BytesIO(data), path, self._limits)
        elements: list[Any] = []
        try:
            for element in splitter.elements():
                elements.append(element)
        except Broken as broken:
            if splitter.doubled:
                raise note from None
            if not splitter.found or (path and not elements):
                raise undecodable(self._path, broken.reason) from None
            tail = self._tail(path, len(elements), broken, quote(data[broken.at :], self._limits.quote))
            return Loaded(_with_list(splitter.document, path, elements), splitter.flags, tail)
        raise note

    def _tail(self, path: Path | None, number: int, broken: Broken, rest: str) -> Record:
        """What is said of the rest: of a document that is one list, its next record; else a note on the file."""
        if path or not rest.strip():
            return Record(0, None, bad=undecodable(self._path, broken.reason))
        return Record(number + 1, None, bad=BadRecord(broken.reason, rest))


def _parted(splitter: Splitter, path: Path | None, number: int, tail: Record | None) -> Loaded:
    """What is left of a document that was read without its records."""
    start = splitter.start or 0
    return Loaded(splitter.document, splitter.flags, tail, True, path, start, number, splitter.left)


def _with_list(document: Any, path: Path, elements: list[Any]) -> Any:
    """The document with the list filled in."""
    if not path:
        return elements
    parent = document
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = elements
    return document


def list_elements(value: Any) -> list[Any]:
    """The elements of a list; of anything else none."""
    return value if isinstance(value, list) else []


def _below(expression: Expr | None, store: Store) -> Path | None:
    """The path inside the document that an expression names, None when it is no plain path of it."""
    path = plain_path(expression) if expression is not None else None
    return path[1:] if path and path[0] == store.as_name else None
