"""What the rules of a spec read of a store's records, found from their expressions: for stores without a shape, and for
the values that they dispatch on.

Every name of a walk stands for the paths that it may come from: a let, an element, a parameter. What a fallback prints
whole (`keep_json`, `unparsed`) is not read by it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.lang.paths import ELEMENT, Ast, Path, flow
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Emit,
    Expr,
    Hook,
    Pairs,
    Plan,
    Set,
    Store,
    Switch,
    Use,
    Value,
    Walk,
)  # fmt: skip
from engine.review.census_places import Reads, case_of
from engine.run.values import expressions

#: a table's way to say that everything below is meant
_LEAVES = "**"

#: what the reader adds to the columns of a table row
ROWID = "rowid"

Paths = frozenset[Path]
Names = Mapping[str, Paths]


def reads_of(plan: Plan, store: Store, reader: Reader | None = None) -> Reads:
    """What all rules read of a store's records. The members of the result are scope names: what `as` says, `record`
    where the store has `records`, children."""
    reader = Reader(plan) if reader is None else reader
    names: dict[str, Paths] = {store.as_name: frozenset({(store.as_name,)})}
    if store.sqlite is not None:
        for column in (*store.sqlite.need, *store.sqlite.want, *store.sqlite.json, ROWID):
            reader.root.at((store.as_name, column))
        for child in store.sqlite.children:
            for column in (*child.need, *child.want, *child.json, ROWID):
                reader.root.at((child.name, ELEMENT, column))
        names |= {child.name: frozenset({(child.name,)}) for child in store.sqlite.children}
    if store.records is not None:
        for place in reader.expression(store.records, names):
            reader.root.at(place).records = True
        names["record"] = frozenset({("record",)})
    else:
        names["record"] = names[store.as_name]
    found: dict[str, Paths] = {}
    for find in store.find:
        for condition in (find.until, find.when):
            reader.whole(condition, names | found)
        found[find.name] = reader.given(find.value, names | found)
    names |= found
    if store.once is not None:
        for part in (store.once.key, store.once.per, *store.once.prefer):
            reader.told(part, names)
    for version in store.versions:
        reader.whole(version.when, names)
    for decode in store.decode:
        reader.whole(decode.by, names)
    for lookup in plan.lookups:
        if store.name in lookup.stores:
            reader.whole(lookup.key, names)
            reader.whole(lookup.value, names)
    for name, value in plan.catalog.projects:
        if name == store.name:
            reader.whole(value, names)
    walks = dict.fromkeys(name for name in (store.walk, *(version.walk for version in store.versions)) if name)
    for walk in walks:
        reader.walk(reader.walks[walk], names)
    return reader.root


class Reader:
    """Follows names through walks; what is read is entered below `root`."""

    def __init__(self, plan: Plan):
        self.plan, self.root = plan, Reads()
        self.walks = {walk.name: walk for walk in plan.walks}
        #: the cases around the step at hand: where the value stands that they are dispatched on, and which they are
        self._cases: list[tuple[Path, Sequence[str]]] = []
        self._telling = False

    def expression(self, found: Expr, names: Names) -> Paths:
        """Enters what an expression reads; gives the places that its value may come from."""
        if (picked := self._pick(found.ast, names)) is not None:
            return picked
        reads, gives = flow(found.ast)
        for access in reads:
            for place in placed(access.path, names):
                node = self.root.at(place)
                if access.whole:
                    self._take(place, node)
        self._compared(found.ast, names)
        return frozenset(place for path in gives for place in placed(path, names))

    def whole(self, value: Value | None, names: Names) -> None:
        """Enters a value that is used as it is."""
        for found in expressions(value) if value is not None else ():
            for place in self.expression(found, names):
                self._take(place, self.root.at(place))

    def told(self, found: Expr | None, names: Names) -> None:
        """Enters an expression that tells copies apart: what it takes whole is compared and not read."""
        self._telling = True
        self.whole(found, names)
        self._telling = False

    def _take(self, place: Path, node: Reads) -> None:
        """All of a place is read; inside a case that is told by a value below, only of what is that case."""
        if self._telling:
            return
        for where, cases in reversed(self._cases):
            below = where[len(place) :]
            if below and where[: len(place)] == place and ELEMENT not in below:
                node.whole_of.setdefault(below, set()).update(cases)
                return
        node.whole = True

    def given(self, value: Value, names: Names) -> Paths:
        """A value that gets a name: its paths when it is one expression, else it is used."""
        if isinstance(value, Expr):
            return self.expression(value, names)
        self.whole(value, names)
        return frozenset()

    def _pick(self, ast: Ast, names: Names) -> Paths | None:
        """`pick(document, 'table')` reads the paths of the table."""
        if ast["type"] != "function_expression" or ast["value"] != "pick" or len(ast["children"]) != 2:
            return None
        gives = flow(ast["children"][0]).gives
        table = self.plan.tables.get(ast["children"][1].get("value"))
        if not gives or not isinstance(table, list):
            return None
        for base in (place for path in gives for place in placed(path, names)):
            for text in table:
                self.root.at((*base, *_segments(str(text)))).whole = True
        return frozenset()

    def _compared(self, ast: Ast, names: Names) -> None:
        """Values that a path is compared with, and tables that it is looked up in, are known there."""
        for node in _nodes(ast):
            if node["type"] == "comparator" and node["value"] in ("eq", "ne"):
                for one, other in (node["children"], reversed(node["children"])):
                    if other["type"] == "literal":
                        self._known(one, (case_of(other["value"]),) if not _is_tree(other["value"]) else (), names)
            elif node["type"] == "function_expression" and node["value"] == "has" and len(node["children"]) == 2:
                table = self.plan.tables.get(node["children"][1].get("value"), ())
                self._known(node["children"][0], map(str, table), names)

    def _known(self, subject: Ast, values: Iterable[str], names: Names) -> Paths:
        places = frozenset(place for path in flow(subject).gives for place in placed(path, names))
        values = list(values)
        for place in places:
            self.root.at(place).kinds.update(values)
        return places

    def pairs(self, pairs: Pairs, names: Names) -> None:
        for _, value in pairs:
            self.whole(value, names)

    def lets(self, pairs: Pairs, names: Names) -> Names:
        made = dict(names)
        for name, value in pairs:
            made[name] = self.given(value, made)
        return made

    def walk(self, walk: Walk, names: Names) -> None:
        inner = self.lets(walk.let, names)
        self.pairs(walk.columns, inner)
        self.pairs(walk.begin_columns, inner)
        self.steps((*walk.begin, *walk.steps, *walk.end), inner)

    def steps(self, steps: Iterable[AnyStep], names: Names) -> None:
        for step in steps:
            self.step(step, names)

    def step(self, step: AnyStep, names: Names) -> None:
        if step.each is not None:
            element = frozenset((*place, ELEMENT) for place in self.expression(step.each[1], names))
            names = {**names, step.each[0]: element}
        if step.each_records is not None:
            names = {**names, step.each_records: names.get("record", frozenset())}
        names = self.lets(step.let, names)
        self.whole(step.when, names)
        self.pairs(step.columns, names)
        if isinstance(step, Emit):
            return
        if isinstance(step, Block):
            self.steps(step.steps, names)
        elif isinstance(step, Switch):
            self.switch(step, names)
        elif isinstance(step, Choose):
            for condition, body in step.cases:
                self.whole(condition, names)
                self.steps(body, names)
            self.steps(step.otherwise, names)
        elif isinstance(step, Set):
            self.whole(step.value, names)
            self.whole(step.at, names)
            self.steps(step.changed, names)
        elif isinstance(step, Hook):
            self.pairs(step.inputs, names)
            self.steps(step.steps, {**names, step.as_name: frozenset()})
        elif isinstance(step, Use):
            given = {name: self.given(value, names) for name, value in step.inputs}
            walk = self.walks[step.walk]
            inner = self.lets(walk.let, given)
            self.pairs(walk.columns, inner)
            self.steps(walk.steps, inner)

    def switch(self, step: Switch, names: Names) -> None:
        cases = [key for keys, _ in step.cases for key in keys]
        self.whole(step.on, names)
        places = self._known(step.on.ast, cases, names)
        for place in places:
            self.root.at(place).switched = True
        for keys, body in step.cases:
            self._cases += [(place, keys) for place in places]
            self.steps(body, names)
            del self._cases[len(self._cases) - len(places) :]
        self.steps(step.otherwise, names)


def placed(path: Path, names: Names) -> Iterator[Path]:
    return ((*base, *path[1:]) for base in names.get(path[0], ()))


def _segments(path: str) -> Iterator[str]:
    """The steps of a table's path: `a.b`, `*`, `[]`; what `**` stands for is below the path."""
    for part in path.split("."):
        if part == _LEAVES:
            return
        name = part.rstrip("[]") if part.endswith("[]") else part
        if name:
            yield name
        yield from [ELEMENT] * ((len(part) - len(name)) // 2)


def _nodes(ast: Any) -> Iterator[Ast]:
    if isinstance(ast, dict) and "type" in ast:
        yield ast
        for child in ast["children"]:
            yield from _nodes(child)


def _is_tree(value: Any) -> bool:
    return isinstance(value, dict | list)
