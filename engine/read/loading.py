"""A document as one store reads it: whole, as a stream of the elements of one list, or what is left of a cut one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from engine.errors import BadRecord, BadUnit
from engine.lang.plan import Expr, Store
from engine.read.documents import ABSENT, check_need, decode_document, not_needed, read_bytes
from engine.read.expressions import Expressions, plain_path
from engine.read.files import Stream, quote_rest, undecodable
from engine.read.jsonsplit import Broken, Splitter
from engine.read.limits import Limits, quote
from engine.read.units import Record

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document, what had to be mended, and the record that says where it breaks off, if it does. With `stream`, the
    list at that path is empty in `document` and has `count` whole elements in the file."""

    document: Any
    flags: tuple[str, ...] = ()
    tail: Record | None = None
    stream: Path | None = None
    count: int = 0


class Documents:
    """The documents of one file, each decoded once for all stores that read it alike."""

    def __init__(self, path: str, size: int, limits: Limits, expressions: Expressions):
        self._path, self._size, self._limits, self._expressions = path, size, limits, expressions
        self._known: dict[tuple[str, Path | None, Path | None], Loaded | BadUnit] = {}

    def load(self, store: Store) -> Loaded:
        """The store's document. Raises BadUnit."""
        records, salvage = _below(store.records, store), _below(store.salvage, store)
        stream = records if store.read == "json" and self._large() and not store.keys else None
        key = (store.read, stream, salvage if store.read == "json" else None)
        if key not in self._known:
            try:
                self._known[key] = self._load(store.read, stream, salvage)
            except BadUnit as note:
                self._known[key] = note
        found = self._known[key]
        if isinstance(found, BadUnit):
            raise not_needed(self._path, store.need) if store.read == "jsonc" and store.need else found
        if found.document is not ABSENT:
            check_need(self._path, found.document, store.need)
        return found

    def records(self, store: Store, loaded: Loaded, names: Mapping[str, Any]) -> Iterator[Record]:
        """The records of a loaded document: the elements of the store's list, or the document itself."""
        elements = self._elements(store, loaded, names)
        flags = loaded.flags
        for number, element in elements:
            yield Record(number, element, flags=flags)
            flags = ()
        if loaded.tail is not None:
            yield loaded.tail

    def _elements(self, store: Store, loaded: Loaded, names: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        if loaded.stream is not None:
            yield from enumerate(self._streamed(loaded), 1)
        elif store.records is None:
            yield 0, names[store.as_name]
        else:
            yield from list_elements(self._expressions.value(store.records, names))

    def _streamed(self, loaded: Loaded) -> Iterator[Any]:
        assert loaded.stream is not None
        with Stream(self._path, self._size) as stream:
            splitter = Splitter(stream, loaded.stream, self._limits, build=False)
            for number, element in enumerate(splitter.elements()):
                if number >= loaded.count:
                    return
                yield element
                if number + 1 == loaded.count:
                    return

    def _large(self) -> bool:
        return self._size > self._limits.stream and not self._path.endswith((".zst", ".gz"))

    # --------------------------------------------------------------------------------------------------- loading

    def _load(self, kind: str, stream: Path | None, salvage: Path | None) -> Loaded:
        if stream is not None and (found := self._scan(stream, salvage)) is not None:
            return found
        data = read_bytes(self._path, self._size, self._limits)
        try:
            document, flags = decode_document(self._path, data, kind, self._limits)
            return Loaded(document, flags)
        except BadUnit as note:
            if kind != "json" or salvage is None:
                raise
            return self._salvaged(data, salvage, note)

    def _scan(self, path: Path, salvage: Path | None) -> Loaded | None:
        """The document without its list, every element of it looked at once. None where it has to be read whole: it
        can't be salvaged from the stream, or a name stands twice."""
        count = 0
        with Stream(self._path, self._size) as stream:
            splitter = Splitter(stream, path, self._limits)
            try:
                for _ in splitter.elements():
                    count += 1
            except Broken as broken:
                if salvage != path or splitter.doubled or not (count or (splitter.found and not path)):
                    return None
                stream.seek(broken.at)
                tail = self._tail(path, count, broken, "" if path else quote_rest(stream, self._limits.quote))
                return Loaded(splitter.document, splitter.flags, tail, path, count)
        if splitter.doubled or not splitter.found:
            return None
        return Loaded(splitter.document, splitter.flags, None, path, count)

    def _salvaged(self, data: bytes, path: Path, note: BadUnit) -> Loaded:
        """What is whole of a cut document. Raises the note where no element of the list is."""
        splitter = Splitter(BytesIO(data), path, self._limits)
        elements: list[Any] = []
        try:
            for element in splitter.elements():
                elements.append(element)
        except Broken as broken:
            if splitter.doubled or not splitter.found or (path and not elements):
                raise note from None
            tail = self._tail(path, len(elements), broken, quote(data[broken.at :], self._limits.quote))
            return Loaded(_with_list(splitter.document, path, elements), splitter.flags, tail)
        raise note

    def _tail(self, path: Path, count: int, broken: Broken, rest: str) -> Record:
        """What is said of the rest: of a document that is one list, its next record; else a note on the file."""
        if path or not rest.strip():
            return Record(0, None, bad=undecodable(self._path, broken.reason))
        return Record(count + 1, None, bad=BadRecord(broken.reason, rest))


def _with_list(document: Any, path: Path, elements: list[Any]) -> Any:
    """The document with the list filled in."""
    if not path:
        return elements
    parent = document
    for name in path[:-1]:
        parent = parent[name]
    parent[path[-1]] = elements
    return document


def list_elements(value: Any) -> Iterator[tuple[int, Any]]:
    """The elements of a list, numbered from 1; of anything else none."""
    return enumerate(value if isinstance(value, list) else (), 1)


def _below(expression: Expr | None, store: Store) -> Path | None:
    """The path inside the document that an expression names, None when it is no plain path of it."""
    path = plain_path(expression) if expression is not None else None
    return path[1:] if path and path[0] == store.as_name else None
