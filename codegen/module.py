"""A plan as one Python module."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from importlib import resources

import jinja2
import msgspec

from codegen.code import OBJECT, Code, Kinds, inert, literal, quoted
from codegen.function import TAKEN, FunctionPrinter
from codegen.layout import WIDTH, bare, formatted
from codegen.locals import RESERVED, Locals
from codegen.parts import Parts
from codegen.reading import file_name, in_lines, reading_part
from codegen.traversal import recalls, values_of
from engine import __version__
from engine.lang.functions import FUNCTIONS
from engine.lang.plan import (
    Emit,
    Plan,
    Set,
)
from engine.lang.traversal import walk_steps
from engine.run import helpers

#: where the helpers of generated code come from
_RUNTIME = "engine.run.runtime"
_HELPERS = "engine.run.helpers"
_HOME = {
    **dict.fromkeys(("member", "truthy", "equal", "is_empty"), "engine.lang.values"),
    "as_text": "engine.lang.text",
    "case_of": "engine.run.steps",
    "line_number": "engine.run.unit",
}


class Module(Parts):
    """What the functions of one module share."""

    def __init__(self, plan: Plan):
        super().__init__(plan)
        self.imports: dict[str, set[str]] = {}
        self.tables: dict[str, str] = {}
        self._functions = _python_names("walk_", {name: name for name in self.walks}, "_columns")
        self._constants = _python_names("TABLE_", {name: name.upper() for name in plan.tables}, "_STARTS")
        self._members = _python_names("MEMBERS_", {name: name.upper() for name in self.walks}, "")
        self.labels: set[str] = set()
        self.lazy = any(beside.kind == "all" for store in plan.stores for beside in store.beside)
        emits = [step for walk in plan.walks for step in walk_steps(walk) if isinstance(step, Emit)]
        self.names_results = any(step.turn == "tool_result" for step in emits)
        kept = [step for walk in plan.walks for step in walk_steps(walk) if isinstance(step, Set)]
        #: what is set with `at` only: an object, or null
        self.state_maps = {step.name for step in kept} - {step.name for step in kept if step.at is None}
        self.remembers_times = any(recalls(value) for walk in plan.walks for value in values_of(walk))
        self.globals = {self.function_of(name) for name in self.walks} | _helper_names()

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

    def labels_of(self, table: str) -> Kinds:
        """What `label` can give of a table, beside null."""
        found = self.plan.tables.get(table)
        values = found.values() if isinstance(found, dict) else found or ()
        return frozenset(kind for value in values for kind in literal(value).kinds)

    def need(self, helper: str) -> str:
        """The name under which a helper, or a function of the language (`function x`), is imported."""
        kind, _, name = helper.partition(" ")
        if kind == "function" and name:
            impl = FUNCTIONS[name].impl
            self.imports.setdefault(impl.__module__, set()).add(impl.__name__)
            return impl.__name__
        self.imports.setdefault(_HOME.get(helper, _HELPERS), set()).add(helper)
        return helper

    def function_of(self, walk: str) -> str:
        return self._functions[walk]

    def parameter(self, name: str) -> str:
        """The Python name of a walk's parameter."""
        reserved = name in TAKEN or name in self.globals or name in RESERVED or name.endswith("_column")
        return f"{name}_" if reserved else name

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
