"""What generated modules import: the run of a unit, the rules of a module, and helpers for what has no short form.

The meaning of everything here is that of the interpreter (`engine.run.unit`, `engine.run.interpret_unit`); only the
form differs: columns are values, not functions of a scope, and times are `engine.run.moments`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any

from engine.errors import BadFile, BadUnit
from engine.lang import functions_jmespath, functions_json, functions_objects
from engine.lang.fastjson import REFUSED, decode_any
from engine.lang.jsontext import NESTING
from engine.lang.text import _WHITE as WHITE
from engine.lang.values import is_empty, ordered, truthy
from engine.read.blocks import Irregular
from engine.read.units import Record, Unit
from engine.run import hooks, notes
from engine.run.interpret_unit import with_next
from engine.run.ledger import Fate
from engine.run.moments import (
    NO_TIME,
    Moment,
    earliest,
    iso,
    iso_local,
    moment_of,
    stamp_of,
    timed,
    with_basis,
)
from engine.run.unit import Output, UnitRun, line_number
from engine.run.unit_scope import UnitScope, file_names
from engine.run.values import column_text

__all__ = [
    "NOTHING",
    "NO_TIME",
    "WHITE",
    "RowTuple",
    "Run",
    "Walk",
    "at_least",
    "at_most",
    "cell",
    "collect",
    "contains",
    "earliest",
    "element",
    "first_of",
    "flat",
    "iso",
    "iso_local",
    "json",
    "label_of",
    "less",
    "maybe_json",
    "members",
    "moment_of",
    "more",
    "next_of",
    "next_record",
    "part",
    "stamp_of",
    "timed",
    "with_basis",
]

RowTuple = tuple[Any, ...]

_NEEDED = {"object": dict, "array": list}

#: stands for any value that is no object where only its members are asked for; never changed
NOTHING: dict[str, Any] = {}


class Rows(Output):
    """The rows of a source and their numbers; `number` gives the next one."""

    def __init__(self) -> None:
        super().__init__()
        self.number = count().__next__  # type: ignore[method-assign]


class Run(UnitRun):
    """The run of one unit by generated code. `rows` holds what waits to be taken; `odd` that the record at work needs
    more than the count of a record that made rows."""

    def __init__(self, rules: Any, unit: Unit, at: Any):
        super().__init__(
            at.context.plan, at.source, unit, at.ledger.store(unit.store.name), at.out, at.context.limits.quote
        )
        self.rows = at.out.rows
        self.number = at.out.number
        self.hooked, self.ahead = rules.hooks, False
        self.lookup: Callable[[str, Any], Any] = at.lookups.get
        self.rules = f"{self.plan.agent}/{self.store.name}/"
        self.host, self.user = at.source.base.host, at.source.base.user
        self.names = unit.names
        self.path: dict[str, Any] = unit.captures
        self.facts = file_names(unit.file, at.source)
        program = at.program.stores[unit.store.name]
        self.scopes = UnitScope(unit, at.source, program.finds, self.state, self)
        self.once = program.once
        self.lost = at.context.owners.lost_by(at.source, unit.store.name) if program.once is not None else None
        self.columns: Callable[[Run, Any], dict[str, Any]] = lambda run, record: {}
        self.first: Record | None = None
        self.first_seen = 0
        self.previous: Any = None
        self.following: Any = None
        self.version: str | None = None
        self.seen = self.done = self.copies = self.good = self.noted = 0
        self.odd = False
        self.flags: tuple[str, ...] = ()
        self.spare: list[Fate] = []

    # ---------------------------------------------------------------------------------------------- phases

    def find(self, name: str) -> Any:
        """A find's value; the unit's heads are read when the first is asked for."""
        return self.scopes.base.get(name)

    def begin(self) -> bool:
        """Whether the unit has a good record; it is then the record at work."""
        if self.first is None:
            return False
        self.record, self.line, self.seen = self.first.value, self.first.line, self.first_seen
        if self.first.names:
            self.path = {**self.unit.captures, **self.first.names}
        return True

    def records(self) -> Iterator[Any]:
        """The values of the good records, each the record at work; bad ones and copies are told and counted."""
        self._fresh()
        self.seen = self.done = 0
        if self.unit.lines is not None:
            try:
                yield from self._looking_ahead() if self.ahead else self._lines()
                return
            except Irregular:
                pass
        for record, following in self._read():
            if self._take(record, following):
                yield record.value

    def _lines(self) -> Iterator[Any]:
        """The records of a line file, one by one. Raises Irregular where it is not plain; `done` are then behind."""
        for values in self._blocks():
            for value in values:
                self.seen += 1
                self.record = value
                self.line += 1
                yield value

    def _looking_ahead(self) -> Iterator[Any]:
        """The records of a line file, each with the one behind it in `following`. Raises Irregular."""
        held: tuple[int, Any, Record | None] | None = None
        for item in self._items():
            if held is not None and self._step(held, item):
                yield self.record
            held = item
        if held is not None and self._step(held, None):
            yield self.record

    def _step(self, item: tuple[int, Any, Record | None], behind: tuple[int, Any, Record | None] | None) -> bool:
        """Makes a record of a line file the one at work; False when there is nothing to walk."""
        number, value, record = item
        self.done += 1
        if record is not None or self.lost:
            after = None if behind is None else behind[2] or Record(behind[0], behind[1])
            return self._take(record or Record(number, value), after)
        self.seen += 1
        self.record, self.line, self.following = value, number, None if behind is None else behind[1]
        return True

    def _items(self) -> Iterator[tuple[int, Any, Record | None]]:
        """Number and value of each line that is not blank; its record where it is not plain."""
        file, first = self.unit.lines, True
        wanted = _NEEDED.get(file.need)
        for number, lines, values in file.blocks():
            for line, value in zip(lines, values, strict=True):
                number += 1
                if value is not REFUSED and (wanted is None or type(value) is wanted):
                    yield number, value, None
                    first = False
                elif (record := file.record(number, line)) is not None:
                    if first and record.bad is not None:
                        raise Irregular
                    yield number, record.value, record
                    first = False

    def batches(self) -> Iterator[Sequence[Any]]:
        """The values of the good records, in lists; before each list, `line` is one less than that of its first. The
        place of a record is not known: `records` is for walks that ask for it."""
        self._fresh()
        self.done = 0
        if self.unit.lines is not None:
            try:
                yield from self._blocks()
                return
            except Irregular:
                pass
        for record, following in self._read():
            if self._take(record, following):
                self.line -= 1
                yield (record.value,)

    def _blocks(self) -> Iterator[Sequence[Any]]:
        """The records of a line file, as many as possible together."""
        file = self.unit.lines
        wanted = _NEEDED.get(file.need)
        for number, lines, values in file.blocks():
            if not self.lost and REFUSED not in values and (wanted is None or all(type(v) is wanted for v in values)):
                self.done += len(values)
                self.line = number
                yield values
                continue
            for line, value in zip(lines, values, strict=True):
                number += 1
                plain = value is not REFUSED and (wanted is None or type(value) is wanted)
                record = Record(number, value) if plain else file.record(number, line)
                if record is None:
                    continue
                if record.bad is not None and not self.done:
                    raise Irregular
                self.done += 1
                if self._take(record, None):
                    self.seen -= 1
                    self.line -= 1
                    yield (record.value,)

    def _take(self, record: Record, following: Record | None) -> bool:
        """Makes a record the one at work; False when there is nothing to walk: it is told and counted then."""
        if record.bad is not None:
            self._bad(record)
            return False
        self.seen += 1
        self.record, self.line = record.value, record.line
        if record.source_file is not None or record.names is not None:
            self.file = record.source_file or self.source.source_file
            self.path = {**self.unit.captures, **record.names} if record.names else self.unit.captures
        if self.ahead:
            self.following = following.value if following is not None and following.bad is None else None
        if self.lost and self._lost(record):
            return False
        if record.flags:
            self.flags, self.odd = record.flags, True
        return True

    def _read(self) -> Iterator[tuple[Record, Record | None]]:
        """The records from the one after the `done` ones on, with the one that follows where it is asked for."""
        if self.ahead:
            yield from with_next(self.unit.records())
            return
        try:
            for record in islice(self.unit.records(), self.done, None):
                yield record, None
        except BadUnit as bad:
            yield Record(0, None, bad=bad), None

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

    # ------------------------------------------------------------------------------------------ the ledger

    def _fresh(self) -> None:
        self.fate, self.odd, self.noted, self.flags = Fate(), False, 0, ()

    def settle(self, had: int, columns: Callable[[Run, Any], dict[str, Any]]) -> None:
        """Counts the record at work, of which `len(rows) - had` rows were written."""
        fate = self.fate
        if fate.ignored and len(self.rows) == had and not fate.handed and not self.flags:
            ignored = self.count.ignored
            self.count.read += 1
            ignored[fate.ignored] = ignored.get(fate.ignored, 0) + 1
            fate.ignored = fate.empty = None
            self.odd = False
            return
        fate.wrote = len(self.rows) - had > self.noted
        if not fate.settled:
            self.by_itself(columns(self, self.record))
        if self.flags:
            self.mended(columns(self, self.record), self.flags)
        self.count.settle(fate)
        self._fresh()

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

    def hand(self) -> None:
        """The elements of the record at work were counted in its place."""
        self.fate.handed = self.odd = True

    def _lost(self, record: Record) -> bool:
        """Whether another file keeps the record."""
        assert self.once is not None
        self.scopes.seen, self.scopes.copies, self.scopes.version = self.seen, self.copies, self.version
        if self.once.digest(self.scopes.of(record)) not in self.lost:  # type: ignore[operator]
            return False
        self.copies += 1
        self.count.copy()
        return True

    def _bad(self, record: Record) -> None:
        bad = record.bad
        if isinstance(bad, BadUnit):
            self.broken(bad)
            return
        self.seen += 1
        self.record, self.line, self.file = None, record.line, record.source_file or self.source.source_file
        self.path = {**self.unit.captures, **record.names} if record.names else self.unit.captures
        if not self.unit.first and self.unit.store.sqlite is None:
            return
        assert bad is not None
        given: Any = self.columns(self, None)
        if isinstance(bad, BadFile):
            self.of_file(given, bad.text)
        else:
            self.unparseable(given, record.line, bad.reason, bad.stored, notes.UNPARSEABLE)
        self.count.settle(self.fate)
        self._fresh()

    def broken(self, bad: BadUnit) -> None:
        """The note where a file breaks off: one bad record of the first store that meets it."""
        if bad.text in self.out.said:
            return
        self.out.said.add(bad.text)
        self._fresh()
        self.record, self.path, kept = None, self.unit.captures, self.line
        self.line = self.unit.rowid or 0
        given: Any = self.columns(self, None)
        self.line = kept
        self.of_file(given, bad.text)
        self.count.settle(self.fate)
        self._fresh()

    # ------------------------------------------------------------------------------------------------ rows

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


#: what walks a unit, the columns of rows that no step writes, whether the next record is asked for
Walk = tuple[Callable[[Run], Iterator[list[RowTuple]]], Callable[[Run, Any], dict[str, Any]], bool]


# --------------------------------------------------------------------------------------- frequent functions


def cell(value: Any) -> str:
    """What stands in a row for a value."""
    return value if type(value) is str else column_text(value)


def first_of(value: Any, table: Any) -> Any:
    """The language's `first_of`."""
    if type(value) is not dict:
        return functions_objects.first_of(value, table)
    for name in table:
        found = value.get(name)
        if found or not is_empty(found):
            return found
    return None


