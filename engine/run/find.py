"""`find`: values that are known before a walk begins, from a pass over the heads of the unit's records.

A record is looked at for every find that is open: its value first, when `when` holds, then `until`. So the record that
ends a find may still give its value. `within` counts good records, whether or not `when` holds. A later find sees the
values of the earlier ones. The pass ends with the last open find. Once only finds with `holds` are open, those whose
text the file does not hold end too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from engine.lang.plan import Expr, Find
from engine.read.expressions import member, member_path
from engine.run.scope import Scope
from engine.run.values import Values


class _Find(NamedTuple):
    """One find, compiled. `path` is set where it is no more than a member of the record: then no scope is needed."""

    name: str
    value: Callable[[Scope], Any]
    until: Callable[[Scope], bool] | None
    when: Callable[[Scope], bool] | None
    within: int | None
    holds: str | None
    path: tuple[str, ...] | None


def _compiled(find: Find, values: Values) -> _Find:
    until = values.truth(find.until) if find.until is not None else None
    when = values.truth(find.when) if find.when is not None else None
    path = member_path(find.value) if until is None and when is None and isinstance(find.value, Expr) else None
    return _Find(find.name, values.value(find.value), until, when, find.within, find.holds, path)


class Finds:
    """The finds of one store, compiled."""

    def __init__(self, finds: tuple[Find, ...], values: Values):
        self.names = tuple(find.name for find in finds)
        self.finds = [_compiled(find, values) for find in finds]


class Found:
    """The values of finds over the good ones of some records, null where there is none: read no further than is asked
    for.

    `read()` gives the records; `scope_of(record, seen, found)` is the scope of a record, with `found` as names around
    it; `held(text)` tells whether the file can hold a text."""

    def __init__(
        self,
        finds: Finds,
        read: Callable[[], Iterator[Any]],
        scope_of: Callable[[Any, int, dict[str, Any]], Scope],
        held: Callable[[str], bool] = lambda text: True,
    ):
        self._read, self._scope_of, self._held = read, scope_of, held
        self._records: Iterator[Any] | None = None
        self._pending, self._seen, self._searched = list(finds.finds), 0, False
        self._values: dict[str, Any] = dict.fromkeys(finds.names)

    def read_on(self, records: Iterator[Any]) -> None:
        """Takes the records from somebody who has read the first of them."""
        self._records = self._records or records

    def get(self, name: str) -> Any:
        """The value of a find."""
        self._records = self._records or self._read()
        while any(find.name == name for find in self._pending):
            record = next(self._records, None)
            if record is None:
                self._pending = []
            elif record.bad is None:
                self._look(record)
        return self._values[name]

    def _look(self, record: Any) -> None:
        """Looks for all that is not found yet in one record."""
        self._seen += 1
        scope: Scope | None = None
        still = []
        for find in self._pending:
            if find.path is not None:
                self._values[find.name] = member(record.value, find.path)
                done = self._values[find.name] is not None
            else:
                scope = scope or self._scope_of(record, self._seen, self._values)
                if find.when is None or find.when(scope):
                    self._values[find.name] = find.value(scope)
                done = self._values[find.name] is not None or (find.until is not None and find.until(scope))
            if not done and self._seen != find.within:
                still.append(find)
        if still and not self._searched and all(find.holds is not None for find in still):
            self._searched = True
            still = [find for find in still if self._held(str(find.holds))]
        self._pending = still
