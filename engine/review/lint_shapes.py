"""Checks of expressions against the shapes of records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.lang.paths import ANY, ELEMENT, Path, flow, root_names
from engine.lang.plan import AnyStep, Expr, Mark, Plan, Store, Switch
from engine.review.census_places import case_of
from engine.review.census_reads import Names, Paths, Reader, placed, reads_of
from engine.review.census_shapes import Library, Shape, Shapes, allowed, is_open
from engine.review.lint_subject import Check, Finding, Subject, comparisons
from engine.spec.problems import nearest_name


class Read(NamedTuple):
    """An expression and a place below a scope name that it reads; `name` is what the expression calls its root."""

    expr: Expr
    place: Path
    name: str


class Compared(NamedTuple):
    """A value that a place is held to, by a comparison or as the case of a switch."""

    mark: Mark
    place: Path
    value: str
    case: bool


class Located(Reader):
    """Remembers what is read of a store's records, and by which expression."""

    def __init__(self, plan: Plan):
        super().__init__(plan)
        self.reads: list[Read] = []
        self.compared: list[Compared] = []
        self.lists: list[Read] = []
        #: names that stood once for something of unknown place: a parameter that is given several things
        self.unplaced: set[tuple[Mark, str]] = set()

    def expression(self, found: Expr, names: Names) -> Paths:
        given = super().expression(found, names)
        reads, gives = flow(found.ast)
        for path in (*gives, *(access.path for access in reads)):
            self.reads += [Read(found, place, path[0]) for place in placed(path, names)]
        self.unplaced |= {(found.mark, name) for name in root_names(found.ast) if not names.get(name)}
        for subject, value in comparisons(found.ast):
            if not isinstance(value, list | dict):
                for place in (place for path in flow(subject).gives for place in placed(path, names)):
                    self.compared.append(Compared(found.mark, place, case_of(value), False))
        return given

    def step(self, step: AnyStep, names: Names) -> None:
        if step.each is not None:
            expr = step.each[1]
            self.lists += [Read(expr, place, path[0]) for path in flow(expr.ast).gives for place in placed(path, names)]
        super().step(step, names)

    def switch(self, step: Switch, names: Names) -> None:
        for place in (place for path in flow(step.on.ast).gives for place in placed(path, names)):
            for keys, _ in step.cases:
                self.compared += [Compared(step.mark, place, key, True) for key in keys]
        super().switch(step, names)


def located(spec: Subject, store: Store) -> Located:
    reader = Located(spec.plan)
    reads_of(spec.plan, store, reader)
    return reader


def reads_at(spec: Subject, store: Store) -> set[Path]:
    """Every place of a store's records, rows and documents that an expression reads."""
    return {read.place for read in located(spec, store).reads}


class _Shaped:
    """What the shapes of a store say of the places of its records."""

    def __init__(self, plan: Plan, store: Store):
        self.library = Library(plan.shapes)
        names = dict.fromkeys(name for name in (store.shape, *(v.shape for v in store.versions)) if name)
        self.record = "record" if store.records is not None or store.tree is not None else store.as_name
        self.top = tuple(shape for name in names for shape in self.library.named(name))

    def at(self, place: Path) -> Shapes:
        """The shapes of a place, none where nothing is known of it."""
        if place[:1] != (self.record,):
            return ()
        shapes = self.top
        for step in place[1:]:
            if not shapes or any(map(_tells_nothing, shapes)):
                return ()
            shapes = self._below(shapes, step)
        return shapes

    def _below(self, shapes: Shapes, step: str) -> Shapes:
        if step == ELEMENT:
            return self.library.elements(shapes)
        if step == ANY:
            return ()
        return self.library.member(shapes, step)[0]

    def lacks(self, place: Path) -> list[str] | None:
        """The members that the shape around a place lists, when the place's own is not among them."""
        around = self.at(place[:-1])
        if not around or place[-1] in (ELEMENT, ANY) or any(map(_tells_nothing, around)):
            return None
        if any(place[-1] in shape.get("properties", {}) or "additionalProperties" in shape for shape in around):
            return None
        return [name for shape in around for name in shape.get("properties", {})]


def _tells_nothing(shape: Shape) -> bool:
    """Whether a shape leaves open what members or elements there are."""
    kinds = _types(shape)
    return ("object" in kinds or not kinds) and is_open(shape) and "items" not in shape and allowed((shape,)) is None


def _types(shape: Shape) -> tuple[str, ...]:
    kinds: Any = shape.get("type", ())
    return (kinds,) if isinstance(kinds, str) else tuple(kinds)


class _ShapeCheck(Check):
    """Holds what is read to the shapes. A walk may serve several stores, a parameter stand for several places: what the
    shape of one has is no finding."""

    def find(self, spec: Subject) -> Iterator[Finding]:
        found: dict[tuple[Any, ...], Finding | None] = {}
        for store in spec.plan.stores:
            shaped = _Shaped(spec.plan, store)
            if shaped.top:
                for key, finding in self.held(located(spec, store), shaped):
                    if finding is None or key not in found:
                        found[key] = finding
        return (finding for finding in found.values() if finding is not None)

    def held(self, reader: Located, shaped: _Shaped) -> Iterator[tuple[tuple[Any, ...], Finding | None]]:
        """What is held to the shape, as (expression's place and what it asks, a finding or None)."""
        raise NotImplementedError


class MissingMember(_ShapeCheck):
    code = "W301"

    def held(self, reader: Located, shaped: _Shaped) -> Iterator[tuple[tuple[Any, ...], Finding | None]]:
        for expr, place, name in reader.reads:
            if (expr.mark, name) in reader.unplaced:
                continue
            for part in (place[:length] for length in range(2, len(place) + 1)):
                known = shaped.lacks(part)
                message = f"the shape has no `{'.'.join(part)}`"
                finding = Finding(expr.mark, message, nearest_name(part[-1], known)) if known is not None else None
                yield (expr.mark, part[-1]), finding


class _Allowed(_ShapeCheck):
    """A value that a place is held to, and that its shape does not list."""

    cases: bool
    words: str

    def held(self, reader: Located, shaped: _Shaped) -> Iterator[tuple[tuple[Any, ...], Finding | None]]:
        for mark, place, value, case in reader.compared:
            if case == self.cases and value != "null":
                values = allowed(shaped.at(place))
                known = [case_of(each) for each in values or ()]
                message = self.words.format(value, ".".join(place))
                finding = Finding(mark, message, nearest_name(value, known))
                yield (mark, value), None if values is None or value in known else finding


class CaseOutsideShape(_Allowed):
    code = "W201"
    cases, words = True, "by its shape `{1}` is never `{0}`: the case is not reached"


class ValueOutsideShape(_Allowed):
    code = "W302"
    cases, words = False, "by its shape `{1}` is never `{0}`"


class NoList(_ShapeCheck):
    code = "W303"

    def held(self, reader: Located, shaped: _Shaped) -> Iterator[tuple[tuple[Any, ...], Finding | None]]:
        for expr, place, _ in reader.lists:
            kinds = [kind for shape in shaped.at(place) for kind in _types(shape) or ("array",)]
            message = f"by its shape `{'.'.join(place)}` is {' or '.join(dict.fromkeys(kinds))}, no list"
            yield (expr.mark, place[1:]), Finding(expr.mark, message) if kinds and "array" not in kinds else None
