"""A row as pairing keeps it: digests, places and a time, packed into bytes that sort by what must be equal."""

from __future__ import annotations

import hashlib
import struct
from datetime import date
from functools import lru_cache
from typing import Any

from engine.run.matching import Point

#: the time of an undated row in keys; sorts after every time
UNDATED = b"~" * 24

#: what must be equal to pair in a stage, in a packed item: the stage's digest, the scope
GROUP = 20
SIDE = 20
_HEAD = struct.Struct(">16sIBBB24sIQ8sH")
_TIME, _PLACE, _END = 23, 47, 59
_place = struct.Struct(">IQ").pack

HAS_ID, HAS_KEY = 1, 2
PLAIN, CONTEXT, SYSTEM = range(3)
PRIMARY, SECONDARY = 0, 1

BEFORE, KEY_STAGE, ID_STAGE, TEXT_STAGE = range(-1, 3)

_CALLS = ("tool_use", "tool_result")
_DAY = 86_400_000
_NONE = bytes(16)
_NO_SESSION = bytes(8)


def row_keys(rows: list[tuple[Any, ...]], source: int) -> list[bytes]:
    """The places of rows in the time order: 24 bytes of time, 4 of source, 8 of `seq`."""
    return [(row[0].encode() or UNDATED) + _place(source, row[23]) for row in rows]


def row_places(rows: list[tuple[Any, ...]], source: int) -> list[bytes]:
    """The places of rows in the order by file: 4 bytes of source, 8 of `seq`."""
    return [_place(source, row[23]) for row in rows]


def key_of(item: bytes) -> bytes:
    """The place in the time order of the row that an item stands for."""
    return item[_TIME:_END]


def place_of(item: bytes) -> bytes:
    """The place in the order by file of the row that an item stands for."""
    return item[_PLACE:_END]


def source_of(item: bytes) -> int:
    return _HEAD.unpack_from(item)[6]


def seq_of(item: bytes) -> int:
    return _HEAD.unpack_from(item)[7]


def kind_of(item: bytes) -> int:
    return item[21]


def rule_of(item: bytes) -> int:
    return _HEAD.unpack_from(item)[9]


def pack(row: tuple[Any, ...], side: int, source: int, scope: int, rule: int) -> bytes:
    """The item of a row, ready for the text stage. `scope` numbers what two rows must have in common beside their
    content (a home, a file), `rule` is the caller's."""
    turn, text, session = row[7], row[11], row[4]
    marks, kind = 0, PLAIN
    exact = call = key = _NONE
    if turn == "system":
        kind = CONTEXT if row[14] == "context" else SYSTEM
        same, exact = _digest("user", unlabelled(text)), _digest(row[0], session, text)
    else:
        same = _digest(turn, text)
        if row[10] and turn in _CALLS:
            marks, call = HAS_ID, _digest(turn, row[10])
    if row[22]:
        marks, key = marks | HAS_KEY, _digest(turn, row[22])
    own = hashlib.blake2b(session.encode("utf-8", "surrogatepass"), digest_size=8).digest() if session else _NO_SESSION
    head = _HEAD.pack(same, scope, side, kind, marks, row[0].encode() or UNDATED, source, row[23], own, rule)
    return head + (same + call + key + exact if marks or kind else b"")


def staged(item: bytes, after: int, marks: int) -> tuple[int, bytes]:
    """The first stage later than `after` in which an item can pair by one of `marks`; the item as it sorts there."""
    mine = item[22] & marks
    same, call, key = (item[_HEAD.size + 16 * n : _HEAD.size + 16 * n + 16] for n in range(3))
    if after < KEY_STAGE and mine & HAS_KEY:
        return KEY_STAGE, key + item[16:]
    if after < ID_STAGE and mine & HAS_ID:
        return ID_STAGE, call + item[16:]
    return TEXT_STAGE, (same or item[:16]) + item[16:]


def moved(item: bytes, side: int, scope: int) -> bytes:
    """An item of the text stage for another pool."""
    return item[:16] + struct.pack(">IB", scope, side) + item[21:]


def exact_of(item: bytes) -> bytes:
    """What a system row shares with its exact copies."""
    return item[_HEAD.size + 48 :]


def point(item: bytes, marks: int) -> Point:
    """The item for matching; `marks` are those that forbid a pair when both sides bear them."""
    _, _, _, kind, mine, time, source, seq, session, _ = _HEAD.unpack_from(item)
    return Point(
        time=None if time == UNDATED else milliseconds(time.decode()),
        late=int(kind != PLAIN),
        source=source,
        seq=seq,
        session=b"" if session == _NO_SESSION else session,
        marks=mine & marks,
    )


def unlabelled(text: str) -> str:
    """The text of a context row after its label: `slash command: x`, `context: kind: x`."""
    label, _, rest = text.partition(": ")
    if label == "context":
        rest = rest.partition(": ")[2] or rest
    return rest


def milliseconds(time: str) -> int:
    """Milliseconds since 1970 of a row's time."""
    minutes = int(time[11:13]) * 60 + int(time[14:16])
    return _day(time[:10]) + minutes * 60_000 + int(time[17:19]) * 1000 + int(time[20:23])


@lru_cache(maxsize=4096)
def _day(text: str) -> int:
    return (date.fromisoformat(text).toordinal() - 719_163) * _DAY


def _digest(*parts: str) -> bytes:
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).digest()
