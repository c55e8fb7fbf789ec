"""Checks of expressions against the shapes of records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from engine.lang.paths import ANY, ELEMENT, Path, flow
from engine.lang.plan import AnyStep, Expr, Mark, Plan, Store, Switch
from engine.review.census_reads import Names, Paths, Reader, case_of, reads_of
from engine.review.census_shapes import Library, Shape, Shapes, allowed, is_open
from engine.review.lint_subject import Check, Finding, Subject, comparisons
from engine.spec.problems import nearest_name


class Read(NamedTuple):
    """An expression and a place below a scope name that it reads."""

    expr: Expr
    place: Path


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

    def expression(self, found: Expr, names: Names) -> Paths:
        given = super().expression(found, names)
        self.reads += [Read(found, place) for place in given]
        for access in flow(found.ast).reads:
            self.reads += [Read(found, place) for place in _placed(access.path, names)]
        for subject, value in comparisons(found.ast):
            if not isinstance(value, list | dict):
                for place in (place for path in flow(subject).gives for place in _placed(path, names)):
                    self.compared.append(Compared(found.mark, place, case_of(value), False))
        return given

    def step(self, step: AnyStep, names: Names) -> None:
        if step.each is not None:
            expr = step.each[1]
            self.lists += [Read(expr, place) for path in flow(expr.ast).gives for place in _placed(path, names)]
        if isinstance(step, Switch):
            inner = self._names_of(step, names)
            for place in (place for path in flow(step.on.ast).gives for place in _placed(path, inner)):
                for keys, _ in step.cases:
                    self.compared += [Compared(step.mark, place, key, True) for key in keys]
        super().step(step, names)

    def _names_of(self, step: AnyStep, names: Names) -> Names:
        """The names that a step's own expressions see."""
        if step.each is not None:
            places = (place for path in flow(step.each[1].ast).gives for place in _placed(path, names))
            names = {**names, step.each[0]: frozenset((*place, ELEMENT) for place in places)}
        quiet = Located(self.plan)
        return quiet.lets(step.let, names)


def _placed(path: Path, names: Names) -> Iterator[Path]:
    return ((*base, *path[1:]) for base in names.get(path[0], ()))


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


def _shaped(spec: Subject) -> Iterator[tuple[Located, _Shaped]]:
    for store in spec.plan.stores:
        shaped = _Shaped(spec.plan, store)
        if shaped.top:
            yield located(spec, store), shaped


def _once(findings: Iterable[Finding]) -> list[Finding]:
    return list(dict.fromkeys(findings))


class MissingMember(Check):
    code = "W301"

    def find(self, spec: Subject) -> list[Finding]:
        return _once(
            Finding(read.expr.mark, f"the shape has no `{'.'.join(part)}`", nearest_name(part[-1], known))
            for reader, shaped in _shaped(spec)
            for read in reader.reads
            for part in (read.place[:length] for length in range(2, len(read.place) + 1))
            if (known := shaped.lacks(part)) is not None
        )


class _Allowed(Check):
    """A value that a place is held to, and that its shape does not list."""

    cases: bool
    words: str

    def find(self, spec: Subject) -> list[Finding]:
        return _once(
            Finding(held.mark, self.words.format(held.value, ".".join(held.place)), nearest_name(held.value, known))
            for reader, shaped in _shaped(spec)
            for held in reader.compared
            if held.case == self.cases
            and held.value != "null"
            and (known := _listed(shaped.at(held.place))) is not None
            if held.value not in known
        )


def _listed(shapes: Shapes) -> list[str] | None:
    values = allowed(shapes)
    return None if values is None else [case_of(value) for value in values]


class CaseOutsideShape(_Allowed):
    code = "W201"
    cases, words = True, "by its shape `{1}` is never `{0}`: the case is not reached"


class ValueOutsideShape(_Allowed):
    code = "W302"
    cases, words = False, "by its shape `{1}` is never `{0}`"


class NoList(Check):
    code = "W303"

    def find(self, spec: Subject) -> list[Finding]:
        return _once(
            Finding(read.expr.mark, f"by its shape `{'.'.join(read.place)}` is {' or '.join(kinds)}, no list")
            for reader, shaped in _shaped(spec)
            for read in reader.lists
            if (kinds := _no_list(shaped.at(read.place)))
        )


def _no_list(shapes: Shapes) -> list[str]:
    kinds = [kind for shape in shapes for kind in _types(shape) or ("array",)]
    return [] if "array" in kinds else list(dict.fromkeys(kinds))
