"""Checks every expression of a plan where it stands: its names, its calls, and what it can get wrong."""

from __future__ import annotations

from typing import Any

from engine.lang.compile_fields import RESERVED
from engine.lang.compile_names import Names
from engine.lang.compile_values import Values
from engine.lang.paths import ANY, ELEMENT, accesses
from engine.lang.pitfalls import Finding, find_call_faults, find_pitfalls, scope_lookups
from engine.lang.plan import Const, Earliest, Expr, First, Optional, Pairs, Previous, Text, Time, Value
from engine.spec.problems import nearest_name

#: a finding's code → the problem's
_CODES = {
    "bare-literal": "E408",
    "not-path": "E405",
    "and-literal": "E406",
    "raw-backslash": "E409",
    "unquoted-literal": "E401",
    "missing-comma": "E401",
    "whole-scope": "E416",
    "text-order": "E417",
    "misplaced-expref": "E303",
    "missing-expref": "E303",
    "arguments": "E303",
    "unknown-function": "E302",
    "table-name": "E411",
    "lookup-name": "E411",
    "unknown-table": "E308",
    "unknown-lookup": "E309",
}
#: names that are reported as bare literals
_BARE = ("null", "true", "false")
#: name → (code, what its members are)
_MEMBERS = {"path": ("E313", "capture of the store's globs"), "state": ("E316", "state: no step sets it")}


class Scopes:
    """Visits values with the names that are in scope where they stand; problems go to `values`."""

    def __init__(self, values: Values):
        self.values = values

    def value(self, value: Value | None, names: Names) -> None:
        if isinstance(value, Expr):
            self.expr(value, names)
        elif isinstance(value, Text):
            self.parts(value.parts, names)
        elif isinstance(value, Time):
            for inner in (value.time, value.nanos, value.offset):
                self.value(inner, names)
        elif isinstance(value, First | Earliest):
            for time in value.times:
                self.value(time, names)
        else:
            assert value is None or isinstance(value, Const | Previous)

    def parts(self, parts: tuple[str | Expr | Optional, ...], names: Names) -> None:
        for part in parts:
            if isinstance(part, Expr):
                self.expr(part, names)
            elif isinstance(part, Optional):
                self.parts(part.parts, names)

    def pairs(self, pairs: Pairs, names: Names) -> None:
        for _, value in pairs:
            self.value(value, names)

    def lets(self, pairs: Pairs, names: Names) -> Names:
        """The names after a `let`: each sees those before it."""
        known = dict(names)
        for name, value in pairs:
            self.value(value, known)
            known[name] = None
        return known

    def expr(self, expr: Expr | None, names: Names) -> None:
        if expr is None or not expr.source:
            return
        for name, offset in scope_lookups(expr.source, expr.ast):
            if name not in names and name not in _BARE:
                self._report("E301", expr, offset, f"`{name}` is not in scope here", nearest_name(name, names))
        for found in find_pitfalls(expr.source, expr.ast, names.keys()):
            self._finding(expr, found)
        for found in find_call_faults(expr.source, expr.ast, self.values.tables, self.values.lookups):
            self._finding(expr, found)
        self._members(expr, names)
        self._tables(expr, expr.ast)

    def _finding(self, expr: Expr, found: Finding) -> None:
        if found.code == "scope-in-element":
            code = "E404" if "right of" in found.message else "E407"
        else:
            code = _CODES[found.code]
        self._report(code, expr, found.offset, found.message, found.nearest)

    def _report(self, code: str, expr: Expr, offset: int, message: str, nearest: str | None = None) -> None:
        self.values.report(code, self.values.inside(expr.mark, offset), message, nearest=nearest)

    def _members(self, expr: Expr, names: Names) -> None:
        """A member of a name whose members are known, such as `path.x`."""
        for name, member in sorted({access.path[:2] for access in accesses(expr.ast) if len(access.path) > 1}):
            members = names.get(name)
            if members is None or member in members or member in (ANY, ELEMENT):
                continue
            code, what = _MEMBERS.get(name, ("E315", f"member of `{name}`"))
            if name not in RESERVED and "rowid" in members:
                code, what = "E317", "column: the store's `read` does not name it"
            near = nearest_name(member, members)
            self._report(code, expr, 0, f"`{name}.{member}`: unknown {what}", near)

    def _tables(self, expr: Expr, ast: dict[str, Any]) -> None:
        """Calls whose table has the wrong kind."""
        if ast["type"] == "function_expression" and ast["value"] in ("pick", "first_of", "has", "label"):
            argument = ast["children"][-1]
            name = argument.get("value")
            if argument["type"] == "literal" and isinstance(name, str) and name in self.values.tables:
                self._table(expr, ast["value"], name)
        if ast["type"] != "slice":
            for child in ast["children"]:
                self._tables(expr, child)

    def _table(self, expr: Expr, function: str, name: str) -> None:
        table = self.values.tables[name]
        texts = isinstance(table, list) and all(isinstance(item, str) for item in table)
        if function in ("pick", "first_of") and not texts:
            self._report("E415", expr, 0, f"{function}() needs a list of texts; table `{name}` is none")
        elif not isinstance(table, list | dict):
            self._report("E415", expr, 0, f"{function}() needs a list or a map; table `{name}` is neither")
