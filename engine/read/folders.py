"""Folders that are one unit: one JSON file a record. Opened by directory, read without a status call each."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.errors import BadFile, BadRecord
from engine.lang.jsontext import loads_flagged
from engine.lang.plan import Store
from engine.read.expressions import Expressions
from engine.read.files import READ_FLAGS, unreadable
from engine.read.globs import capture_kinds, compile_glob, typed
from engine.read.limits import KIB, Limits
from engine.read.names import shown
from engine.read.sources import FileInfo
from engine.read.tree import FILE, Tree, reason_of
from engine.read.units import JSON_TYPES, Record

_READ = 64 * KIB

_KINDS = {"link": "a link, not followed", "directory": "a directory", "other": "not a regular file"}


@dataclass(frozen=True, slots=True)
class Member:
    """One record file: its path below the folder, what it is, and its captures, typed."""

    path: str
    kind: str
    captures: dict[str, Any]


def members(store: Store, folder: str, expressions: Expressions, scope: dict[str, Any]) -> list[Member]:
    """The record files of a folder in the store's order, then by name; those without a place come last."""
    kinds = capture_kinds(store.folder_files)
    found = [
        Member(item.path, item.kind, typed(item.captures, kinds))
        for item in Tree(folder).glob(compile_glob(store.folder_files))
    ]
    order = store.folder_order
    if order is None:
        return sorted(found, key=lambda member: member.path)
    captures = scope.get("path", {})
    keyed = [(expressions.value(order, {**scope, "path": captures | m.captures}), m) for m in found]
    return [member for _, member in sorted(keyed, key=lambda pair: (*order_key(pair[0]), pair[1].path))]


def order_key(value: Any) -> tuple[int, Any]:
    """Numbers first, then text, then what has no order."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (0, value)
    return (1, value) if isinstance(value, str) else (2, "")


def read_folder(
    folder: str, prefix: str, files: list[Member], need: str | None, limits: Limits, infos: list[FileInfo] | None
) -> Iterator[Record]:
    """Each file as a record. A file that can't be read or decoded is a note of its own. `infos`, when given, gets the
    size and the hash of each file."""
    try:
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise unreadable(folder, reason_of(error)) from None
    try:
        for position, member in enumerate(files, 1):
            source_file = f"{prefix}/{shown(member.path)}" if prefix else shown(member.path)
            try:
                data = _read(directory, member, limits)
                if infos is not None:
                    infos.append(FileInfo(source_file, len(data), None, hashlib.sha256(data).hexdigest(), "record"))
                value, flags = _decode(data, need, limits)
            except BadFile as fault:
                yield Record(position, None, member.captures, source_file, fault)
                continue
            yield Record(position, value, member.captures, source_file, None, flags)
    finally:
        os.close(directory)


def _read(directory: int, member: Member, limits: Limits) -> bytes:
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