#: texts up to this length are too short to nest too deep
_SHORT = 2 * NESTING


def json(text: Any) -> Any:
    """The language's `json`."""
    if type(text) is str and len(text) <= _SHORT:
        try:
            return decode_any(text)
        except Exception:
            return functions_json.json(text)
    return functions_json.json(text)


def contains(subject: Any, search: Any) -> Any:
    """The language's `contains`."""
    if type(search) is str and type(subject) in (str, list):
        return search in subject
    return functions_jmespath.contains(subject, search)


def maybe_json(text: Any) -> Any:
    """The language's `maybe_json`."""
    if type(text) is str and text[:1] in ("{", "["):
        value = json(text)
        return text if value is None else value
    return functions_json.maybe_json(text)


# ------------------------------------------------------------------------------------------ expressions


def element(value: Any, at: int) -> Any:
    """An element of a list."""
    return value[at] if isinstance(value, list) and -len(value) <= at < len(value) else None


def part(value: Any, start: int | None, stop: int | None, step: int | None) -> Any:
    """A slice of a list."""
    return value[start:stop:step] if isinstance(value, list) else None


def flat(value: Any) -> Any:
    """A list with the lists in it opened."""
    if not isinstance(value, list):
        return None
    return [inner for item in value for inner in (item if isinstance(item, list) else (item,))]


