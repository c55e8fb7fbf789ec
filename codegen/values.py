"""Values of a plan as Python: expressions, constants, templates, times; and their forms as columns of a row.

A time is a moment in generated code: the three texts that a row has of it (`timestamp_utc`, `time_basis`, `time_raw`),
or None. So the frequent stamps need no arithmetic. Where an expression asks for a time it becomes a `Stamp`.
"""

from __future__ import annotations

from codegen.code import (
    AND,
    ANY,
    BOOL,
    COMPARE,
    EMPTY,
    NULL,
    NUMBER,
    OBJECT,
    OR,
    POSTFIX,
    SUM,
    TERNARY,
    TEXT,
    TIME,
    Code,
    literal,
    quoted,
)
from codegen.names import WalkNames
from engine.lang.plan import Const, Earliest, Expr, First, Optional, Previous, Text, Time, Value

_MOMENT = frozenset((OBJECT, NULL))
_PLAIN_EMPTY = ANY - {NUMBER, BOOL, TIME}
_TIMES = (Time, First, Earliest, Previous)


def is_time(value: Value) -> bool:
    return isinstance(value, _TIMES)


class ValuePrinter:
    """Prints values with the names of one function."""

    def __init__(self, names: WalkNames):
        self.names, self.exprs = names, names.printer

    def value(self, value: Value) -> Code:
        """The value; a time as a `Stamp` or None."""
        if isinstance(value, Expr):
            return self.exprs.value(value.ast)
        if isinstance(value, Const):
            return literal(value.value)
        if isinstance(value, Text):
            return self.template(value)
        stamp = self.names.need("stamp_of")
        return Code(f"{stamp}({self.moment(value).text})", frozenset((TIME, NULL)), POSTFIX)

    def condition(self, value: Expr) -> Code:
        return self.exprs.condition(value.ast)

    # -------------------------------------------------------------------------------------------- columns

    def cell(self, value: Value) -> Code:
        """The text that a row has for a value: '' for null and false."""
        if is_time(value):
            return self._moment_text(self.moment(value))
        if isinstance(value, Expr) and value.ast["type"] == "field":
            found = self.names.scope.get(value.ast["value"])
            if found is not None and found.form == "moment":
                return self._moment_text(self.names.held(found))
        return self.cell_of(self.value(value))

    def _moment_text(self, moment: Code) -> Code:
        return Code(f"({moment.text} or {self.names.need('NO_TIME')})[0]", frozenset(TEXT), POSTFIX)

    def cell_of(self, code: Code) -> Code:
        if sure := _text_for_sure(code):
            return sure
        called, held = self.names.need("cell"), code.text
        if not code.cheap:
            held = self.names.temporary()
        test = held if code.cheap else f"{held} := {code.text}"
        return Code(f"{held} if type({test}) is str else {called}({held})", frozenset(TEXT), TERNARY)

    def text(self, code: Code) -> Code:
        """A value in a template: as it is when it is text, '' for null, else compact JSON."""
        if sure := _text_for_sure(code):
            return sure
        return Code(f"{self.names.need('as_text')}({code.text})", frozenset(TEXT), POSTFIX)

    # ------------------------------------------------------------------------------------------ templates

    def template(self, value: Text) -> Code:
        return self._joined(value.parts)

    def _joined(self, parts: tuple[str | Expr | Optional, ...]) -> Code:
        made = [self._part(part) for part in parts]
        return self._sum(made) if made else EMPTY

    def _sum(self, made: list[Code]) -> Code:
        if len(made) == 1:
            return made[0]
        return Code(" + ".join(part.at(SUM) for part in made), frozenset(TEXT), SUM)

    def _part(self, part: str | Expr | Optional) -> Code:
        if isinstance(part, str):
            return literal(part)
        if isinstance(part, Expr):
            return self.text(self.exprs.value(part.ast))
        return self._optional(part)

    def _optional(self, part: Optional) -> Code:
        """Falls away when a hole directly in it is empty."""
        tests, made = [], []
        for inner in part.parts:
            if not isinstance(inner, Expr):
                made.append(self._part(inner))
                continue
            code = self.exprs.value(inner.ast)
            held = code
            if not code.cheap:
                held = Code(self.names.temporary(), code.kinds, cheap=True)
                code = Code(f"({held.text} := {code.text})", code.kinds)
            tests.append(self._filled(code))
            if code.kinds <= _PLAIN_EMPTY:
                held = held._replace(kinds=held.kinds - {NULL})
            made.append(self.text(held))
        condition = " and ".join(test.at(AND) for test in tests)
        return Code(f"{self._sum(made).at(OR)} if {condition} else {EMPTY.text}", frozenset(TEXT), TERNARY)

    def _filled(self, code: Code) -> Code:
        if code.kinds <= _PLAIN_EMPTY:
            return code
        inner = code.text[1:-1] if code.text.startswith("(") and ":=" in code.text else code.text
        return Code(f"not {self.names.need('is_empty')}({inner})", frozenset(BOOL), COMPARE)

    # ---------------------------------------------------------------------------------------------- times

    def moment(self, value: Value) -> Code:
        """A value where a time is wanted: a moment or None."""
        if isinstance(value, Time):
            return self._stamp(value)
        if isinstance(value, Previous):
            held = Code("run.previous", _MOMENT, POSTFIX)
            return held if value.basis is None else self._call("with_basis", held, quoted(value.basis))
        if isinstance(value, First):
            made = [self.moment(part) for part in value.times]
            return Code(" or ".join(part.at(OR) for part in made), _MOMENT, OR) if len(made) > 1 else made[0]
        if isinstance(value, Earliest):
            return self._call("earliest", *[self.moment(part) for part in value.times])
        if not isinstance(value, Expr):
            return literal(None)
        if value.ast["type"] == "field":
            found = self.names.scope.get(value.ast["value"])
            while found is not None and found.form == "value" and found.path is not None and not found.path[1]:
                found = found.path[0]
            if found is not None and found.form == "moment":
                return self.names.held(found)
        code = self.exprs.value(value.ast)
        return self._call("moment_of", code) if TIME in code.kinds else literal(None)

    def _stamp(self, value: Time) -> Code:
        if value.nanos is None and value.time.ast["type"] == "field":
            found = self.names.scope.get(value.time.ast["value"])
            if found is not None and found.form == "moment":
                held = self.names.held(found)
                return held if value.basis is None else self._call("with_basis", held, quoted(value.basis))
        stamp = self.exprs.value(value.time.ast)
        basis = [] if value.basis is None else [quoted(value.basis)]
        if value.unit == "iso" and value.nanos is None:
            if value.offset is None:
                return self._call("iso", stamp, *basis)
            return self._call("iso_local", stamp, self.exprs.value(value.offset.ast), *basis)
        given = [("nanos", value.nanos), ("offset", value.offset)]
        more = [f"{name}={self.exprs.value(expr.ast).text}" for name, expr in given if expr is not None]
        return self._call("timed", stamp, quoted(value.unit), *more, *(f"basis={text}" for text in basis))

    def _call(self, helper: str, *args: Code | str) -> Code:
        given = ", ".join(arg if isinstance(arg, str) else arg.text for arg in args)
        return Code(f"{self.names.need(helper)}({given})", _MOMENT, POSTFIX)


def _text_for_sure(code: Code) -> Code | None:
    """The text of a value that is text or null, '' for null; None where it may be something else."""
    if code.only(TEXT):
        return code
    if code.only(NULL):
        return EMPTY
    return Code(f"{code.at(OR)} or {EMPTY.text}", frozenset(TEXT), OR) if code.only(TEXT, NULL) else None
