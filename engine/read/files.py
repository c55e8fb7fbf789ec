"""Opening files of evidence: regular files only, never through a link, no further than the size seen at the open."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator

from engine.errors import BadUnit
from engine.read.limits import CHUNK, quote, shortened
from engine.read.names import base_name
from engine.read.tree import reason_of

READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)

_NO_ATIME = getattr(os, "O_NOATIME", 0)

#: from this size on, a file of which not a thousandth is on the disk is not read
_SPARSE = 1 << 30

_KINDS = (
    (stat.S_ISLNK, "a link, not followed"),
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISCHR, "a device"),
)


def unreadable(path: str, reason: str) -> BadUnit:
    """The note for a file that can't be read at all."""
    return BadUnit(f"{base_name(path)} could not be read ({reason})")


def undecodable(path: str, reason: str) -> BadUnit:
    """The note for a file whose content is not what its kind says."""
    return BadUnit(f"{base_name(path)} could not be decoded ({reason})")


def _open(path: str) -> int:
    """Opens for reading, without a trace in the time of the last access where the system allows that."""
    if _NO_ATIME:
        try:
            return os.open(path, READ_FLAGS | _NO_ATIME)
        except PermissionError:
            pass
    return os.open(path, READ_FLAGS)


def open_fd(path: str) -> tuple[int, os.stat_result]:
    """A descriptor of a regular file and its status. Raises BadUnit for everything else; never waits."""
    try:
        status = os.lstat(path)
        for is_kind, words in _KINDS:
            if is_kind(status.st_mode):
                raise unreadable(path, words)
        fd = _open(path)
    except OSError as error:
        raise unreadable(path, reason_of(error)) from None
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        raise unreadable(path, "not a regular file")
    return fd, status


class Stream:
    """The bytes of a file up to the size that it had when it was opened. `read` returns b'' at the end."""

    def __init__(self, path: str, size: int | None = None):
        self.path = path
        self.fd, status = open_fd(path)
        if status.st_size > _SPARSE and getattr(status, "st_blocks", 0) * 512 < status.st_size // 1000:
            self.close()
            raise unreadable(path, f"a sparse file of {status.st_size} bytes")
        self.size = status.st_size if size is None else min(size, status.st_size)
        self.mtime_ns = status.st_mtime_ns
        self._left = self.size

    def read(self, count: int = -1) -> bytes:
        want = self._left if count < 0 else min(count, self._left)
        if want <= 0:
            return b""
        try:
            data = os.read(self.fd, want)
        except OSError as error:
            raise unreadable(self.path, reason_of(error)) from None
        self._left = self._left - len(data) if data else 0
        return data

    def chunks(self, size: int = CHUNK) -> Iterator[bytes]:
        while data := self.read(size):
            yield data

    def whole(self) -> bytes:
        """All bytes; a read may return less than it was asked for."""
        first = self.read(self._left)
        if self._left == 0:
            return first
        return b"".join((first, *self.chunks(1 << 24)))

    def seek(self, position: int) -> None:
        os.lseek(self.fd, position, os.SEEK_SET)
        self._left = self.size - position

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def quote_rest(stream: Stream, limit: int) -> str:
    """What is left of a file, quoted like `limits.quote`, without holding more than the head of it."""
    head, digest, size = b"", hashlib.sha256(), 0
    for data in stream.chunks():
        head = head if len(head) > limit else head + data
        digest.update(data)
        size += len(data)
    return quote(head, limit) if size <= limit else shortened(head[:limit], size, digest.hexdigest())


def sha256_of(path: str, size: int | None = None) -> str:
    """Hex digest of a file's bytes, of its first `size` when given."""
    digest = hashlib.sha256()
    with Stream(path, size) as stream:
        for data in stream.chunks():
            digest.update(data)
    return digest.hexdigest()
