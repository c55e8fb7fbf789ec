"""Reading a file once: into the collection, through its hash, and, when asked for, into a private copy.

A SQLite database and its sidecars are copied first, again while they change, so that they fit each other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from engine.collect.claims import SIDECARS
from engine.collect.items import COPY_FAULT, READ_FAULT, Item
from engine.collect.targets import Target
from engine.errors import BadUnit
from engine.read.databases import MAGIC, state_of
from engine.read.files import Stream
from engine.read.limits import CHUNK, MIB

#: a file up to this size is read whole before it is written: its size is then known for sure
_SMALL = 8 * MIB

#: how often a database that is being written is copied
_ATTEMPTS = 4


class Copier:
    """Copies items into a target. `spool` is a private directory, `bytes` what was read from evidence so far."""

    def __init__(self, target: Target, spool: Path):
        self._target, self._spool = target, spool
        self.bytes = 0

    def copy(self, item: Item, tee: Path | None = None) -> list[str]:
        """Copies a file; what went wrong stands in the item. For a database: the paths of its sidecars, which lie in
        the spool and are to be given to `sidecar`. `tee`: where a second, private copy goes."""
        try:
            with Stream(item.path) as stream:
                if stream.size != item.size:
                    item.size = stream.size
                head = stream.read(len(MAGIC))
                if head == MAGIC:
                    return self._database(item, tee)
                self._plain(item, stream, head, tee)
        except BadUnit as fault:
            item.status, item.error = READ_FAULT, _reason(fault)
        return []

    def _plain(self, item: Item, stream: Stream, head: bytes, tee: Path | None) -> None:
        size = stream.size
        digest, read = hashlib.sha256(), 0
        fault = ""

        def pieces(out: IO[bytes] | None) -> Iterator[bytes]:
            nonlocal read, fault
            data = head or stream.read(CHUNK)
            while data:
                digest.update(data)
                read += len(data)
                if out is not None:
                    out.write(data)
                yield data
                try:
                    data = stream.read(CHUNK)
                except BadUnit as broken:
                    fault = _reason(broken)
                    return

        with ExitStack() as stack:
            out = stack.enter_context(_made(tee)) if tee is not None else None
            if size <= _SMALL:
                whole = b"".join(pieces(out))
                self._target.file(item.archive_path, len(whole), item.facts, iter((whole,)))
            else:
                self._target.file(item.archive_path, size, item.facts, pieces(out))
        self.bytes += read
        item.size, item.sha256 = read, digest.hexdigest()
        if fault:
            item.status, item.error = COPY_FAULT, f"read up to byte {read}: {fault}"
        elif read < size and size > _SMALL and self._target.fixed:
            item.status, item.error = (
                COPY_FAULT,
                f"shrank to {read} of {size} bytes while it was read; the rest is zeros",
            )
        elif read < size:
            item.error = f"shrank to {read} of {size} bytes while it was read"

    def again(self, item: Item, copy: Path, tee: Path | None = None) -> None:
        """Takes a file from an earlier collection, which has it unchanged."""
        with Stream(str(copy)) as stream:
            self._plain(item, stream, b"", tee)

    # ------------------------------------------------------------------------------------------------ databases

    def _database(self, item: Item, tee: Path | None) -> list[str]:
        for attempt in range(_ATTEMPTS):
            before = state_of(item.path)
            found = [suffix for suffix in ("", *SIDECARS) if self._spooled(item.path, suffix)]
            if state_of(item.path) == before:
                break
            if attempt == _ATTEMPTS - 1:
                item.error = "was written while it was copied: the database and its sidecars may not fit each other"
        if "" not in found:
            raise BadUnit("could not be read (it is gone)")
        self._from_spool(item, "", tee)
        return [item.path + suffix for suffix in found if suffix]

    def _spooled(self, path: str, suffix: str) -> bool:
        place = self._place(suffix)
        place.unlink(missing_ok=True)
        try:
            with Stream(path + suffix) as stream, place.open("wb") as out:
                for data in stream.chunks(MIB):
                    out.write(data)
                    self.bytes += len(data)
        except BadUnit:
            place.unlink(missing_ok=True)
            return False
        return True

    def sidecar(self, item: Item, tee: Path | None = None) -> None:
        """Copies a sidecar of the database that was copied last."""
        suffix = next(suffix for suffix in SIDECARS if item.path.endswith(suffix))
        self._from_spool(item, suffix, tee)

    def _from_spool(self, item: Item, suffix: str, tee: Path | None) -> None:
        place = self._place(suffix)
        digest = hashlib.sha256()
        size = place.stat().st_size

        def pieces(stream: IO[bytes], out: IO[bytes] | None) -> Iterator[bytes]:
            while data := stream.read(MIB):
                digest.update(data)
                if out is not None:
                    out.write(data)
                yield data

        with ExitStack() as stack:
            out = stack.enter_context(_made(tee)) if tee is not None else None
            stream = stack.enter_context(place.open("rb"))
            self._target.file(item.archive_path, size, item.facts, pieces(stream, out))
        place.unlink()
        item.size, item.sha256 = size, digest.hexdigest()

    def _place(self, suffix: str) -> Path:
        return self._spool / f"database{suffix}"


def _made(path: Path) -> IO[bytes]:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path.open("wb")


def _reason(fault: BadUnit) -> str:
    """The words in brackets of a note on a file."""
    return fault.text.partition(" could not be read (")[2].removesuffix(")") or fault.text
