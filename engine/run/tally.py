"""Counts of the rows that are written, in any order, and their sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from operator import itemgetter
from typing import Any, NamedTuple

from engine.rows import TURN_TYPES
from engine.run.notes import FILE
from engine.run.sessions import Sessions, kinds_of

RowTuple = tuple[Any, ...]

_FILE = f"/{FILE}"
_time = itemgetter(0)
#: files that could not be read and are named in the summary
_NAMED = 20


class Kind(NamedTuple):
    """What totals are told by."""

    agent: str
    turn: str
    event: str
    role: str


class Tally:
    """Totals of a run. `add` takes each row that is written once, some rows of one source at a time."""

    def __init__(self) -> None:
        self.sessions = Sessions()
        self.unreadable = 0
        self.unreadable_texts: list[str] = []
        self._undated = 0
        self._counts: Counter[tuple[str, ...]] = Counter()

    def add(self, rows: list[RowTuple], source: int) -> None:
        if not rows:
            return
        kinds = kinds_of(rows)
        agent = rows[0][3]
        for (_, _, turn, _, _, event, role), n in kinds.items():
            self._counts[agent, turn, event, role] += n
        self._undated += list(map(_time, rows)).count("")
        self.sessions.add(rows, source, kinds)
        if any(kind[5] == "note" for kind in kinds):
            self._unreadable(rows)

    def _unreadable(self, rows: list[RowTuple]) -> None:
        for row in rows:
            if row[14] == "note" and row[20].endswith(_FILE):
                self.unreadable += 1
                if self.unreadable <= _NAMED:
                    self.unreadable_texts.append(f"{row[12]}: {row[11]}")

    def count(self, holds: Callable[[Kind], bool] = lambda kind: True) -> int:
        """Rows of the kinds that `holds` is true for."""
        return sum(n for key, n in self._counts.items() if holds(Kind(*key)))

    @property
    def spoke(self) -> bool:
        """Whether a row that is no note was written."""
        return self.count(lambda kind: kind.event != "note") > 0

    def totals(self) -> dict[str, Any]:
        """Plain numbers: rows, those of each agent, and of each turn type without notes; notes and others apart."""
        agents = sorted({key[0] for key in self._counts})
        turns = {t: self.count(lambda kind, t=t: kind.turn == t and kind.event != "note") for t in TURN_TYPES}  # type: ignore[misc]
        return {
            "rows": self.count(),
            "agents": {a: self.count(lambda kind, a=a: kind.agent == a) for a in agents},  # type: ignore[misc]
            "turns": {turn: n for turn, n in turns.items() if n},
            "notes": self.count(lambda kind: kind.event == "note"),
            "secondary": self.count(lambda kind: kind.role == "secondary"),
            "undated": self._undated,
            "unreadable_files": self.unreadable,
        }

    def close(self) -> None:
        self.sessions.close()
