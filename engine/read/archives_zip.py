"""Zip archives: by their directory, or, where that is missing or broken, by what stands before each member.

`zipfile` is not used: it holds the whole directory, refuses all of an archive for one name, and needs its end.
"""

from __future__ import annotations

import bz2
import stat
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from engine.read.archives_entry import DOS, UNIX, Entry, extras_of, mtime_of, name_of, numbers_of
from engine.read.archives_unpacker import Unpacker
from engine.read.codecs import Bounded, Cut, ZstdReader
from engine.read.files import Stream
from engine.read.limits import CHUNK, Limits

_LOCAL, _ENTRY, _END, _END64, _FIND64 = b"PK\3\4", b"PK\1\2", b"PK\5\6", b"PK\6\6", b"PK\6\7"
_LOCAL_SIZE, _ENTRY_SIZE, _END_SIZE = 30, 46, 22
_ENCRYPTED, _SIZES_AFTER = 1, 8
_STORED, _DEFLATE, _BZIP2, _ZSTD, _OLD_ZSTD = 0, 8, 12, 93, 20
_UNKNOWN = 0xFFFFFFFF


def unpack_zip(stream: Stream, unpacker: Unpacker, limits: Limits) -> None:
    """Unpacks all that can be read. Raises Full."""
    found = _directory(stream)
    if found is None:
        unpacker.refusals.say("", "the archive has no directory at its end; read from its start")
        _scan(stream, unpacker, limits)
        return
    at, end, shift = found
    used = last = 0
    for entry in _entries(stream, at, end, shift, unpacker):
        unpacker.count()
        overlaps = last > entry.at >= 0 and entry.at + _LOCAL_SIZE + (entry.packed or 0) > last - _LOCAL_SIZE
        used += entry.packed or 0
        if (overlaps and entry.packed) or used > stream.size:
            unpacker.refusals.say(entry.name, "overlaps another member")
            continue
        last = max(last, entry.at + _LOCAL_SIZE + (entry.packed or 0))
        _member(stream, entry, unpacker, limits)


# --------------------------------------------------------------------------------------------------- directory


def _directory(stream: Stream) -> tuple[int, int, int] | None:
    """Where the directory begins and ends, and how far the archive is moved by what stands before it."""
    start = max(0, stream.size - _END_SIZE - 0xFFFF)
    tail = _at(stream, start, stream.size - start)
    place = tail.rfind(_END)
    if place < 0 or len(tail) - place < _END_SIZE:
        return None
    size, offset = struct.unpack_from("<LL", tail, place + 12)
    end = start + place
    locator = _at(stream, end - 20, 20) if end >= 20 else b""
    if locator[:4] == _FIND64:
        where = struct.unpack_from("<Q", locator, 8)[0]
        for there in (where, end - 76):
            record = _at(stream, there, 56)
            if record[:4] == _END64 and len(record) == 56:
                size, offset = struct.unpack_from("<QQ", record, 40)
                end = there
                break
    shift = end - size - offset
    if size and (shift < 0 or _at(stream, offset + shift, 4) != _ENTRY):
        return None
    return offset + shift, end, shift


def _entries(stream: Stream, at: int, end: int, shift: int, unpacker: Unpacker) -> Iterator[Entry]:
    while at + _ENTRY_SIZE <= end:
        head = _at(stream, at, _ENTRY_SIZE)
        if head[:4] != _ENTRY:
            unpacker.refusals.say("", "the archive's directory is damaged; read up to there")
            return
        (made, _, flags, method, clock, date, crc, packed, size, names, extras, comments, _, _, mode, where) = (
            struct.unpack("<HHHHHHLLLHHHHHLL", head[4:])
        )
        rest = _at(stream, at + _ENTRY_SIZE, names + extras)
        extra = extras_of(rest[names:])
        wide = iter(numbers_of(extra.get(1, b"")))
        size = next(wide, size) if size == _UNKNOWN else size
        packed = next(wide, packed) if packed == _UNKNOWN else packed
        where = next(wide, where) if where == _UNKNOWN else where
        system = made >> 8
        yield Entry(
            name=name_of(rest[:names], flags, system),
            at=where + shift,
            packed=packed,
            size=size,
            method=method,
            flags=flags,
            crc=crc,
            mtime_ns=mtime_of(extra, date, clock),
            mode=mode >> 16 if system == UNIX else 0,
        )
        at += _ENTRY_SIZE + names + extras + comments


# ----------------------------------------------------------------------------------------------------- members


class _Unpacker(Protocol):
    def read(self, count: int, /) -> bytes: ...


class _Packed:
    """The packed bytes of a member, and whatever a decompressor gives back of them."""

    def __init__(self, stream: Stream, at: int, size: int):
        stream.seek(min(at, stream.size))
        self._stream, self._left, self.at = stream, size, at

    def read(self, count: int = CHUNK, /) -> bytes:
        data = self._stream.read(min(count, self._left))
        self._left -= len(data)
        self.at += len(data)
        return data


class _Inflater:
    """Deflate or bzip2, a piece at a time. `at` is where its packed data ended."""

    def __init__(self, source: _Packed, inner: Callable[[], object]):
        self._source, self._inner, self._waiting = source, inner(), b""
        self.taken = 0

    def read(self, count: int = CHUNK, /) -> bytes:
        inner = self._inner
        while not inner.eof:  # type: ignore[attr-defined]
            if not self._waiting and getattr(inner, "needs_input", True):
                self._waiting = self._source.read(CHUNK)
                self.taken += len(self._waiting)
                if not self._waiting:
                    raise Cut("cut off")
            try:
                data = inner.decompress(self._waiting, count)  # type: ignore[attr-defined]
            except (zlib.error, OSError) as error:
                raise Cut(f"damaged data ({str(error).rpartition(': ')[2]})") from None
            self._waiting = getattr(inner, "unconsumed_tail", b"")
            if data:
                return data
        return b""

    @property
    def end(self) -> int:
        """Where the packed data ended in the archive, once all is read."""
        return self._source.at - len(self._inner.unused_data)  # type: ignore[attr-defined]


