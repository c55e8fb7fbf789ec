"""The passes beside the walks: lookups, and the owners of records that several files hold.

Both read through the same plan as the walk and give plain data for the `RunContext`. What can't be read is passed
over: the walk will say so.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

from msgspec.structs import replace

from engine.errors import BadUnit
from engine.lang import expr, jsontext
from engine.lang.plan import Expr, Plan, Store
from engine.read.folders import Listings
from engine.read.globs import typed
from engine.read.limits import Limits
from engine.read.reader import Opened, open_units
from engine.read.sources import Source
from engine.read.units import Block, Unit
from engine.run import once
from engine.run.context import RunContext
from engine.run.interpret_program import Program, program_of
from engine.run.lookups import Entries, Home, Lookups, Spool, Table, find, home_of
from engine.run.once import Key, Owners, place
from engine.run.scope import Scope
from engine.run.unit_scope import UnitScope


def prepare(plan: Plan, sources: Sequence[Source], limits: Limits | None = None, *, hashing: bool = True) -> RunContext:
    """The context of a run over `sources`, which are those of the plan's agent, in the order of `Source.sort_key`."""
    limits = limits or Limits()
    lookups = Lookups(partial(gather_lookup, plan, sources, limits))
    listings = Listings()
    owners = gather_owners(plan, sources, lookups, limits, listings)
    listings.close()
    return RunContext(plan, lookups, owners, limits, hashing, listings)


def gather_lookup(plan: Plan, sources: Sequence[Source], limits: Limits, name: str) -> dict[Home, Table]:
    """The tables of a lookup that is not `per: file`."""
    program = program_of(plan)
    entries = Entries(next(lookup for lookup in plan.lookups if lookup.name == name), program.values)
    lean = _lean(plan, entries.lookup.key, entries.lookup.value)
    tables: dict[Home, Table] = {}
    listings = Listings()
    # a walk may be at work, which asks for lookups of its own
    kept, program.lookups = program.lookups, None
    try:
        for source in sources:
            if _reads(source, entries.lookup.stores):
                for unit in _units(lean, source, limits, entries.lookup.stores, listings):
                    entries.enter(_head(program, unit, source), tables.setdefault(home_of(source.base), {}))
    finally:
        program.lookups = kept
    return tables


def gather_owners(
    plan: Plan, sources: Sequence[Source], lookups: Lookups, limits: Limits, listings: Listings
) -> Owners:
    """What the files of stores with `once` lose to others."""
    program = program_of(plan)
    found: dict[once.At, bytes] = {}
    context = RunContext(plan, lookups, limits=limits, listings=listings)
    for store in plan.stores:
        key = program.stores[store.name].once
        if key is None:
            continue
        mine = [source for source in sources if _reads(source, (store.name,))]
        lean = replace(context, plan=_lean(plan, *key.exprs))

        def keyed(
            source: Source, *, ranked: bool, key: Key = key, name: str = store.name, lean: RunContext = lean
        ) -> once.Read:
            program.lookups = SourceLookups(program, source, context)
            yield from _keyed(program, source, name, key, context if ranked else lean, ranked)

        for group in _groups(mine, store, key):
            heads = ((source, _head_keys(keyed(source, ranked=False))) for source in group)
            for family in once.families(heads):
                lost = once.losses([keyed(source, ranked=True) for source in family], 3 * len(key.prefer))
                found.update({place(family[at], store.name): packed for at, packed in lost})
    return Owners(found)


