"""Units and records: what readers give and walks take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from msgspec import Struct

from engine.errors import BadRecord, BadUnit
from engine.lang.plan import Store
from engine.read.sources import FileInfo

#: what `need` asks for → the type that has it
JSON_TYPES: dict[str | None, type] = {"object": dict, "array": list}


class Record(Struct, frozen=True):
    """One record of a unit.

    line         its number: line (1-based), rowid, position in a list + 1, position in a folder + 1; 0 for a document
    value        the record, bound to the store's `as` or to `record`; None when it is bad
    names        further scope names (captures of a folder's record file, under their own names), or None
    source_file  where it differs from the unit's, else None
    bad          BadRecord: it can't be read, `stored` is text, already shortened; BadFile when it is a file of its own,
                 with the text of its note. BadUnit: the rest of the file can't be read; its text is the whole note,
                 and the record stands for no line
    flags        what had to be mended to read it, in words, such as `invalid UTF-8`
    """

    line: int
    value: Any
    names: Mapping[str, Any] | None = None
    source_file: str | None = None
    bad: BadRecord | BadUnit | None = None
    flags: tuple[str, ...] = ()


class Block(NamedTuple):
    """Good records that follow each other in a document: their values, the number of records before them, and their
    `names`."""

    before: int
    values: list[Any]
    names: Mapping[str, Any] | None = None


def records_of(blocks: Iterable[Block]) -> Iterator[Record]:
    """The records one by one."""
    for before, values, names in blocks:
        for number, value in enumerate(values, before + 1):
            yield Record(number, value, names)


class Unit(Struct):
    """A file, a folder of record files, or a table row, as one store reads it.

    store     the plan's store
    captures  of its globs, typed
    names     scope name → value: the document or row under the store's `as`, children, sidecars
    rowid     of a table row, else None
    role      primary or secondary
    file      the file's facts; `sha256` is filled when the source was read to its end
    first     whether this store is the first that reads the file: file-wide notes are its own
    count     number of record files in a folder, else None
    streamed  whether the list of records is missing from the document in `names` (a document over `limits.stream`)
    files     the record files of a folder, for those who read them in blocks (`engine.read.folders`)
    lines     the file itself where it is of JSON lines, for those who read it in blocks (`engine.read.blocks`)
    held      gives the records in blocks where they are parts of one document, all good; else None
    """

    store: Store
    captures: dict[str, Any]
    names: dict[str, Any]
    rowid: int | None
    role: str
    file: FileInfo
    read: Callable[[], Iterator[Record]]
    first: bool = True
    count: int | None = None
    streamed: bool = False
    files: Any = None
    lines: Any = None
    held: Callable[[], Iterable[Block] | None] = lambda: None

    def holds(self, text: str) -> bool:
        """Whether the bytes of a file of JSON lines hold a text; true for every other unit."""
        return self.lines is None or self.lines.holds(text.encode())

    def records(self) -> Iterator[Record]:
        """The records, in order; each call reads them again, as a stream."""
        return self.read()
