"""The run of one unit: its state, the record at work, and the rows that it has written.

Decisions that both back ends share:
- `seq` numbers the rows of a source from 1 in the order in which they are written, each number once. Each unit that is
  walked first sets one number aside, which the first `session_start` written in its `end` takes: 0 in the first unit.
- a tool result without a name takes the name of the last call with its id that the unit has written before it;
- a row whose event needs text (`TEXT_REQUIRED`) and has none once it is trimmed is not written: it moves neither `seq`
  nor the unit's last time;
- `source_line` is an integer, an integer in text, or a float without a fraction, below 2**63; anything else is 0;
- an empty `source_file` falls back to the record's file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.lang import text, times
from engine.lang.plan import Plan
from engine.lang.times import Stamp
from engine.read.sources import Source
from engine.read.units import Record, Unit
from engine.rows import DEFAULT_EVENT, TEXT_REQUIRED
from engine.run import notes
from engine.run.ledger import Fate, StoreCount
from engine.run.scope import Scope
from engine.run.values import column_text

#: column → what computes it, and the scope that declares it
Columns = dict[str, tuple[Callable[[Scope], Any], Scope]]

_LINES = 2**63


def line_number(value: Any) -> int:
    """A `source_line` from a column's value."""
    if type(value) is int:
        return value if -_LINES <= value < _LINES else 0
    if type(value) is str and len(value) < 20 and value.lstrip("-").isdecimal() and value.isascii():
        value = int(value)
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -_LINES <= value < _LINES else 0


class Output:
    """The rows of a source that wait to be taken, the number of the next one, and the notes on the file so far."""

    __slots__ = ("rows", "said", "seq")

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self.said: set[str] = set()
        self.seq = 0

    def take(self) -> list[tuple[Any, ...]]:
        taken, self.rows = self.rows, []
        return taken

    def number(self) -> int:
        """Sets a number aside."""
        number = self.seq
        self.seq += 1
        return number


class UnitRun:
    """What changes while one unit is walked."""

    def __init__(self, plan: Plan, source: Source, unit: Unit, count: StoreCount, out: Output, quote: int):
        self.plan, self.source, self.unit, self.store, self.role = plan, source, unit, unit.store, unit.role
        self.count, self.out, self.quote = count, out, quote
        self.head: int | None = out.number()
        self.state: dict[str, Any] = {}
        self.hooks: dict[str, dict[str, Any]] = {}
        self.calls: dict[str, str] = {}
        self.previous: Stamp | None = None
        self._records: list[Record] | None = None
        self.fate = Fate()
        self.ending = False
        self.record: Any = None
        self.line = 0
        self.file = source.source_file

    def rule(self, step: str) -> str:
        return f"{self.plan.agent}/{self.store.name}/{step}"

    def emit(
        self, columns: Columns, *, turn: str, event: str, step: str, role: str | None = None, basis: str | None = None
    ) -> None:
        """Writes the row of a step, unless it needs text and has none."""
        kind = event or DEFAULT_EVENT.get(turn, "")
        said = text.trim(_cell(columns, "text"))
        if not said and kind in TEXT_REQUIRED:
            self.fate.empty = self.fate.empty or f"no text: {step}"
            return
        self._write(columns, said, turn or "system", kind, self.rule(step), role or self.role, basis, timed=True)
        self.fate.wrote = True

    def unknown(self, columns: Columns, kind: Any, rest: Any, step: str) -> None:
        """The note of an unknown record; one without a type is a bad record."""
        if kind is None or kind is False or kind == "":
            self.unparseable(columns, self.line, notes.NO_TYPE, self.record_text(), step)
            return
        self._note(columns, notes.unknown(text.as_text(kind), rest, self.quote), step, timed=True)
        self.fate.unknown = True
        self.count.unknown += 1

    def unparseable(self, columns: Columns, number: Any, reason: str, content: str | bytes, step: str) -> None:
        """The note of a bad record: session, project and line, no time."""
        shown = "" if self.store.keys else content
        self._note(columns, notes.unparseable(number, reason, shown, self.quote), step, timed=False)
        self.fate.bad = True

    def by_itself(self, columns: Columns) -> None:
        """The note of a record that made no row, no note and was not ignored."""
        found = notes.by_itself(self.content())
        if found is None:
            self.unparseable(columns, self.line, notes.NO_RULE, self.record_text(), notes.UNPARSEABLE)
        else:
            self.unknown(columns, *found, notes.UNKNOWN)

    def of_file(self, columns: Columns, reason: str) -> None:
        """The one note of a file that can't be read, or of a folder's record file."""
        self._note(columns, notes.of_file(reason), notes.FILE, timed=False)
        self.fate.bad = True

    def mended(self, columns: Columns, flags: tuple[str, ...]) -> None:
        """A note beside a record that could be read only after it was mended. No fate of its own."""
        self._note(columns, notes.mended(self.line, flags), notes.MENDED, timed=False)

    def good_records(self) -> list[Record]:
        """All good records of the unit, for `each: {name: records}`."""
        if self._records is None:
            self._records = [record for record in self.unit.records() if record.bad is None]
        return self._records

    def record_text(self) -> str:
        return notes.as_json(self.content())

    def content(self) -> Any:
        """The record at work as notes show it."""
        return self.record

    def _note(self, columns: Columns, said: str, step: str, *, timed: bool) -> None:
        kept = ("session_id", "project_path", "source_file", "source_line")
        if not timed:
            columns = {name: columns[name] for name in kept if name in columns}
        self._write(columns, text.trim(said), "system", "note", self.rule(step), self.role, None, timed=timed)
        self.count.notes += 1

    def _write(
        self,
        columns: Columns,
        said: str,
        turn: str,
        event: str,
        rule: str,
        role: str,
        basis: str | None,
        *,
        timed: bool,
    ) -> None:
        stamp = _value(columns, "time") if timed else None
        moment = (times.utc_text(stamp.ms), stamp.basis, stamp.raw) if isinstance(stamp, Stamp) else ("", "", "")
        if isinstance(stamp, Stamp):
            self.previous = stamp
        tool, call = _cell(columns, "tool_name"), _cell(columns, "tool_use_id")
        if turn == "tool_use" and call and tool:
            self.calls[call] = tool
        if turn == "tool_result" and call and not tool:
            tool = self.calls.get(call, "")
        seq = self._place() if self.ending and event == "session_start" else self.out.number()
        base = self.source.base
        self.out.rows.append(
            (
                moment[0], base.host, base.user, self.plan.agent, _cell(columns, "session_id"),
                _cell(columns, "project_path"), _cell(columns, "git_branch"), turn, _cell(columns, "model"), tool, call,
                said, _cell(columns, "source_file") or self.file,
                line_number(_value(columns, "source_line")) if "source_line" in columns else self.line,
                event, _cell(columns, "status"), moment[1], moment[2], role, basis or self.plan.basis, rule,
                _cell(columns, "arguments"), _cell(columns, "pair_key"), seq,
            )
        )  # fmt: skip
        self.count.rows_written += 1

    def _place(self) -> int:
        """The number set aside, the first time."""
        head, self.head = self.head, None
        return self.out.number() if head is None else head


def _value(columns: Columns, name: str) -> Any:
    if name not in columns:
        return None
    compute, scope = columns[name]
    return compute(scope)


def _cell(columns: Columns, name: str) -> str:
    return column_text(_value(columns, name))
