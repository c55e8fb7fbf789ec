"""`lookups`: values found in other stores, built before the walks from the heads of their units.

A lookup holds what the units of its stores in the same base say: of equal keys the first unit in the order of sources
that has a value. A key is compared as text; a null key or value enters nothing; of a list each element enters. The
head of a unit is its document or table row, or its first good record. A project's sources see the lookups of the
homes of the same host and user besides those of the project itself.

With `per: file` the lookup covers every row or record of the stores that read the same file, one table a file; it is
built when it is first asked for while that file is read. Inside the expressions of a lookup, lookups give null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from engine.lang import text
from engine.lang.plan import Lookup
from engine.read.sources import PROJECT, Base
from engine.run.scope import Scope
from engine.run.values import Compute, Values

Table = dict[str, Any]

#: host, user and path of a base
Home = tuple[str, str, str]


def home_of(base: Base) -> Home:
    return base.host, base.user, str(base.path)


@dataclass(frozen=True, slots=True)
class Lookups:
    """Name → base → key → value. Picklable."""

    tables: dict[str, dict[Home, Table]] = field(default_factory=dict)

    def of(self, name: str, base: Base) -> list[Table]:
        """The tables that a source below `base` sees, its own base's first."""
        homes = self.tables.get(name, {})
        own = home_of(base)
        seen = [own] if own in homes else []
        if base.kind == PROJECT:
            seen += [home for home in homes if home[:2] == own[:2] and home != own]
        return [homes[home] for home in seen]


class Entries:
    """A lookup, compiled: what a scope enters into its table."""

    def __init__(self, lookup: Lookup, values: Values):
        self.lookup = lookup
        self.key: Compute = values.expr(lookup.key)
        self.value: Compute = values.expr(lookup.value)

    def enter(self, scope: Scope, table: Table) -> None:
        keys = self.key(scope)
        value = self.value(scope)
        if value is None:
            return
        for key in keys if isinstance(keys, list) else [keys]:
            if key is not None:
                table.setdefault(text.as_text(key), value)


def find(tables: Iterable[Table], key: Any) -> Any:
    """The first table's value for a key, else null."""
    wanted = text.as_text(key)
    return next((table[wanted] for table in tables if wanted in table), None)


def entered(entries: Entries, scopes: Iterator[Scope]) -> Table:
    """The table of a lookup over some scopes."""
    table: Table = {}
    for scope in scopes:
        entries.enter(scope, table)
    return table
