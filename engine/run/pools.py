"""Which rows take part in which pairing: read off the plan, for the sources at hand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from engine.lang.plan import AnyStep, Block, Choose, Emit, Hook, Pairing, Plan, Set, Store, Switch, Use, Walk
from engine.read.sources import HOME, PROJECT, Base, Source


class Pool(Struct, frozen=True):
    """One pairing of the plan that has secondary rows here.

    store, step   whose secondary rows it places; step '' is every step of the store
    primary       the stores whose primary rows they may repeat
    turns         the turn types that the secondary rows can have: no other row needs to be remembered
    local         a step's copies of rows of its own store: paired within one source
    """

    store: str
    step: str
    primary: frozenset[str]
    turns: frozenset[str]
    within: int
    key: bool
    clock: bool
    local: bool

    def places(self, store: str, step: str) -> bool:
        """Whether secondary rows of this step are its to place."""
        return store == self.store and self.step in ("", step)

    def holds(self, store: str, turn: str, event: str) -> bool:
        """Whether one of its secondary rows may repeat such a primary row."""
        return store in self.primary and (turn in self.turns or (event == "context" and "user" in self.turns))


def pools(plan: Plan, sources: Iterable[Source]) -> list[Pool]:
    """The plan's pairings, in its order, without those whose secondary store none of the sources holds.

    The only one left is of no use when none holds its primary stores: no row pairs, no later pairing takes the rest."""
    here: dict[str, bool] = {}
    for source in sources:
        for name, _ in source.stores:
            here[name] = here.get(name, False) or name in source.secondary
    found = []
    for pairing in plan.pairings:
        name, _, step = pairing.secondary.partition("/")
        store = next((s for s in plan.stores if s.name == name), None)
        if store is None or name not in here:
            continue
        emits = [e for e in emits_of(plan, store) if step in ("", e.name)]
        if store.role == "secondary" or here[name] or any(e.role == "secondary" for e in emits):
            found.append(_pool(pairing, name, step, emits))
    alone = len(found) == 1 and not found[0].primary & here.keys()
    return [] if alone else found


def _pool(pairing: Pairing, store: str, step: str, emits: list[Emit]) -> Pool:
    turns = {e.turn or "system" for e in emits} | (set() if step else {"system"})
    return Pool(
        store=store,
        step=step,
        primary=frozenset(pairing.primary),
        turns=frozenset(turns),
        within=pairing.within,
        key=pairing.key,
        clock=pairing.clock == "local",
        local=bool(step) and pairing.primary == (store,),
    )


def homes(sources: list[Source]) -> list[int]:
    """A number for each source's home; equal numbers are one home. The sources have one host and user, so a project
    belongs to the home when there is only one."""
    bases = [source.base for source in sources]
    known = {base.path for base in bases if base.kind == HOME}
    only = next(iter(known)) if len(known) == 1 else None

    def home(base: Base) -> str:
        return str(only if base.kind == PROJECT and only else base.path)

    numbers = {path: n for n, path in enumerate(dict.fromkeys(map(home, bases)))}
    return [numbers[home(base)] for base in bases]


def emits_of(plan: Plan, store: Store) -> Iterator[Emit]:
    """Every `emit` that a unit of the store can reach."""
    for walk in walks_of(plan, store):
        yield from _emits(plan, (*walk.begin, *walk.steps, *walk.end), frozenset({walk.name}))


def starts_late(plan: Plan, store: Store) -> bool:
    """Whether a unit of the store can write, at its end, the session_start that stands first."""
    return any(
        emit.event == "session_start"
        for walk in walks_of(plan, store)
        for emit in _emits(plan, walk.end, frozenset({walk.name}))
    )


def walks_of(plan: Plan, store: Store) -> list[Walk]:
    names = {store.walk, *(version.walk for version in store.versions)}
    return [walk for walk in plan.walks if walk.name in names]


def _emits(plan: Plan, steps: tuple[AnyStep, ...], used: frozenset[str]) -> Iterator[Emit]:
    for step in steps:
        match step:
            case Emit():
                yield step
            case Block(steps=body) | Hook(steps=body) | Set(changed=body):
                yield from _emits(plan, body, used)
            case Switch(cases=cases, otherwise=otherwise) | Choose(cases=cases, otherwise=otherwise):
                for _, body in cases:
                    yield from _emits(plan, body, used)
                yield from _emits(plan, otherwise, used)
            case Use(walk=name) if name not in used:
                for walk in plan.walks:
                    if walk.name == name:
                        yield from _emits(plan, walk.steps, used | {name})
