"""Census: what data holds that a spec does not read. Drift, seen from the data's side.

A record is held to the shape of its store, or of its version; without one to what the rules read of it. The values of
what rules dispatch on are held to the cases. Of secret files nothing is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from engine.errors import BadUnit
from engine.lang.paths import ANY
from engine.lang.plan import Plan, Store
from engine.read.globs import crossing_regex
from engine.read.limits import Limits
from engine.read.reader import open_units
from engine.read.sources import Source
from engine.read.units import Unit
from engine.review.census_counts import KEY, MISSING, TYPE, VALUE, Counts, Entry, name_of, value_of, version_of
from engine.review.census_files import count_tables
from engine.review.census_places import Reads, case_of
from engine.review.census_reads import ROWID, reads_of
from engine.review.census_shapes import (
    Library,
    Shapes,
    admitted,
    allowed,
    fitting,
    is_allowed,
    is_open,
    type_of,
)  # fmt: skip
from engine.run.context import RunContext
from engine.run.interpret_program import program_of
from engine.run.passes import SourceLookups
from engine.run.unit_scope import UnitScope

_VERSION = re.compile(r"(?i)(^|_|-)version$|[a-z]Version$")
#: entries of the short form
SHORT = 20


def unknowns(plan: Plan, sources: Iterable[Source], limits: Limits | None = None, most: int = SHORT) -> list[Any]:
    """The short form for `run.json`: the most frequent things in these sources that the spec does not read and does not
    name as left alone. `sources` are those whose ledgers count unknown records. Never raises for bad evidence."""
    census = Census(plan, limits)
    for source in sources:
        census.source(source)
    found = [entry for entry in entries(census.counts, [plan]) if not entry.left and entry.kind in (KEY, VALUE)]
    return [
        {"store": e.store, "kind": e.kind, "path": e.path, "detail": e.detail, "count": e.count, "example": e.example}
        for e in found[:most]
    ]


def entries(counts: Counts, plans: Sequence[Plan]) -> list[Entry]:
    """What was counted, the most frequent first, each with the reason for which its spec leaves it alone."""
    named = {plan.agent: [(_words(name), why) for name, why in plan.unread] for plan in plans}
    for entry in counts.entries.values():
        words = _words(f"{entry.store}.{entry.path}")
        entry.left = next((why for name, why in named.get(entry.agent, ()) if _names(name, words)), entry.left)
    return sorted(counts.entries.values(), key=lambda e: (bool(e.left), -e.count, e.agent, e.store, e.path, e.detail))


def _words(path: str) -> list[str]:
    return [word for word in re.split(r"[./]|__", path.replace("[]", "")) if word]


def _names(name: list[str], words: list[str]) -> bool:
    """Whether a name of `unread` means a path: it ends where the path does, and what stands before is on the way."""
    if not name or name[-1] not in words:
        return False
    words = words[: len(words) - words[::-1].index(name[-1])]
    rest = iter(words[:-1])
    return all(word in rest for word in name[:-1])


class Census:
    """Counts what the sources of one agent hold beyond its spec."""

    def __init__(self, plan: Plan, limits: Limits | None = None, counts: Counts | None = None):
        self.plan, self.limits, self.counts = plan, limits or Limits(), counts or Counts()
        self._library = Library(plan.shapes)
        self._program = program_of(plan)
        self._context = RunContext(plan, limits=self.limits, hashing=False)
        self._reads: dict[str, Reads] = {}
        self._secrets = crossing_regex(*plan.catalog.secrets)
        self.secret = 0

    def is_secret(self, path: str) -> bool:
        """Whether a path below a base is one of a file that holds secrets."""
        return self._secrets.fullmatch(path) is not None

    def source(self, source: Source) -> None:
        """Counts one source. A file that can't be read is passed over: a run says so."""
        stores = {store.name: store for store in self.plan.stores}
        mine = [stores[name] for name, _ in source.stores]
        if self.is_secret(source.below) or all(store.keys for store in mine):
            self.secret += 1
            return
        if any(store.sqlite is not None for store in mine):
            count_tables(source, mine, self.limits, self.counts)
        self._program.lookups = SourceLookups(self._program, source, self._context)
        try:
            for unit in open_units(source, self.plan, self.limits, hashing=False):
                if not unit.store.keys:
                    self._unit(unit, source)
        except BadUnit:
            return

    def _unit(self, unit: Unit, source: Source) -> None:
        store, scopes = unit.store, UnitScope(unit, source, self._program.stores[unit.store.name].finds)
        shapes = self._shapes(store, scopes)
        look = _Look(self._library, self.counts, self.plan.agent, store.name)
        reads = self._reads.get(store.name)
        if reads is None:
            reads = self._reads[store.name] = reads_of(self.plan, store)
        name = "record" if store.records is not None else store.as_name
        if store.records is not None:
            for around, value in unit.names.items():
                if around == store.as_name or around in reads.below:
                    look.at(source.source_file, unit.rowid or 0)
                    look.visit(value, around, (), reads.below.get(around, Reads()))
        elif store.sqlite is not None:
            for child in store.sqlite.children:
                look.at(source.source_file, unit.rowid or 0)
                look.visit(unit.names.get(child.name), child.name, (), reads.below.get(child.name, Reads()))
        for record in scopes.good():
            look.at(record.source_file or source.source_file, record.line)
            look.visit(record.value, name, shapes, reads.below.get(name, Reads()))

    def _shapes(self, store: Store, scopes: UnitScope) -> Shapes:
        """The shape of a unit's records, by its version; counts the version."""
        if not store.versions:
            return self._library.named(store.shape)
        scope = scopes.of(scopes.first())
        version, _ = self._program.stores[store.name].version(scope)
        self.counts.version(self.plan.agent, store.name, "", str(version))
        named = next((each.shape for each in store.versions if each.id == version), None)
        return self._library.named(named or store.shape)


