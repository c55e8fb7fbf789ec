"""`find`: values that are known before a walk begins, from a pass over the heads of the unit's records.

A record is looked at for every find that is open: its value first, when `when` holds, then `until`. So the record that
ends a find may still give its value. `within` counts good records, whether or not `when` holds. A later find sees the
values of the earlier ones. The pass ends with the last open find. Once only finds with `holds` are open, those whose
text the file does not hold end too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.lang.plan import Find
from engine.run.scope import Scope
from engine.run.values import Values


class Finds:
    """The finds of one store, compiled."""

    def __init__(self, finds: tuple[Find, ...], values: Values):
        self.names = tuple(find.name for find in finds)
        self.finds = [
            (
                find.name,
                values.value(find.value),
                values.truth(find.until) if find.until is not None else None,
                values.truth(find.when) if find.when is not None else None,
                find.within,
                find.holds,
            )
            for find in finds
        ]

    def settle(
        self,
        records: Iterable[Any],
        scope_of: Callable[[Any, int, dict[str, Any]], Scope],
        held: Callable[[str], bool] = lambda text: True,
    ) -> dict[str, Any]:
        """The value of each find over the good ones of `records`, null where there is none.

        `scope_of(record, seen, found)` is the scope of a record, with `found` as names around it; `held(text)` tells
        whether the file can hold a text."""
        found: dict[str, Any] = dict.fromkeys(self.names)
        pending, seen, searched = list(self.finds), 0, False
        for record in records:
            if record.bad is not None:
                continue
            seen += 1
            scope, still = scope_of(record, seen, found), []
            for find in pending:
                name, value, until, when, within, _ = find
                if when is None or when(scope):
                    found[name] = value(scope)
                done = found[name] is not None or (until is not None and until(scope)) or seen == within
                if not done:
                    still.append(find)
            pending = still
            if pending and not searched and all(find[5] is not None for find in pending):
                pending, searched = [find for find in pending if held(str(find[5]))], True
            if not pending:
                break
        return found
