"""The ledger: what became of every record that was read.

For each store of a source `read == rows + copies + sum(ignored.values()) + bad`, always, because a record is counted in
one place only: `StoreCount.settle` takes its `Fate` and adds one to `read` and one to exactly one of the four.

What counts as a record: each record of a unit (a bad one too). When a step with `count: true` runs inside a record,
its elements are the records and the record itself is not counted (`Fate.handed`).

Which fate (the first that holds):
1. rows     it wrote a row that is no engine note, or was unknown (its note is a row, and `unknown` grows)
2. bad      it could not be read, or `unparsed` ran, or it was unknown without a type
3. ignored  by the first `ignore` that ran; else by the first row that was not written because it had no text,
            as `no text: <step>`
4. rows     nothing of these: the record is unknown and becomes a note by itself
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct, field

from engine.read.sources import FileInfo


class Fate(Struct):
    """What happened so far to the record being walked."""

    wrote: bool = False
    unknown: bool = False
    bad: bool = False
    ignored: str | None = None
    empty: str | None = None
    handed: bool = False

    @property
    def settled(self) -> bool:
        """Whether the record needs no note of its own."""
        return self.wrote or self.unknown or self.bad or self.handed or bool(self.ignored or self.empty)


class StoreCount(Struct):
    """The numbers of one store in one source. `unknown`, `rows_written`, `notes`, `units` and `paired` stand apart from
    the sum: notes for unknown things, all rows, engine notes among them, units opened, rows that pairing left out."""

    read: int = 0
    rows: int = 0
    copies: int = 0
    ignored: dict[str, int] = field(default_factory=dict)
    bad: int = 0
    unknown: int = 0
    rows_written: int = 0
    notes: int = 0
    units: int = 0
    paired: int = 0

    def settle(self, fate: Fate) -> None:
        """Counts one record, once, unless its elements were counted in its place."""
        if fate.handed:
            return
        self.read += 1
        if fate.wrote or fate.unknown:
            self.rows += 1
        elif fate.bad:
            self.bad += 1
        elif why := fate.ignored or fate.empty:
            self.ignored[why] = self.ignored.get(why, 0) + 1
        else:
            self.rows += 1

    def copy(self) -> None:
        """Counts a record that another file keeps."""
        self.read += 1
        self.copies += 1

    @property
    def adds_up(self) -> bool:
        return self.read == self.rows + self.copies + sum(self.ignored.values()) + self.bad

    def add(self, other: StoreCount) -> None:
        """Adds the numbers of another source's store."""
        for name in ("read", "rows", "copies", "bad", "unknown", "rows_written", "notes", "units", "paired"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for why, n in other.ignored.items():
            self.ignored[why] = self.ignored.get(why, 0) + n

    def as_dict(self) -> dict[str, Any]:
        """Plain numbers for `run.json`, in a fixed order."""
        return {
            "read": self.read,
            "rows": self.rows,
            "copies": self.copies,
            "ignored": dict(sorted(self.ignored.items())),
            "bad": self.bad,
            "unknown": self.unknown,
            "rows_written": self.rows_written,
            "notes": self.notes,
            "units": self.units,
            "paired": self.paired,
        }


class Ledger(Struct):
    """The counts of one source, by store, and the facts of the files that were read for it, complete when all rows were
    taken: the source itself, then its sidecars and record files. Picklable; `add` sums counts of several sources."""

    stores: dict[str, StoreCount] = field(default_factory=dict)
    files: list[FileInfo] = field(default_factory=list)

    def store(self, name: str) -> StoreCount:
        """The store's count, made when it is first asked for."""
        return self.stores.setdefault(name, StoreCount())

    def add(self, other: Ledger) -> None:
        for name, count in other.stores.items():
            self.store(name).add(count)

    def __iter__(self) -> Iterator[tuple[str, StoreCount]]:
        return iter(self.stores.items())

    @property
    def adds_up(self) -> bool:
        return all(count.adds_up for count in self.stores.values())

    def as_dict(self) -> dict[str, Any]:
        return {name: count.as_dict() for name, count in sorted(self.stores.items())}
