"""A plan as one Python module."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from typing import Any

import jinja2
import msgspec

from codegen.code import Code, literal, quoted
from codegen.function import TAKEN, FunctionPrinter
from codegen.layout import formatted
from codegen.names import RESERVED
from engine.lang.expr import root_names
from engine.lang.functions import FUNCTIONS
from engine.lang.plan import (
    AnyStep,
    Block,
    Catalog,
    Choose,
    Earliest,
    Emit,
    Expr,
    First,
    Hook,
    Pairs,
    Plan,
    Previous,
    Set,
    Store,
    Switch,
    Use,
    Value,
    Walk,
)
from engine.run.values import changes, expressions

#: where the helpers of generated code come from
_RUNTIME = "engine.run.runtime"
_HOME = {
    **dict.fromkeys(("member", "truthy", "equal", "is_empty"), "engine.lang.values"),
    "as_text": "engine.lang.text",
    "case_of": "engine.run.steps",
    "line_number": "engine.run.unit",
}


class Module:
    """What the functions of one module share."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.walks = {walk.name: walk for walk in plan.walks}
        self.imports: dict[str, set[str]] = {}
        self.tables: dict[str, str] = {}
        self.lazy = any(beside.kind == "all" for store in plan.stores for beside in store.beside)
        emits = [step for walk in plan.walks for step in steps_of(walk) if isinstance(step, Emit)]
        self.names_results = any(step.turn == "tool_result" for step in emits)
        self.remembers_times = any(_recalls(value) for walk in plan.walks for value in values_of(walk))
        self.globals = {self.function_of(name) for name in self.walks} | _helper_names()
        self._columns: dict[str, dict[str, bool]] = {}
        for walk in plan.walks:
            if walk.name in self.walked():
                for steps, more in ((walk.begin, walk.begin_columns), (walk.steps, ()), (walk.end, ())):
                    self._collect(steps, {**_late(walk.columns), **_late(more)})

    # ------------------------------------------------------------------------------------ for expressions

    def table(self, table: str) -> Code:
        """A table of the spec, as a constant of the module."""
        name = f"TABLE_{table.upper()}"
        self.tables[name] = table
        return Code(name, literal(self.plan.tables.get(table)).kinds, cheap=True)

    def need(self, helper: str) -> str:
        """The name under which a helper, or a function of the language (`function x`), is imported."""
        kind, _, name = helper.partition(" ")
        if kind == "function" and name:
            impl = FUNCTIONS[name].impl
            self.imports.setdefault(impl.__module__, set()).add(impl.__name__)
            return impl.__name__
        self.imports.setdefault(_HOME.get(helper, _RUNTIME), set()).add(helper)
        return helper

    @staticmethod
    def roots_of(step: AnyStep) -> set[str]:
        """The scope names that a step and the steps in it use."""
        found: set[str] = set()
        for inner in below((step,)):
            for value in step_values(inner):
                for expr in expressions(value):
                    found |= root_names(expr.ast)
        return found

    def function_of(self, walk: str) -> str:
        return f"walk_{walk}"

    def parameter(self, name: str) -> str:
        """The Python name of a walk's parameter."""
        reserved = name in TAKEN or name in self.globals or name in RESERVED or name.endswith("_column")
        return f"{name}_" if reserved else name

    # --------------------------------------------------------------------------------------- for the walks

    def walked(self) -> dict[str, list[Store]]:
        """Walk → the stores that it walks."""
        found: dict[str, list[Store]] = {}
        for store in self.plan.stores:
            for name in dict.fromkeys((store.walk, *(version.walk for version in store.versions))):
                if name is not None and name in self.walks:
                    found.setdefault(name, []).append(store)
        return found

    def used(self) -> set[str]:
        """Walks that others use."""
        return {step.walk for walk in self.plan.walks for step in steps_of(walk) if isinstance(step, Use)}

    def columns_of(self, walk: str) -> dict[str, bool]:
        """The columns that apply where a walk is used: name → whether it is computed at each row."""
        return self._columns.get(walk, {})

    def _collect(self, steps: tuple[AnyStep, ...], columns: dict[str, bool]) -> None:
        for step in steps:
            inner = {**columns, **_late(step.columns)}
            if isinstance(step, Use) and step.walk in self.walks:
                known = self._columns.setdefault(step.walk, {})
                merged = {**known, **{name: known.get(name, False) or late for name, late in inner.items()}}
                if merged != known or step.walk not in self._seen(step.walk):
                    self._columns[step.walk] = merged
                    used = self.walks[step.walk]
                    self._collect(used.steps, {**merged, **_late(used.columns)})
            for body in bodies(step):
                self._collect(body, inner)

    def _seen(self, walk: str) -> set[str]:
        seen: set[str] = self.__dict__.setdefault("_entered", set())
        fresh = set(seen)
        seen.add(walk)
        return fresh

    # ------------------------------------------------------------------------------------------- printing

    def source(self) -> str:
        """The module's text."""
        functions: list[list[str]] = []
        walked, used = self.walked(), self.used()
        for walk in self.plan.walks:
            printer = FunctionPrinter(self, walk, walked.get(walk.name, []))
            if walk.name in used:
                functions.append(printer.part())
            if walk.name in walked:
                functions += [printer.whole(), printer.columns()]
        self.imports.setdefault(_RUNTIME, set()).update(("Run", "RowTuple"))
        template = jinja2.Environment(
            loader=jinja2.FileSystemLoader(str(resources.files("codegen") / "templates")),
            keep_trailing_newline=True,
            undefined=jinja2.StrictUndefined,
        ).get_template("module.py.jinja")
        pins = {item.alias: f"{item.repo} {item.commit}" for item in self.plan.evidence}
        text = template.render(
            plan=self.plan,
            pins=pins,
            imports=sorted((module, sorted(names, key=_import_order)) for module, names in self.imports.items()),
            tables=[(name, literal(self.plan.tables.get(table)).text) for name, table in sorted(self.tables.items())],
            functions=["\n".join(lines) for lines in functions],
            walks=[(name, self.function_of(name), self._looks_ahead(name)) for name in walked],
            reading=_in_lines(msgspec.json.encode(reading_part(self.plan)).decode()),
            quoted=quoted,
        )
        return formatted(text)

    def _looks_ahead(self, walk: str) -> bool:
        """Whether `next.record` is asked for."""
        return any("next" in self.roots_of(step) for step in (*self.walks[walk].steps, *self.walks[walk].begin)) or any(
            "next" in root_names(expr.ast) for value in values_of(self.walks[walk]) for expr in expressions(value)
        )


