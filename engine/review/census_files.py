"""Tables and columns that no store of a spec reads, and files below an agent's directories that none does."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from engine.errors import BadUnit
from engine.lang.plan import Child, Plan, Sqlite, Store
from engine.read.databases import SIDECARS, Database, quoted
from engine.read.globs import compile_glob, crossing_regex
from engine.read.limits import Limits
from engine.read.sources import Base, Source
from engine.read.tree import DIRECTORY, FILE, Tree, join
from engine.review.census_counts import COLUMN, TABLE, Counts, name_of
from engine.review.census_counts import FILE as A_FILE

#: files that are looked at below one root
_FILES = 100_000
_ID = re.compile(r"(?i)[0-9a-f]{8,}|\d+|[^\x20-\x7e]+")
_OWN = ("sqlite_", "android_metadata")


def count_tables(source: Source, stores: Sequence[Store], limits: Limits, counts: Counts) -> None:
    """Counts the tables of a database that the stores do not read, and the columns of those that they do."""
    read = _read_columns(stores)
    try:
        with Database(str(source.path), limits, hashing=False) as database:
            for name, kind in database.tables().items():
                example = f"{source.source_file}:0"
                if name.lower().startswith(_OWN) or kind != "table":
                    continue
                rows = next(iter(database.query(f"SELECT count(*) FROM {quoted(name)}")))[0]
                if name.lower() not in read:
                    counts.add(source.agent, "", TABLE, f"{source.name}/{name_of(name)}", example, count=rows or 1)
                    continue
                store, known = read[name.lower()]
                for column in database.columns(name):
                    if rows and column.lower() not in known:
                        counts.add(source.agent, store, COLUMN, f"{name}.{name_of(column)}", example, count=rows)
    except (BadUnit, sqlite3.Error):
        return


def _read_columns(stores: Iterable[Store]) -> dict[str, tuple[str, set[str]]]:
    """Table in lower case → the first store that reads it, and the columns that stores name, in lower case."""
    found: dict[str, tuple[str, set[str]]] = {}
    for store in stores:
        if store.sqlite is None:
            continue
        tables: tuple[Sqlite | Child, ...] = (store.sqlite, *store.sqlite.children)
        for table in tables:
            _, columns = found.setdefault(table.table.lower(), (store.name, set()))
            columns.update(name.lower() for name in (*table.need, *table.want, *table.json, *_order(table)))
            pairs = table.match if isinstance(table, Child) else table.where
            columns.update(column.lower() for column, _ in pairs)
    return found


def _order(table: Sqlite | Child) -> tuple[str, ...]:
    return (table.order,) if isinstance(table.order, str) else table.order or ()


def count_files(plan: Plan, bases: Iterable[Base], sources: Sequence[Source], counts: Counts) -> None:
    """Counts the files below the agent's own directories that no store reads, collected by name with ids as `*`. Left
    out: what the catalog excludes, secret files, sidecars of stores, and roots that are a whole base."""
    left_out = crossing_regex(*(glob for glob, _ in plan.catalog.exclude), *plan.catalog.secrets)
    for base in bases:
        mine = [source for source in sources if source.base.path == base.path and source.agent == plan.agent]
        read = {source.below for source in mine if not source.folder}
        folders = tuple(f"{source.below}/" for source in mine if source.folder)
        tree = Tree(str(base.path))
        for path in _files(plan, base, tree):
            beside = next((path.removesuffix(end) for end in SIDECARS if path.endswith(end)), path)
            if beside in read or path.startswith(folders) or left_out.fullmatch(path):
                continue
            if any(map(left_out.fullmatch, _above(path))):
                continue
            if not _is_sidecar(plan, path):
                counts.add(plan.agent, "", A_FILE, _ID.sub("*", path), base.prefix + path)


def _files(plan: Plan, base: Base, tree: Tree) -> Iterator[str]:
    """The files below the roots of a base, each once."""
    seen: set[str] = set()
    for root in plan.roots:
        for kind, pattern in root.bases:
            if kind != base.kind or pattern == ".":
                continue
            for found in tree.glob(compile_glob(pattern)):
                if found.kind != DIRECTORY:
                    continue
                for directory in tree.directories(found.path):
                    for name, what in tree.listing(directory).kinds.items():
                        path = join(directory, name)
                        if what == FILE and path not in seen and len(seen) < _FILES:
                            seen.add(path)
                            yield path


def _above(path: str) -> Iterator[str]:
    """The directories above a path."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _is_sidecar(plan: Plan, path: str) -> bool:
    """Whether a file is one that some store looks for beside its own, by its name."""
    name = path.rpartition("/")[2]
    globs = (beside.glob for store in plan.stores for beside in store.beside)
    return any(_last_name(glob.pattern).fullmatch(name) for glob in globs)


def _last_name(pattern: str) -> re.Pattern[str]:
    """The names that the last part of a pattern may have."""
    last = re.sub(r"<[^<>]*>", "*", pattern.rpartition("/")[2])
    return crossing_regex(last)
