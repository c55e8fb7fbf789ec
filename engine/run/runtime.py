"""What generated modules import: the run of a unit, the rules of a module, and helpers for what has no short form.

The meaning of everything here is that of the interpreter (`engine.run.unit`, `engine.run.interpret_unit`); only the
form differs: columns are values, not functions of a scope, and times are `engine.run.moments`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from engine.lang.fastjson import Members
from engine.lang.text import _WHITE as WHITE
from engine.run import hooks
from engine.run.feed import Feed
from engine.run.helpers import NOTHING
from engine.run.ledger import Fate
from engine.run.moments import (
    NO_TIME,
    Moment,
)
from engine.run.unit import line_number

RowTuple = tuple[Any, ...]


class Run(Feed):
    """The run of one unit by generated code."""

    def begin(self) -> bool:
        """Whether the unit has a good record; it is then the record at work."""
        if self.first is None:
            return False
        self.record, self.line, self.seen = self.first.value, self.first.line, self.first_seen
        if self.first.names:
            self.path = {**self.unit.captures, **self.first.names}
        return True

    def end(self) -> bool:
        """Whether the unit had a good record; from here on no record is at work."""
        if self.first is None:
            return False
        self._fresh()
        self.record, self.following, self.ending = None, None, True
        self.line, self.file, self.path = self.unit.rowid or 0, self.source.source_file, self.unit.captures
        return True

    def place(self) -> int:
        """The number of a session's start that is written at the end."""
        return self._place() if self.ending else self.out.number()

    def settle(self, had: int, columns: Callable[[Run, Any], dict[str, Any]]) -> None:
        """Counts the record at work, of which `len(rows) - had` rows were written."""
        self.apart += 1
        fate = self.fate
        if fate.ignored and len(self.rows) == had and not fate.handed:
            ignored = self.count.ignored
            self.count.read += 1
            ignored[fate.ignored] = ignored.get(fate.ignored, 0) + 1
            fate.ignored = fate.empty = None
            self.odd = False
            return
        fate.wrote = len(self.rows) - had > self.noted
        if not fate.settled:
            self.by_itself(columns(self, self.record))
        self.count.settle(fate)
        self._fresh()

    def finish(self) -> None:
        """Counts the records that were not counted one by one."""
        for why, times in self.ignored.items():
            self.count.ignored[why] = self.count.ignored.get(why, 0) + times
        self.count.read += self.walked - self.apart
        self.count.rows += self.walked - self.apart - sum(self.ignored.values())

    def ignore(self, why: str) -> None:
        """The record at work is left alone, for a reason; the first one counts."""
        self.odd = True
        self.fate.ignored = self.fate.ignored or why

    def left_out(self, why: str) -> None:
        """A row was not written because it had no text."""
        self.odd = True
        self.fate.empty = self.fate.empty or why

    def enter(self, element: Any) -> tuple[Any, ...]:
        """An element of the record at work becomes the record that is counted."""
        outer = (self.fate, self.record, self.noted, self.odd, len(self.rows))
        self.fate = self.spare.pop() if self.spare else Fate()
        if not self.inner:
            self.root = self.record
        self.inner += 1
        self.record, self.noted, self.odd = element, 0, False
        return outer

    def leave(self, outer: tuple[Any, ...], columns: Callable[[], dict[str, Any]]) -> None:
        """Counts the element, and goes back to the record around it."""
        fate = self.fate
        if len(self.rows) > outer[4] and not self.odd:
            self.count.read += 1
            self.count.rows += 1
            self.spare.append(fate)
        else:
            fate.wrote = len(self.rows) - outer[4] > self.noted
            if not fate.settled:
                self.by_itself(columns())
            self.count.settle(fate)
        self.fate, self.record, self.noted, self.odd, _ = outer
        self.inner -= 1

    def hand(self) -> None:
        """The elements of the record at work were counted in its place."""
        self.fate.handed = self.odd = True

    def _note(self, columns: Any, said: str, step: str, *, timed: bool) -> None:
        moment: Moment | None = columns.get("time") if timed else None
        if moment is not None:
            self.previous = moment
        utc, basis, raw = moment or NO_TIME
        more = columns if timed else NOTHING
        self.rows.append(
            (
                utc, self.host, self.user, self.plan.agent, columns.get("session_id", ""),
                columns.get("project_path", ""), more.get("git_branch", ""), "system", more.get("model", ""),
                more.get("tool_name", ""), more.get("tool_use_id", ""), said.strip(WHITE),
                columns.get("source_file") or self.file,
                line_number(columns["source_line"]) if "source_line" in columns else self.line,
                "note", more.get("status", ""), basis, raw, self.role, self.plan.basis, self.rules + step,
                more.get("arguments", ""), more.get("pair_key", ""), self.number(),
            )
        )  # fmt: skip
        self.odd = True
        self.noted += 1
        self.count.notes += 1

    def hook(self, name: str, inputs: dict[str, Any]) -> Iterator[Any]:
        """The values of a hook."""
        spec, called = self.hooked[name]
        return hooks.values(spec, called, inputs, self.hooks.setdefault(name, {}))


class Walk(NamedTuple):
    """A walk of a module.

    rows     walks a unit
    columns  the columns of rows that no step writes
    placed   whether places of records are asked for
    members  what is read of the objects of line files; None for all of it
    """

    rows: Callable[[Run], Iterator[list[RowTuple]]]
    columns: Callable[[Run, Any], dict[str, Any]]
    placed: bool = False
    members: Members | None = None
