"""Checks a whole plan: names in scope, and what one section says of another."""

from __future__ import annotations

from engine.lang.compile_bounds import Bounds
from engine.lang.compile_names import Names, captures_of, common_names, is_read_by_line, merged, store_names
from engine.lang.compile_scopes import Scopes
from engine.lang.compile_values import Values
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Emit,
    Expr,
    Hook,
    KeepJson,
    Plan,
    Set,
    Store,
    Switch,
    Unparsed,
    Use,
    Value,
    Walk,
)  # fmt: skip
from engine.lang.traversal import reached, walk_steps, walks_of
from engine.spec.problems import nearest_name

#: how long a chain of walks that use each other may be: everything that walks it recurses
_USES = 16


class Checks:
    """One pass over a plan; problems go to `values`."""

    def __init__(self, plan: Plan, values: Values):
        self.plan = plan
        self.values = values
        self.scopes = Scopes(values)
        self.all_steps = {walk.name: tuple(walk_steps(walk)) for walk in plan.walks}
        self.stores = {store.name: store for store in plan.stores}
        self.state = frozenset(
            step.name for steps in self.all_steps.values() for step in steps if isinstance(step, Set)
        )
        self.gives = {hook.name: frozenset(hook.gives) or None for hook in plan.hooks}

    def run(self) -> None:
        for store in self.plan.stores:
            self.store(store)
        for walk in self.plan.walks:
            self.walk(walk)
        for lookup in self.plan.lookups:
            if not all(name in self.stores for name in lookup.stores):
                continue
            names = merged(store_names(self.stores[name], self.state) for name in lookup.stores)
            self.scopes.expr(lookup.key, names)
            self.scopes.expr(lookup.value, names)
        for name, value in self.plan.catalog.projects:
            if name in self.stores:
                self.scopes.expr(value, store_names(self.stores[name], self.state))
        if not any(problem.code == "E306" for problem in self.values.problems):
            self.circles()
            if not any(problem.code == "E511" for problem in self.values.problems):
                self.depths()
            if not any(problem.code == "E511" for problem in self.values.problems):
                Bounds(self.plan, self.values).run()
        self.keyed_state()
        self.pairings()

    def store(self, store: Store) -> None:
        names = store_names(store, self.state)
        for expr in (store.records, store.salvage, store.folder_order):
            self.scopes.expr(expr, names)
        for decode in store.decode:
            self.scopes.expr(decode.by, names)
        for find in store.find:
            self.scopes.value(find.value, names)
            self.scopes.expr(find.until, names)
            self.scopes.expr(find.when, names)
        if store.once is not None:
            for expr in (store.once.key, store.once.per, *store.once.prefer):
                self.scopes.expr(expr, names)
        for version in store.versions:
            self.scopes.expr(version.when, names)
        self.emit_names(store)

    def emit_names(self, store: Store) -> None:
        """A rule is `<agent>/<store>/<emit>`, so emits of all walks that a store reaches have different names."""
        found: dict[str, str] = {}
        for name in reached(self.all_steps, walks_of(store)):
            for step in self.all_steps[name]:
                if isinstance(step, Emit):
                    other = found.setdefault(step.name, name)
                    if other != name:
                        message = f"`{step.name}` is emitted in walk `{other}` too, and store `{store.name}` uses both"
                        self.values.report("E504", step.mark, message)

    def walk(self, walk: Walk) -> None:
        stores = [store for store in self.plan.stores if walk.name in walks_of(store)]
        seen = [store_names(store, self.state) for store in stores]
        captures = frozenset(name for store in self.plan.stores for name in captures_of(store))
        if not stores or walk.params:
            seen.append({**common_names(captures, self.state), **dict.fromkeys(walk.params)})
        by_line = next((store.name for store in stores if is_read_by_line(store)), None)
        names = self.scopes.lets(walk.let, merged(seen))
        self.scopes.pairs(walk.columns, names)
        self.scopes.pairs(walk.begin_columns, names)
        for steps in (walk.begin, walk.steps, walk.end):
            self.steps(steps, names)
        if not stores and (walk.begin or walk.end or walk.begin_columns):
            message = "no store names this walk, and `use` takes `steps` alone: `begin` and `end` never run"
            self.values.report("E509", walk.mark, message)
        if by_line is not None:
            for step in self.all_steps[walk.name]:
                if step.each_records is not None:
                    message = f"`each` over records: store `{by_line}` is read record by record and can't be listed"
                    self.values.report("E507", step.mark, message)

    def steps(self, steps: tuple[AnyStep, ...], names: Names) -> None:
        for step in steps:
            self.step(step, names)

    def step(self, step: AnyStep, names: Names) -> None:
        element = step.each_records
        if step.each is not None:
            element = step.each[0]
            self.scopes.expr(step.each[1], names)
        if element is not None:
            counted = {key: (names[key] or frozenset()) | {element} for key in ("pos", "next")}
            names = {**names, element: None, **counted}
        names = self.scopes.lets(step.let, names)
        self.scopes.expr(step.when, names)
        self.scopes.pairs(step.columns, names)
        self.action(step, names)

    def action(self, step: AnyStep, names: Names) -> None:
        if isinstance(step, Block):
            self.steps(step.steps, names)
        elif isinstance(step, Switch | Choose):
            if isinstance(step, Switch):
                self.scopes.expr(step.on, names)
            for key, body in step.cases:
                if isinstance(key, Expr):
                    self.scopes.expr(key, names)
                self.steps(body, names)
            self.steps(step.otherwise, names)
        elif isinstance(step, Set):
            self.scopes.value(step.value, names)
            self.scopes.expr(step.at, names)
            self.kept(step, names)
            self.steps(step.changed, {**names, "was": None})
        elif isinstance(step, Hook):
            self.scopes.pairs(step.inputs, names)
            self.steps(step.steps, {**names, step.as_name: self.gives.get(step.hook)})
        elif isinstance(step, Use):
            self.scopes.pairs(step.inputs, names)
        elif isinstance(step, KeepJson):
            self.scopes.value(step.type, names)
            self.scopes.value(step.rest, names)
        elif isinstance(step, Unparsed):
            self.scopes.value(step.reason, names)
            self.scopes.expr(step.number, names)
            self.scopes.value(step.text, names)

    def kept(self, step: Set, names: Names) -> None:
        value = step.value
        if isinstance(value, Expr) and value.ast["type"] == "field":
            whole = {"record", *(store.as_name for store in self.plan.stores)}
            if value.ast["value"] in whole and value.ast["value"] in names:
                message = f"the whole `{value.ast['value']}` kept in state: keep the members that you need"
                self.values.report("E410", value.mark, message)

    def keyed_state(self) -> None:
        """State with `at` is an object: what takes its place as a whole must be one too, and nobody else's."""
        sets = [step for steps in self.all_steps.values() for step in steps if isinstance(step, Set)]
        keyed = {step.name for step in sets if step.at is not None}
        for step in sets:
            if step.at is None and step.name in keyed and not _is_new_object(step.value):
                message = f"`{step.name}` is set with `at` elsewhere: here it must be a new object, such as omit(…)"
                self.values.report("E514", step.mark, message)

    def circles(self) -> None:
        for walk in self.plan.walks:
            for step in self.all_steps[walk.name]:
                if isinstance(step, Use) and walk.name in reached(self.all_steps, [step.walk]):
                    self.values.report("E511", step.mark, f"walk `{walk.name}` uses itself through `{step.walk}`")

    def depths(self) -> None:
        """Where walks use each other, each with its own, in a chain that is too long."""
        for walk in self.plan.walks:
            level, depth = [walk.name], 0
            while level and depth <= _USES:
                level = list({step.walk for name in level for step in self.all_steps[name] if isinstance(step, Use)})
                depth += 1
            if level:
                message = f"walk `{walk.name}` uses a walk that uses a walk, more than {_USES} times over"
                self.values.report("E511", walk.mark, message)

    def pairings(self) -> None:
        for pairing in self.plan.pairings:
            name, _, step = pairing.secondary.partition("/")
            if not step or name not in self.stores:
                continue
            walks = reached(self.all_steps, walks_of(self.stores[name]))
            emits = {inner.name for walk in walks for inner in self.all_steps[walk] if isinstance(inner, Emit)}
            if step not in emits:
                near = nearest_name(step, emits)
                self.values.report("E318", pairing.mark, f"store `{name}` has no emit `{step}`", nearest=near)


def _is_new_object(value: Value) -> bool:
    ast = value.ast if isinstance(value, Expr) else {}
    return ast.get("type") == "multi_select_dict" or ast.get("value") == "omit"
