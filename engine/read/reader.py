"""Sources to units: the one door through which evidence is read. What reads databases is imported when one is met."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

from engine.errors import BadRecord, BadUnit
from engine.lang.plan import OWN_FOLDER, Plan, Store
from engine.read.beside import Sidecars
from engine.read.blocks import LineFile
from engine.read.documents import ABSENT, DECODERS
from engine.read.expressions import Expressions, plain_path
from engine.read.files import Stream, sha256_of, unreadable
from engine.read.folders import FOREIGN, Listings, Member, RecordFiles, members
from engine.read.globs import typed
from engine.read.jsonl import read_lines
from engine.read.keys import keep
from engine.read.limits import Limits
from engine.read.loading import Documents, list_elements
from engine.read.names import shown
from engine.read.prompt_toolkit import read_entries
from engine.read.sources import FileInfo, Source, mtime_stamp
from engine.read.tree import Tree, reason_of
from engine.read.units import Record, Unit

if TYPE_CHECKING:
    from engine.read.databases import Database
    from engine.read.tables import Children, TableRow

__all__ = ["Opened", "Record", "Unit", "open_units"]

_WHAT = {"link": "a link, not followed", "directory": "a directory", "other": "not a regular file"}


def open_units(
    source: Source, plan: Plan, limits: Limits, hashing: bool = True, listings: Listings | None = None
) -> Iterator[Unit]:
    """The units of a source, store by store. Raises BadUnit for a file that can't be read at all, before any unit.

    A unit and its records are good until the next unit is asked for. What breaks off later is a record of its own:
    `Record.bad` is then a BadUnit, whose text is the note on the file.
    """
    yield from Opened(source, plan, limits, hashing, listings).units()


class Opened:
    """A source while it is read. `files` holds the facts of every file that was opened for it: the file, then its
    sidecars or record files. Hashes are complete when `units` has ended. What `listings` know is not listed again."""

    def __init__(
        self, source: Source, plan: Plan, limits: Limits, hashing: bool = True, listings: Listings | None = None
    ):
        self.source, self.plan, self.limits, self._hashing = source, plan, limits, hashing
        self._listings = listings or Listings()
        self.path = str(source.path)
        self.info = FileInfo(source.source_file)
        self._below: dict[str, FileInfo] = {}
        self._documents: Documents | None = None
        self._stores = {store.name: store for store in plan.stores}
        self._expressions = Expressions(plan)
        self._tree = Tree(str(source.base.path), direct=True, recent=self._listings.recent)
        self._sidecars = Sidecars(self._tree, source.base, plan, limits, hashing)

    @property
    def files(self) -> list[FileInfo]:
        return [self.info, *self._below.values(), *self._sidecars.infos.values()]

    @property
    def holds_documents(self) -> bool:
        """Whether `units` may be called again while the source is read: then nothing is decoded twice."""
        kinds = {self._stores[name].read for name, _ in self.source.stores}
        return not self.source.folder and kinds <= {"json", *DECODERS}

    def units(self, only: Collection[str] = ()) -> Iterator[Unit]:
        """See `open_units`; of documents `only` what these stores read, when some are named."""
        stores = [self._stores[name] for name, _ in self.source.stores]
        if self.source.folder:
            yield from self._folder(stores)
            return
        if self.source.what != "file":
            raise unreadable(self.path, _WHAT[self.source.what])
        if self._documents is None:
            with Stream(self.path) as stream:
                self.info.size, self.info.mtime = stream.size, mtime_stamp(stream.mtime_ns)
            self._original_mtime()
            self._documents = Documents(self.path, self.info.size, stores, self.limits, self._expressions)
        try:
            if any(store.read == "sqlite" for store in stores):
                yield from self._database(stores)
            else:
                for position, store in enumerate(stores):
                    if not only or store.name in only:
                        yield from self._file(store, position)
        finally:
            if self._hashing and not self.info.sha256:
                with contextlib.suppress(BadUnit):
                    self.info.sha256 = sha256_of(self.path, self.info.size)

    def _original_mtime(self) -> None:
        if self.source.mtime_ns is not None:
            self.info.mtime = mtime_stamp(self.source.mtime_ns)

    def _unit(self, store: Store, position: int, names: dict[str, Any], read: Any, rowid: int | None = None) -> Unit:
        raw = self.source.stores[position][1]
        kinds = dict(pair for glob in (*store.files, *store.folder) for pair in glob.captures)
        captures = {name: shown(text) for name, text in raw.items()}
        root = self.source.roots[position] if self.source.roots else ("", "")
        for beside in store.beside:
            start = (OWN_FOLDER, self._own_folder) if beside.glob.root == OWN_FOLDER else root
            names[beside.name] = self._sidecars.load(beside, raw, start)
        secondary = store.role == "secondary" or store.name in self.source.secondary
        return Unit(
            store=store,
            captures=typed(captures, kinds),
            names=names,
            rowid=rowid,
            role="secondary" if secondary else "primary",
            file=self.info,
            read=read,
            first=position == 0,
        )

    def refused(self) -> Unit:
        """A unit of the first store, without records, for the note on a file of which nothing can be read."""
        store = self._stores[self.source.stores[0][0]]
        return self._unit(store, 0, {}, lambda: iter(()))

    @cached_property
    def _own_folder(self) -> str:
        """The directory of the source, below the base."""
        below = self.source.below
        found = below if self.source.folder else os.path.dirname(below)  # noqa: PTH120
        return "" if found == "." else found.replace(os.sep, "/")

    # -------------------------------------------------------------------------------------- line files, documents

    def _file(self, store: Store, position: int) -> Iterator[Unit]:
        size = self.info.size
        if store.read in ("jsonl", "lines"):

            def lines() -> Iterator[Record]:
                return read_lines(self.path, size, store.read, store.need, self.limits)

            unit = self._unit(store, position, {}, lines)
            if store.read == "jsonl":
                unit.lines = LineFile(self.path, size, store.need, self.limits)
            yield unit
        elif store.read == "prompt_toolkit":
            yield self._unit(store, position, {}, lambda: read_entries(self.path, size, self.limits))
        elif store.read == "mark":
            yield self._unit(store, position, {store.as_name: {}}, lambda: iter((Record(0, {}),)))
        elif (whole := self._document(store, position)) is not None:
            yield whole

    def _document(self, store: Store, position: int) -> Unit | None:
        """The unit of a document; None for an empty file. Raises BadUnit when no other store reads the file."""
        documents = self._documents
        assert documents is not None
        try:
            loaded = documents.load(store)
        except BadUnit as note:
            if len(self.source.stores) == 1:
                raise
            return self._unit(store, position, {}, _note(note.text))
        if loaded.document is ABSENT:
            return None
        document = keep(loaded.document, store.keys) if store.keys else loaded.document
        names = {store.as_name: document}
        unit = self._unit(store, position, names, lambda: documents.records(store, loaded, names, position == 0))
        unit.held = lambda: documents.blocks(store, loaded, names, position == 0)
        unit.streamed = loaded.streamed
        # a tree that can't be read is told by the store that reads it
        unit.first = unit.first or store.tree is not None
        return unit

    # -------------------------------------------------------------------------------------------------- folders

    def _folder(self, stores: list[Store]) -> Iterator[Unit]:
        try:
            status = os.lstat(self.path)
        except OSError as error:
            raise unreadable(self.path, reason_of(error)) from None
        self.info.mtime = mtime_stamp(status.st_mtime_ns)
        self._original_mtime()
        for position, store in enumerate(stores):
            yield self._folder_unit(store, position)

    def _folder_unit(self, store: Store, position: int) -> Unit:
        unit = self._unit(store, position, {}, lambda: iter(()))

        def listed() -> list[Member]:
            return members(store, self.path, self._expressions, {"path": unit.captures}, self.limits)

        files = self._listings.of(self.path, store.name, listed)
        unit.count = sum(member.kind != FOREIGN for member in files)

        facts = self._below if self._hashing else None
        unit.files = RecordFiles(self.path, self.source.source_file, files, store.need, self.limits, facts)
        unit.read = unit.files.records
        return unit

    # ------------------------------------------------------------------------------------------------- databases

    def _database(self, stores: list[Store]) -> Iterator[Unit]:
        from engine.read.databases import FAULTS, Database, sqlite_error

        with Database(self.path, self.limits, self._hashing) as database:
            first, *rest = database.infos
            self.info.size, self.info.sha256 = first.size, first.sha256
            folder = self.source.source_file.removesuffix(self.source.name)
            for info in rest:
                info.source_file = folder + info.source_file
            self._below.update((info.source_file, info) for info in rest)
            if database.connection is None:
                return
            for note in database.unread:
                yield self._unit(stores[0], 0, {}, _note(note.text))
            said: set[str] = set()
            for position, store in enumerate(stores):
                try:
                    yield from self._table(database, store, position)
                except (*FAULTS, BadUnit) as error:
                    note = error if isinstance(error, BadUnit) else sqlite_error(error)
                    if note.text not in said:
                        said.add(note.text)
                        yield self._unit(store, position, {}, _note(note.text))

    def _table(self, database: Database, store: Store, position: int) -> Iterator[Unit]:
        """The rows of one table. Raises BadUnit or sqlite3.Error where it can't be read on."""
        from engine.read.databases import sqlite_error
        from engine.read.tables import Children, Table, decode_columns

        spec = store.sqlite
        assert spec is not None
        table = Table(database, spec, tuple(of for child in spec.children for _, of in child.match))
        if not table.exists:
            return
        children = [Children(database, child) for child in spec.children]
        for child in children:
            if child.missing:
                note = sqlite_error(f"no such table: {child.child.table}")
                yield self._unit(store, position, {}, _note(note.text))
        for row in table.rows(spec.where):
            names: dict[str, Any] = {store.as_name: row.columns}
            if store.decode:
                names["stored"] = {decode.column: row.columns.get(decode.column) for decode in store.decode}
            bad = row.bad or decode_columns(store, row.columns, self._expressions, self.limits)
            if bad is not None:
                yield self._unit(store, position, names, _bad(row.rowid, bad), row.rowid)
            else:
                yield self._row(store, position, row, children, names)

    def _row(self, store: Store, position: int, row: TableRow, children: list[Children], names: dict[str, Any]) -> Unit:
        from engine.read.tables import child_records

        path = plain_path(store.records) if store.records is not None else None
        parent = {**row.keys, **row.columns}
        streamed = None
        for child in children:
            if path == (child.child.name,):
                streamed = child
            else:
                names[child.child.name] = [found.columns for found in child.rows(parent)]

        def records() -> Iterator[Record]:
            if streamed is not None:
                return child_records(streamed.rows(parent))
            if store.records is None:
                return iter((Record(row.rowid, row.columns),))
            elements = self._expressions.value(store.records, names)
            return map(Record, count(1), list_elements(elements))

        return self._unit(store, position, names, records, row.rowid)


def _note(text: str) -> Any:
    """The one record of a unit of which nothing can be read."""
    return lambda: iter((Record(0, None, bad=BadUnit(text)),))


def _bad(rowid: int, bad: BadRecord) -> Any:
    return lambda: iter((Record(rowid, None, bad=bad),))
