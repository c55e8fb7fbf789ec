"""How far local times are from UTC: what pairs say, and the rows that are moved by it."""

from __future__ import annotations

import pytest

from engine.rows import COLUMNS
from engine.run.clocks import Clock, Clocks, Offset
from engine.run.pairing import Pairing
from tests.run.test_pairing import dropped, pool, row

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
WHERE = ("h", "u", "a")


def clock(*pairs: tuple[int, int]) -> Clock:
    """A clock that was told of (true time, local time)."""
    made = Clock()
    for true, local in pairs:
        made.note(true, local)
    return made


def stamped(at: str, basis: str, raw: str) -> tuple[object, ...]:
    values = dict.fromkeys(COLUMNS, "") | {"timestamp_utc": at, "time_basis": basis, "time_raw": raw}
    return tuple(values.values())


@pytest.mark.parametrize("hours", [-12, -5, 0, 1, 14])
def test_pairs_that_agree_give_the_offset(hours: int) -> None:
    found = clock((0, hours * HOUR + 25), (DAY // 2, DAY // 2 + hours * HOUR)).offsets()
    assert [(offset.seconds, offset.agree, offset.pairs) for offset in found] == [(hours * 3600, 2, 2)]


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [(0, HOUR)],
        [(0, HOUR), (5, 3 * HOUR + 5)],
        [(0, HOUR + 7 * MINUTE), (9, HOUR + 8 * MINUTE)],
        [(0, 15 * HOUR), (9, 15 * HOUR)],
        [(0, 15 * MINUTE), (9, 15 * MINUTE)],
    ],
    ids=["none", "one alone", "no two agree", "far from a quarter", "beyond all zones", "of no zone"],
)
def test_pairs_that_say_nothing_sure_give_no_offset(pairs: list[tuple[int, int]]) -> None:
    assert clock(*pairs).offsets() == ()


def test_a_clock_that_was_put_back_has_an_offset_for_each_of_its_spans() -> None:
    summer = [(n * DAY, n * DAY + 2 * HOUR) for n in range(3)]
    winter = [(n * DAY, n * DAY + HOUR) for n in range(3, 6)]
    found = clock(*summer, *winter).offsets()
    assert found == (Offset(7200, 3, 3, 0, 2), Offset(3600, 3, 3, 3, 5))


def test_zoneless_times_are_moved_by_the_nearest_span_and_no_others() -> None:
    clocks = Clocks({WHERE: (Offset(7200, 2, 2, 0, 2), Offset(3600, 2, 2, 20, 25))})
    rows = [
        stamped("1970-01-01T12:00:00.000Z", "local_as_utc", "1970-01-01T12:00:00"),
        stamped("1970-01-30T12:00:00.000Z", "local_as_utc", "1970-01-30T12:00:00"),
        stamped("1970-01-01T12:00:00.000Z", "approximate", "1970-01-01T12:00:00"),
        stamped("1970-01-01T12:00:00.000Z", "approximate", "1970-01-01T12:00:00Z"),
        stamped("1970-01-01T12:00:00.000Z", "utc", "43200"),
        stamped("", "", ""),
        stamped("0001-01-01T00:30:00.000Z", "local_as_utc", "0001-01-01T00:30:00"),
    ]
    (moved,) = clocks.corrected(WHERE, iter([rows]))
    assert [(r[0][:19], r[16]) for r in moved] == [
        ("1970-01-01T10:00:00", "local_corrected"),
        ("1970-01-30T11:00:00", "local_corrected"),
        ("1970-01-01T10:00:00", "approximate"),
        ("1970-01-01T12:00:00", "approximate"),
        ("1970-01-01T12:00:00", "utc"),
        ("", ""),
        ("0001-01-01T00:30:00", "local_as_utc"),
    ]
    assert [r[17] for r in moved] == [r[17] for r in rows]
    assert list(clocks.corrected(("other", "u", "a"), iter([rows]))) == [rows]


def observed(rows: list[tuple[object, ...]]) -> tuple[Offset, ...]:
    """What a pairing with `clock: local` learns from rows of one file."""
    pairing = Pairing([pool(within=15 * HOUR, clock=True)], lambda item, store: None)
    pairing.begin(0, 0)
    for values in rows:
        pairing.observe(values)
    pairing.end()
    return pairing.clock.offsets()


@pytest.mark.parametrize(
    ("basis", "raw", "seconds"),
    [
        ("local_as_utc", "2026-01-01T10:00:00", [3600]),
        ("approximate", "2026-01-01T10:00:00", [3600]),
        ("approximate", "2026-01-01T10:00:00Z", []),
        ("utc", "1767261600", []),
    ],
)
def test_only_pairs_with_a_local_time_say_something_of_the_clock(basis: str, raw: str, seconds: list[int]) -> None:
    chats = [
        row(at=f"2026-01-01T10:0{n}:00.000Z", text=f"t{n}", time_basis=basis, time_raw=raw, seq=n) for n in range(3)
    ]
    copies = [
        row("copies", at=f"2026-01-01T09:0{n}:00.000Z", text=f"t{n}", time_basis="utc", seq=9 + n) for n in range(3)
    ]
    assert [offset.seconds for offset in observed([*chats, *copies])] == seconds


def test_rows_with_an_equal_key_or_id_pair_by_the_offset_of_the_clock_too() -> None:
    """A host five hours west: three copies of two calls with one id; the first is what was lost."""
    one = {"turn": "tool_use", "tool_use_id": "1", "time_basis": "local_as_utc"}
    chats = [row(at=f"2026-01-01T0{n}:00:00.000Z", seq=n, **one) for n in (6, 7)]
    said = [
        row(at=f"2026-01-01T05:{n}0:00.000Z", text=f"t{n}", time_basis="local_as_utc", seq=20 + n) for n in range(4)
    ]
    copies = [
        row("copies", at=f"2026-01-01T{n}:00:00.000Z", seq=n, **(one | {"time_basis": "utc"})) for n in (10, 11, 12)
    ]
    again = [
        row("copies", at=f"2026-01-01T10:{n}0:00.000Z", text=f"t{n}", time_basis="utc", seq=30 + n) for n in range(4)
    ]
    rows = [(0, r) for r in [*chats, *said, *copies, *again]]
    lost = rows.index((0, copies[0]))
    left_out = dropped([pool(within=15 * HOUR, clock=True)], rows)
    assert lost not in left_out and len(left_out) == 6
