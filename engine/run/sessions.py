"""What `sessions.jsonl` and the summary say about rows, gathered while they pass: independent of their order.

A session is one (host, user, agent, session_id). Rows that are notes, or that belong to no session, are in none. What
is known of sessions is packed and sorted aside from time to time, so memory holds the latest ones only.
"""

from __future__ import annotations

import hashlib
import marshal
import struct
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from engine.run.order import Sorter, in_groups

#: sorts after every time
UNDATED = "~"
_NEVER: tuple[Any, ...] = (UNDATED * 2,)
_DIGEST = 16
_SIZE = struct.Struct(">I")
#: sessions and their files that are held before they are packed
_HELD = 10_000

_time, _session, _kind = itemgetter(0), itemgetter(4), itemgetter(4, 5, 7, 8, 12, 14, 18)

At = tuple[Any, ...]
RowTuple = tuple[Any, ...]
#: how many rows there are of each session, project, turn, model, file, event and role
Kinds = Counter[tuple[str, str, str, str, str, str, str]]


def kinds_of(rows: list[RowTuple]) -> Kinds:
    """Rows counted by all that totals and sessions ask for, at once."""
    return Counter(map(_kind, rows))


class Session(NamedTuple):
    """One line of `sessions.jsonl`. Times are as in rows, empty when no row of the session has one; `source_file` is
    the file with most rows, `project_path` the first that is not empty, `models` in the order of their first rows."""

    host: str
    user: str
    agent: str
    session_id: str
    project_path: str
    first_timestamp_utc: str
    last_timestamp_utc: str
    models: list[str]
    user_turns: int
    assistant_turns: int
    tool_calls: int
    source_file: str


class _Part:
    """What is known of one session."""

    __slots__ = ("files", "first", "last", "models", "project", "project_at", "turns")

    def __init__(self) -> None:
        self.first, self.last = UNDATED, ""
        self.project, self.project_at = "", _NEVER
        self.models: dict[str, At] = {}
        self.turns: Counter[str] = Counter()
        self.files: Counter[str] = Counter()

    def add(self, rows: list[RowTuple], source: int, kinds: Kinds) -> None:
        """Takes rows of this session and of one source."""
        times = list(map(_time, rows))
        self.last = max(self.last, max(times))
        first = min(times) or min(filter(None, times), default=UNDATED)
        self.first = min(self.first, first)
        projects, models = set(), set()
        for (_, project, turn, model, file, _, _), n in kinds.items():
            self.turns[turn] += n
            self.files[file] += n
            projects.add(project)
            models.add(model)
        if first <= self.project_at[0] and any(projects):
            found = [((row[0] or UNDATED, source, row[23]), row[5]) for row in rows if row[5]]
            self.project_at, self.project = min([(self.project_at, self.project), *found])
        for model in models:
            at = self.models.get(model, _NEVER)
            if model and first <= at[0]:
                mine = [(row[0] or UNDATED, source, row[23]) for row in rows if row[8] == model]
                self.models[model] = min(at, *mine)

    def pack(self) -> tuple[Any, ...]:
        counts = (self.turns["user"], self.turns["assistant"], self.turns["tool_use"])
        known = (self.first, self.last, self.project_at, self.project)
        return (*known, tuple(self.models.items()), counts, tuple(self.files.items()))


class Sessions:
    """`add` rows in any order; then `records` gives every session, by first time, then by name."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, ...], _Part] = {}
        self._packed = Sorter()
        self._held = 0

    def add(self, rows: list[RowTuple], source: int, kinds: Kinds | None = None) -> None:
        """Takes rows, the columns, `pair_key` and `seq`, of one source; `source` is its number, `kinds` are their kinds
        where they are counted already."""
        kinds = kinds_of(rows) if kinds is None else kinds
        sessions = {kind[0] for kind in kinds}
        if len(sessions) == 1 and not any(kind[5] == "note" for kind in kinds):
            self._add(sessions.pop(), rows, source, kinds)
            return
        for session, some in groupby([row for row in rows if row[14] != "note"], _session):
            mine = list(some)
            self._add(session, mine, source, kinds_of(mine))

    def _add(self, session: str, rows: list[RowTuple], source: int, kinds: Kinds) -> None:
        if not session:
            return
        name = (*rows[0][1:4], session)
        if self._held > _HELD:
            self._pack()
        part = self._parts.get(name)
        if part is None:
            part = self._parts[name] = _Part()
            self._held += 1
        files = len(part.files)
        part.add(rows, source, kinds)
        self._held += len(part.files) - files

    def _pack(self) -> None:
        for name, part in self._parts.items():
            self._packed.add(_digest(name) + marshal.dumps((name, part.pack())))
        self._parts, self._held = {}, 0

    def records(self) -> Iterator[Session]:
        self._pack()
        ordered = Sorter()
        for group in in_groups(self._packed.chunks(), _DIGEST):
            parts = [marshal.loads(record[_DIGEST:]) for record in group]
            session = _join(parts[0][0], [part for _, part in parts])
            key = "\0".join((session.first_timestamp_utc or UNDATED, *session[:4], "")).encode("utf-8", "surrogatepass")
            ordered.add(key + marshal.dumps(tuple(session)) + _SIZE.pack(len(key)))
        for chunk in ordered.chunks():
            for record in chunk:
                yield Session(*marshal.loads(record[_SIZE.unpack(record[-_SIZE.size :])[0] :]))
        ordered.clear()

    def close(self) -> None:
        self._packed.clear()


def _join(name: tuple[str, str, str, str], parts: list[tuple[Any, ...]]) -> Session:
    first = min(part[0] for part in parts)
    models: dict[str, At] = {}
    for part in parts:
        for model, at in part[4]:
            models[model] = min(at, models.get(model, at))
    files: Counter[str] = Counter()
    for part in parts:
        for file, rows in part[6]:
            files[file] += rows
    return Session(
        *name,
        project_path=min((part[2], part[3]) for part in parts)[1],
        first_timestamp_utc="" if first == UNDATED else first,
        last_timestamp_utc=max(part[1] for part in parts),
        models=sorted(models, key=models.__getitem__),
        user_turns=sum(part[5][0] for part in parts),
        assistant_turns=sum(part[5][1] for part in parts),
        tool_calls=sum(part[5][2] for part in parts),
        source_file=min(files.items(), key=lambda item: (-item[1], item[0]))[0],
    )


def _digest(name: tuple[str, ...]) -> bytes:
    return hashlib.blake2b(repr(name).encode(), digest_size=_DIGEST).digest()