class _Look:
    """Looks at the records of one store."""

    def __init__(self, library: Library, counts: Counts, agent: str, store: str):
        self._library, self._counts, self._agent, self._store = library, counts, agent, store
        self._example = ""

    def at(self, source_file: str, line: int) -> None:
        """Where the next value stands."""
        self._example = f"{source_file}:{line}"

    def _add(self, kind: str, path: str, *, detail: str = "", type_: str = "") -> None:
        self._counts.add(self._agent, self._store, kind, path, self._example, detail=detail, type_=type_)

    def visit(self, value: Any, path: str, shapes: Shapes, reads: Reads | None, known: bool = False) -> None:
        """Holds a value to its shapes, or when it has none to what is read of it. `reads` is None where nothing below
        has a name; `known`: what is below needs none, because it is read whole."""
        kind = type_of(value)
        if shapes:
            fit = admitted(shapes, value)
            if not fit:
                self._add(TYPE, path, detail=kind)
                return
            if kind not in ("object", "array") and not is_allowed(value, allowed(fit)):
                self._add(VALUE, path, detail=value_of(value))
                return
            shapes = fit
        if reads is not None and reads.records:
            return
        known = known or (reads is not None and reads.takes(value))
        if isinstance(value, dict):
            self._object(value, path, shapes, reads, known)
        elif isinstance(value, list):
            elements = self._library.elements(shapes)
            known = known or (bool(shapes) and not elements)
            for element in value:
                self.visit(element, f"{path}[]", elements, reads.element() if reads is not None else None, known)
        elif reads is not None and reads.switched and not _is_known(value, reads, shapes):
            self._add(VALUE, path, detail=value_of(value))

    def _object(self, value: dict[str, Any], path: str, shapes: Shapes, reads: Reads | None, known: bool) -> None:
        shapes = fitting(shapes, value)
        if len(shapes) == 1:
            for key in shapes[0].get("required", ()):
                if key not in value:
                    self._add(MISSING, f"{path}.{key}")
        known = known or any(map(is_open, shapes))
        for key, member in value.items():
            self._version(key, member, path)
            below = reads.member(key) if reads is not None else None
            inner, many = self._library.member(shapes, key)
            if not known and not inner and (shapes or below is None) and key != ROWID:
                self._add(KEY, f"{path}.{name_of(key)}", type_=type_of(member))
            elif inner or (below is not None and (below.below or below.switched)):
                listed = (inner and not many) or (reads is not None and key in reads.below)
                self.visit(member, f"{path}.{key if listed else ANY}", inner, below, known and not inner)

    def _version(self, key: str, member: Any, path: str) -> None:
        if isinstance(member, str | int) and not isinstance(member, bool) and _VERSION.search(key):
            self._counts.version(self._agent, self._store, f"{path}.{name_of(key)}", version_of(member))


def _is_known(value: Any, reads: Reads, shapes: Shapes) -> bool:
    if value is None or case_of(value) in reads.kinds:
        return True
    return bool(shapes) and allowed(shapes) is not None
