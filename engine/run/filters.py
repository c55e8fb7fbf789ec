"""Which rows of a run are written. Pairing sees all rows; a row that is left out reaches neither counts nor sink."""

from __future__ import annotations

import marshal
import re
from collections.abc import Iterator, Sequence
from fnmatch import translate
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import Struct

from engine.errors import UsageError
from engine.rows import COLUMNS
from engine.run.order import Sorter

RowTuple = tuple[Any, ...]

OUT, IN, COMPANION = range(3)

_TIME, _SESSION, _PROJECT, _TURN, _CALL, _EVENT = (
    COLUMNS.index(name) for name in ("timestamp_utc", "session_id", "project_path", "turn_type", "tool_use_id", "event")
)
#: columns that `match` looks into
_SAID = tuple(COLUMNS.index(name) for name in ("text", "tool_name", "arguments"))
_PAIRED = ("tool_use", "tool_result")
_DIGEST = 8
_64 = 2**64 - 1


class Window(NamedTuple):
    """What `since` and `until` leave: times as in rows, empty where there is no bound."""

    since: str = ""
    until: str = ""

    def __str__(self) -> str:
        return f"{self.since or 'the beginning'} to {self.until or 'the end'}"


class Filters(Struct, frozen=True, dict=True):
    """What a row must be to be written: each condition that is given holds.

    window        its time; an undated row only with `undated`
    sessions      its session; `*` and `?` stand for anything
    projects      its project is one of these directories, or lies below one
    turns, events what it is
    thinking      whether it may be a thinking row
    match         what its text, arguments or tool's name hold; a call or result also when its partner does
    """

    window: Window = Window()
    undated: bool = False
    sessions: Sequence[str] = ()
    projects: Sequence[str] = ()
    turns: Sequence[str] = ()
    events: Sequence[str] = ()
    thinking: bool = True
    match: re.Pattern[str] | None = None

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return re.compile("|".join(map(translate, self.sessions)))

    @cached_property
    def _below(self) -> tuple[str, ...]:
        return tuple(path.rstrip("/\\") for path in self.projects)

    def __bool__(self) -> bool:
        return self != _ALL

    def chosen(self, rows: list[RowTuple]) -> list[int]:
        """OUT or IN for each row; COMPANION for a call or result that is in when its partner matches."""
        return [self._fate(row) for row in rows]

    def _fate(self, row: RowTuple) -> int:
        if not self._holds(row):
            return OUT
        if self.match is None or any(self.match.search(row[at]) for at in _SAID):
            return IN
        return COMPANION if row[_CALL] and row[_TURN] in _PAIRED else OUT

    def _holds(self, row: RowTuple) -> bool:
        time, (since, until) = row[_TIME], self.window
        if since or until:
            inside = (not since or time >= since) and (not until or time <= until)
            if not (inside if time else self.undated):
                return False
        return (
            (not self.turns or row[_TURN] in self.turns)
            and (not self.events or row[_EVENT] in self.events)
            and (self.thinking or row[_TURN] != "thinking")
            and (not self.sessions or self._names.match(row[_SESSION]) is not None)
            and (not self.projects or self._lies(row[_PROJECT]))
        )

    def _lies(self, project: str) -> bool:
        below = (path for path in self._below if project)
        return any(project == path or project.startswith((f"{path}/", f"{path}\\")) for path in below)

    def as_dict(self) -> dict[str, Any]:
        """The conditions that are given, as `run.json` shows them."""
        said = {
            "since": self.window.since,
            "until": self.window.until,
            "keep_undated": self.undated,
            "session": list(self.sessions),
            "project": list(self.projects),
            "turn": list(self.turns),
            "event": list(self.events),
            "no_thinking": not self.thinking,
            "match": self.match.pattern if self.match else "",
        }
        return {name: value for name, value in said.items() if value}


_ALL = Filters()


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression as Python's. Raises UsageError."""
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"--match {text}: {error}") from None


class Companions:
    """Calls and results that wait to hear whether their partner matches; beyond a bound they wait on disk.

    `waits` and `matched` in any order, then `found`. A partner has the same host, user, agent, session and call id.
    """

    def __init__(self) -> None:
        self._items = Sorter()

    def matched(self, row: RowTuple) -> None:
        if row[_CALL]:
            self._items.add(_digest(row) + b"\0")

    def waits(self, row: RowTuple, held: tuple[Any, ...]) -> None:
        """`held` is given back if the partner matches; it can be marshalled."""
        self._items.add(_digest(row) + b"\1" + marshal.dumps(held))

    def found(self) -> Iterator[tuple[Any, ...]]:
        """What was held of each row whose partner matches; then nothing waits any more."""
        wanted = b""
        for chunk in self._items.chunks():
            for item in chunk:
                if item[_DIGEST] == 0:
                    wanted = item[:_DIGEST]
                elif item[:_DIGEST] == wanted:
                    yield marshal.loads(item[_DIGEST + 1 :])
        self.clear()

    def clear(self) -> None:
        self._items.clear()


def _digest(row: RowTuple) -> bytes:
    return (hash((row[1], row[2], row[3], row[_SESSION], row[_CALL])) & _64).to_bytes(_DIGEST, "big")
