"""What discovery finds and the readers take: bases (a home, a project, a volume) and the files below them."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from engine.lang.times import Stamp
from engine.read.names import shown

HOME, PROJECT, VOLUME = "home", "project", "volume"


class Base(Struct, frozen=True):
    """Where the patterns of a spec start.

    kind     home, project or volume
    path     its absolute path on this machine
    host     of the rows
    user     of the rows
    prefix   what stands before a path in `source_file`: '', `volumes/<name>/` or `projects/<path>/`
    home     the user's home as an absolute path on the machine that was read, None where it isn't known
    """

    kind: str
    path: Path
    host: str = ""
    user: str = ""
    prefix: str = ""
    home: str | None = None


class Source(Struct, frozen=True):
    """One file, or one folder whose record files are one unit, and the stores that read it.

    agent        the plan's agent id
    path         absolute path on this machine
    source_file  as in rows: prefix and path below the base, valid UTF-8
    folder       whether it is a folder of record files
    stores       (store's name, captures of its glob as text); `Unit.captures` has them typed
    roots        for each store the (name, path below the base) of the root that its glob started from, ('', '') if none
    secondary    the stores whose rows are secondary here, `secondary_if` settled
    what         file, directory, link or other, as seen when it was found
    mtime_ns     the original modification time where a manifest gives one, else None: the file's own
    """

    agent: str
    base: Base
    path: Path
    source_file: str
    folder: bool
    stores: tuple[tuple[str, dict[str, str]], ...]
    roots: tuple[tuple[str, str], ...] = ()
    secondary: frozenset[str] = frozenset()
    what: str = "file"
    mtime_ns: int | None = None

    @property
    def below(self) -> str:
        """The path below the base, as the file system has it."""
        return str(self.path)[len(str(self.base.path)) :].lstrip(os.sep) or "."

    @property
    def name(self) -> str:
        """The file's name, for messages."""
        return shown(self.path.name)

    @property
    def sort_key(self) -> tuple[str, str, str, str]:
        """Order of sources: host, user, agent and source_file, as code points."""
        return (self.base.host, self.base.user, self.agent, self.source_file)


class FileInfo(Struct):
    """A file that was read.

    source_file  as in rows
    size         bytes, as seen when it was opened; no more than that is read
    mtime        its modification time, None where the system gave none
    sha256       hex digest of the bytes on disk, '' until it is known or when hashing is off
    what         `file` for the source itself, `sidecar` for a file read beside it, `record` for a folder's file
    """

    source_file: str
    size: int = 0
    mtime: Stamp | None = None
    sha256: str = ""
    what: str = "file"


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was seen and not read: a link, a directory without permission, a device."""

    source_file: str
    reason: str
    base: Base = field(compare=False, default=Base(HOME, Path("/")))


def mtime_stamp(mtime_ns: int) -> Stamp:
    """A modification time as a time of a row; the raw form is seconds since 1970 in their shortest decimal form."""
    seconds, nanos = divmod(mtime_ns, 10**9)
    raw = f"{seconds}.{nanos:09d}".rstrip("0").rstrip(".") if nanos else str(seconds)
    return Stamp(mtime_ns // 10**6, "file_mtime", raw)
