"""OpenHands: which of two offsets holds at a zoneless stamp, in a conversation that saw the clocks change.

meta.json gives the offset at a conversation's first event and at its last one. Between them lies the change of some
zone that had both; in the hour that comes twice, a stamp that goes back tells the second time.
"""

from __future__ import annotations

import zoneinfo
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from typing import Any

from engine.lang import times

#: milliseconds; stamps of one conversation go back by a few where two writers meet
_BACK = 600_000


def clock(
    *, local: Any, start: Any, end: Any, before: Any, after: Any, state: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yields the offset (seconds) at `local`, a zoneless stamp. `start` and `end` are the UTC stamps of the first and
    the last event, `before` and `after` the offsets there. Nothing when a stamp is none."""
    stamps = [times.parse(text, "iso") for text in (local, start, end)]
    if None in stamps:
        return
    now, first, last = (stamp.ms for stamp in stamps if stamp)
    changed = change(first, last, before, after)
    back = now < state.get("now", now) - _BACK
    sure = changed is not None and now - max(before, after) * 1000 >= changed
    state.update(now=now, changed=state.get("changed", False) or back or sure)
    yield {"offset": after if state["changed"] else before}


@lru_cache(maxsize=256)
def change(start: int, end: int, before: int, after: int) -> int | None:
    """The UTC milliseconds at which most zones that had both offsets went from one to the other; null without one."""
    zones = map(zoneinfo.ZoneInfo, sorted(zoneinfo.available_timezones()))
    found = Counter(moment for zone in zones if (moment := _moment(zone, start, end, before, after)) is not None)
    return min(found, key=lambda moment: (-found[moment], moment), default=None)


def _moment(zone: tzinfo, start: int, end: int, before: int, after: int) -> int | None:
    if _offset(zone, start) != before or _offset(zone, end) != after:
        return None
    while end - start > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if _offset(zone, middle) == before else (start, middle)
    return end


def _offset(zone: tzinfo, moment: int) -> float | None:
    offset = datetime.fromtimestamp(moment / 1000, UTC).astimezone(zone).utcoffset()
    return offset.total_seconds() if offset is not None else None
