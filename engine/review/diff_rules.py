"""What each step of a spec does, with all that it takes from around it: the unit in which specs are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.lang import expr
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Emit,
    Hook,
    Ignore,
    KeepJson,
    Mark,
    Pairs,
    Plan,
    Set,
    Switch,
    Unparsed,
    Use,
    Walk,
)  # fmt: skip
from engine.lang.traversal import all_steps, inner_lists, reached, walk_steps, walks_of
from engine.review.diff_meaning import Leaf, leaf, shown
from engine.run.values import expressions

#: how a column's change is called
_CALLED = {"text": "text", "time": "time"}


@dataclass(frozen=True)
class Action:
    """A step that does something.

    kind, name  emit and its name, use and its walk, set, hook, ignore, unparsed, keep_json
    walk        the walk it stands in
    facets      what it does, by name: `text`, `time`, `column model`, `condition`, `let git`, `citation`, …
    rules       ids of the rules that it writes, or that the walk it uses writes
    """

    kind: str
    name: str
    walk: str
    mark: Mark
    facets: dict[str, Leaf]
    rules: tuple[str, ...]

    @property
    def label(self) -> str:
        return f"{self.kind} {self.name}".strip()


@dataclass(frozen=True)
class _Around:
    """What a step takes from around it: the conditions on its way, columns and lets."""

    way: tuple[tuple[str, Any], ...] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    lets: Mapping[str, Any] = field(default_factory=dict)

    def inside(self, step: AnyStep) -> _Around:
        """Around what a step holds, or does: its own each, let, when and columns are settled."""
        way = self.way
        if step.each is not None:
            way = (*way, (f"each {step.each[0]}{' (counted)' if step.count else ''}", step.each[1]))
        if step.each_records is not None:
            way = (*way, (f"each {step.each_records}", "records"))
        if step.when is not None:
            way = (*way, ("when", step.when))
        return _Around(way, {**self.columns, **dict(step.columns)}, {**self.lets, **dict(step.let)})

    def at(self, what: str, condition: Any) -> _Around:
        return _Around((*self.way, (what, condition)), self.columns, self.lets)


def rule_ids(plan: Plan) -> list[str]:
    """The ids of all rules that write rows, in the order of the spec."""
    reach = _reach(plan)
    found = (
        f"{plan.agent}/{store}/{step.name}"
        for walk in plan.walks
        for step in walk_steps(walk)
        if isinstance(step, Emit)
        for store in reach.get(walk.name, ())
    )
    return list(dict.fromkeys(found))


def actions(plan: Plan) -> list[Action]:
    """Every step of a plan that does something, in the order of the spec."""
    reach, written = _reach(plan), _written(plan)
    found: list[Action] = []
    for walk in plan.walks:
        stores = reach.get(walk.name, ())
        for step, around in _steps(walk):
            if isinstance(step, Block | Switch | Choose):
                continue
            rules = (step.name,) if isinstance(step, Emit) else written[step.walk] if isinstance(step, Use) else ()
            ids = tuple(f"{plan.agent}/{store}/{rule}" for store in stores for rule in rules)
            found.append(_action(step, walk.name, around, ids))
    return found


def sequences(plan: Plan) -> dict[str, list[str]]:
    """Walk and conditions of each list of steps → its steps in the order in which they run."""
    found: dict[str, list[str]] = {}
    for walk in plan.walks:
        for steps, outer in _lists(walk):
            _sequences(walk.name, steps, outer, found)
    return found


def _sequences(walk: str, steps: tuple[AnyStep, ...], outer: _Around, found: dict[str, list[str]]) -> None:
    place = " in ".join(part for part in (_leaf(_Way(outer.way)).shown, walk) if part)
    found.setdefault(place, []).extend(map(_first, steps))
    for step in steps:
        for body, around in _bodies(step, outer.inside(step)):
            _sequences(walk, body, around, found)


def _first(step: AnyStep) -> str:
    """What tells a step from those beside it: itself, or the first that it holds."""
    action = _action(step, "", _Around(), ())
    inner = next((_first(body[0]) for body in inner_lists(step) if body), "")
    return action.label if action.name or not inner else f"{action.kind} with {inner}"


def choices(plan: Plan) -> dict[str, list[Leaf]]:
    """YAML path of each `choose` → its conditions, in the order in which they are tried."""
    return {
        step.mark.path: [leaf(condition) for condition, _ in step.cases]
        for walk in plan.walks
        for step in all_steps((*walk.begin, *walk.steps, *walk.end))
        if isinstance(step, Choose)
    }


def _reach(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Walk → the stores that reach it."""
    steps = {walk.name: tuple(walk_steps(walk)) for walk in plan.walks}
    found: dict[str, tuple[str, ...]] = {}
    for store in plan.stores:
        for walk in reached(steps, walks_of(store)):
            found[walk] = (*found.get(walk, ()), store.name)
    return found


