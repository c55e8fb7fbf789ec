"""One to one matching of points in time, nearest first: what pairing does with the rows that say the same.

Of all pairs that fit, the nearest is taken, its two points leave, and so on. Equally near: the secondary point that
comes first, then the primary point that comes first. A pair with an undated point is farther than any dated one.
`match` gives just that without looking at all pairs: a heap holds each secondary's nearest candidate that is left.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

_FAR = float("inf")


class Point(NamedTuple):
    """A row as matching sees it.

    time      milliseconds, None when undated
    late      0, or 1 for a primary that yields to the others when equally near
    source, seq   its place in the run
    session   digest of the session, 0 when it has none; two that have one must agree
    marks     bits of the marks it bears (an id, a key); two that bear the same mark do not match here
    """

    time: int | None
    late: int
    source: int
    seq: int
    session: int = 0
    marks: int = 0

    def place(self) -> tuple[float, int, int]:
        return (_FAR if self.time is None else self.time, self.source, self.seq)

    def rank(self) -> tuple[int, float, int, int]:
        return (self.late, *self.place())


def fits(secondary: Point, primary: Point, within: int | None) -> bool:
    """Whether the two may pair. `within` is in milliseconds; None is any time apart."""
    if secondary.session and primary.session and secondary.session != primary.session:
        return False
    if secondary.marks & primary.marks:
        return False
    if within is None or secondary.time is None or primary.time is None:
        return True
    return abs(primary.time - secondary.time) <= within


def match(
    secondary: list[Point], primary: list[Point], *, within: int | None, offset: int = 0
) -> list[tuple[int, int]]:
    """Pairs as (place in `secondary`, place in `primary`). `offset` milliseconds are added to the secondary times
    before nearness is judged; `within` holds for the times as they are."""
    if len(secondary) == 1 and len(primary) == 1:
        return [(0, 0)] if fits(secondary[0], primary[0], within) else []
    return _Matching(secondary, primary, within, offset).run()


class _Line:
    """Primaries that some secondaries may take, by time; those that are taken are skipped in almost constant time."""

    def __init__(self, primary: list[Point], members: list[int], taken: bytearray):
        self._taken = taken
        self._ranked = sorted(members, key=lambda i: primary[i].rank(), reverse=True)
        self._undated = [i for i in self._ranked if primary[i].time is None]
        at: dict[int, list[int]] = defaultdict(list)
        for i in self._ranked:
            if (time := primary[i].time) is not None:
                at[time].append(i)
        self._times = sorted(at)
        self._queues = [at[time] for time in self._times]
        self._left = list(range(len(self._times) + 1))
        self._right = list(range(len(self._times) + 1))

    def before(self, time: int) -> int | None:
        """The first primary that is left at the latest time up to `time`."""
        slot = _find(self._left, bisect_right(self._times, time))
        while slot:
            if (i := self._top(self._queues[slot - 1])) is not None:
                return i
            self._left[slot] = slot - 1
            slot = _find(self._left, slot)
        return None

    def after(self, time: int) -> int | None:
        """The first primary that is left at the earliest time from `time` on."""
        slot = _find(self._right, bisect_left(self._times, time))
        while slot < len(self._times):
            if (i := self._top(self._queues[slot])) is not None:
                return i
            self._right[slot] = slot + 1
            slot = _find(self._right, slot)
        return None

    def first(self, undated: bool) -> int | None:
        """The first primary that is left, of all or of the undated ones."""
        return self._top(self._undated if undated else self._ranked)

    def _top(self, stack: list[int]) -> int | None:
        while stack and self._taken[stack[-1]]:
            stack.pop()
        return stack[-1] if stack else None


def _find(links: list[int], slot: int) -> int:
    """The end of a chain of links, which gets shorter on the way."""
    while links[slot] != slot:
        links[slot] = links[links[slot]]
        slot = links[slot]
    return slot


class _Matching:
    """One run of `match`. Secondaries of equal time, session and marks queue: only the first of them is in the heap."""

    def __init__(self, secondary: list[Point], primary: list[Point], within: int | None, offset: int):
        self._secondary, self._primary = secondary, primary
        self._within, self._offset = within, offset
        self._taken = bytearray(len(primary))
        members: dict[tuple[int | None, int], list[int]] = defaultdict(list)
        for i, point in enumerate(primary):
            members[point.session, point.marks].append(i)
            members[None, point.marks].append(i)
        self._lines = {key: _Line(primary, line, self._taken) for key, line in members.items()}
        self._pairs: list[tuple[int, int]] = []

    def run(self) -> list[tuple[int, int]]:
        order = sorted(range(len(self._secondary)), key=lambda i: self._secondary[i].place())
        left = self._dated(order)
        for i in order:
            if i in left:
                self._take(i, self._undated_candidate(self._secondary[i]))
        return self._pairs

    def _dated(self, order: list[int]) -> set[int]:
        """Matches dated points; gives the secondaries that are left."""
        left = set(order)
        queues: dict[tuple[int, int, int], list[int]] = defaultdict(list)
        for i in reversed(order):
            point = self._secondary[i]
            if point.time is not None:
                queues[point.time, point.session, point.marks].append(i)
        heap = [entry for queue in queues.values() if (entry := self._entry(queue))]
        heapify(heap)
        while heap:
            *_, queue, candidate = heappop(heap)
            if not self._taken[candidate]:
                left.discard(queue[-1])
                self._take(queue.pop(), candidate)
            if queue and (entry := self._entry(queue)):
                heappush(heap, entry)
        return left

    def _entry(self, queue: list[int]) -> tuple[Any, ...] | None:
        """Distance, the secondary's place and the candidate's rank, which are never equal twice; queue, candidate."""
        secondary = self._secondary[queue[-1]]
        best = self._nearest(secondary)
        return (best[0], secondary.place(), best[1], queue, best[2]) if best else None

    def _nearest(self, point: Point) -> tuple[int, tuple[int, float, int, int], int] | None:
        assert point.time is not None
        time, reach = point.time, self._within
        middle = time + self._offset
        found = []
        for line in self._fitting(point):
            for i in (
                line.before(middle if reach is None else min(middle, time + reach)),
                line.after(middle if reach is None else max(middle, time - reach)),
            ):
                if i is None:
                    continue
                at = self._primary[i].time
                assert at is not None
                if reach is None or abs(at - time) <= reach:
                    found.append((abs(at - middle), self._primary[i].rank(), i))
        return min(found, default=None)

    def _undated_candidate(self, point: Point) -> int | None:
        firsts = (line.first(undated=point.time is not None) for line in self._fitting(point))
        return min((i for i in firsts if i is not None), key=lambda i: self._primary[i].rank(), default=None)

    def _fitting(self, point: Point) -> list[_Line]:
        sessions = (point.session, 0) if point.session else (None,)
        keys = ((session, marks) for session in sessions for marks in range(4) if not marks & point.marks)
        return [self._lines[key] for key in keys if key in self._lines]

    def _take(self, secondary: int, primary: int | None) -> None:
        if primary is not None:
            self._taken[primary] = 1
            self._pairs.append((secondary, primary))
