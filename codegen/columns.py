"""Blocks of statements, and what names and columns mean in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from codegen.bindings import RECORD, UNIT, Binding
from codegen.code import EMPTY, TEXT, Code, quoted
from codegen.exprs import chain_of
from codegen.names import Scope, WalkNames
from codegen.values import ValuePrinter, is_time
from engine.lang.expr import root_names
from engine.lang.plan import (
    Expr,
    Pairs,
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


class ColumnPrinter:
    """Blocks of one function, and the names and columns that apply in them."""

    def __init__(self, names: WalkNames, owner: str):
        self.names, self.values, self.owner = names, ValuePrinter(names), owner
        self.columns: Columns = {}
        self.hoist = False

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
        first, *fields = (node["value"] for node in chain)
        if first in ("pos", "next") and fields:
            first, *fields = f"{first}.{fields[0]}", *fields[1:]
        root = self.names.scope.get(first)
        return None if root is None or root.form != "value" else (root, tuple(fields))

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
