"""Which names are in scope: what stores bind, and what the engine binds everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from engine.lang.compile_stores import LINE_KINDS
from engine.lang.plan import AnyStep, Block, Choose, Hook, Set, Store, Switch, Use, Walk

#: name in scope → its members, None when any member may exist
Names = Mapping[str, frozenset[str] | None]

FILE_MEMBERS = frozenset({"name", "stem", "path", "dir", "size", "mtime", "home"})
UNIT_MEMBERS = frozenset({"line", "count", "version", "copies", "store", "files"})


def captures_of(store: Store) -> frozenset[str]:
    """The captures of a store's globs, and of the places of its records."""
    found = {name for glob in (*store.files, *store.folder) for name, _ in glob.captures}
    below = store.tree.captures if store.tree is not None else ()
    return frozenset(found | {name for name, _ in store.folder_captures} | {name for name in below if name})


def common_names(captures: frozenset[str], state: frozenset[str]) -> dict[str, frozenset[str] | None]:
    """What a walk sees that is reached by `use`."""
    return {
        "path": captures, "file": FILE_MEMBERS, "unit": UNIT_MEMBERS, "state": state,
        "pos": frozenset(), "next": frozenset(),
    }  # fmt: skip


def store_names(store: Store, state: frozenset[str]) -> dict[str, frozenset[str] | None]:
    """What a store's walk sees."""
    names = common_names(captures_of(store), state)
    names["pos"] = names["next"] = frozenset({"record"})
    own: frozenset[str] | None = None
    if store.sqlite is not None:
        columns = {*store.sqlite.need, *store.sqlite.want, *store.sqlite.json, "rowid"}
        own = frozenset(columns | {child.name for child in store.sqlite.children})
        names |= {child.name: None for child in store.sqlite.children}
    names[store.as_name] = own
    names["record"] = None if store.records is not None or store.tree is not None else own
    if store.decode:
        names["stored"] = frozenset(decode.column for decode in store.decode)
    names |= {find.name: None for find in store.find}
    names |= {beside.name: None for beside in store.beside}
    return names


def merged(many: Iterable[Names]) -> dict[str, frozenset[str] | None]:
    """The union; a name that one store lacks is null there."""
    made: dict[str, frozenset[str] | None] = {}
    for names in many:
        for name, members in names.items():
            known = made.get(name, frozenset())
            made[name] = None if members is None or known is None else known | members
    return made


def is_read_by_line(store: Store) -> bool:
    """Whether a store's records can't be listed: they pass by one after another."""
    return store.read in LINE_KINDS or bool(store.folder)


def inner_lists(step: AnyStep) -> Iterator[tuple[AnyStep, ...]]:
    """The lists of steps inside a step."""
    if isinstance(step, Block | Hook):
        yield step.steps
    elif isinstance(step, Switch | Choose):
        for _, body in step.cases:
            yield body
        yield step.otherwise
    elif isinstance(step, Set):
        yield step.changed


def all_steps(steps: Iterable[AnyStep]) -> Iterator[AnyStep]:
    """Every step of a list, outer before inner."""
    for step in steps:
        yield step
        for inner in inner_lists(step):
            yield from all_steps(inner)


def walk_steps(walk: Walk) -> Iterator[AnyStep]:
    """Every step of a walk."""
    yield from all_steps((*walk.begin, *walk.steps, *walk.end))


def walks_of(store: Store) -> tuple[str, ...]:
    """The walks that a store names, its versions' included."""
    named = (store.walk, *(version.walk for version in store.versions))
    return tuple(dict.fromkeys(name for name in named if name))


def reached(steps: Mapping[str, tuple[AnyStep, ...]], start: Iterable[str]) -> list[str]:
    """The names of the walks reached from `start`, by `use` too; `steps` are all steps of each walk."""
    found: dict[str, None] = {}
    open_names = list(start)
    while open_names:
        name = open_names.pop()
        if name not in found and name in steps:
            found[name] = None
            open_names += [step.walk for step in steps[name] if isinstance(step, Use)]
    return list(found)