def _member(stream: Stream, entry: Entry, unpacker: Unpacker, limits: Limits) -> None:
    local = _at(stream, entry.at, _LOCAL_SIZE)
    if local[:4] != _LOCAL or len(local) < _LOCAL_SIZE:
        unpacker.refusals.say(entry.name, "is not where the archive's directory says")
        return
    names, extras = struct.unpack_from("<HH", local, 26)
    _read(stream, entry, entry.at + _LOCAL_SIZE + names + extras, unpacker, limits)


def _read(stream: Stream, entry: Entry, at: int, unpacker: Unpacker, limits: Limits) -> int | None:
    """Unpacks one member whose packed data is at a place; where that data ended, when it tells."""
    kind = stat.S_IFMT(entry.mode)
    if entry.name.endswith("/"):
        unpacker.directory(entry.name, entry.mtime_ns)
    elif kind == stat.S_IFLNK:
        unpacker.link(entry.name)
    elif kind not in (0, stat.S_IFREG):
        unpacker.refusals.say(entry.name, "neither a file nor a directory")
    elif entry.flags & _ENCRYPTED:
        unpacker.refusals.say(entry.name, "encrypted")
    else:
        packed = _Packed(stream, at, stream.size - at if entry.packed is None else entry.packed)
        source = _source(packed, entry.method, limits)
        if source is None:
            unpacker.refusals.say(entry.name, f"packed by the unknown method {entry.method}")
        else:
            unpacker.file(entry.name, _content(source, entry), entry.mtime_ns)
            return source.end if isinstance(source, _Ended) else None
    return None


class _Ended(Bounded):
    """A bounded inflater that knows where its data ended."""

    def __init__(self, inner: _Inflater, limits: Limits):
        super().__init__(inner, limits)  # type: ignore[arg-type]
        self._inflater = inner

    @property
    def end(self) -> int:
        return self._inflater.end


def _source(packed: _Packed, method: int, limits: Limits) -> _Unpacker | None:
    if method == _STORED:
        return packed
    if method == _DEFLATE:
        return _Ended(_Inflater(packed, lambda: zlib.decompressobj(-15)), limits)
    if method == _BZIP2:
        return _Ended(_Inflater(packed, bz2.BZ2Decompressor), limits)
    return Bounded(ZstdReader(packed), limits) if method in (_ZSTD, _OLD_ZSTD) else None


def _content(source: _Unpacker, entry: Entry) -> Iterator[bytes]:
    size, crc = 0, 0
    while data := source.read(CHUNK):
        if entry.size is not None and size + len(data) > entry.size:
            yield data[: entry.size - size]
            raise Cut(f"holds more than the {entry.size} bytes that it says")
        size += len(data)
        crc = zlib.crc32(data, crc)
        yield data
    if entry.size is not None and size < entry.size:
        raise Cut(f"cut off after {size} of {entry.size} bytes")
    if entry.size is not None and crc != entry.crc:
        raise Cut("its checksum does not fit")


# --------------------------------------------------------------------------------------------- without directory


def _scan(stream: Stream, unpacker: Unpacker, limits: Limits) -> None:
    """Members by their local headers, from the start; sizes that stand after a member are found by unpacking it."""
    at: int | None = 0
    while (at := _find(stream, at)) is not None:
        head = _at(stream, at, _LOCAL_SIZE)
        if len(head) < _LOCAL_SIZE:
            return
        _, flags, method, clock, date, crc, packed, size, names, extras = struct.unpack("<HHHHHLLLHH", head[4:])
        rest = _at(stream, at + _LOCAL_SIZE, names + extras)
        unpacker.count()
        name, extra = name_of(rest[:names], flags, DOS[0]), extras_of(rest[names:])
        wide = extra.get(1, b"")
        if len(wide) >= 16 and _UNKNOWN in (packed, size):
            size, packed = struct.unpack_from("<QQ", wide)
        data = at + _LOCAL_SIZE + names + extras
        after = bool(flags & _SIZES_AFTER) and not packed
        if after and (method == _STORED or flags & _ENCRYPTED) and not name.endswith("/"):
            unpacker.refusals.say(name, "its size is not known without the archive's directory")
            at = data
            continue
        told, content = (None, None) if after else (packed, size)
        entry = Entry(name, at, told, content, method, flags, crc, mtime_of(extra, date, clock), 0)
        end = _read(stream, entry, data, unpacker, limits)
        at = max(end or data, data) if after else data + packed


def _find(stream: Stream, at: int | None) -> int | None:
    """The next local header at or after a place."""
    at, overlap = at or 0, b""
    while at < stream.size:
        stream.seek(at)
        block = stream.read(CHUNK)
        place = (overlap + block).find(_LOCAL)
        if place >= 0:
            return at - len(overlap) + place
        if not block:
            return None
        overlap, at = (overlap + block)[-3:], at + len(block)
    return None


def _at(stream: Stream, place: int, count: int) -> bytes:
    """Bytes at a place of the archive, fewer where it ends."""
    if not 0 <= place < stream.size:
        return b""
    stream.seek(place)
    parts: list[bytes] = []
    while count > 0 and (data := stream.read(count)):
        parts.append(data)
        count -= len(data)
    return b"".join(parts)
