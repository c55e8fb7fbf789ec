"""SQLite databases, read from a private copy: with the committed pages of a WAL, without a hot journal's open
transaction, whoever holds a lock on the original. Nothing that a schema can hold is run.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import BadUnit
from engine.read.files import Stream, open_fd, unreadable
from engine.read.limits import Limits
from engine.read.names import base_name, last
from engine.read.sources import FileInfo, mtime_stamp
from engine.read.temporary import private_folder, remove_folder
from engine.read.tree import reason_of

MAGIC = b"SQLite format 3\0"

#: files beside a database that hold some of its pages. A `-shm` file is an index of the WAL that SQLite makes anew.
SIDECARS = ("-wal", "-journal")

_CHUNK = 1 << 20

#: how often a database that is being written is copied again
_ATTEMPTS = 4

#: SQLite's steps of work: at least so many, and so many a byte of the database, before a query is given up
_STEPS, _STEPS_A_BYTE, _STEPS_AT_ONCE = 50_000_000, 100, 100_000

#: the largest value that SQLite can be told of
_LARGEST = 2**31 - 1

#: the least that a row takes: its cell pointer, sizes and rowid
_ROW_BYTES = 4

#: the end of a journal that names a super-journal, and what stands before the magic: length of the name, checksum
_SUPER_MAGIC = bytes.fromhex("d9d505f920a163d7")

_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION})


def quoted(name: str) -> str:
    """An identifier in SQL, whatever it holds."""
    return '"' + name.replace('"', '""').replace("\0", "") + '"'


#: what reading a table can raise: a message of SQLite that quotes a name which is no UTF-8 becomes the second
FAULTS = (sqlite3.Error, UnicodeDecodeError)


def fault_text(error: Exception | str) -> str:
    """What SQLite said."""
    said = error.object.decode("utf-8", "replace") if isinstance(error, UnicodeDecodeError) else error
    return f"SQLite error: {said}"


def sqlite_error(error: Exception | str) -> BadUnit:
    """The note for what SQLite refuses."""
    return BadUnit(fault_text(error))


class Database:
    """A private copy of a database. `connection` is None for an empty file, which holds no table; `unread` has a note
    on each sidecar that is there and can't be read."""

    def __init__(self, path: str, limits: Limits, hashing: bool = True):
        self.path, self.limits = path, limits
        self.connection: sqlite3.Connection | None = None
        self.infos: list[FileInfo] = []
        self.unread: list[BadUnit] = []
        self._directory = ""
        self._steps = self._budget = self._most_rows = 0
        self._indexes: list[str] = []
        try:
            self._open(hashing)
        except BaseException:
            self.close()
            raise

    def _open(self, hashing: bool) -> None:
        with Stream(self.path) as stream:
            head = stream.read(len(MAGIC))
            size = stream.size
        if size and head != MAGIC:
            raise BadUnit("not a SQLite database")
        self._directory = private_folder("engine-db-")
        copy = f"{self._directory}/copy.db"
        for _ in range(_ATTEMPTS):
            before = state_of(self.path)
            self.infos, self.unread = [_copy(self.path, copy, "file", hashing)], []
            for suffix in SIDECARS:
                self._copy_sidecar(copy, suffix, hashing)
            if state_of(self.path) == before:
                break
        if not size:
            return
        stored = sum(info.size for info in self.infos)
        self._budget, self._most_rows = _STEPS + _STEPS_A_BYTE * stored, stored // _ROW_BYTES
        self.connection = _connect(copy, self.limits, self._tick)

    def _copy_sidecar(self, copy: str, suffix: str, hashing: bool) -> None:
        target = copy + suffix
        Path(target).unlink(missing_ok=True)
        try:
            info = _copy(self.path + suffix, target, "sidecar", hashing)
        except BadUnit as note:
            Path(target).unlink(missing_ok=True)
            if os.path.lexists(self.path + suffix):
                self.unread.append(note)
            return
        self.infos.append(info)
        if suffix == "-journal":
            _settle_super_journal(self.path, target)

    def _tick(self) -> bool:
        self._steps += _STEPS_AT_ONCE
        return self._steps > self._budget

    def tables(self) -> dict[str, str]:
        """Name of each table, view or virtual table → `table`, `view` or `virtual table`; case as in the schema."""
        if self.connection is None:
            return {}
        found = {}
        rows = self.connection.execute("SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view')")
        for kind, name, sql in rows:
            words = str(sql or "").split(None, 2)
            virtual = [word.upper() for word in words[:2]] == ["CREATE", "VIRTUAL"]
            found[str(name)] = "virtual table" if virtual else str(kind)
        return found

    def query(self, sql: str, parameters: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT. Raises sqlite3.Error."""
        assert self.connection is not None
        self._steps = 0
        return self.connection.execute(sql, parameters)

    def columns(self, table: str) -> list[str]:
        """The names of a table's columns."""
        assert self.connection is not None
        return [str(item[0]) for item in self.connection.execute(f"SELECT * FROM {quoted(table)} LIMIT 0").description]

    def bounded(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        """The rows, up to the number that a file of this size can hold: pages can be made to point in circles."""
        for count, row in enumerate(rows):
            if count > self._most_rows:
                raise sqlite3.DatabaseError("more rows than the file can hold")
            yield row

    def index(self, table: str, columns: tuple[str, ...]) -> str | None:
        """The name of an index that is made in the copy, so that a parent's rows are found without reading the whole
        table; None where the table does not allow it."""
        assert self.connection is not None
        name = f"read {table} {len(self._indexes)}"
        terms = ", ".join(f"{quoted(column)} COLLATE BINARY" for column in columns)
        self.connection.set_authorizer(None)
        self._steps = 0
        try:
            self.connection.execute("PRAGMA query_only = OFF")
            self.connection.execute(f"CREATE INDEX {quoted(name)} ON {quoted(table)} ({terms})")
        except FAULTS:
            return None
        finally:
            self.connection.execute("PRAGMA query_only = ON")
            self.connection.set_authorizer(_authorize)
        self._indexes.append(name)
        return name

    def close(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None
        if self._directory:
            remove_folder(self._directory)
            self._directory = ""

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def state_of(path: str) -> tuple[Any, ...]:
    """What changes when pages move between a database and its sidecars."""
    found: list[Any] = []
    for suffix in ("", *SIDECARS):
        try:
            fd, status = open_fd(path + suffix)
        except BadUnit:
            found.append(None)
            continue
        try:
            # a WAL that only grows takes nothing away from what was copied; its header changes when it starts again
            found.append(os.read(fd, 32) if suffix == "-wal" else (status.st_size, status.st_mtime_ns, status.st_ino))
        finally:
            os.close(fd)
    return tuple(found)


def _settle_super_journal(path: str, journal: str) -> None:
    """Takes the name of a super-journal out of the copy of a journal. SQLite would look for that file, by a path that
    the evidence gives, and delete it; and a transaction over several databases is rolled back while it exists only.
    """
    with Path(journal).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 16))
        tail = file.read()
        if len(tail) < 16 or tail[8:] != _SUPER_MAGIC:
            return
        length = int.from_bytes(tail[:4], "big")
        start = size - 20 - length
        if start < 0:
            file.truncate(0)
            return
        file.seek(start + 4)
        name = os.fsdecode(file.read(length)).rpartition("/")[2]
        kept = _size(path.removesuffix(last(path)) + name) > 0
        file.truncate(start if kept else 0)


def _size(path: str) -> int:
    """As SQLite sees it: an empty file is not there."""
    try:
        return os.lstat(path).st_size
    except (OSError, ValueError):
        return 0


def _copy(path: str, target: str, what: str, hashing: bool) -> FileInfo:
    digest = hashlib.sha256()
    with Stream(path) as stream:
        try:
            with Path(target).open("wb") as out:
                for data in stream.chunks(_CHUNK):
                    out.write(data)
                    if hashing:
                        digest.update(data)
        except OSError as error:
            raise unreadable(path, f"no private copy: {reason_of(error)}") from None
        sha256 = digest.hexdigest() if hashing else ""
        return FileInfo(base_name(path), stream.size, mtime_stamp(stream.mtime_ns), sha256, what)


def _authorize(action: int, *_: object) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _look(connection: sqlite3.Connection) -> None:
    """The first look at the schema: it rolls a hot journal back and reads the WAL. A schema with an index on
    json_extract() is refused while it is not trusted (SQLite's JSON functions are not marked as harmless in every
    release); no function of ours, nor any that writes, is at hand in this connection, so it may then be trusted."""
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except sqlite3.DatabaseError as error:
        if "unsafe use of" not in str(error):
            raise
        connection.execute("PRAGMA trusted_schema = ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()


def _connect(copy: str, limits: Limits, tick: Any) -> sqlite3.Connection:
    """A connection to the copy: recovered, then closed to everything but reading."""
    connection = sqlite3.connect(copy, isolation_level=None, cached_statements=16)
    try:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits.blob, _LARGEST))
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        connection.set_progress_handler(tick, _STEPS_AT_ONCE)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        connection.execute("PRAGMA mmap_size = 0")
        _look(connection)
        connection.execute("PRAGMA query_only = ON")
        connection.set_authorizer(_authorize)
    except FAULTS as error:
        connection.close()
        raise sqlite_error(error) from None
    return connection
