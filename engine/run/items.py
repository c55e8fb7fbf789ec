"""A row as pairing keeps it: digests, places and a time, packed into bytes that sort by what must be equal.

Digests are Python's own hashes of strings, 64 bits under a key that is drawn for this process: a text's is computed
once, several times faster than any other here, and nobody can aim at a collision.
"""

from __future__ import annotations

import struct
from datetime import date
from functools import lru_cache
from typing import Any

from engine.lang import times
from engine.run.matching import Point

#: the time of an undated row in keys; sorts after every time
UNDATED = b"~" * 24

#: what must be equal to pair in a stage, in a packed item: the stage's digest, the scope
GROUP = 12
SIDE, KIND, MARKS = 12, 13, 14
_HEAD = struct.Struct(">QIBBB24sIQQH")
_DIGESTS = struct.Struct(">QQQQ")
_TIME, _PLACE, _END = 15, 39, 51
_place = struct.Struct(">IQ").pack

HAS_ID, HAS_KEY = 1, 2
#: a mark that joins nothing: the time is a zoneless local one
LOCAL = 4
PLAIN, CONTEXT, SYSTEM = range(3)
PRIMARY, SECONDARY = 0, 1

BEFORE, KEY_STAGE, ID_STAGE, TEXT_STAGE = range(-1, 3)

_CALLS = ("tool_use", "tool_result")
_DAY = 86_400_000
_64 = 2**64 - 1


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


def rule_of(item: bytes) -> int:
    return _HEAD.unpack_from(item)[9]


def is_local(row: tuple[Any, ...]) -> bool:
    """Whether a row's time is a zoneless local one that is shown as if UTC, also where it stands in for another."""
    return row[16] == "local_as_utc" or (row[16] == "approximate" and _zoneless(row[17]))


@lru_cache(maxsize=4096)
def _zoneless(raw: str) -> bool:
    stamp = times.parse(raw, "iso")
    return stamp is not None and stamp.basis == "local_as_utc"


def pack(row: tuple[Any, ...], side: int, source: int, scope: int, rule: int) -> bytes:
    """The item of a row, ready for the text stage. `scope` numbers what two rows must have in common beside their
    content (a home, a file), `rule` is the caller's."""
    turn, text, session = row[7], row[11], row[4]
    marks, kind, tail = 0, PLAIN, b""
    if turn == "system":
        kind = CONTEXT if row[14] == "context" else SYSTEM
        same = hash(("user", unlabelled(text))) & _64
    else:
        same = hash((turn, text)) & _64
        if row[10] and turn in _CALLS:
            marks = HAS_ID
    if row[22]:
        marks |= HAS_KEY
    if is_local(row):
        marks |= LOCAL
    if kind or marks not in (0, LOCAL):
        call, key, exact = hash((turn, row[10])), hash((turn, row[22])), hash((row[0], session, text))
        tail = _DIGESTS.pack(same, call & _64, key & _64, exact & _64)
    time = row[0].encode() or UNDATED
    own = hash(session) & _64 if session else 0
    return _HEAD.pack(same, scope, side, kind, marks, time, source, row[23], own, rule) + tail


def staged(item: bytes, after: int, marks: int) -> tuple[int, bytes]:
    """The first stage later than `after` in which an item can pair by one of `marks`; the item as it sorts there."""
    mine = item[MARKS] & marks
    if after < KEY_STAGE and mine & HAS_KEY:
        return KEY_STAGE, item[_HEAD.size + 16 : _HEAD.size + 24] + item[8:]
    if after < ID_STAGE and mine & HAS_ID:
        return ID_STAGE, item[_HEAD.size + 8 : _HEAD.size + 16] + item[8:]
    return TEXT_STAGE, (item[_HEAD.size : _HEAD.size + 8] or item[:8]) + item[8:]


def moved(item: bytes, side: int, scope: int) -> bytes:
    """An item of the text stage for another pool."""
    return item[:8] + struct.pack(">IB", scope, side) + item[KIND:]


def exact_of(item: bytes) -> bytes:
    """What a system row shares with its exact copies."""
    return item[-8:]


def point(item: bytes, marks: int) -> Point:
    """The item for matching; `marks` are those that forbid a pair when both sides bear them."""
    _, _, _, kind, mine, time, source, seq, session, _ = _HEAD.unpack_from(item)
    return Point(
        time=None if time == UNDATED else milliseconds(time.decode()),
        late=int(kind != PLAIN),
        source=source,
        seq=seq,
        session=session,
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
