"""The clock of a host: how far its local times are from UTC, as pairs of rows show it.

Where a pairing says `clock: local`, its secondary rows have true times and its primary ones zoneless local times that
are shown as if UTC. Two rows that say the same are then the offset apart, a multiple of a quarter of an hour, and what
passed between the two stamps. Pairs that are farther from such a multiple than a minute have no say.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.lang import times
from engine.lang.functions_values import ZONE_QUARTERS
from engine.run.items import is_local, milliseconds

#: host, user, agent
Where = tuple[str, str, str]
RowTuple = tuple[Any, ...]

_QUARTER = 900_000
_SLACK = 60_000
_DAY = 86_400_000
#: as many pairs must agree
_ENOUGH = 2
_TIME, _BASIS = 0, 16


class Offset(NamedTuple):
    """What pairs say of the local days `first` to `last`, counted from 1970: `seconds` east of UTC, and how many of
    the `pairs` that have a say `agree`."""

    seconds: int
    agree: int
    pairs: int
    first: int
    last: int


class Clock:
    """Takes pairs of times, in milliseconds."""

    def __init__(self) -> None:
        self._days: defaultdict[int, Counter[int]] = defaultdict(Counter)

    def note(self, true: int | None, local: int | None) -> None:
        if true is None or local is None:
            return
        quarters, beyond = divmod(local - true + _SLACK, _QUARTER)
        if beyond <= 2 * _SLACK and quarters in ZONE_QUARTERS:
            self._days[local // _DAY][quarters] += 1

    def offsets(self) -> tuple[Offset, ...]:
        """The offsets by days, in order: of each day what more than half of its pairs agree on; days that follow each
        other and say the same are one. What less than two pairs say is left out."""
        found: list[Offset] = []
        for day, seen in sorted(self._days.items()):
            quarters, agree = max(seen.items(), key=lambda item: item[1])
            one = Offset(quarters * 900, agree, seen.total(), day, day)
            if 2 * agree <= one.pairs:
                continue
            last = found[-1] if found else None
            if last is not None and last.seconds == one.seconds:
                found[-1] = Offset(one.seconds, last.agree + agree, last.pairs + one.pairs, last.first, day)
            else:
                found.append(one)
        return tuple(offset for offset in found if offset.agree >= _ENOUGH)


class Clocks:
    """The clocks of a run. `known`, where given, corrects the rows: by the offset of the nearest day that has one."""

    def __init__(self, known: Mapping[Where, tuple[Offset, ...]] | None = None):
        self.known = known
        self.found: dict[Where, tuple[Offset, ...]] = {}

    def note(self, where: Where, clock: Clock) -> None:
        if offsets := clock.offsets():
            self.found[where] = offsets

    def corrected(self, where: Where, made: Iterator[list[RowTuple]]) -> Iterator[list[RowTuple]]:
        """The rows, zoneless local times moved to UTC where the clock is known."""
        offsets = (self.known or {}).get(where)
        return made if offsets is None else ([_moved(row, offsets) for row in rows] for rows in made)


def _moved(row: RowTuple, offsets: tuple[Offset, ...]) -> RowTuple:
    if not is_local(row):
        return row
    local = milliseconds(row[_TIME])
    day = local // _DAY
    nearest = min(offsets, key=lambda offset: max(offset.first - day, day - offset.last, 0))
    moved = times.parse(local - nearest.seconds * 1000, "ms")
    if moved is None:
        return row
    basis = "local_corrected" if row[_BASIS] == "local_as_utc" else row[_BASIS]
    return (moved.utc, *row[1:_BASIS], basis, *row[_BASIS + 1 :])
