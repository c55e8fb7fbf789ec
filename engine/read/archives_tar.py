"""tar archives as a stream: headers are decoded by `tarfile`, nothing else of it is used."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import IO, Any

from engine.read.archives_unpacker import Unpacker
from engine.read.codecs import Cut, Readable
from engine.read.limits import CHUNK

_BLOCK = tarfile.BLOCKSIZE

#: the most bytes that the headers of one member may have: long names, extended headers, maps of sparse files
_HEADERS = 1 << 20

#: what no header holds, and what `tarfile` would look at again for each of its digits
_DIGITS = re.compile(rb"\d{300}")

#: extended headers that hold for all members after them, at most
_GLOBAL = 256

_FAULTS = (
    tarfile.TarError, ValueError, IndexError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip

_WORDS = {tarfile.CHRTYPE: "a device", tarfile.BLKTYPE: "a device", tarfile.FIFOTYPE: "a named pipe"}


class _Forward:
    """A stream that can only be read on, as the file that `tarfile` wants. While a header is read, `read` gives all
    that was asked for, but for its first block, and no more than a header may have."""

    def __init__(self, source: Readable):
        self._source, self._at, self._held = source, 0, b""
        self._left = 0
        self._first = False

    def header(self) -> None:
        self._left, self._first = _HEADERS, True

    def read(self, count: int = -1) -> bytes:
        if count < 0 or count > self._left:
            raise ValueError("a header that is too large")
        self._left -= count
        data = b"".join(self.chunks(count))
        if self._first:
            self._first = False
        elif len(data) < count:
            raise Cut("cut off")
        elif _DIGITS.search(data):
            raise ValueError("a header that makes no sense")
        return data

    def chunks(self, count: int) -> Iterator[bytes]:
        """The next bytes, fewer at the end. Raises Cut where the stream breaks off."""
        while count > 0:
            data = self._held or self._source.read(min(count, CHUNK))
            if not data:
                return
            data, self._held = data[:count], data[count:]
            self._at += len(data)
            count -= len(data)
            yield data

    def tell(self) -> int:
        return self._at

    def seek(self, position: int, whence: int = 0) -> int:
        """Only where the stream stands: `tarfile` goes there before it reads a header."""
        if position != self._at or whence:
            raise ValueError("a header that leads back")
        return self._at

    def skip_to(self, position: int) -> None:
        for _ in self.chunks(position - self._at):
            pass


def unpack_tar(source: Readable, unpacker: Unpacker) -> None:
    """Unpacks all that can be read. Raises Full."""
    stream = _Forward(source)
    try:
        _members(stream, unpacker)
    except Cut as cut:
        unpacker.refusals.say("", f"the archive is {cut}" if str(cut).startswith("cut") else f"the archive: {cut}")


def _members(stream: _Forward, unpacker: Unpacker) -> None:
    tar = _tar(stream)
    damaged = ended = False
    while True:
        start = stream.tell()
        stream.header()
        try:
            member = tarfile.TarInfo.fromtarfile(tar)
        except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
            ended = True
            continue
        except (tarfile.EmptyHeaderError, tarfile.TruncatedHeaderError):  # type: ignore[attr-defined]
            if not ended:
                unpacker.refusals.say("", "the archive ends without its end mark")
            return
        except _FAULTS:
            if not damaged:
                unpacker.refusals.say(f"at byte {start}", "a damaged header; passed over to the next that is whole")
            damaged = True
            stream.skip_to(start + -(-(stream.tell() - start) // _BLOCK) * _BLOCK)
            continue
        damaged = ended = False
        end = tar.offset
        if len(tar.pax_headers) > _GLOBAL:
            tar.pax_headers = {}
        if member.size < 0 or end < stream.tell():
            unpacker.refusals.say(member.name, "its size makes no sense")
            continue
        unpacker.count()
        _member(stream, member, unpacker)
        stream.skip_to(end)


def _tar(stream: _Forward) -> tarfile.TarFile:
    """What `fromtarfile` needs: made for writing, since one for reading would read at once."""
    tar = tarfile.TarFile(fileobj=stream, mode="w", encoding="utf-8", errors="surrogateescape")  # type: ignore[arg-type]
    tar.mode = "r"
    return tar


def _member(stream: _Forward, member: tarfile.TarInfo, unpacker: Unpacker) -> None:
    name, mtime = member.name, _mtime(member)
    if member.isdir():
        unpacker.directory(name, mtime)
    elif member.issym():
        unpacker.link(name)
    elif member.islnk():
        unpacker.same(name, member.linkname)
    elif member.type in _WORDS:
        unpacker.refusals.say(name, _WORDS[member.type])
    elif member.sparse is not None:
        unpacker.written(name, lambda out: _sparse(stream, member, out, unpacker), mtime)
    elif member.isreg():
        unpacker.file(name, _whole(stream, member.size), mtime)
    else:
        unpacker.refusals.say(name, f"a member of the unknown kind {member.type!r}")


def _whole(stream: _Forward, size: int) -> Iterator[bytes]:
    left = size
    for chunk in stream.chunks(size):
        left -= len(chunk)
        yield chunk
    if left:
        raise Cut(f"cut off after {size - left} of {size} bytes")


def _sparse(stream: _Forward, member: tarfile.TarInfo, out: IO[bytes], unpacker: Unpacker) -> None:
    """The file with its holes, which take no space."""
    holes: Any = member.sparse
    for offset, size in holes:
        out.seek(offset)
        for chunk in _whole(stream, size):
            unpacker.room(len(chunk))
            out.write(chunk)
    out.truncate(member.size)


def _mtime(member: tarfile.TarInfo) -> int | None:
    """Nanoseconds, exact where an extended header has it."""
    try:
        return int(Decimal(member.pax_headers.get("mtime") or repr(member.mtime)) * 10**9)
    except (InvalidOperation, ValueError, OverflowError):
        return None
