"""Scopes: the names that expressions see, innermost first.

A scope holds a few names and points to the one around it. A let has a scope of its own, so that it sees the lets before
it and nothing after it, and may bear the name of something further out.

Lets are lazy: a let is computed when it is first asked for, and kept. That is not to be seen in its value: a let that
reads what a walk can change (`state`, `unit`, the unit's last time) is computed where it stands. So a let always has
the value that it had at its place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


class Lazy:
    """A value that is computed when it is first asked for."""

    __slots__ = ("compute", "value")

    def __init__(self, compute: Callable[[], Any]):
        self.compute: Callable[[], Any] | None = compute
        self.value: Any = None

    def get(self) -> Any:
        if self.compute is not None:
            self.value = self.compute()
            self.compute = None
        return self.value


class Scope:
    """Names, and the scope around. `run` is the unit's run (see `engine.run.unit`), None where no walk runs."""

    __slots__ = ("names", "outer", "run")

    def __init__(self, names: Mapping[str, Any], outer: Scope | None = None, run: Any = None):
        self.names = names
        self.outer = outer
        self.run: Any = run if run is not None or outer is None else outer.run

    def get(self, name: str, default: Any = None) -> Any:
        """The value of a name, `default` when no scope has it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                value = scope.names[name]
                return value.get() if type(value) is Lazy else value
            scope = scope.outer
        return default
