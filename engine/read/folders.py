"""Folders that are one unit: one JSON file a record. Opened by directory, read without a status call each.

Where the store says what else may lie beside the record files (`others`), any other file there is a note, after the
records."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, count, repeat
from operator import attrgetter, itemgetter
from typing import Any

from engine.errors import BadFile, BadRecord
from engine.lang.fastjson import Refused, decode_each
from engine.lang.jsontext import loads_flagged
from engine.lang.paths import root_names
from engine.lang.plan import Store
from engine.read.expressions import Expressions, plain_path
from engine.read.files import READ_FLAGS, unreadable
from engine.read.globs import capture_kinds, compile_glob, path_regex
from engine.read.limits import KIB, Limits
from engine.read.names import shown
from engine.read.sources import FileInfo
from engine.read.tree import DIRECTORY, FILE, Found, Recent, Tree, join, reason_of
from engine.read.units import JSON_TYPES, Record

_READ = 64 * KIB

_KEPT = 20_000

#: the kind of a file that lies among the record files and is none
FOREIGN = "foreign"

_KINDS = {"link": "a link, not followed", "directory": "a directory", "other": "not a regular file"}

#: one record file: its path below the folder, what it is, and its captures, typed
Member = Found


class Listings:
    """The record files of folders by path and store, listed for a look at the heads of records and kept for the walk:
    `_KEPT` files at most, for the sake of memory. `recent` is for the sidecars of sources."""

    def __init__(self) -> None:
        self.recent = Recent()
        self._known: dict[tuple[str, str], list[Member]] = {}
        self._room = _KEPT

    def of(self, folder: str, store: str, listed: Callable[[], list[Member]]) -> list[Member]:
        """What is known, else what `listed` gives."""
        found = self._known.get((folder, store))
        if found is None:
            found = listed()
            if len(found) <= self._room:
                self._room -= len(found)
                self._known[folder, store] = found
        return found

    def close(self) -> None:
        """No more are kept."""
        self._room = 0


def members(store: Store, folder: str, expressions: Expressions, scope: dict[str, Any], limits: Limits) -> list[Member]:
    """The record files of a folder in the store's order, then by name; those without a place, and then files that are
    no records, come last. An order by `record` reads each file for it."""
    kinds = capture_kinds(store.folder_files)
    numbers = [name for name, kind in kinds.items() if kind == "int"]
    tree = Tree(folder)
    found = sorted(tree.glob(compile_glob(store.folder_files)), key=attrgetter("path"))
    for member in found if numbers else ():
        captures: dict[str, Any] = member.captures
        for name in numbers:
            captures[name] = int(captures[name])
    strangers = list(_strangers(store, tree, {member.path for member in found})) if store.folder_others else []
    order = store.folder_order
    if order is None:
        return found + strangers
    path = plain_path(order) or ()
    if len(path) == 2 and path[0] == "path" and path[1] in kinds:
        name = path[1]
        return sorted(found, key=lambda member: member.captures[name]) + strangers
    captures = scope.get("path", {})
    names: Iterable[dict[str, Any]] = ({**scope, "path": captures | member.captures} for member in found)
    if store.as_name in root_names(order.ast):
        read = (record.value for record in RecordFiles(folder, "", found, store.need, limits).records())
        values = chain(read, repeat(None))
        names = ({**name, store.as_name: value} for name, value in zip(names, values, strict=False))
    keyed = zip((order_key(expressions.value(order, name)) for name in names), found, strict=True)
    return [member for _, member in sorted(keyed, key=itemgetter(0))] + strangers


def _strangers(store: Store, tree: Tree, known: set[str]) -> Iterator[Member]:
    """The files in the directory of the record files that are neither records nor named by the store."""
    directory = posixpath.dirname(store.folder_files)
    named = [path_regex(glob) for glob in store.folder_others]
    above = join(directory, "")
    for name, kind in tree.listing(directory).kinds.items():
        path = above + name
        if path not in known and kind != DIRECTORY and not any(regex.fullmatch(path) for regex in named):
            yield Member(path, FOREIGN, {})


def order_key(value: Any) -> tuple[int, Any]:
    """Numbers first, then text, then what has no order."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (0, value)
    return (1, value) if isinstance(value, str) else (2, "")


