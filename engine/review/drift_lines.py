"""Where lines of an old text are in a new one. Line numbers are 1-based, both ends included."""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

from engine.review.cites_sources import Lines

SAME, MOVED, CHANGED, GONE = "same", "moved", "changed", "gone"

_SIMILAR = 0.5
#: how many lines are compared with one that has changed, to find where it went
_NEAR = 200
_TELLING = re.compile(r"\w.*\w.*\w.*\w")
_HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


class Found(NamedTuple):
    """What became of lines. `first` and `last` are where they are now, or what stands in their place (0 when gone).
    `sure` is false when several places fit."""

    status: str
    first: int = 0
    last: int = 0
    sure: bool = True


class Pair:
    """An old and a new text of one file. The lines that both have in one order are found once."""

    def __init__(self, old: Lines, new: Lines):
        self.old, self.new = old, new
        self._at = _aligned(old, new)
        self._from = {place: number for number, place in enumerate(self._at) if place is not None}

    @property
    def kept(self) -> int:
        """How many old lines are still there."""
        return len(self._from)

    def find(self, first: int, last: int) -> Found:
        """What became of the lines `first` to `last` of the old text."""
        here = self._at[first - 1 : last]
        if all(place is not None and place == (here[0] or 0) + n for n, place in enumerate(here)):
            start = (here[0] or 0) + 1
            return Found(SAME if start == first else MOVED, start, start + last - first)
        return self._moved(first, last) or self._changed(first, last)

    def _moved(self, first: int, last: int) -> Found | None:
        """The same lines out of order: they stand where nothing telling came from other old lines."""
        block = self.old[first - 1 : last]
        if not any(map(_TELLING.search, block)):
            return None
        own = range(first - 1, last)
        places = [
            start
            for start in occurrences(block, self.new)
            if all(
                self._from.get(start + n, first - 1) in own or not _TELLING.search(line) for n, line in enumerate(block)
            )
        ]
        if not places:
            return None
        start = min(places, key=lambda place: abs(place + 1 - first)) + 1
        return Found(SAME if start == first else MOVED, start, start + last - first, sure=len(places) == 1)

    def _changed(self, first: int, last: int) -> Found:
        """The new lines between what stood before and what stood behind, as far as they resemble the old ones."""
        at = self._at
        inside = [place for place in at[first - 1 : last] if place is not None]
        low = next((place + 1 for place in reversed(at[: first - 1]) if place is not None), 0)
        high = next((place for place in at[last:] if place is not None), len(self.new))
        block = self.old[first - 1 : last]
        start = at[first - 1]
        if start is None:
            # nearest to the lines that are left of it, or to what stood before
            start = self._resembling(block[0], low, inside[0] if inside else high)
        end = at[last - 1]
        if end is None:
            end = self._resembling(block[-1], (inside[-1] + 1) if inside else (low if start is None else start), high)
        if start is None:
            start = inside[0] if inside else None
        if end is None:
            end = inside[-1] if inside else start
        if start is None:
            start = end
        if start is None or end is None:
            return Found(GONE)
        return Found(CHANGED, start + 1, max(start, end) + 1)

    def _resembling(self, line: str, low: int, high: int) -> int | None:
        """The line of a stretch of the new text that is most like `line`, None when none is."""
        best, found = _SIMILAR, None
        matcher = difflib.SequenceMatcher(None, b=line.strip(), autojunk=False)
        for place in range(low, min(high, low + _NEAR)):
            matcher.set_seq1(self.new[place].strip())
            if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best and (now := matcher.ratio()) > best:
                best, found = now, place
        return found


def occurrences(block: Lines, lines: Lines) -> list[int]:
    """The 0-based places where a block of lines stands, as it is."""
    size = len(block)
    return [
        place
        for place in range(len(lines) - size + 1)
        if lines[place] == block[0] and lines[place : place + size] == block
    ]


def is_telling(block: Lines) -> bool:
    """Whether lines say enough to be known again in another file: several words, no brackets only."""
    return sum(len(re.findall(r"\w", line)) for line in block) >= 12


def difference(old: Lines, new: Lines, first_old: int, first_new: int) -> str:
    """A unified diff of two stretches of lines, numbered as in their files; trailing white space is kept."""
    hunks = list(difflib.unified_diff(old, new, lineterm="", n=3))[2:]

    def numbered(match: re.Match[str]) -> str:
        left, right = int(match[1]) + first_old - 1, int(match[3]) + max(first_new, 1) - 1
        return f"@@ -{left}{match[2] or ''} +{right}{match[4] or ''} @@"

    return "\n".join(_HUNK.sub(numbered, line, count=1) if line.startswith("@@") else line for line in hunks)


def _aligned(old: Lines, new: Lines) -> list[int | None]:
    """For each old line the 0-based place of the new line that it is, None when it is none."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    places: list[int | None] = [None] * len(old)
    places[:head] = range(head)
    if tail:
        places[len(old) - tail :] = range(len(new) - tail, len(new))
    middle = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    for start, place, size in middle.get_matching_blocks():
        places[head + start : head + start + size] = range(head + place, head + place + size)
    return places
