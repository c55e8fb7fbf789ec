"""What is there, without reading it: for each home, volume and project the agents, their stores, files and bytes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.collect.claims import Claims, Rules, Where, is_walked
from engine.collect.items import COLLECTED, FILE, Item
from engine.collect.strangers import Stranger, strangers
from engine.lang.plan import Plan, Store
from engine.read.discover import Discovery
from engine.read.names import shown
from engine.read.places import Place
from engine.read.sources import HOME, Base

#: the largest size: nothing is left out of a survey
_ALL = Rules(1 << 63, True)


@dataclass(slots=True)
class Count:
    """Files, their bytes, and the first and last of their modification times in nanoseconds."""

    files: int = 0
    bytes: int = 0
    first_ns: int | None = None
    last_ns: int | None = None

    def add(self, size: int, mtime_ns: int) -> None:
        self.files += 1
        self.bytes += size
        self.first_ns = mtime_ns if self.first_ns is None else min(self.first_ns, mtime_ns)
        self.last_ns = mtime_ns if self.last_ns is None else max(self.last_ns, mtime_ns)

    def join(self, other: Count) -> None:
        """Counts all that another one counted."""
        if other.first_ns is not None and other.last_ns is not None:
            self.add(other.bytes, other.first_ns)
            self.add(0, other.last_ns)
            self.files += other.files - 2


@dataclass(slots=True)
class Presence:
    """One agent at one base. `stores`: store → what it reads; `rest`: files that no store reads; `files`: each file
    with its stores, when asked for."""

    base: Base
    plan: Plan
    stores: dict[str, Count] = field(default_factory=dict)
    total: Count = field(default_factory=Count)
    rest: Count = field(default_factory=Count)
    files: list[Item] = field(default_factory=list)

    def unwalked(self) -> list[tuple[str, str]]:
        """The stores found here that no walk reads, and why the spec says so, '' where it does not."""
        why = dict(self.plan.unread)
        return [(name, why.get(name, "")) for name in self.stores if not is_walked(self.store(name))]

    def store(self, name: str) -> Store:
        return next(store for store in self.plan.stores if store.name == name)


@dataclass(frozen=True, slots=True)
class Survey:
    """What the agents left, and what looks like that of an agent that no spec knows."""

    presences: list[Presence]
    strangers: list[tuple[Base, Stranger]]


def survey(found: Discovery, plans: Sequence[Plan], keep_files: bool = False) -> Survey:
    """Surveys every place once; nothing but the heads of unknown agents' files is opened."""
    presences: list[Presence] = []
    odd: list[tuple[Base, Stranger]] = []
    seen: set[str] = set()
    for place in (place for taken in found.inputs for place in taken.places):
        where = Where(place.base.user, str(place.base.path), str(place.base.path), str(place.base.path).strip("/"))
        claims = Claims(place, where, plans, found.trees, _ALL, every=True)
        presences += _presences(place, claims, plans, seen, keep_files)
        if place.base.kind == HOME and place.roots is None:
            tree = found.trees.at(place.base.path)
            odd += [(place.base, stranger) for stranger in strangers(tree, claims.claimed())]
    presences.sort(key=lambda each: (each.base.host, each.base.user, each.base.prefix, each.plan.agent))
    return Survey(presences, odd)


def _presences(
    place: Place, claims: Claims, plans: Sequence[Plan], seen: set[str], keep_files: bool
) -> Iterator[Presence]:
    """The agents at one place, those with files only. A file is counted once; below a project for the spec that
    names it."""
    by_agent = {plan.agent: Presence(place.base, plan) for plan in plans}
    for item in claims.items():
        if item.type != FILE or item.status != COLLECTED or item.path in seen or item.facts is None:
            continue
        seen.add(item.path)
        presence = by_agent[str(item.spec).partition("@")[0]]
        size, mtime_ns = item.facts.st_size, _mtime(item, place)
        presence.total.add(size, mtime_ns)
        stores = [name for name in (item.store or "").split(",") if name]
        own = {store.name for store in presence.plan.stores}
        for name in stores:
            if name in own:
                presence.stores.setdefault(name, Count()).add(size, mtime_ns)
        if not stores:
            presence.rest.add(size, mtime_ns)
        if keep_files:
            item.place = place.base.prefix + shown(os.path.relpath(item.path, place.base.path))
            presence.files.append(item)
    yield from (presence for presence in by_agent.values() if presence.total.files)


def _mtime(item: Item, place: Place) -> int:
    """The original time where a manifest has it."""
    assert item.facts is not None
    listed = (place.listed or {}).get(os.path.relpath(item.path, place.base.path))
    return item.facts.st_mtime_ns if listed is None else listed