class SourceLookups:
    """What `lookup(name, key)` gives while one source is read; `opened` is that source, once it is."""

    def __init__(self, program: Program, source: Source, context: RunContext):
        self.program, self.source, self.context = program, source, context
        self.per_file = {lookup.name: lookup for lookup in context.plan.lookups if lookup.per_file}
        self.tables: dict[str, list[Table]] = {}
        self.opened: Opened | None = None

    def get(self, name: str, key: Any) -> Any:
        if key is None:
            return None
        tables = self.tables.get(name)
        if tables is None:
            tables = self.tables[name] = self._tables(name)
        return find(tables, key)

    def _tables(self, name: str) -> list[Table]:
        if name not in self.per_file:
            return self.context.lookups.of(name, self.source.base)
        lookup = self.per_file[name]
        if not _reads(self.source, lookup.stores):
            return []
        self.tables[name] = []
        return [self._table(Entries(lookup, self.program.values))]

    def _table(self, entries: Entries) -> Table:
        """The table of a lookup over the records of its stores. Of a file that passes by as a stream, the tables of
        lookups that are as plain are made in the same pass."""
        made: dict[str, tuple[Entries, Table]] = {}
        for unit in self._units(entries.lookup.stores):
            if not made:
                kin = self._kin(entries) if unit.streamed else [entries]
                made = {each.lookup.name: (each, Spool() if unit.streamed else {}) for each in kin}
            scopes = UnitScope(unit, self.source, self.program.stores[unit.store.name].finds)
            if unit.store.as_name != "record" and entries.plain:
                blocks = unit.held()
                if blocks is None:
                    blocks = (Block(before, [value]) for before, value in enumerate(scopes.values()))
                for block in blocks:
                    for each, table in made.values():
                        each.enter_block(block, table)
            else:
                for scope in scopes.each():
                    entries.enter(scope, made[entries.lookup.name][1])
        for each, table in made.values():
            if each is not entries:
                self.tables.setdefault(each.lookup.name, [table])
        return made[entries.lookup.name][1] if made else {}

    def _kin(self, entries: Entries) -> list[Entries]:
        if not entries.plain:
            return [entries]
        others = (
            Entries(lookup, self.program.values)
            for lookup in self.per_file.values()
            if lookup.stores == entries.lookup.stores and lookup.name not in self.tables
        )
        return [entries, *(each for each in others if each.plain)]

    def _units(self, stores: Collection[str]) -> Iterator[Unit]:
        if self.opened is None or not self.opened.holds_documents:
            return _units(self.program.plan, self.source, self.context.limits, stores, self.context.listings)
        return _good(self.opened.units(stores))


def _reads(source: Source, stores: tuple[str, ...]) -> bool:
    return any(name in stores for name, _ in source.stores)


def _lean(plan: Plan, *asked: Expr) -> Plan:
    """The plan without the sidecars that some expressions don't ask for."""
    names = {name for each in asked for name in expr.root_names(each.ast)}

    def lean(store: Store) -> Store:
        if any(find.name in names for find in store.find):
            return store
        own = names if store.records is None else names | expr.root_names(store.records.ast)
        return replace(store, beside=tuple(beside for beside in store.beside if beside.name in own))

    return replace(plan, stores=tuple(map(lean, plan.stores)))


def _units(plan: Plan, source: Source, limits: Limits, stores: Collection[str], listings: Listings) -> Iterator[Unit]:
    """The units of these stores: what others read of the same file is not touched."""
    kept = [n for n, (name, _) in enumerate(source.stores) if name in stores]
    part = replace(
        source,
        stores=tuple(source.stores[n] for n in kept),
        roots=tuple(source.roots[n] for n in kept) if source.roots else (),
    )
    return _good(open_units(part, plan, limits, False, listings))


def _good(units: Iterator[Unit]) -> Iterator[Unit]:
    with contextlib.suppress(BadUnit):
        yield from units


def _head(program: Program, unit: Unit, source: Source) -> Scope:
    scopes = UnitScope(unit, source, program.stores[unit.store.name].finds)
    return scopes.of(scopes.first())


def _groups(sources: list[Source], store: Store, key: Key) -> list[list[Source]]:
    """Files that may share records: of one base and, where it follows from the path alone, of one `per` group."""
    found: dict[Any, list[Source]] = {}
    for source in sources:
        found.setdefault((home_of(source.base), _group(source, store, key)), []).append(source)
    return [group for group in found.values() if len(group) > 1]


def _group(source: Source, store: Store, key: Key) -> str:
    if not key.by_path:
        return ""
    kinds = {name: kind for glob in (*store.files, *store.folder) for name, kind in glob.captures}
    captures = next(captures for name, captures in source.stores if name == store.name)
    return jsontext.dumps(key.group(Scope({"path": typed(captures, kinds)})))


def _keyed(program: Program, source: Source, store: str, key: Key, context: RunContext, ranked: bool) -> once.Read:
    for unit in _units(context.plan, source, context.limits, (store,), context.listings):
        scopes = UnitScope(unit, source, program.stores[store].finds)
        # what is one value for all records of a unit
        same = {"file", *(find.name for find in unit.store.find), *(beside.name for beside in unit.store.beside)}
        rank: list[Any] | None = None if ranked else []
        for scope in scopes.each():
            digest = key.digest(scope)
            if digest is not None:
                if rank is None or (ranked and not key.preferred <= same):
                    rank = key.rank(scope)
                yield digest, rank


def _head_keys(read: once.Read) -> list[bytes]:
    with contextlib.closing(read):
        return [digest for digest, _ in islice(read, once.HEAD)]