def generate(plan: Plan) -> str:
    """The Python module of a plan. The same text for the same plan, everywhere."""
    return Module(plan).source()


def reading_part(plan: Plan) -> Plan:
    """The plan without what generated code says in its place: what discovery, readers and pairing need."""
    stores = tuple(msgspec.structs.replace(store, shape=None) for store in plan.stores)
    return msgspec.structs.replace(
        plan, stores=stores, walks=_bare(plan.walks), shapes={}, tests=(), catalog=Catalog(), unread=()
    )


def _bare(walks: tuple[Walk, ...]) -> tuple[Walk, ...]:
    """Walks as pairing sees them: their emits, without what they write."""
    return walks


def _helper_names() -> set[str]:
    return {*_HOME, *(function.impl.__name__ for function in FUNCTIONS.values()), "Any", "Iterator", "WHITE"}


def _import_order(name: str) -> tuple[int, str]:
    """Constants, classes, functions: as the import sorter has them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


def _in_lines(text: str, width: int = 110) -> list[str]:
    return [text[at : at + width] for at in range(0, len(text), width)]


def _late(pairs: Pairs) -> dict[str, bool]:
    return {name: changes(value) for name, value in pairs}


def _recalls(value: Value) -> bool:
    if isinstance(value, First | Earliest):
        return any(_recalls(part) for part in value.times)
    return isinstance(value, Previous)


def bodies(step: AnyStep) -> Iterator[tuple[AnyStep, ...]]:
    """The lists of steps inside a step."""
    if isinstance(step, Block | Hook):
        yield step.steps
    elif isinstance(step, Set):
        yield step.changed
    elif isinstance(step, Switch | Choose):
        for _, body in step.cases:
            yield body
        yield step.otherwise


def below(steps: tuple[AnyStep, ...]) -> Iterator[AnyStep]:
    """Steps and all steps in them."""
    for step in steps:
        yield step
        for body in bodies(step):
            yield from below(body)


def steps_of(walk: Walk) -> Iterator[AnyStep]:
    yield from below((*walk.begin, *walk.steps, *walk.end))


def step_values(step: AnyStep) -> Iterator[Value]:
    """Every value that a step itself computes."""
    if step.each is not None:
        yield step.each[1]
    if step.when is not None:
        yield step.when
    for _, value in (*step.let, *step.columns):
        yield value
    if isinstance(step, Switch | Choose):
        yield from [step.on] if isinstance(step, Switch) else [condition for condition, _ in step.cases]
    for name in ("value", "at", "type", "rest", "reason", "number", "text"):
        value: Any = getattr(step, name, None)
        if isinstance(value, Expr) or (value is not None and hasattr(value, "__struct_fields__")):
            yield value
    if isinstance(step, Hook | Use):
        for _, value in step.inputs:
            yield value


def values_of(walk: Walk) -> Iterator[Value]:
    for _, value in (*walk.let, *walk.columns, *walk.begin_columns):
        yield value
    for step in steps_of(walk):
        yield from step_values(step)
