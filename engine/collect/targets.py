"""Where a collection goes: a `.tar.gz`, a `.zip`, or a directory. Times, modes and owners are kept where that goes."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Protocol

from engine.collect.items import seconds
from engine.errors import UsageError
from engine.read.names import shown
from engine.write.files import aside

_FILETIME_EPOCH = 116_444_736_000_000_000
_LEVEL = 6


class Target(Protocol):
    """Takes files one after the other. `fixed`: a file has to be as long as it was said to be. `named`: a path as this
    form can hold it."""

    fixed: bool

    def named(self, place: str) -> str: ...

    def file(self, name: str, size: int, facts: os.stat_result | None, data: Iterator[bytes]) -> None: ...
    def directory(self, name: str, facts: os.stat_result) -> None: ...
    def close(self) -> str:
        """Ends the collection; SHA-256 of an archive, '' of a directory."""
        ...

    def abort(self) -> None: ...


class _Hashed(io.RawIOBase):
    """A stream to write that keeps the SHA-256 of what went through."""

    def __init__(self, out: IO[bytes]):
        self._out, self.digest = out, hashlib.sha256()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._out.write(data)
        self.digest.update(data)
        return len(data)

    def flush(self) -> None:
        self._out.flush()

    def drop(self) -> None:
        """What is written from now on goes nowhere: an archive writes its end even when it is thrown away."""
        self._out = io.BytesIO()


class _Archive:
    """A file that has its name only when it is whole."""

    def __init__(self, path: Path):
        self.path, self._part = aside(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._part.open("xb", buffering=1 << 20)
        except OSError as error:
            raise UsageError(f"can't write {path}: {error.strerror}") from None
        self._out = _Hashed(self._file)

    def _keep(self) -> str:
        self._file.close()
        self._part.replace(self.path)
        return self._out.digest.hexdigest()

    def abort(self) -> None:
        self._out.drop()
        with suppress(OSError):
            self._file.close()
        self._part.unlink(missing_ok=True)


class TarGz(_Archive):
    fixed = True

    def named(self, place: str) -> str:
        return place

    def __init__(self, path: Path):
        super().__init__(path)
        self._gzip = gzip.GzipFile("", "wb", _LEVEL, self._out, mtime=0)
        self._tar = tarfile.TarFile(
            fileobj=self._gzip, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape"
        )

    def _member(self, name: str, facts: os.stat_result | None) -> tarfile.TarInfo:
        member = tarfile.TarInfo(name)
        if facts is not None:
            member.mode, member.uid, member.gid = stat.S_IMODE(facts.st_mode), facts.st_uid, facts.st_gid
            member.mtime = facts.st_mtime_ns // 10**9
            member.pax_headers = {"mtime": seconds(facts.st_mtime_ns), "atime": seconds(facts.st_atime_ns)}
        return member

    def file(self, name: str, size: int, facts: os.stat_result | None, data: Iterator[bytes]) -> None:
        member = self._member(name, facts)
        member.size = size
        self._tar.addfile(member)
        left = size
        for chunk in data:
            self._gzip.write(chunk)
            left -= len(chunk)
        blocks = -(-size // tarfile.BLOCKSIZE) * tarfile.BLOCKSIZE
        _zeros(self._gzip, left + blocks - size)
        self._tar.offset += blocks

    def directory(self, name: str, facts: os.stat_result) -> None:
        member = self._member(name, facts)
        member.type = tarfile.DIRTYPE
        self._tar.addfile(member)

    def close(self) -> str:
        self._tar.close()
        self._gzip.close()
        return self._keep()


def _zeros(out: gzip.GzipFile, count: int) -> None:
    while count > 0:
        some = min(count, 1 << 20)
        out.write(bytes(some))
        count -= some


class Zip(_Archive):
    fixed = False

    def named(self, place: str) -> str:
        """Bytes that are no UTF-8 as `\\xNN`."""
        return shown(place)

    def __init__(self, path: Path):
        super().__init__(path)
        self._zip = zipfile.ZipFile(self._out, "w", zipfile.ZIP_DEFLATED)

    def _member(self, name: str, facts: os.stat_result | None) -> zipfile.ZipInfo:
        member = zipfile.ZipInfo(name)
        member.compress_type, member.create_system = zipfile.ZIP_DEFLATED, 3
        member.external_attr = (stat.S_IFREG | 0o600) << 16
        if facts is not None:
            member.external_attr = facts.st_mode << 16
            with suppress(ValueError, OverflowError, OSError):
                moment = datetime.fromtimestamp(facts.st_mtime_ns // 10**9, UTC)
                if 1980 <= moment.year < 2108:
                    member.date_time = moment.timetuple()[:6]
            with suppress(struct.error):
                times = (facts.st_mtime_ns, facts.st_atime_ns, facts.st_ctime_ns)
                ticks = [moment_ns // 100 + _FILETIME_EPOCH for moment_ns in times]
                member.extra = struct.pack("<HHLHHQQQ", 0x000A, 32, 0, 1, 24, *ticks)
        return member

    def file(self, name: str, size: int, facts: os.stat_result | None, data: Iterator[bytes]) -> None:
        with self._zip.open(self._member(name, facts), "w", force_zip64=True) as out:
            for chunk in data:
                out.write(chunk)

    def directory(self, name: str, facts: os.stat_result) -> None:
        member = self._member(name + "/", facts)
        member.compress_type = zipfile.ZIP_STORED
        self._zip.writestr(member, b"")

    def close(self) -> str:
        self._zip.close()
        return self._keep()


class Folder:
    fixed = False

    def named(self, place: str) -> str:
        return place

    def __init__(self, path: Path):
        self.path = path
        self._times: list[tuple[Path, os.stat_result]] = []
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"can't write {path}: {error.strerror}") from None

    def file(self, name: str, size: int, facts: os.stat_result | None, data: Iterator[bytes]) -> None:
        place = self.path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("wb") as out:
            for chunk in data:
                out.write(chunk)
        if facts is not None:
            _keep(place, facts)

    def directory(self, name: str, facts: os.stat_result) -> None:
        place = self.path / name
        place.mkdir(parents=True, exist_ok=True)
        self._times.append((place, facts))

    def close(self) -> str:
        for place, facts in reversed(self._times):
            _keep(place, facts)
        return ""

    def abort(self) -> None:
        return


def _keep(place: Path, facts: os.stat_result) -> None:
    """Gives a copy the mode, owner and times of what it is of, as far as the system allows; last the times."""
    with suppress(OSError, AttributeError):
        os.chown(place, facts.st_uid, facts.st_gid)
    with suppress(OSError):
        place.chmod(stat.S_IMODE(facts.st_mode) & 0o777 | 0o600 | (0o100 if place.is_dir() else 0))
    with suppress(OSError, OverflowError):
        os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def is_archive_name(path: Path) -> bool:
    return path.name.endswith((".tar.gz", ".tgz", ".zip"))


def target_for(path: Path) -> Target:
    """What writes to a path: by the end of its name. Raises UsageError, also for the name of another archive."""
    if path.suffix.lower() in _OTHER_ARCHIVES and not path.is_dir():
        raise UsageError(f"{path}: a collection is a .tar.gz, a .zip or a directory")
    if path.name.endswith(".zip"):
        return Zip(path)
    return TarGz(path) if is_archive_name(path) else Folder(path)


#: ends of names that would be a surprise for a directory
_OTHER_ARCHIVES = frozenset((".tar", ".zst", ".bz2", ".xz", ".rar", ".7z"))
