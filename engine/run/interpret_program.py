"""A plan compiled for the reference back end: its walks and stores as functions of a scope."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Protocol

from engine.lang.plan import Plan, Store, Walk
from engine.run.find import Finds
from engine.run.once import Key
from engine.run.scope import Scope
from engine.run.steps import Lets, Steps
from engine.run.unit import Columns
from engine.run.values import Values

_KEPT = 8
_programs: dict[int, Program] = {}


class Look(Protocol):
    """Answers `lookup(name, key)`."""

    def get(self, name: str, key: Any) -> Any: ...


class WalkProgram:
    """A walk, compiled."""

    def __init__(self, walk: Walk, steps: Steps):
        self.lets = Lets(walk.let, steps.values)
        self.columns = steps.columns(walk.columns)
        self.begin_columns = steps.columns(walk.begin_columns)
        self.begin = steps.body(walk.begin)
        self.steps = steps.body(walk.steps)
        self.end = steps.body(walk.end)

    def bind(self, scope: Scope) -> tuple[Scope, Columns]:
        """The walk's lets around `scope`, and its columns in them."""
        inner = self.lets.bind(scope)
        return inner, self.columns(inner, {})


class StoreProgram:
    """A store, compiled. `walked` is false when the store only serves lookups."""

    def __init__(self, store: Store, values: Values):
        self.store = store
        self.finds = Finds(store.find, values)
        self.once = Key(store.once, values) if store.once is not None else None
        self.versions = [
            (version.id, values.truth(version.when) if version.when is not None else None, version.walk or store.walk)
            for version in store.versions
        ]
        self.walked = any(walk for _, _, walk in self.versions) or store.walk is not None

    def version(self, scope: Scope) -> tuple[str | None, str | None]:
        """The id of the first version that holds, null without versions, and the name of the walk."""
        for name, when, walk in self.versions:
            if when is None or when(scope):
                return name, walk
        return None, self.store.walk


class Program:
    """A plan, compiled. `lookups` belongs to the source at work."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.lookups: Look | None = None
        self.values = Values(plan, self.look)
        self.stores = {store.name: StoreProgram(store, self.values) for store in plan.stores}

    @cached_property
    def walks(self) -> dict[str, WalkProgram]:
        """The walks; generated code does without them."""
        steps = Steps(self.plan, self.values)
        return {walk.name: WalkProgram(walk, steps) for walk in self.plan.walks}

    def look(self, name: str, key: Any) -> Any:
        return self.lookups.get(name, key) if self.lookups is not None else None


def program_of(plan: Plan) -> Program:
    """The compiled plan; the last few are kept."""
    found = _programs.get(id(plan))
    if found is None or found.plan is not plan:
        while len(_programs) >= _KEPT:
            _programs.pop(next(iter(_programs)))
        found = _programs[id(plan)] = Program(plan)
    return found
