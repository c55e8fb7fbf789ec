"""What the checks of the linter look at: a spec as text and plan, and what they ask of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

from engine.lang.paths import accesses, root_names
from engine.lang.plan import AnyStep, Mark, Plan, Store
from engine.lang.traversal import expressions, reached, walk_steps, walks_of
from engine.review.spectext import SpecText
from engine.spec.yamlio import Mapping

Ast = dict[str, Any]

WARNING, NOTE = "warning", "note"


class Finding(NamedTuple):
    """Something that a check says, and where; `nearest` is what was most likely meant."""

    mark: Mark
    message: str
    nearest: str | None = None


class Undecided(Exception):
    """What a check needs is not at hand: it says nothing, and what is excepted of it stays."""


class Check:
    """One check of the linter. `code` is one of `engine.spec.problems.WARNINGS`; a `note` never fails a run."""

    code: ClassVar[str]
    severity: ClassVar[str] = WARNING

    def find(self, spec: Subject) -> Iterable[Finding]:
        raise NotImplementedError


class Subject:
    """A spec that has no error."""

    def __init__(self, text: SpecText):
        self.text = text
        self.plan: Plan = text.plan
        self.steps: dict[str, tuple[AnyStep, ...]] = {walk.name: tuple(walk_steps(walk)) for walk in text.plan.walks}

    def declared(self, section: str) -> Iterator[tuple[str, Mark]]:
        """Each name that a section (a YAML path) declares, and the place of its key."""
        node = self.text.nodes.get(section)
        for name, key in node.keys.items() if isinstance(node, Mapping) else ():
            yield name, Mark(key.line, key.column, f"{section}.{name}")

    def unused(self, section: str, used: Iterable[str], message: str) -> Iterator[Finding]:
        """A finding for each name of a section that is not used; `{}` in the message is the name."""
        used = set(used)
        for name, mark in self.declared(section):
            if name not in used:
                yield Finding(mark, message.format(name))

    def stores_of(self, walk: str) -> list[Store]:
        """The stores that reach a walk, by `use` too."""
        return [store for store in self.plan.stores if walk in reached(self.steps, walks_of(store))]

    @cached_property
    def calls(self) -> set[tuple[str, str]]:
        """(function, raw string among its arguments), of every call in the spec."""
        return {
            (node["value"], child["value"])
            for expr in expressions(self.plan)
            for node in nodes(expr.ast)
            if node["type"] == "function_expression"
            for child in node["children"]
            if child["type"] == "literal" and isinstance(child["value"], str)
        }


def names_in(node: Any) -> set[str]:
    """The scope names that a part of a plan looks up."""
    return {name for expr in expressions(node) for name in root_names(expr.ast)}


def members_in(node: Any, name: str) -> set[str] | None:
    """The members of a scope name that a part of a plan reads; None when it uses the whole value."""
    found: set[str] = set()
    for expr in expressions(node):
        for access in accesses(expr.ast):
            if access.path[0] == name:
                if len(access.path) == 1 or not access.path[1].isidentifier():
                    return None
                found.add(access.path[1])
    return found


def nodes(ast: Ast) -> Iterator[Ast]:
    """Every node of an expression's tree, outer before inner."""
    yield ast
    for child in ast["children"]:
        if isinstance(child, dict):
            yield from nodes(child)


def comparisons(ast: Ast) -> Iterator[tuple[Ast, Any]]:
    """(what is compared, the constant that it is compared with), of every `==` and `!=` in an expression."""
    for node in nodes(ast):
        if node["type"] == "comparator" and node["value"] in ("eq", "ne"):
            for one, other in (node["children"], node["children"][::-1]):
                if other["type"] == "literal" and one["type"] != "literal":
                    yield one, other["value"]
