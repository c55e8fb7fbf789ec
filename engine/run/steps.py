"""The steps of a walk as functions: one function a kind of step, with the names of the language.

A compiled step takes the scope around it and the columns that apply, and writes to the unit's run (`scope.run`).

Decisions that both back ends share:
- `each` is computed in the scope around the step; a value that is no list runs nothing;
- a switch compares the text of its value: strings as they are, integers in digits, true, false, null by name; other
  values (floats, lists, objects) take `otherwise`;
- `set` compares like `==` in an expression (1 is 1.0, true is not 1); `state` has the new value when `changed` runs;
  with `at`, the key is its text, a null key leaves everything;
- a counted element that makes no row, ignore or note (its `when` included) becomes a note by itself;
- `use` binds the lets and columns of the used walk once, at the step, and runs neither its begin nor its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from engine.errors import BadUnit, EngineError
from engine.lang import jsontext, text
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Emit,
    Hook,
    Ignore,
    KeepJson,
    Pairs,
    Plan,
    Set,
    Step,
    Switch,
    Unparsed,
    Use,
    Walk,
)  # fmt: skip
from engine.lang.values import equal
from engine.run import hooks
from engine.run.ledger import Fate
from engine.run.scope import Lazy, Scope
from engine.run.unit import Columns
from engine.run.values import Compute, Values, changes

Action = Callable[[Scope, Columns], None]

#: the names of a caller that a used walk sees
SHARED = ("path", "file", "unit", "state")


def case_of(value: Any) -> str | None:
    """The text by which a switch finds its case; None when no case can match."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool | int):
        return jsontext.dumps(value)
    return None


class Lets:
    """Names with values, each in a scope of its own around the ones before it."""

    def __init__(self, pairs: Pairs, values: Values):
        self.pairs = [(name, values.value(value), changes(value)) for name, value in pairs]

    def bind(self, scope: Scope) -> Scope:
        for name, compute, at_once in self.pairs:
            scope = Scope({name: compute(scope) if at_once else _lazy(compute, scope)}, scope)
        return scope


def _lazy(compute: Compute, scope: Scope) -> Lazy:
    return Lazy(lambda: compute(scope))


