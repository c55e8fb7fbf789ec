"""What the walks of a plan have of each other: which are parts of others, and what applies where a part is used."""

from __future__ import annotations

from codegen.traversal import accesses_of, recalls, step_values, values_of
from engine.lang.expr import accesses, root_names
from engine.lang.plan import AnyStep, Plan, Set, Store, Use, Value, Walk
from engine.lang.traversal import all_steps, inner_lists, reached, walk_steps, walks_of
from engine.run.values import expressions

#: a walk is printed wherever it is used when that makes no more steps than these: a call costs as much as a row
_COPIED = 12

#: paths that ask for the place of a record
_PLACES = frozenset({("unit",), ("unit", "count"), ("pos",), ("pos", "record")})


class Parts:
    """The walks of a plan, and how they use each other."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.walks = {walk.name: walk for walk in plan.walks}
        self._inline: dict[str, bool] = {}
        self._columns: dict[str, dict[str, bool]] = {}
        self._changed: dict[str, frozenset[str]] = {}
        for walk in plan.walks:
            if walk.name in self.walked():
                for steps, more in ((walk.begin, walk.begin_columns), (walk.steps, ()), (walk.end, ())):
                    self._collect(steps, {**dict(walk.columns), **dict(more)})

    def walked(self) -> dict[str, list[Store]]:
        """Walk → the stores that it walks."""
        found: dict[str, list[Store]] = {}
        for store in self.plan.stores:
            for name in walks_of(store):
                if name in self.walks:
                    found.setdefault(name, []).append(store)
        return found

    def used(self) -> set[str]:
        """Walks that others use."""
        return {step.walk for walk in self.plan.walks for step in walk_steps(walk) if isinstance(step, Use)}

    def stands_inline(self, walk: str) -> bool:
        """Whether a walk is printed where it is used: it is used in one place only, or is short."""
        if walk not in self._inline:
            uses = [step for found in self.plan.walks for step in walk_steps(found) if isinstance(step, Use)]
            steps = list(walk_steps(self.walks[walk]))
            places = sum(use.walk == walk for use in uses)
            short = places * len(steps) <= _COPIED and not any(isinstance(step, Use) for step in steps)
            self._inline[walk] = walk not in self.walked() and (places == 1 or short)
        return self._inline[walk]

    def asks_places(self, walk: str) -> bool:
        """Whether a walk asks for the place of its records, or for the next one."""
        steps = {name: tuple(walk_steps(found)) for name, found in self.walks.items()}
        parts = [self.walks[name] for name in reached(steps, (walk,))]
        paths = {access.path[:2] for part in parts for value in values_of(part) for access in accesses_of(value)}
        return not paths.isdisjoint(_PLACES) or self._looks_ahead(walk)

    def columns_of(self, walk: str) -> dict[str, bool]:
        """The columns that apply where a walk is used: name → whether it is computed at each row."""
        return self._columns.get(walk, {})

    def changed_by(self, walk: str) -> frozenset[str]:
        """What a used walk can change: names of `state`, and `unit` where it goes over records."""
        if walk not in self._changed:
            self._changed[walk] = frozenset()
            found: set[str] = set()
            for step in all_steps(self.walks[walk].steps):
                if isinstance(step, Set):
                    found.add(step.name)
                if isinstance(step, Use):
                    found |= self.changed_by(step.walk)
                if step.each_records is not None:
                    found.add("unit")
            self._changed[walk] = frozenset(found)
        return self._changed[walk]

    def is_late(self, value: Value, walk: str) -> bool:
        """Whether a column's value can change while a used walk runs."""
        if recalls(value):
            return True
        changed = self.changed_by(walk)
        for expr in expressions(value):
            for access in accesses(expr.ast):
                if access.path[0] == "unit" and "unit" in changed:
                    return True
                if access.path[0] == "state" and (len(access.path) < 2 or access.path[1] in changed):
                    return True
        return False

    def _collect(self, steps: tuple[AnyStep, ...], columns: dict[str, Value | bool]) -> None:
        """Notes the columns at each use of a walk. A column is a value, or for one that comes from further out whether
        it is late."""
        for step in steps:
            inner = {**columns, **dict(step.columns)}
            if isinstance(step, Use):
                self._enter(self.walks[step.walk], inner)
            for body in inner_lists(step):
                self._collect(body, inner)

    def _enter(self, walk: Walk, columns: dict[str, Value | bool]) -> None:
        if self.stands_inline(walk.name):
            self._collect(walk.steps, {**columns, **dict(walk.columns)})
            return
        known = self._columns.get(walk.name)
        merged = dict(known or {})
        for name, value in columns.items():
            late = value if isinstance(value, bool) else self.is_late(value, walk.name)
            merged[name] = merged.get(name, False) or late
        if merged != known:
            self._columns[walk.name] = merged
            self._collect(walk.steps, {**merged, **dict(walk.columns)})

    @staticmethod
    def roots_of(step: AnyStep) -> set[str]:
        """The scope names that a step and the steps in it use."""
        found: set[str] = set()
        for inner in all_steps((step,)):
            for value in step_values(inner):
                for expr in expressions(value):
                    found |= root_names(expr.ast)
        return found

    def _looks_ahead(self, walk: str) -> bool:
        """Whether `next.record` is asked for."""
        return any("next" in self.roots_of(step) for step in (*self.walks[walk].steps, *self.walks[walk].begin)) or any(
            "next" in root_names(expr.ast) for value in values_of(self.walks[walk]) for expr in expressions(value)
        )
