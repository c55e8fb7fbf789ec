"""Pairing: secondary rows that repeat a primary row are left out, the others stay.

Rows are observed as they are written; what is kept of a row is an item of some seventy bytes (`engine.run.items`).
Each pairing of the plan, in its order, goes through three stages: rows with an equal key, calls and results with an
equal id, then equal text. What finds no partner in one stage goes to the next; a secondary row that none takes joins
the later pairings: as a secondary one where it is such, else as one that others may repeat.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator
from itertools import chain, product
from operator import itemgetter
from typing import Any, NamedTuple

from engine.run import items
from engine.run.clocks import Clock
from engine.run.items import (
    GROUP,
    HAS_ID,
    HAS_KEY,
    KIND,
    LOCAL,
    MARKS,
    PLAIN,
    PRIMARY,
    SECONDARY,
    SIDE,
    SYSTEM,
    TEXT_STAGE,
)
from engine.run.matching import fits, match
from engine.run.order import Sorter, in_groups
from engine.run.pools import Pool

RowTuple = tuple[Any, ...]

_QUARTER = 900_000
#: texts with more pairs than this have no say in which offset a clock had
_VOTES = 4096

_part_of = itemgetter(20, 7, 14, 18)


class Pairing:
    """The pairings of one plan over sources of one host and user.

    `dropped` is called with the item of each row that is left out (see `items.key_of`) and its store. `clock` is what
    the pairs said of the host's clock.
    """

    def __init__(self, pools: list[Pool], dropped: Callable[[bytes, str], None]):
        self.clock = Clock()
        self._pools = [_Pooled(pool, self.clock) for pool in pools]
        self._dropped = dropped
        self._local = next((n for n, pool in enumerate(pools) if not pool.local), len(pools))
        self._rules: dict[tuple[str, str], int] = {}
        self._parts: dict[tuple[str, ...], _Part] = {}
        self._homes: dict[int, int] = {}
        self._source = 0

    @property
    def idle(self) -> bool:
        """Whether there is nothing to pair."""
        return not self._pools

    @property
    def local(self) -> bool:
        """Whether nothing is left to be paired once a source has ended."""
        return self._local == len(self._pools)

    def begin(self, source: int, home: int) -> None:
        self._source, self._homes[source] = source, home

    def observe(self, row: RowTuple) -> bool:
        """Takes a row of the current source; true when it may yet be left out."""
        part = self._parts.get(_part_of(row)) or self._part(row)
        if part.placed is not None:
            part.placed.add(self._item(row, SECONDARY, part.placed.pool.local, part.rule))
            return True
        for pools, local in ((part.local, True), (part.home, False)):
            if pools:
                item = self._item(row, PRIMARY, local, part.rule)
                for pooled in pools:
                    pooled.add(item)
        return False

    def _item(self, row: RowTuple, side: int, local: bool, rule: int) -> bytes:
        scope = self._source if local else self._homes[self._source]
        return items.pack(row, side, self._source, scope, rule)

    def end_source(self) -> None:
        self._solve(0, self._local)

    def end(self) -> None:
        self._solve(self._local, len(self._pools))

    def _part(self, row: RowTuple) -> _Part:
        """What rows like this one do: they wait in a pool to be placed, or fill pools where others may repeat them."""
        _, store, step = row[20].split("/", 2)
        rule = self._rules.setdefault((store, step), len(self._rules))
        placed, filled = None, []
        if row[18] == "secondary":
            placed = next((p for p in self._pools if p.pool.places(store, step)), None)
        else:
            filled = [p for p in self._pools if p.pool.holds(store, row[7], row[14])]
        local, home = [p for p in filled if p.pool.local], [p for p in filled if not p.pool.local]
        part = self._parts[_part_of(row)] = _Part(rule, placed, local, home)
        return part

    def _solve(self, start: int, end: int) -> None:
        names = list(self._rules)
        for n in range(start, end):
            pooled = self._pools[n]
            for item, paired in pooled.solve():
                store, step = names[items.rule_of(item)]
                if paired:
                    self._dropped(item, store)
                else:
                    self._hand_on(item, store, step, n + 1)
            pooled.clear()

    def _hand_on(self, item: bytes, store: str, step: str, start: int) -> None:
        source = items.source_of(item)
        for later in self._pools[start:]:
            again = later.pool.places(store, step)
            scope = source if later.pool.local else self._homes[source]
            later.add(items.moved(item, SECONDARY if again else PRIMARY, scope))
            if again:
                return


class _Part(NamedTuple):
    """What the rows of one step, turn, event and role do. `rule` numbers store and step."""

    rule: int
    placed: _Pooled | None
    local: list[_Pooled]
    home: list[_Pooled]


class _Pooled:
    """The items of one pairing, by stage."""

    def __init__(self, pool: Pool, clock: Clock):
        self.pool, self._clock = pool, clock
        self._marks = HAS_ID | (HAS_KEY if pool.key else 0)
        self._stages = [Sorter(), Sorter(), Sorter()]
        self._asked = False

    def add(self, item: bytes) -> None:
        if item[SIDE] == SECONDARY:
            self._asked = True
        if item[MARKS] & (HAS_ID | HAS_KEY):
            self._send(item, items.BEFORE)
        else:
            self._stages[TEXT_STAGE].add(item)

    def clear(self) -> None:
        self._asked = False
        for stage in self._stages:
            stage.clear()

    def solve(self) -> Iterator[tuple[bytes, bool]]:
        """Every secondary item, and whether it was paired."""
        if not self._asked:
            return
        offsets = self._offsets() if self.pool.clock else {}
        for stage in (items.KEY_STAGE, items.ID_STAGE):
            for group in in_groups(self._stages[stage].chunks(), GROUP):
                offset = offsets.get(group[0][8:GROUP], 0)
                left = yield from self._paired(group, within=None, marks=0, offset=offset)
                for item in left:
                    self._send(item, stage)
        for group in in_groups(self._stages[TEXT_STAGE].chunks(), GROUP):
            offset = offsets.get(group[0][8:GROUP], 0)
            left = yield from self._paired(group, within=self.pool.within, marks=self._marks, offset=offset)
            for item in left:
                if item[SIDE] == SECONDARY:
                    yield item, False

    def _send(self, item: bytes, after: int) -> None:
        stage, item = items.staged(item, after, self._marks)
        self._stages[stage].add(item)

    def _paired(
        self, group: list[bytes], *, within: int | None, marks: int, offset: int
    ) -> Generator[tuple[bytes, bool], None, list[bytes]]:
        """Yields the secondaries of a group that find a partner; returns the items that are left."""
        if group[-1][SIDE] == PRIMARY or group[0][SIDE] == SECONDARY:
            return group
        left = set(range(len(group)))
        if within is not None:
            for one, other in _exact(group):
                left -= {one, other}
                yield group[one], True
        secondary = [n for n in left if group[n][SIDE] == SECONDARY and (within is None or _plain(group[n]))]
        primary = [n for n in left if group[n][SIDE] == PRIMARY and (within is None or _comparable(group[n]))]
        points = {n: items.point(group[n], marks) for n in (*secondary, *primary)}
        pairs = match([points[n] for n in secondary], [points[n] for n in primary], within=within, offset=offset)
        for one, other in pairs:
            left -= {secondary[one], primary[other]}
            if self.pool.clock and group[primary[other]][MARKS] & LOCAL > group[secondary[one]][MARKS] & LOCAL:
                self._clock.note(points[secondary[one]].time, points[primary[other]].time)
            yield group[secondary[one]], True
        return [group[n] for n in sorted(left)]

    def _offsets(self) -> dict[bytes, int]:
        """For each scope the offset, in milliseconds, that most candidates agree on; of equals the smallest."""
        votes: dict[bytes, Counter[int]] = defaultdict(Counter)
        for group in chain.from_iterable(in_groups(stage.chunks(), GROUP) for stage in self._stages):
            secondary = [items.point(i, 0) for i in group if i[SIDE] == SECONDARY and _plain(i)]
            primary = [items.point(i, 0) for i in group if i[SIDE] == PRIMARY and _comparable(i)]
            if len(secondary) * len(primary) > _VOTES:
                continue
            for s, p in product(secondary, primary):
                if s.time is not None and p.time is not None and fits(s, p, self.pool.within):
                    votes[group[0][8:GROUP]][round((p.time - s.time) / _QUARTER) * _QUARTER] += 1
        return {scope: min(found, key=lambda o: (-found[o], abs(o), o)) for scope, found in votes.items()}


def _exact(group: list[bytes]) -> Iterator[tuple[int, int]]:
    """System rows that are exact copies, as places of a secondary and its primary; a system row pairs only so."""
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for n, item in enumerate(group):
        if item[KIND] != PLAIN:
            if item[SIDE] == PRIMARY:
                waiting[items.exact_of(item)].append(n)
            elif same := waiting[items.exact_of(item)]:
                yield n, same.pop(0)


def _plain(item: bytes) -> bool:
    return item[KIND] == PLAIN


def _comparable(item: bytes) -> bool:
    """Whether a secondary row of equal text may repeat this primary one."""
    return item[KIND] != SYSTEM
