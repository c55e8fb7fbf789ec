"""Compressed data, bounded: zstd frames with or without a content size, several in a row, gzip members."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from typing import IO, Any, Protocol, cast

import zstandard

from engine.errors import BadRecord
from engine.lang import jsontext
from engine.read.limits import CHUNK, Limits


class Readable(Protocol):
    def read(self, count: int = -1, /) -> bytes: ...


class Cut(Exception):
    """Compressed data that ends or breaks off before its end; what was unpacked before is good. `str()` is why."""


#: the largest window of a frame, the zstd program's own limit
_WINDOW = 1 << 27

_SKIPPABLE = range(0x184D2A50, 0x184D2A60)


class FrameWalk:
    """Follows zstd frames as their bytes go by, to tell at the end whether the last one is whole: the library's own
    reader takes the end of its input for the end of the data."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._skip = 0
        self._in_frame = False
        self._checksum = False

    @property
    def whole(self) -> bool:
        return not self._in_frame and not self._skip and not self._buffer

    def feed(self, data: bytes) -> None:
        if self._skip >= len(data):
            self._skip -= len(data)
            return
        self._buffer += data[self._skip :]
        self._skip = 0
        at = 0
        while True:
            step = self._block(at) if self._in_frame else self._header(at)
            if not step:
                break
            at += step
            if at > len(self._buffer):
                self._skip = at - len(self._buffer)
                at = len(self._buffer)
                break
        del self._buffer[:at]

    def _header(self, at: int) -> int:
        head = bytes(self._buffer[at : at + 18])
        if len(head) < 8:
            return 0
        if int.from_bytes(head[:4], "little") in _SKIPPABLE:
            return 8 + int.from_bytes(head[4:8], "little")
        try:
            size = zstandard.frame_header_size(head)
            if len(head) < size:
                return 0
            self._checksum = zstandard.get_frame_parameters(head).has_checksum
        except zstandard.ZstdError:
            return 0
        self._in_frame = True
        return size

    def _block(self, at: int) -> int:
        head = self._buffer[at : at + 3]
        if len(head) < 3:
            return 0
        value = int.from_bytes(head, "little")
        size = 1 if value >> 1 & 3 == 1 else value >> 3
        if value & 1:
            self._in_frame = False
            size += 4 if self._checksum else 0
        return 3 + size


class _Tap:
    """Passes a source's bytes on, counts them and shows them to the frame walk."""

    def __init__(self, source: Readable, walk: FrameWalk):
        self._source, self._walk, self.taken = source, walk, 0

    def read(self, count: int = -1, /) -> bytes:
        data = self._source.read(count)
        self.taken += len(data)
        self._walk.feed(data)
        return data


class ZstdReader:
    """Unpacks frame after frame. `read` returns at most `count` bytes, b'' at the end, and raises Cut at a fault."""

    def __init__(self, source: Readable):
        self._walk = FrameWalk()
        self._tap = _Tap(source, self._walk)
        decompressor = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        self._reader = decompressor.stream_reader(
            cast(IO[bytes], self._tap), read_size=CHUNK // 4, read_across_frames=True
        )

    @property
    def taken(self) -> int:
        """Compressed bytes so far."""
        return self._tap.taken

    def read(self, count: int = CHUNK, /) -> bytes:
        try:
            data = self._reader.read1(count)
        except zstandard.ZstdError as error:
            raise Cut(str(error).removeprefix("zstd decompress error: ").lower()) from None
        if not data and not self._walk.whole:
            raise Cut("zstd frame cut off")
        return data


class GzipReader:
    """Unpacks member after member, as `ZstdReader` does frames. Zeros behind the last member are padding."""

    def __init__(self, source: Readable):
        self._source, self._inner, self._packed = source, zlib.decompressobj(31), b""
        self._started, self.taken = False, 0

    def read(self, count: int = CHUNK, /) -> bytes:
        while True:
            if self._inner.eof:
                rest = self._inner.unused_data
                self._packed, self._inner, self._started = rest.lstrip(b"\0"), zlib.decompressobj(31), False
            if not self._packed:
                self._packed = self._source.read(CHUNK // 4)
                self.taken += len(self._packed)
                if not self._started:
                    self._packed = self._packed.lstrip(b"\0") if self.taken > len(self._packed) else self._packed
                if not self._packed:
                    if self._started:
                        raise Cut("gzip member cut off")
                    return b""
            self._started = True
            try:
                data = self._inner.decompress(self._packed, count)
            except zlib.error as error:
                raise Cut(str(error).rpartition(": ")[2]) from None
            self._packed = self._inner.unconsumed_tail
            if data:
                return data


#: suffix of a file's name → what unpacks it
READERS: dict[str, Callable[[Readable], ZstdReader | GzipReader]] = {".zst": ZstdReader, ".gz": GzipReader}


class Bounded:
    """A decompressed stream that is cut when it holds more than `blob` bytes and `ratio` times its packed size."""

    def __init__(self, inner: ZstdReader | GzipReader, limits: Limits):
        self._inner, self._limits, self._given = inner, limits, 0

    def read(self, count: int = CHUNK, /) -> bytes:
        data = self._inner.read(count)
        self._given += len(data)
        if self._given > self._limits.blob and self._given > self._inner.taken * self._limits.ratio:
            raise Cut(f"unpacks to over {self._limits.ratio} times its size")
        return data


def unpack(codec: str, data: bytes, limit: int) -> bytes:
    """All of some compressed bytes. Raises BadRecord when they are cut, broken, or unpack to more than `limit`."""
    reader = (ZstdReader if codec == "zstd" else GzipReader)(io.BytesIO(data))
    if not data:
        raise BadRecord(f"no {codec} data")
    parts: list[bytes] = []
    size = 0
    while True:
        try:
            part = reader.read(CHUNK)
        except Cut as fault:
            raise BadRecord(str(fault)) from None
        if not part:
            return parts[0] if len(parts) == 1 else b"".join(parts)
        size += len(part)
        if size > limit:
            raise BadRecord(f"unpacks to over {limit} bytes")
        parts.append(part)


def decode(value: Any, chain: tuple[str, ...], limits: Limits) -> Any:
    """A stored value through a chain of codecs: `zstd`, `gzip`, `json`, `utf8`. Raises BadRecord with the reason."""
    for codec in chain:
        if codec in ("zstd", "gzip"):
            data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
            if not isinstance(data, bytes):
                raise BadRecord(f"no bytes to unpack as {codec}")
            value = unpack(codec, data, limits.blob)
        elif codec == "json":
            if not isinstance(value, str | bytes):
                raise BadRecord("no JSON text")
            value = jsontext.loads(value, limits.nesting)
        elif codec == "utf8":
            if isinstance(value, bytes):
                value = value.decode("utf-8", "replace")
        else:
            raise ValueError(f"unknown codec {codec}")
    return value