def members(value: Any) -> Any:
    """The values of an object as a list."""
    found = getattr(value, "values", None)
    return None if found is None else list(found())


def collect(base: Any, right: Callable[[Any], Any], condition: Callable[[Any], Any] | None = None) -> list[Any] | None:
    """What is not null of a list's elements, seen through an expression."""
    if not isinstance(base, list):
        return None
    chosen: Iterable[Any] = base if condition is None else (item for item in base if truthy(condition(item)))
    return [found for item in chosen if (found := right(item)) is not None]


def less(left: Any, right: Any) -> bool | None:
    return left < right if ordered(left, right) else None


def at_most(left: Any, right: Any) -> bool | None:
    return left <= right if ordered(left, right) else None


def more(left: Any, right: Any) -> bool | None:
    return left > right if ordered(left, right) else None


def at_least(left: Any, right: Any) -> bool | None:
    return left >= right if ordered(left, right) else None


def next_of(values: list[Any], at: int) -> Any:
    """The element after one, null after the last."""
    return values[at + 1] if at + 1 < len(values) else None


def next_record(records: list[Record], at: int) -> Any:
    return records[at + 1].value if at + 1 < len(records) else None


def label_of(text: Any, table: Any, keys: tuple[str, ...]) -> Any:
    """`label`, with one look for all keys of the table before the first that fits is sought."""
    if not isinstance(text, str) or not text.startswith(keys):
        return None
    key = next(key for key in keys if text.startswith(key))
    return table[key] if isinstance(table, dict) else key
