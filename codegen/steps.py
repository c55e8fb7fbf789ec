"""Steps of a walk as Python statements."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from codegen.code import EMPTY, LIST, NULL, TEXT, Code, quoted
from codegen.columns import NOTE_COLUMNS, ColumnPrinter, indented
from codegen.emits import emitted
from codegen.names import Scope
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Emit,
    Expr,
    Hook,
    Ignore,
    KeepJson,
    Set,
    Switch,
    Unparsed,
    Use,
)
from engine.lang.traversal import all_steps


class StepPrinter(ColumnPrinter):
    """Prints the steps of one function."""

    def rule(self, step: Emit) -> str:
        raise NotImplementedError

    def number_of(self, step: Emit) -> str:
        raise NotImplementedError

    #: the row's file: the record's, which is the unit's where all records are lines of one
    file = "run.file"
    #: whether the steps are the last of a record of which no row was written and no count made
    untouched = False

    def body(self, steps: tuple[AnyStep, ...]) -> list[str]:
        """Steps in a scope of their own."""
        before = self.untouched
        last = before and not any(_marks(step) for step in steps[:-1])

        def printed(at: int) -> list[str]:
            self.untouched = last and at == len(steps) - 1
            return self.step(steps[at])

        with self.kept():
            lines = self.block([partial(printed, at) for at in range(len(steps))])
        self.untouched = before
        return lines

    # --------------------------------------------------------------------------------------------- steps

    def step(self, step: AnyStep) -> list[str]:
        """A step whole."""
        with self.kept():
            if step.each is not None or step.each_records is not None:
                self.untouched = False
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
            test = self.values.condition(step.when)
            known = self.names.decide(test)
            if known is not None:
                return self._acting(step) if known else []
            return [f"if {test.text}:", *indented(self.block([lambda: self._acting(step)]))]

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
        return self.body(step.steps)

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
        lines: list[str] = []
        for condition, steps in step.cases:
            test = self.values.condition(condition)
            known = self.names.decide(test)
            if known:
                return lines + self._otherwise(steps, bool(lines))
            if known is False:
                continue
            lines += [f"{'elif' if lines else 'if'} {test.text}:", *indented(self.body(steps))]
        return lines + self._otherwise(step.otherwise, bool(lines))

    def _set(self, step: Set) -> list[str]:
        names = self.names
        lines: list[str] = []
        tests: list[str] = []
        inner: list[str] = []

        def held(code: Code, label: str) -> str:
            text = code.text
            if not code.cheap:
                text = names.locals.claim(label)
                lines.append(f"{text} = {code.text}")
            if NULL in code.kinds:
                tests.append(f"{text} is not None")
            return text

        new, kept, key = held(self.values.value(step.value), f"new_{step.name}"), "state", quoted(step.name)
        if step.at is not None:
            at = self.values.exprs.value(step.at.ast)
            key = held(at, f"{step.name}_key")
            if not at.only(TEXT, NULL):
                key = f"{key} if type({key}) is str else {names.need('as_text')}({key})"
            kept = names.locals.claim(f"{step.name}_kept")
            inner.append(f"{kept} = state.setdefault({quoted(step.name)}, {{}})")
        if step.changed:
            was = names.locals.claim("was")
            inner += [f"{was} = {kept}.get({key})", f"{kept}[{key}] = {new}"]
            self.untouched = False
            with self.kept():
                changed = self.block([lambda: self.body(step.changed)], opening=lambda: self._open({"was": was}))
            inner += [f"if not {names.need('equal')}({was}, {new}):", *indented(changed)]
        else:
            inner.append(f"{kept}[{key}] = {new}")
        return [*lines, f"if {' and '.join(tests)}:", *indented(inner)] if tests else [*lines, *inner]

    def _hook(self, step: Hook) -> list[str]:
        names = self.names
        self.untouched = False
        made = names.locals.claim(step.as_name)
        given = ", ".join(f"{quoted(name)}: {self.values.value(value).text}" for name, value in step.inputs)
        opening = {step.as_name: made}
        body = self.block([lambda: self.body(step.steps)], loop=True, opening=lambda: self._open(opening))
        head = [
            f"# hook {step.hook} (line {step.mark.line})",
            f"for {made} in run.hook({quoted(step.hook)}, {{{given}}}):",
        ]
        return [*head, *indented(body)]

    def _use(self, step: Use) -> list[str]:
        names = self.names
        if names.module.stands_inline(step.walk):
            return self._inlined(step)
        # by place: that is twice as fast as by name
        given = dict(step.inputs)
        args = [self.values.value(given[name]).text for name in names.module.walks[step.walk].params]
        for column, late in names.module.columns_of(step.walk).items():
            code = self.column(column)
            missing = {"time": "None", "source_line": "run.line"}.get(column, EMPTY.text)
            text = missing if code is None else code.text
            function = text.removesuffix("()") if text == f"{column}_column()" else f"lambda: {text}"
            args.append(function if late else text)
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
        if self.untouched:
            return [f"ignored[{quoted(step.why)}] += 1", "continue"]
        return [f"run.ignore({quoted(step.why)})"]

    def _unparsed(self, step: Unparsed) -> list[str]:
        shown = "run.record_text()" if step.text is None else self.values.text(self.values.value(step.text)).text
        number = "run.line" if step.number is None else self.values.exprs.value(step.number.ast).text
        reason = self.values.text(self.values.value(step.reason)).text
        given = f"{number}, {reason}, {shown}, {quoted(step.id)}"
        return [f"run.unparseable({self.column_dict(NOTE_COLUMNS)}, {given})"]


def _marks(step: AnyStep) -> bool:
    """Whether a step writes a row or counts the record."""
    plain = (Set, Block, Switch, Choose)
    return any(inner.count or not isinstance(inner, plain) for inner in all_steps((step,)))


def _special(key: str) -> bool:
    return key in ("true", "false", "null") or key.lstrip("-").isdigit()


def _label_of(on: Expr) -> str:
    """A name for the value of a switch."""
    ast = on.ast
    while ast["type"] in ("subexpression", "pipe", "index_expression"):
        ast = ast["children"][-1]
    return str(ast["value"]) if ast["type"] == "field" else "case"
