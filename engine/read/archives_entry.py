"""What stands before a member of a zip archive: its name, its extra fields, its time."""

from __future__ import annotations

import os
import struct
from datetime import UTC, datetime
from typing import NamedTuple

_UTF8 = 0x800

#: systems that made a member: Unix, and those whose names may have `\\`
UNIX, DOS = 3, (0, 10, 11, 14)

_FILETIME_EPOCH = 116_444_736_000_000_000


class Entry(NamedTuple):
    """A member. `at` is where its local header stands, `size` that of its content, None where it isn't told."""

    name: str
    at: int
    packed: int | None
    size: int | None
    method: int
    flags: int
    crc: int
    mtime_ns: int | None
    mode: int


def name_of(stored: bytes, flags: int, system: int) -> str:
    """A name as the system that wrote it meant it; on DOS and Windows `\\` may part directories."""
    try:
        name = stored.decode()
    except UnicodeDecodeError:
        name = stored.decode("cp437") if system in DOS and not flags & _UTF8 else os.fsdecode(stored)
    return name.replace("\\", "/") if system in DOS and "/" not in name else name


def extras_of(data: bytes) -> dict[int, bytes]:
    found: dict[int, bytes] = {}
    at = 0
    while at + 4 <= len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        found.setdefault(kind, data[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def numbers_of(data: bytes) -> tuple[int, ...]:
    """The 64-bit numbers of an extra field."""
    return struct.unpack(f"<{len(data) // 8}Q", data[: len(data) // 8 * 8])


def mtime_of(extra: dict[int, bytes], date: int, clock: int) -> int | None:
    """Nanoseconds: of NTFS, of Unix, else the date of DOS, which has no zone and is taken for UTC."""
    ntfs, unix = extra.get(0x000A, b""), extra.get(0x5455, b"")
    if len(ntfs) >= 16 and ntfs[4:6] == b"\1\0":
        return (struct.unpack_from("<Q", ntfs, 8)[0] - _FILETIME_EPOCH) * 100
    if len(unix) >= 5 and unix[0] & 1:
        return struct.unpack_from("<l", unix, 1)[0] * 10**9
    try:
        day = (1980 + (date >> 9), date >> 5 & 15, date & 31)
        return int(datetime(*day, clock >> 11, clock >> 5 & 63, clock % 32 * 2, tzinfo=UTC).timestamp()) * 10**9
    except ValueError:
        return None