class RecordFiles:
    """The record files of a folder, in order, each a record. `facts`, when given, gets the size and the hash of each
    one that is read, by its name."""

    def __init__(
        self,
        folder: str,
        prefix: str,
        members: list[Member],
        need: str | None,
        limits: Limits,
        facts: dict[str, FileInfo] | None = None,
    ):
        self._folder, self._above, self._members = folder, join(prefix, ""), members
        self._need, self._limits, self._facts = need, limits, facts

    def records(self) -> Iterator[Record]:
        """The records, one file after the other."""
        return chain.from_iterable(self.blocks(0))

    def blocks(self, size: int) -> Iterator[list[Record]]:
        """The records, those of about `size` bytes at a time. A file that can't be read or decoded is a note of its
        own; a folder that can't be opened breaks off."""
        try:
            directory = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            yield [Record(0, None, bad=unreadable(self._folder, reason_of(error)))]
            return
        try:
            waiting, before = iter(self._members), 0
            while block := self._block(directory, waiting, before, size):
                before += len(block)
                yield block
        finally:
            os.close(directory)

    def _block(self, directory: int, waiting: Iterator[Member], before: int, size: int) -> list[Record]:
        members: list[Member] = []
        texts: list[bytes] = []
        faults: dict[int, BadFile] = {}
        for member in waiting:
            members.append(member)
            try:
                text = _read(directory, member, self._limits)
                if self._facts is not None:
                    self._tell(self._facts, member, text)
            except BadFile as fault:
                text, faults[before + len(members)] = b"", fault
            texts.append(text)
            size -= len(text)
            if size <= 0:
                break
        values = decode_each(texts, self._limits.nesting, JSON_TYPES.get(self._need))
        return [
            Record(place, value, member.captures, self._name(member))
            if type(value) is not Refused
            else self._odd(place, member, value.text, faults.get(place))
            for place, member, value in zip(count(before + 1), members, values, strict=False)
        ]

    def _tell(self, facts: dict[str, FileInfo], member: Member, text: bytes) -> None:
        name = self._name(member)
        if name not in facts:
            facts[name] = FileInfo(name, len(text), None, hashlib.sha256(text).hexdigest(), "record")

    def _name(self, member: Member) -> str:
        path = member.path
        return self._above + (path if path.isascii() else shown(path))

    def _odd(self, place: int, member: Member, text: bytes, fault: BadFile | None) -> Record:
        """What the exact reader makes of a file."""
        try:
            if fault is not None:
                raise fault
            value, flags = _decode(text, self._need, self._limits)
        except BadFile as bad:
            return Record(place, None, member.captures, self._name(member), bad)
        return Record(place, value, member.captures, self._name(member), None, flags)


def _read(directory: int, member: Member, limits: Limits) -> bytes:
    if member.kind == FOREIGN:
        raise BadFile("no record file", f"{shown(posixpath.basename(member.path))} is no event file")
    if member.kind != FILE:
        raise _unreadable(_KINDS[member.kind])
    try:
        fd = os.open(member.path, READ_FLAGS, dir_fd=directory)
        try:
            data = os.read(fd, _READ)
            if len(data) < _READ:
                return data
            parts = [data]
            size = len(data)
            while part := os.read(fd, 1 << 20):
                parts.append(part)
                size += len(part)
                if size > limits.blob:
                    raise _unreadable(f"over the limit of {limits.blob} bytes")
            return b"".join(parts)
        finally:
            os.close(fd)
    except OSError as error:
        raise _unreadable(reason_of(error)) from None


def _unreadable(reason: str) -> BadFile:
    return BadFile(reason, f"event file could not be read ({reason})")


def _undecodable(reason: str) -> BadFile:
    return BadFile(reason, f"event file could not be decoded ({reason})")


def _decode(data: bytes, need: str | None, limits: Limits) -> tuple[Any, tuple[str, ...]]:
    try:
        value, flags = loads_flagged(data, limits.nesting)
    except BadRecord as fault:
        raise _undecodable(fault.reason) from None
    if need is not None and not isinstance(value, JSON_TYPES[need]):
        raise _undecodable(f"not a JSON {need}")
    return value, flags
