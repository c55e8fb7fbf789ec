"""A plan as one Python module."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from importlib import resources

import jinja2
import msgspec

from codegen.code import OBJECT, Code, inert, literal, quoted
from codegen.function import TAKEN, FunctionPrinter
from codegen.layout import WIDTH, bare, formatted
from codegen.names import RESERVED, Locals
from codegen.reading import file_name, in_lines, reading_part
from codegen.traversal import accesses_of, recalls, step_values, values_of
from engine import __version__
from engine.lang.expr import accesses, root_names
from engine.lang.functions import FUNCTIONS
from engine.lang.plan import (
    AnyStep,
    Emit,
    Plan,
    Set,
    Store,
    Use,
    Value,
    Walk,
)
from engine.lang.traversal import all_steps, inner_lists, walk_steps
from engine.run import helpers
from engine.run.values import expressions

#: where the helpers of generated code come from
_RUNTIME = "engine.run.runtime"
_HELPERS = "engine.run.helpers"
_HOME = {
    **dict.fromkeys(("member", "truthy", "equal", "is_empty"), "engine.lang.values"),
    "as_text": "engine.lang.text",
    "case_of": "engine.run.steps",
    "line_number": "engine.run.unit",
}


#: paths that ask for the place of a record
_PLACES = frozenset({("unit",), ("unit", "count"), ("pos",), ("pos", "record")})


class Module:
    """What the functions of one module share."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.walks = {walk.name: walk for walk in plan.walks}
        self.imports: dict[str, set[str]] = {}
        self.tables: dict[str, str] = {}
        self._functions = _python_names("walk_", {name: name for name in self.walks}, "_columns")
        self._constants = _python_names("TABLE_", {name: name.upper() for name in plan.tables}, "_STARTS")
        self._members = _python_names("MEMBERS_", {name: name.upper() for name in self.walks}, "")
        self.labels: set[str] = set()
        self.lazy = any(beside.kind == "all" for store in plan.stores for beside in store.beside)
        emits = [step for walk in plan.walks for step in walk_steps(walk) if isinstance(step, Emit)]
        self.names_results = any(step.turn == "tool_result" for step in emits)
        self.remembers_times = any(recalls(value) for walk in plan.walks for value in values_of(walk))
        self.globals = {self.function_of(name) for name in self.walks} | _helper_names()
        self._columns: dict[str, dict[str, bool]] = {}
        self._changed: dict[str, frozenset[str]] = {}
        for walk in plan.walks:
            if walk.name in self.walked():
                for steps, more in ((walk.begin, walk.begin_columns), (walk.steps, ()), (walk.end, ())):
                    self._collect(steps, {**dict(walk.columns), **dict(more)})

    # ------------------------------------------------------------------------------------ for expressions

    def table(self, table: str) -> Code:
        """A table of the spec, as a constant of the module."""
        name = self._constants[table]
        self.tables[name] = table
        return Code(name, literal(self.plan.tables.get(table)).kinds, cheap=True)

    def starts(self, table: str) -> Code:
        """A table in the form in which `label_of` takes it."""
        self.labels.add(self.table(table).text)
        return Code(f"{self.table(table).text}_STARTS", frozenset(OBJECT), cheap=True)

    def need(self, helper: str) -> str:
        """The name under which a helper, or a function of the language (`function x`), is imported."""
        kind, _, name = helper.partition(" ")
        if kind == "function" and name:
            impl = FUNCTIONS[name].impl
            self.imports.setdefault(impl.__module__, set()).add(impl.__name__)
            return impl.__name__
        self.imports.setdefault(_HOME.get(helper, _HELPERS), set()).add(helper)
        return helper

    @staticmethod
    def roots_of(step: AnyStep) -> set[str]:
        """The scope names that a step and the steps in it use."""
        found: set[str] = set()
        for inner in all_steps((step,)):
            for value in step_values(inner):
                for expr in expressions(value):
                    found |= root_names(expr.ast)
        return found

    def function_of(self, walk: str) -> str:
        return self._functions[walk]

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
        return {step.walk for walk in self.plan.walks for step in walk_steps(walk) if isinstance(step, Use)}

    def stands_inline(self, walk: str) -> bool:
        """Whether a walk is used in one place only, and so printed there."""
        uses = [step for found in self.plan.walks for step in walk_steps(found) if isinstance(step, Use)]
        return walk not in self.walked() and sum(step.walk == walk for step in uses) == 1

    def asks_places(self, walk: str) -> bool:
        """Whether a walk asks for the place of its records, or for the next one."""
        found = self.walks[walk]
        reached, seen = [found], {walk}
        for one in reached:
            for step in walk_steps(one):
                if isinstance(step, Use) and step.walk not in seen:
                    seen.add(step.walk)
                    reached.append(self.walks[step.walk])
        paths = {access.path[:2] for one in reached for value in values_of(one) for access in accesses_of(value)}
        return not paths.isdisjoint({("unit",), ("unit", "count"), ("pos",), ("pos", "record")}) or self._looks_ahead(
            walk
        )

    def columns_of(self, walk: str) -> dict[str, bool]:
        """The columns that apply where a walk is used: name → whether it is computed at each row."""
        return self._columns.get(walk, {})

    def changed_by(self, walk: str) -> frozenset[str]:
        """What a used walk can change: names of `state`, and `unit` where it goes over records."""
        if walk not in self._changed:
            self._changed[walk] = frozenset()
            found: set[str] = set()
            for step in all_steps(self.walks[walk].steps):
                if isinstance(step, Set):
                    found.add(step.name)
                if isinstance(step, Use):
                    found |= self.changed_by(step.walk)
                if step.each_records is not None:
                    found.add("unit")
            self._changed[walk] = frozenset(found)
        return self._changed[walk]

    def is_late(self, value: Value, walk: str) -> bool:
        """Whether a column's value can change while a used walk runs."""
        if recalls(value):
            return True
        changed = self.changed_by(walk)
        for expr in expressions(value):
            for access in accesses(expr.ast):
                if access.path[0] == "unit" and "unit" in changed:
                    return True
                if access.path[0] == "state" and (len(access.path) < 2 or access.path[1] in changed):
                    return True
        return False

    def _collect(self, steps: tuple[AnyStep, ...], columns: dict[str, Value | bool]) -> None:
        """Notes the columns at each use of a walk. A column is a value, or for one that comes from further out whether
        it is late."""
        for step in steps:
            inner = {**columns, **dict(step.columns)}
            if isinstance(step, Use):
                self._enter(self.walks[step.walk], inner)
            for body in inner_lists(step):
                self._collect(body, inner)

    def _enter(self, walk: Walk, columns: dict[str, Value | bool]) -> None:
        if self.stands_inline(walk.name):
            self._collect(walk.steps, {**columns, **dict(walk.columns)})
            return
        known = self._columns.get(walk.name)
        merged = dict(known or {})
        for name, value in columns.items():
            late = value if isinstance(value, bool) else self.is_late(value, walk.name)
            merged[name] = merged.get(name, False) or late
        if merged != known:
            self._columns[walk.name] = merged
            self._collect(walk.steps, {**merged, **dict(walk.columns)})

    # ------------------------------------------------------------------------------------------- printing

    def source(self) -> str:
        """The module's text."""
        functions: list[list[str]] = []
        members: dict[str, Code] = {}
        walked, used = self.walked(), self.used()
        for walk in self.plan.walks:
            printer = FunctionPrinter(self, walk, walked.get(walk.name, []))
            if walk.name in used and not self.stands_inline(walk.name):
                functions.append(printer.part())
            if walk.name in walked:
                functions += [printer.whole(), printer.columns()]
                if (read := printer.members()) is not None:
                    members[walk.name] = literal(read)
        words = set(re.findall(r"\w+", bare("\n".join(line for lines in functions for line in lines))))
        self.imports = {module: kept for module, names in self.imports.items() if (kept := names & words)}
        if self.labels:
            self.need("starts")
        self.imports.setdefault(_RUNTIME, set()).update(("Run", "RowTuple", "Walk"))
        self.imports.setdefault("engine.cli.standalone", set()).update(("main", "rows_of"))
        self.imports.setdefault("engine.rows", set()).add("Row")
        template = jinja2.Environment(
            loader=jinja2.FileSystemLoader(str(resources.files("codegen") / "templates")),
            keep_trailing_newline=True,
            undefined=jinja2.StrictUndefined,
        ).get_template("module.py.jinja")
        plan = self.plan
        spec = file_name(plan)
        origin = f"Generated from {spec} (language {plan.language}) by engine {__version__}; edit that, not this."
        text = template.render(
            head=_documented(f"{plan.name}: rows from what {plan.name} stores.", WIDTH - 3),
            about="\n".join(
                (
                    _documented(plan.summary),
                    "",
                    _documented(origin),
                    f"sha256 of the spec: {plan.sha256}",
                )
            ),
            pins=[_documented(f"{item.alias}: {item.repo} at {item.commit}") for item in plan.evidence],
            file=f"{plan.agent.replace('-', '_')}_rows.py",
            standard=[("collections.abc", ["Iterator"]), ("typing", ["Any"])],
            imports=[line for module in sorted(self.imports) for line in _import(module, self.imports[module])],
            tables=[(name, literal(plan.tables.get(table)).text) for name, table in sorted(self.tables.items())],
            labels=sorted(self.labels),
            functions=["\n".join(lines) for lines in functions],
            members=[(self._members[name], code.text) for name, code in members.items()],
            walks=[
                (name, self.function_of(name), self.asks_places(name), self._members[name] if name in members else None)
                for name in walked
            ],
            reading=in_lines(msgspec.json.encode(reading_part(plan)).decode()),
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


def _documented(text: str, width: int = WIDTH) -> str:
    """Text of a spec in lines of a docstring: no character of it can end the string or begin an escape."""
    return "\n".join(textwrap.wrap(inert(text), width))


def _python_names(prefix: str, names: Mapping[str, str], companion: str) -> dict[str, str]:
    """Names of a spec, which may hold dots and dashes, as Python names made from the values; none is another's, nor
    another's with the `companion` behind it."""
    free, found = Locals(set()), {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        found[name] = free.claim(prefix + names[name])
        free.claim(found[name] + companion)
    return found


def _helper_names() -> set[str]:
    functions = (function.impl.__name__ for function in FUNCTIONS.values())
    return {*_HOME, *functions, *helpers.__all__, "Any", "Iterator", "WHITE"}


def _import(module: str, names: set[str]) -> list[str]:
    """An import as sorter and formatter leave it."""
    ordered = sorted(names, key=lambda name: (0 if name.isupper() else 1 if name[0].isupper() else 2, name.lower()))
    line = f"from {module} import {', '.join(ordered)}"
    return [line] if len(line) <= WIDTH else [f"from {module} import (", *(f"    {name}," for name in ordered), ")"]
