"""Steps of a walk as Python statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from codegen.bindings import RECORD, UNIT, Binding
from codegen.code import EMPTY, LIST, NONE, TEXT, Code, quoted
from codegen.emits import emitted
from codegen.exprs import chain_of
from codegen.names import Scope, WalkNames
from codegen.values import ValuePrinter, is_time
from engine.lang.expr import root_names
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Emit,
    Expr,
    Hook,
    Ignore,
    KeepJson,
    Pairs,
    Set,
    Step,
    Switch,
    Unparsed,
    Use,
    Value,
)
from engine.run.values import changes, expressions

INDENT = "    "

#: columns of a note of a bad record
NOTE_COLUMNS = ("session_id", "project_path", "source_file", "source_line")
_SCOPE_ROOTS = frozenset(("unit", "state", "pos", "next"))


class Column(NamedTuple):
    """A column that applies: a binding, or a value that is computed at each row in the scope that declares it."""

    binding: Binding | None
    value: Value | None
    scope: Scope
    given: str = ""


Columns = dict[str, Column]


def indented(lines: list[str]) -> list[str]:
    return [INDENT + line if line else line for line in lines]


class StepPrinter:
    """Prints the steps of one function. `lasting_of` tells how long the names that a value reads last."""

    def __init__(self, names: WalkNames, owner: str):
        self.names, self.values, self.owner = names, ValuePrinter(names), owner
        self.columns: Columns = {}
        self.hoist = False

    def rule(self, step: Emit) -> str:
        raise NotImplementedError

    def number_of(self, step: Emit) -> str:
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------- blocks

    def block(
        self, children: list[Callable[[], list[str]]], *, loop: bool = False, opening: Callable[[], None] | None = None
    ) -> list[str]:
        """A block of statements, each with what has to stand before it. `opening` binds the names that it begins
        with."""
        names = self.names
        outer, spot = names.way, names.new_block(loop)
        lines: list[str] = []
        if opening is not None:
            names.way = (*outer, spot)
            opening()
        for at, child in enumerate(children):
            here = spot._replace(at=at)
            names.way, names.temporaries = (*outer, here), 0
            printed = child()
            lines += names.standing(here)
            lines += printed
        names.way = outer
        return lines or ["pass"]

    def body(self, steps: tuple[AnyStep, ...]) -> list[str]:
        """Steps in a scope of their own."""
        with self.kept():
            return self.block([lambda step=step: self.step(step) for step in steps])  # type: ignore[misc]

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Names and columns made inside are gone after it."""
        scope, columns = self.names.scope, self.columns
        self.names.scope, self.columns = dict(scope), dict(columns)
        try:
            yield
        finally:
            self.names.scope, self.columns = scope, columns

    # ------------------------------------------------------------------------------------ lets, columns

    def lasting(self, value: Value) -> int:
        """UNIT when nothing that the value reads changes within the unit."""
        if changes(value):
            return RECORD
        scope = self.names.scope
        for expr in expressions(value):
            for root in root_names(expr.ast):
                if root in _SCOPE_ROOTS or (root in scope and scope[root].lasting == RECORD):
                    return RECORD
        return UNIT

    def let(self, name: str, value: Value) -> None:
        """Binds a name for the steps that follow."""
        scope = self.names.scope
        form = "moment" if is_time(value) else "value"
        made = self.names.bind(
            name,
            self.deferred(lambda: self.values.moment(value) if form == "moment" else self.values.value(value)),
            form=form,
            lasting=self.lasting(value),
            fixed=changes(value),
            hoist=self.hoist,
        )
        made.path = self._path(value)
        self.names.scope = {**scope, name: made}

    def deferred(self, define: Callable[[], Code]) -> Callable[[], Code]:
        """`define`, run in the scope that is in force now."""
        scope = self.names.scope

        def run() -> Code:
            outer, self.names.scope = self.names.scope, scope
            try:
                return define()
            finally:
                self.names.scope = outer

        return run

    def _path(self, value: Value) -> tuple[Binding, tuple[str, ...]] | None:
        """The path that a value is, when it is nothing else."""
        chain = chain_of(value.ast) if isinstance(value, Expr) else []
        if not chain or any(node["type"] != "field" for node in chain):
            return None
        root = self.names.scope.get(chain[0]["value"])
        fields = tuple(node["value"] for node in chain[1:])
        return None if root is None or root.form != "value" else (root, fields)

    def declare(self, pairs: Pairs) -> None:
        """Columns for the steps that follow, in the scope that is in force now."""
        made = dict(self.columns)
        for name, value in pairs:
            scope = self.names.scope
            if changes(value):
                made[name] = Column(None, value, scope)
                continue
            form = {"time": "moment", "source_line": "value"}.get(name, "cell")
            define = self.deferred(lambda name=name, value=value: self.column_value(name, value))  # type: ignore[misc]
            label = "time" if name == "time" else name
            found = self.names.bind(label, define, form=form, lasting=self.lasting(value), hoist=self.hoist)
            made[name] = Column(found, value, scope)
        self.columns = made

    def column_value(self, name: str, value: Value) -> Code:
        if name == "time":
            return self.values.moment(value)
        return self.values.value(value) if name == "source_line" else self.values.cell(value)

    def column(self, name: str) -> Code | None:
        """A column's value where a row is written: a moment, a number or a text; None where it is not set."""
        found = self.columns.get(name)
        if found is None:
            return None
        if found.given:
            kinds = frozenset(TEXT)
            return Code(found.given, kinds, cheap=True) if name not in ("time", "source_line") else Code(found.given)
        if found.binding is not None:
            return self.names.held(found.binding)
        outer, self.names.scope = self.names.scope, found.scope
        assert found.value is not None
        code = self.column_value(name, found.value)
        self.names.scope = outer
        return code

    def column_dict(self, only: tuple[str, ...] | None = None) -> str:
        """The columns that apply, for a row that no emit writes."""
        made = []
        for name in self.columns:
            if only is None or name in only:
                code = self.column(name)
                if code is not None and code.text != EMPTY.text:
                    made.append(f"{quoted(name)}: {code.text}")
        return f"{{{', '.join(made)}}}"

    # --------------------------------------------------------------------------------------------- steps

    def step(self, step: AnyStep) -> list[str]:
        """A step whole."""
        with self.kept():
            if step.each is not None:
                return self._each(step, step.each[0], self.values.exprs.value(step.each[1].ast))
            if step.each_records is not None:
                return self._each_record(step, step.each_records)
            return self._once(step)

    def _once(self, step: AnyStep) -> list[str]:
        """Lets, condition, columns, action."""
        with self.kept():
            for name, value in step.let:
                self.let(name, value)
            if step.when is None:
                return self._acting(step)
            test = self.values.condition(step.when).text
            return [f"if {test}:", *indented(self.block([lambda: self._acting(step)]))]

    def _acting(self, step: AnyStep) -> list[str]:
        self.declare(step.columns)
        kind = type(step).__name__.lower()
        lines: list[str] = getattr(self, f"_{kind}")(step)
        return lines

    def _each(self, step: AnyStep, name: str, found: Code) -> list[str]:
        names = self.names
        used = names.module.roots_of(step)
        element, lines, held = names.locals.claim(name), [], found.text
        if not found.cheap:
            held = names.locals.claim(f"{name}_list")
            lines.append(f"{held} = {found.text}")
        test = f"if type({held}) is list:" if not found.only(LIST) else ""
        bound, head = {name: element}, f"for {element} in {held}:"
        if used & {"pos", "next"}:
            at = names.locals.claim(f"{name}_at")
            head = f"for {at}, {element} in enumerate({held}):"
            bound |= {f"pos.{name}": at, f"next.{name}": f"{names.need('next_of')}({held}, {at})"}
        loop = self.block(self._round(step, element), loop=True, opening=lambda: self._open(bound))
        made = [head, *indented(loop)]
        if step.count:
            made.append("run.hand()")
        return lines + ([test, *indented(made)] if test else made)

    def _open(self, bound: dict[str, str]) -> None:
        """Binds names to locals that are there already."""
        for name, label in bound.items():
            made = self.names.bind(name, None)
            made.label = label
            self.names.scope = {**self.names.scope, name: made}

    def _round(self, step: AnyStep, element: str) -> list[Callable[[], list[str]]]:
        if not step.count:
            return [lambda: self._once(step)]
        outer = self.names.locals.claim("outer")
        return [
            lambda: [f"{outer} = run.enter({element})"],
            lambda: self._once(step),
            lambda: [f"run.leave({outer}, lambda: {self.column_dict()})"],
        ]

    def _each_record(self, step: AnyStep, name: str) -> list[str]:
        names = self.names
        held, item = names.locals.claim("records"), names.locals.claim("item")
        at, element, line = names.locals.claim(f"{name}_at"), names.locals.claim(name), names.locals.claim("outer_line")
        bound = {name: element, f"pos.{name}": at, f"next.{name}": f"{names.need('next_record')}({held}, {at})"}
        start = [f"run.line, {element} = {item}.line, {item}.value"]
        children = [lambda: start, *self._round(step, element)]
        loop = self.block(children, loop=True, opening=lambda: self._open(bound))
        return [
            f"{held}, {line} = run.good_records(), run.line",
            f"for {at}, {item} in enumerate({held}):",
            *indented(loop),
            f"run.line = {line}",
            *(["run.hand()"] if step.count else []),
        ]

    # ------------------------------------------------------------------------------------------- actions

    def _emit(self, step: Emit) -> list[str]:
        return emitted(self, step)

    def _block(self, step: Block) -> list[str]:
        return self.body_here(step.steps)

    def body_here(self, steps: tuple[AnyStep, ...]) -> list[str]:
        """Steps at the place of a statement; they make a block of their own for what they need."""
        return self.body(steps)

    def _switch(self, step: Switch) -> list[str]:
        on, lines = self.values.exprs.value(step.on.ast), []
        special = any(_special(key) for keys, _ in step.cases for key in keys)
        if special and not on.only(TEXT):
            held = on.text if on.cheap else self.names.temporary()
            test = held if on.cheap else f"{held} := {on.text}"
            on = Code(f"{held} if type({test}) is str else {self.names.need('case_of')}({held})")
        if not on.cheap:
            held = self.names.locals.claim(_label_of(step.on))
            lines.append(f"{held} = {on.text}")
            on = Code(held, on.kinds, cheap=True)
        word = "if"
        for keys, steps in step.cases:
            test = f"{on.text} == {quoted(keys[0])}"
            if len(keys) > 1:
                test = f"{on.text} in ({', '.join(map(quoted, keys))})"
            lines += [f"{word} {test}:", *indented(self.body(steps))]
            word = "elif"
        return lines + self._otherwise(step.otherwise, bool(step.cases))

    def _otherwise(self, steps: tuple[AnyStep, ...], after_cases: bool) -> list[str]:
        if not after_cases:
            return self.body(steps)
        return ["else:", *indented(self.body(steps))] if steps else []

    def _choose(self, step: Choose) -> list[str]:
        lines, word = [], "if"
        for condition, steps in step.cases:
            lines += [f"{word} {self.values.condition(condition).text}:", *indented(self.body(steps))]
            word = "elif"
        return lines + self._otherwise(step.otherwise, bool(step.cases))

    def _set(self, step: Set) -> list[str]:
        names = self.names
        value, new = self.values.value(step.value), names.locals.claim(f"new_{step.name}")
        lines, inner, kept, key = [f"{new} = {value.text}"], [], "state", quoted(step.name)
        tests = [f"{new} is not None"]
        if step.at is not None:
            place = names.locals.claim(f"{step.name}_key")
            lines.append(f"{place} = {self.values.exprs.value(step.at.ast).text}")
            tests.append(f"{place} is not None")
            kept, key = names.locals.claim(f"{step.name}_kept"), f"{names.need('as_text')}({place})"
            inner.append(f"{kept} = state.setdefault({quoted(step.name)}, {{}})")
        if not step.changed:
            inner.append(f"{kept}[{key}] = {new}")
            return [*lines, f"if {' and '.join(tests)}:", *indented(inner)]
        was = names.locals.claim("was")
        inner += [f"{was} = {kept}.get({key})", f"{kept}[{key}] = {new}"]
        with self.kept():
            changed = self.block([lambda: self.body(step.changed)], opening=lambda: self._open({"was": was}))
        inner += [f"if not {names.need('equal')}({was}, {new}):", *indented(changed)]
        return [*lines, f"if {' and '.join(tests)}:", *indented(inner)]

    def _hook(self, step: Hook) -> list[str]:
        names = self.names
        made = names.locals.claim(step.as_name)
        given = ", ".join(f"{quoted(name)}: {self.values.value(value).text}" for name, value in step.inputs)
        opening = {step.as_name: made}
        body = self.block([lambda: self.body(step.steps)], loop=True, opening=lambda: self._open(opening))
        return [f"for {made} in run.hook({quoted(step.hook)}, {{{given}}}):", *indented(body)]

    def _use(self, step: Use) -> list[str]:
        names = self.names
        if names.module.stands_inline(step.walk):
            return self._inlined(step)
        args = [f"{names.module.parameter(name)}={self.values.value(value).text}" for name, value in step.inputs]
        for column, late in names.module.columns_of(step.walk).items():
            code = self.column(column)
            missing = {"time": "None", "source_line": "run.line"}.get(column, EMPTY.text)
            text = missing if code is None else code.text
            given = text.removesuffix("()") if text == f"{column}_column()" else f"lambda: {text}"
            args.append(f"{column}_column={given if late else text}")
        called = names.module.function_of(step.walk)
        return [f"{called}({', '.join(('run', *args))})"]

    def _inlined(self, step: Use) -> list[str]:
        """A walk that is used in one place only, in that place."""
        walk, names = self.names.module.walks[step.walk], self.names
        with self.kept():
            outer = names.scope
            inner: Scope = {name: found for name, found in outer.items() if name in ("path", "file")}
            for name, value in step.inputs:
                names.scope = outer
                self.let(name, value)
                inner[name] = names.scope[name]
            names.scope = inner
            for name, value in walk.let:
                self.let(name, value)
            self.declare(walk.columns)
            return self.body(walk.steps)

    def _keepjson(self, step: KeepJson) -> list[str]:
        kind, rest = self.values.value(step.type), self.values.value(step.rest)
        return [f"run.unknown({self.column_dict()}, {kind.text}, {rest.text}, {quoted(step.id)})"]

    def _ignore(self, step: Ignore) -> list[str]:
        return [f"run.ignore({quoted(step.why)})"]

    def _unparsed(self, step: Unparsed) -> list[str]:
        shown = "run.record_text()" if step.text is None else self.values.text(self.values.value(step.text)).text
        number = "run.line" if step.number is None else self.values.exprs.value(step.number.ast).text
        reason = self.values.text(self.values.value(step.reason)).text
        given = f"{number}, {reason}, {shown}, {quoted(step.id)}"
        return [f"run.unparseable({self.column_dict(NOTE_COLUMNS)}, {given})"]


def _special(key: str) -> bool:
    return key in ("true", "false", "null") or key.lstrip("-").isdigit()


def _label_of(on: Expr) -> str:
    """A name for the value of a switch."""
    ast = on.ast
    while ast["type"] in ("subexpression", "pipe", "index_expression"):
        ast = ast["children"][-1]
    return str(ast["value"]) if ast["type"] == "field" else "case"


__all__ = ["NONE", "Column", "Columns", "Step", "StepPrinter", "indented"]
