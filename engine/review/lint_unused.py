"""Checks for what a spec declares and nothing uses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.lang.function import Function
from engine.lang.functions import FUNCTIONS
from engine.lang.paths import ELEMENT
from engine.lang.plan import AnyStep, Hook, Set, Store, Walk
from engine.lang.traversal import reached, walks_of
from engine.review.cites import citations
from engine.review.lint_shapes import reads_at
from engine.review.lint_subject import Check, Finding, Subject, members_in, names_in

_REF = re.compile(r"'\$ref': '#/shapes/([^']+)'")


class UnusedRoot(Check):
    code = "W101"

    def find(self, spec: Subject) -> Iterator[Finding]:
        globs = [
            glob
            for store in spec.plan.stores
            for glob in (*store.files, *store.folder, *store.skip, *(beside.glob for beside in store.beside))
        ] + [store.secondary_if for store in spec.plan.stores if store.secondary_if is not None]
        yield from spec.unused("roots", (glob.root for glob in globs), "no glob starts from `{{{}}}`")


class UnusedTable(Check):
    code = "W102"

    def find(self, spec: Subject) -> Iterator[Finding]:
        asked = {text for name, text in spec.calls if _takes_table(FUNCTIONS.get(name))}
        named = {
            str(node.plain())
            for store in spec.plan.stores
            for path in (f"stores.{store.name}.keys", f"stores.{store.name}.records.keep")
            if (node := spec.text.nodes.get(path)) is not None
        }
        yield from spec.unused("tables", asked | named, "nothing uses table `{}`")


class UnusedLookup(Check):
    code = "W103"

    def find(self, spec: Subject) -> Iterator[Finding]:
        asked = (text for name, text in spec.calls if name == "lookup")
        yield from spec.unused("lookups", asked, "no expression asks lookup `{}`")


class UnusedWalk(Check):
    code = "W104"

    def find(self, spec: Subject) -> Iterator[Finding]:
        used = (walk for store in spec.plan.stores for walk in reached(spec.steps, walks_of(store)))
        yield from spec.unused("walks", used, "no store reaches walk `{}`")


class UnusedLet(Check):
    code = "W105"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for walk in spec.plan.walks:
            for owner in (walk, *spec.steps[walk.name]):
                yield from _unread(spec, owner, "let", "nothing reads let `{}`")


class UnusedFind(Check):
    code = "W106"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for store in spec.plan.stores:
            walks = [walk for walk in spec.plan.walks if walk.name in walks_of(store)]
            heads = [lookup for lookup in spec.plan.lookups if store.name in lookup.stores]
            beyond = names_in((*walks, *heads))
            for section in ("find", "beside"):
                for name, mark in spec.declared(f"{store.mark.path}.{section}"):
                    others = tuple(find for find in store.find if find.name != name)
                    if name not in beyond | names_in((others, store.versions, store.records, store.once)):
                        yield Finding(mark, f"nothing reads `{name}`")


class UnusedShape(Check):
    code = "W107"

    def find(self, spec: Subject) -> Iterator[Finding]:
        has = {shape for store in spec.plan.stores for shape in (store.shape, *(v.shape for v in store.versions))}
        used = {name for name in has if name} | set(_REF.findall(str(spec.plan.shapes)))
        yield from spec.unused("shapes", used, "no store and no other shape has shape `{}`")


class UnusedStore(Check):
    code = "W108"

    def find(self, spec: Subject) -> Iterator[Finding]:
        plan = spec.plan
        used = {store.name for store in plan.stores if walks_of(store)}
        used |= {name for lookup in plan.lookups for name in lookup.stores} | {
            name for name, _ in plan.catalog.projects
        }
        used |= {name for pairing in plan.pairings for name in pairing.primary}
        yield from spec.unused("stores", used, "no walk and no lookup reads store `{}`: say in `unread` why not")


class UnusedAlias(Check):
    code = "W109"

    def find(self, spec: Subject) -> Iterator[Finding]:
        yield from spec.unused("evidence", (each.citation.alias for each in citations(spec.text)), "nothing cites `{}`")


class UnusedHook(Check):
    code = "W110"

    def find(self, spec: Subject) -> Iterator[Finding]:
        called = (step.hook for steps in spec.steps.values() for step in steps if isinstance(step, Hook))
        yield from spec.unused("hooks", called, "no step calls hook `{}`")


class UnusedColumn(Check):
    code = "W111"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for store in spec.plan.stores:
            if store.sqlite is None:
                continue
            table, read = store.sqlite, reads_at(spec, store)
            parents = {column for child in table.children for _, column in child.match}
            yield from _columns(store, store.as_name, (*table.want, *table.json), read, parents)
            for child in table.children:
                yield from _columns(store, child.name, (*child.want, *child.json), read, set())


class UnusedState(Check):
    code = "W112"

    def find(self, spec: Subject) -> Iterator[Finding]:
        read = members_in(spec.plan.walks, "state")
        for steps in spec.steps.values():
            for step in steps:
                if isinstance(step, Set) and not step.changed and read is not None and step.name not in read:
                    yield Finding(step.mark, f"nothing reads `state.{step.name}`")


class UnusedParameter(Check):
    code = "W113"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for walk in spec.plan.walks:
            read = names_in(walk)
            for name in walk.params:
                if name not in read:
                    yield Finding(walk.mark, f"walk `{walk.name}` does not read its parameter `{name}`")


def _takes_table(function: Function | None) -> bool:
    return function is not None and function.table_arg is not None


def _unread(spec: Subject, owner: Walk | AnyStep, section: str, message: str) -> Iterator[Finding]:
    """The lets of a walk or step that nothing in it reads."""
    for at, (name, _) in enumerate(owner.let):
        rest = tuple((other, value) for other, value in owner.let if other != name)
        others = [getattr(owner, field) for field in owner.__struct_fields__ if field != "let"]
        if name not in names_in((rest, *others)):
            mark = list(spec.declared(f"{owner.mark.path}.{section}"))[at][1]
            yield Finding(mark, message.format(name))


def _columns(
    store: Store, name: str, columns: tuple[str, ...], read: set[tuple[str, ...]], used: set[str]
) -> Iterator[Finding]:
    heads = {tuple(step for step in place if step != ELEMENT)[:2] for place in read}
    if (name,) in heads:
        return
    for column in columns:
        if (name, column) not in heads and column not in used:
            yield Finding(store.mark, f"nothing reads column `{column}` of `{name}`")