class Steps:
    """Compiles the steps of one plan."""

    def __init__(self, plan: Plan, values: Values):
        self.values = values
        self.walks = {walk.name: walk for walk in plan.walks}
        self.hooks = {hook.name: hook for hook in plan.hooks}
        self.used: dict[str, tuple[Lets, Callable[[Scope, Columns], Columns], Action]] = {}
        self.kinds: dict[type, Callable[[Any], Action]] = {
            Emit: self.emit, Block: self.block, Switch: self.switch, Choose: self.choose, Set: self.set,
            Hook: self.hook, Use: self.use, KeepJson: self.keep_json, Ignore: self.ignore, Unparsed: self.unparsed,
        }  # fmt: skip

    def body(self, steps: tuple[AnyStep, ...]) -> Action:
        made = [self.step(step) for step in steps]

        def run(scope: Scope, columns: Columns) -> None:
            for step in made:
                step(scope, columns)

        return run

    def columns(self, pairs: Pairs) -> Callable[[Scope, Columns], Columns]:
        """Adds columns to those that apply, bound to the scope that declares them."""
        made = [(name, self.values.time(v) if name == "time" else self.values.value(v)) for name, v in pairs]
        return lambda scope, columns: {**columns, **{name: (compute, scope) for name, compute in made}}

    def step(self, step: AnyStep) -> Action:
        """A step whole: for every element of `each` its lets, its condition, its columns, its action."""
        lets = Lets(step.let, self.values)
        when = self.values.truth(step.when) if step.when is not None else None
        declare = self.columns(step.columns)
        action = self.kinds[type(step)](step)

        def once(scope: Scope, columns: Columns) -> None:
            scope = lets.bind(scope)
            if when is None or when(scope):
                action(scope, declare(scope, columns))

        return self.placed(step, self.every(step, once))

    def placed(self, step: Step, run: Action) -> Action:
        """A fault of the engine inside a step leaves with the step's place."""

        def guarded(scope: Scope, columns: Columns) -> None:
            try:
                run(scope, columns)
            except (EngineError, BadUnit):
                raise
            except Exception as cause:
                raise self.values.fault(step.mark, cause) from cause

        return guarded

    def every(self, step: Step, once: Action) -> Action:
        if step.each_records is not None:
            return _each_record(step.each_records, step.count, once)
        if step.each is None:
            return once
        name, compute = step.each[0], self.values.expr(step.each[1])

        def elements(scope: Scope, columns: Columns) -> None:
            found = compute(scope)
            if isinstance(found, list):
                _run_each(name, found, step.count, once, scope, columns)

        return elements

    def emit(self, step: Emit) -> Action:
        how = {"turn": step.turn, "event": step.event, "step": step.name, "role": step.role, "basis": step.basis}
        return lambda scope, columns: scope.run.emit(columns, **how)

    def block(self, step: Block) -> Action:
        return self.body(step.steps)

    def switch(self, step: Switch) -> Action:
        on = self.values.expr(step.on)
        cases = {key: body for keys, steps in step.cases for body in [self.body(steps)] for key in keys}
        otherwise = self.body(step.otherwise)

        def run(scope: Scope, columns: Columns) -> None:
            key = case_of(on(scope))
            (otherwise if key is None else cases.get(key, otherwise))(scope, columns)

        return run

    def choose(self, step: Choose) -> Action:
        cases = [(self.values.truth(condition), self.body(steps)) for condition, steps in step.cases]
        otherwise = self.body(step.otherwise)

        def run(scope: Scope, columns: Columns) -> None:
            next((body for holds, body in cases if holds(scope)), otherwise)(scope, columns)

        return run

    def set(self, step: Set) -> Action:
        value = self.values.value(step.value)
        at = self.values.expr(step.at) if step.at is not None else None
        changed = self.body(step.changed)

        def run(scope: Scope, columns: Columns) -> None:
            new, kept, key = value(scope), scope.run.state, step.name
            if new is None:
                return
            if at is not None:
                place = at(scope)
                if place is None:
                    return
                kept, key = kept.setdefault(step.name, {}), text.as_text(place)
            old = kept.get(key)
            kept[key] = new
            if step.changed and not equal(old, new):
                changed(Scope({"was": old}, scope), columns)

        return run

    def hook(self, step: Hook) -> Action:
        spec = self.hooks[step.hook]
        called = hooks.load(spec)
        inputs = [(name, self.values.value(value)) for name, value in step.inputs]
        body = self.body(step.steps)

        def run(scope: Scope, columns: Columns) -> None:
            given = {name: compute(scope) for name, compute in inputs}
            for value in hooks.values(spec, called, given, scope.run.hooks.setdefault(spec.name, {})):
                body(Scope({step.as_name: value}, scope), columns)

        return run

    def use(self, step: Use) -> Action:
        inputs = [(name, self.values.value(value), changes(value)) for name, value in step.inputs]

        def run(scope: Scope, columns: Columns) -> None:
            lets, declare, body = self.used_walk(self.walks[step.walk])
            given = {name: compute(scope) if now else _lazy(compute, scope) for name, compute, now in inputs}
            inner = lets.bind(Scope({**{name: scope.get(name) for name in SHARED}, **given}, None, scope.run))
            body(inner, declare(inner, columns))

        return run

    def used_walk(self, walk: Walk) -> tuple[Lets, Callable[[Scope, Columns], Columns], Action]:
        """A walk as a block, compiled when it is first used."""
        if walk.name not in self.used:
            self.used[walk.name] = (Lets(walk.let, self.values), self.columns(walk.columns), self.body(walk.steps))
        return self.used[walk.name]

    def keep_json(self, step: KeepJson) -> Action:
        kind, rest = self.values.value(step.type), self.values.value(step.rest)
        return lambda scope, columns: scope.run.unknown(columns, kind(scope), rest(scope), step.id)

    def ignore(self, step: Ignore) -> Action:
        def run(scope: Scope, columns: Columns) -> None:
            scope.run.fate.ignored = scope.run.fate.ignored or step.why

        return run

    def unparsed(self, step: Unparsed) -> Action:
        reason = self.values.value(step.reason)
        number = self.values.expr(step.number) if step.number is not None else None
        content = self.values.value(step.text) if step.text is not None else None

        def run(scope: Scope, columns: Columns) -> None:
            shown = scope.run.record_text() if content is None else content(scope)
            shown = shown if isinstance(shown, bytes) else text.as_text(shown)
            place = scope.run.line if number is None else number(scope)
            scope.run.unparseable(columns, place, text.as_text(reason(scope)), shown, step.id)

        return run


def _run_each(name: str, found: list[Any], count: bool, once: Action, scope: Scope, columns: Columns) -> None:
    last = len(found) - 1
    for at, value in enumerate(found):
        inner = element_scope(name, value, at, found[at + 1] if at < last else None, scope)
        if count:
            counted(value, once, inner, columns)
        else:
            once(inner, columns)
    if count:
        scope.run.fate.handed = True


def element_scope(name: str, value: Any, at: int, following: Any, scope: Scope) -> Scope:
    pos: Mapping[str, Any] = scope.get("pos") or {}
    after: Mapping[str, Any] = scope.get("next") or {}
    return Scope({name: value, "pos": {**pos, name: at}, "next": {**after, name: following}}, scope)


def counted(value: Any, once: Action, scope: Scope, columns: Columns) -> None:
    """Runs a step for an element that is a record of the ledger."""
    run = scope.run
    outer, record = run.fate, run.record
    run.fate, run.record = Fate(), value
    once(scope, columns)
    if not run.fate.settled:
        run.by_itself(columns)
    run.count.settle(run.fate)
    run.fate, run.record = outer, record


def _each_record(name: str, count: bool, once: Action) -> Action:
    """`each: {name: records}`: over the good records of the unit, `unit.line` being theirs."""

    def run(scope: Scope, columns: Columns) -> None:
        unit = scope.get("unit")
        line = scope.run.line
        found = scope.run.good_records()
        for at, record in enumerate(found):
            following = found[at + 1].value if at + 1 < len(found) else None
            inner = element_scope(name, record.value, at, following, scope)
            inner = Scope({"unit": {**unit, "line": record.line}}, inner)
            scope.run.line = record.line
            if count:
                counted(record.value, once, inner, columns)
            else:
                once(inner, columns)
        scope.run.line = line
        if count:
            scope.run.fate.handed = True

    return run
