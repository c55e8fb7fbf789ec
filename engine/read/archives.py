"""Archives as inputs: `.tar`, `.tar.gz`, `.tar.zst` and `.zip`, unpacked into a private directory within bounds.

Nothing that an archive says is trusted: its names lead nowhere else, its links nowhere at all, its sizes are counted.
What is not read, or not as it stands, is said; the rest is read.
"""

from __future__ import annotations

import os
from pathlib import Path

from msgspec import Struct

from engine.errors import BadUnit, UsageError
from engine.read.codecs import READERS, Bounded, Readable
from engine.read.files import Stream
from engine.read.limits import Limits
from engine.read.temporary import private_folder, remove_folder
from engine.read.velociraptor import original_names

#: how the names of archives end, and how their content begins
_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".tzst", ".zip")
_MAGIC = {b"\x1f\x8b": ".gz", b"\x28\xb5\x2f\xfd": ".zst", b"PK\3\4": ".zip", b"PK\5\6": ".zip"}
_TAR_MAGIC, _TAR_PLACE = b"ustar", 257


class Unpacked(Struct, frozen=True):
    """Where an archive was unpacked, and what was not read of it: (member, '' for the archive itself; reason)."""

    root: Path
    refused: list[tuple[str, str]]


class Workspace:
    """A private directory for what archives hold; `close` removes it. It is made when it is first needed, in `inside`
    where one is given, else where the system keeps temporary files."""

    def __init__(self, limits: Limits | None = None, inside: Path | None = None):
        self._limits, self._inside = limits or Limits(), inside
        self._path: Path | None = None
        self._count = 0

    def folder(self) -> Path:
        """A new empty directory, nobody else's."""
        if self._path is None:
            self._path = Path(private_folder("engine-in-", self._inside))
        self._count += 1
        path = self._path / str(self._count)
        path.mkdir(0o700)
        return path

    def unpack(self, archive: Path) -> Unpacked:
        """The files of an archive. Raises UsageError for a file that is none or can't be opened."""
        root = self.folder()
        return Unpacked(root, unpack(archive, root, self._limits))

    def inside(self, path: Path) -> str | None:
        """The path as it stands in its archive, '' for the archive itself; None for a path of no archive."""
        if self._path is None or not path.is_relative_to(self._path):
            return None
        return "/".join(path.relative_to(self._path).parts[1:])

    def close(self) -> None:
        if self._path is not None:
            remove_folder(self._path)
            self._path = None

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def unpack(archive: Path, root: Path, limits: Limits) -> list[tuple[str, str]]:
    """Unpacks an archive into an empty directory; what was refused. Raises UsageError."""
    from engine.read.archives_tar import unpack_tar
    from engine.read.archives_unpacker import Full, Unpacker
    from engine.read.archives_zip import unpack_zip

    try:
        with Stream(os.fspath(archive)) as stream:
            kind = _kind(stream, archive)
            unpacker = Unpacker(root, limits, stream.size, original_names)
            try:
                if kind == ".zip":
                    unpack_zip(stream, unpacker, limits)
                else:
                    unpack_tar(_plain(stream, kind, limits), unpacker)
            except Full as full:
                unpacker.refusals.say("", f"{full}; the rest of the archive is not read")
            unpacker.finish()
    except BadUnit as fault:
        raise UsageError(fault.text) from None
    return unpacker.refusals.all()


def _kind(stream: Stream, archive: Path) -> str:
    """`.zip`, or what a tar archive is packed with: `.gz`, `.zst`, ''. Raises UsageError."""
    head = stream.read(_TAR_PLACE + len(_TAR_MAGIC))
    stream.seek(0)
    known = next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)
    if known is not None:
        return known
    lower = archive.name.lower()
    if head.endswith(_TAR_MAGIC) or lower.endswith(_SUFFIXES):
        return ".zip" if lower.endswith(".zip") else ""
    raise UsageError(f"{archive}: is a file, and no archive that can be read")


def _plain(stream: Stream, kind: str, limits: Limits) -> Readable:
    return Bounded(READERS[kind](stream), limits) if kind else stream