def _written(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Walk → the names of the emits that it reaches."""
    steps = {walk.name: tuple(walk_steps(walk)) for walk in plan.walks}
    return {
        name: tuple(step.name for walk in reached(steps, [name]) for step in steps[walk] if isinstance(step, Emit))
        for name in steps
    }


def _lists(walk: Walk) -> Iterator[tuple[tuple[AnyStep, ...], _Around]]:
    """The lists of steps of a walk, and what is around each."""
    around = _Around((), dict(walk.columns), dict(walk.let))
    yield walk.begin, _Around((("begin", ""),), {**around.columns, **dict(walk.begin_columns)}, around.lets)
    yield walk.steps, around
    yield walk.end, _Around((("end", ""),), around.columns, around.lets)


def _steps(walk: Walk) -> Iterator[tuple[AnyStep, _Around]]:
    for steps, outer in _lists(walk):
        yield from _below(steps, outer)


def _below(steps: tuple[AnyStep, ...], outer: _Around) -> Iterator[tuple[AnyStep, _Around]]:
    for step in steps:
        around = outer.inside(step)
        yield step, around
        for body, inner in _bodies(step, around):
            yield from _below(body, inner)


def _bodies(step: AnyStep, around: _Around) -> Iterator[tuple[tuple[AnyStep, ...], _Around]]:
    """The lists of steps inside a step, and what is around each."""
    if isinstance(step, Switch):
        for keys, body in step.cases:
            yield body, around.at(f"case {' | '.join(sorted(keys))} of", step.on)
        yield step.otherwise, around.at("otherwise of", step.on)
    elif isinstance(step, Choose):
        for condition, body in step.cases:
            yield body, around.at("choose", condition)
        yield step.otherwise, around.at("otherwise", "")
    elif isinstance(step, Set):
        yield step.changed, around.at(f"changed {step.name}", "")
    else:
        yield from ((body, around) for body in inner_lists(step))


def _action(step: AnyStep, walk: str, around: _Around, rules: tuple[str, ...]) -> Action:
    facets: dict[str, Any] = {f"column {name}": value for name, value in around.columns.items()}
    kind, name = type(step).__name__.lower(), ""
    if isinstance(step, Emit):
        name = step.name
        facets |= {"turn": step.turn, "event": step.event, "role": step.role, "basis": step.basis}
    elif isinstance(step, Use):
        name = step.walk
        facets |= _named("with", step.inputs)
    elif isinstance(step, Hook):
        name = step.hook
        facets |= {**_named("with", step.inputs), "as": step.as_name}
    elif isinstance(step, Set):
        name = step.name
        facets |= {"value": step.value, "at": step.at}
    elif isinstance(step, Ignore):
        name, facets = step.why, {}
    elif isinstance(step, Unparsed):
        name = shown(step.reason)
        facets |= {"number": step.number, "column text": step.text}
    elif isinstance(step, KeepJson):
        kind = "keep_json"
        facets |= {"type": step.type, "rest": step.rest}
    if isinstance(step, Emit | Unparsed | KeepJson):
        facets["citation"] = sorted(cite.text for cite in step.cites)
    if around.way:
        facets["condition"] = _Way(around.way)
    facets |= {f"let {name}": value for name, value in _used_lets(around, facets).items()}
    made = {_called(key): _leaf(value) for key, value in facets.items() if value not in (None, "", [])}
    return Action(kind, name, walk, step.mark, made, rules)


class _Way(tuple[tuple[str, Any], ...]):
    """The conditions on a step's way."""


def _called(facet: str) -> str:
    head, _, name = facet.partition(" ")
    return _CALLED.get(name, facet) if head == "column" else facet


def _leaf(value: Any) -> Leaf:
    if isinstance(value, _Way):
        words = " > ".join(f"{what} {shown(condition)}".strip() for what, condition in value)
        return Leaf(leaf([[what, condition] for what, condition in value]).meaning, words)
    return leaf(value)


def _named(head: str, pairs: Pairs) -> dict[str, Any]:
    return {f"{head} {name}": value for name, value in pairs}


def _used_lets(around: _Around, facets: Mapping[str, Any]) -> dict[str, Any]:
    """The lets that the facets name, and those that these name."""
    found: dict[str, Any] = {}
    wanted = [name for value in facets.values() for name in _names(value)]
    while wanted:
        name = wanted.pop()
        if name in around.lets and name not in found:
            found[name] = around.lets[name]
            wanted += _names(found[name])
    return found


def _names(value: Any) -> set[str]:
    values = [condition for _, condition in value] if isinstance(value, _Way) else [value]
    return {name for each in values for found in expressions(each) for name in expr.root_names(found.ast)}
