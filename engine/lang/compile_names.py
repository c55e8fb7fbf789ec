"""Which names are in scope: what stores bind, and what the engine binds everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.lang.compile_stores import LINE_KINDS
from engine.lang.plan import Store

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
