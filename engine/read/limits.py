"""Bounds on what is read from evidence, and how the content of something unreadable is quoted."""

from __future__ import annotations

import hashlib

from msgspec import Struct

KIB, MIB = 1 << 10, 1 << 20

#: how much is read from a file at once
CHUNK = 256 * KIB


class Limits(Struct, frozen=True):
    """Sizes in bytes, each an option of the command; the defaults are the row contract's.

    line      the longest line of a line file; a longer one is a bad record
    blob      the largest decompressed or stored value, and the largest document that is held whole
    nesting   the depth of JSON
    quote     the content of a bad record in its note
    members   of an archive, and of the nodes that YAML's aliases may stand for
    stream    from this size on, a JSON document with a list of records is read as a stream
    ratio     how often a compressed stream may hold its own size, once it is over `blob`
    """

    line: int = 64 * MIB
    blob: int = 256 * MIB
    nesting: int = 512
    quote: int = 64 * KIB
    members: int = 10**6
    stream: int = 8 * MIB
    ratio: int = 1000


class Quoted(str):
    """Text that is already shortened; `quote` returns it as it is."""

    __slots__ = ()


def quote(content: str | bytes, limit: int) -> str:
    """The content as text, at most `limit` bytes of it, then `… (<n> bytes, sha256 <hex>)`. Bytes that are no UTF-8
    become U+FFFD; size and hash are of the bytes as stored."""
    if isinstance(content, Quoted):
        return content
    if isinstance(content, str):
        if len(content) * 4 <= limit:
            return content
        stored = content.encode("utf-8", "surrogatepass")
        if len(stored) <= limit:
            return content
    else:
        stored = content
        if len(stored) <= limit:
            return stored.decode("utf-8", "replace")
    return shortened(stored[:limit], len(stored), hashlib.sha256(stored).hexdigest())


def quote_hex(content: bytes, limit: int) -> str:
    """The content as lowercase hex, shortened like `quote`; size and hash are of the bytes themselves."""
    if len(content) * 2 <= limit:
        return Quoted(content.hex())
    head = content[: limit // 2].hex()
    return Quoted(f"{head}… ({len(content)} bytes, sha256 {hashlib.sha256(content).hexdigest()})")


def shortened(head: bytes, size: int, sha256: str) -> Quoted:
    """A quote of which only the head is kept; a character that the cut splits is left out."""
    return Quoted(f"{decode_head(head)}… ({size} bytes, sha256 {sha256})")


def decode_head(head: bytes) -> str:
    """Text of the first bytes of something longer: a last character that was cut is dropped, other faults shown."""
    return whole_characters(head).decode("utf-8", "replace")


def whole_characters(head: bytes) -> bytes:
    """The first bytes of a longer UTF-8 text, without a last character that was cut."""
    for back in range(1, min(4, len(head)) + 1):
        byte = head[-back]
        if byte >= 0xC0:
            width = 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
            return head[:-back] if width > back else head
        if byte < 0x80:
            break
    return head
