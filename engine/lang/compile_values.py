"""Values of a spec: expressions, constants, templates and times, from their nodes."""

from __future__ import annotations

from typing import Any

from engine.lang import expr, text
from engine.lang.compile_fields import Fields, kind_of, mark
from engine.lang.plan import Const, Earliest, Expr, First, Mark, Optional, Pairs, Previous, Text, Time, Value
from engine.rows import SPEC_COLUMNS, STATUSES, TIME_BASES
from engine.spec.problems import nearest_name
from engine.spec.yamlio import Mapping, Node, Scalar, Sequence

UNITS = ("iso", "s", "ms", "us", "ns")
VALUE_FORMS = ("const", "text", "time", "first", "earliest", "previous")
#: how deep the optional parts of a template may nest
_NESTED = 16
#: how much of an expression that does not parse is shown
_SHOWN = 1000
_TIME_KEYS = ("time", "unit", "nanos", "offset", "basis")

#: stands where a value could not be read, so that the rest of the spec is still checked
BROKEN = Const(value=None)
_NULL_AST: dict[str, Any] = {"type": "literal", "value": None, "children": []}


class Values(Fields):
    """Compiles values. `tables` and `lookups` are what the spec declares."""

    tables: dict[str, Any]
    lookups: frozenset[str]

    def __init__(self, file: str):
        super().__init__(file)
        self._folded: set[tuple[int, int]] = set()

    def expr(self, node: Node | None) -> Expr:
        if node is None:
            return Expr(source="", ast=_NULL_AST, mark=Mark(0, 0, ""))
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            self._no_expression(node)
            return Expr(source="", ast=_NULL_AST, mark=mark(node))
        return self.expression(node.value, self._inside(node))

    def _no_expression(self, node: Node) -> None:
        advice = ""
        if isinstance(node, Scalar):
            advice = f"; a constant is {{const: {node.text or 'null'}}}"
        elif isinstance(node, Mapping):
            advice = " here; other forms of a value do not fit"
        self.report("E203", node, f"expected an expression, found {kind_of(node)}{advice}")

    def _inside(self, node: Scalar) -> Mark:
        at = Mark(node.line, node.column + node.quoted, node.path)
        if node.folded:
            self._folded.add((at.line, at.column))
        return at

    def inside(self, at: Mark, offset: int) -> Mark:
        """The place of a character of a scalar that begins at `at`; of a folded one its begin."""
        if (at.line, at.column) in self._folded:
            return at
        return Mark(at.line, at.column + offset, at.path)

    def expression(self, source: str, at: Mark) -> Expr:
        """Parses one expression; `at` is the place of its first character."""
        try:
            ast = expr.parse(source)
        except expr.ExpressionError as error:
            code = "E408" if "unexpected number" in error.message else "E401"
            shown = source if len(source) <= _SHOWN else f"{source[:_SHOWN]}…"
            self.report(code, self.inside(at, error.offset), f"`{shown}`: {error.message}")
            return Expr(source="", ast=_NULL_AST, mark=at)
        return Expr(source=source, ast=ast, mark=at)

    def exprs(self, node: Node | None) -> tuple[Expr, ...]:
        return tuple(self.expr(item) for item in self.one_or_more(node))

    def template(self, node: Node) -> Text:
        source = self.text(node)
        place = self._inside(node) if isinstance(node, Scalar) else mark(node)
        try:
            parts = text.parse_template(source)
        except text.TemplateError as error:
            code = "E403" if "without a hole" in error.message else "E402"
            self.report(code, self.inside(place, error.offset), error.message)
            parts = []
        return Text(source=source, parts=self._parts(parts, place), mark=place)

    def _parts(self, parts: list[Any], at: Mark, depth: int = 0) -> tuple[str | Expr | Optional, ...]:
        made: list[str | Expr | Optional] = []
        if depth > _NESTED:
            self.report("E402", at, f"`[..]` nested deeper than {_NESTED}")
            return ()
        for part in parts:
            if isinstance(part, str):
                made.append(part)
            elif isinstance(part, tuple):
                made.append(self.expression(part[1], self.inside(at, part[2])))
            else:
                made.append(Optional(parts=self._parts(part, at, depth + 1)))
        return tuple(made)

    def value(self, node: Node) -> Value:
        """A value in any form but a bare list."""
        if isinstance(node, Sequence):
            self.report("E203", node, "expected a value, found a list; a list of times is {first: [...]}")
            return BROKEN
        if isinstance(node, Scalar):
            return self.expr(node)
        return self._form(node)

    def _form(self, node: Node) -> Value:
        members = node.items if isinstance(node, Mapping) else {}
        form = next((key for key in VALUE_FORMS if key in members), None)
        if form is None:
            if isinstance(node, Mapping) and (key := next(iter(members), None)) is not None:
                near = nearest_name(key, VALUE_FORMS)
                self.report("E201", node.keys[key], f"`{key}` is no form of a value", nearest=near)
            else:
                self.wrong(node, "a value: an expression, or {const}, {text}, {time}, {first}, {earliest}")
            return BROKEN
        if form == "time":
            return self.time(node)
        if form == "previous":
            return self._previous(node)
        self.fields(node, (form,))
        if form == "const":
            return Const(value=members["const"].plain())
        if form == "text":
            return self.template(members["text"])
        times = tuple(self.a_time(item) for item in self.items(members[form]))
        return First(times=times) if form == "first" else Earliest(times=times)

    def time(self, node: Node) -> Time:
        members = self.fields(node, _TIME_KEYS, ("time",))
        if "unit" not in members:
            self.report("E412", node, f"a time needs its unit: one of {', '.join(UNITS)}")
        return Time(
            time=self.expr(members.get("time")),
            unit=self.word(members.get("unit"), UNITS, "unit") or "iso",
            nanos=self.expr(members["nanos"]) if "nanos" in members else None,
            offset=self.expr(members["offset"]) if "offset" in members else None,
            basis=self._basis(members.get("basis")),
            mark=mark(node),
        )

    def _basis(self, node: Node | None) -> str | None:
        return self.word(node, [b for b in TIME_BASES if b], "time basis") or None

    def _previous(self, node: Node) -> Previous:
        members = self.fields(node, ("previous", "basis"))
        if not self.flag(members.get("previous")):
            self.report("E203", members.get("previous", node), "`previous` is always true")
        return Previous(basis=self._basis(members.get("basis")))

    def a_time(self, node: Node) -> Time | Previous | Expr:
        """An element of `first` or `earliest`: a time, `previous`, or the name of something that holds a time."""
        if isinstance(node, Scalar):
            if node.value == "previous":
                return Previous()
            found = self.expr(node)
            if _reads_a_record(found.ast):
                self.report("E412", node, f"a time needs its unit: {{time: '{found.source}', unit: iso}}")
            return found
        if isinstance(node, Mapping) and "previous" in node.items:
            return self._previous(node)
        return self.time(node)

    def column(self, name: str, node: Node) -> Value:
        """The value of a row's column; in `time`, a list is short for `first`."""
        if name != "time":
            found = self.value(node)
            if isinstance(found, Time | First | Earliest | Previous):
                self.report("E203", node, "a time stands in the `time` column; its text is utc(…)")
            if name == "status":
                self._status(found, node)
            return found
        if isinstance(node, Sequence):
            return First(times=tuple(self.a_time(item) for item in node.items))
        if isinstance(node, Mapping) and not {"time", "previous"} & node.items.keys():
            found = self._form(node)
            if isinstance(found, Const | Text):
                self.report("E203", node, "expected a time")
            return found
        return self.a_time(node)

    def _status(self, value: Value, node: Node) -> None:
        constant = value.value if isinstance(value, Const) else None
        if isinstance(value, Expr) and value.ast["type"] == "literal" and value.source:
            constant = value.ast["value"]
        if constant is not None and constant not in STATUSES:
            self.report("E204", node, f"unknown status `{constant}`", nearest=nearest_name(str(constant), STATUSES))

    def columns(self, node: Node | None) -> Pairs:
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.wrong(node, "a mapping")
            return ()
        return tuple(
            (name, self.column(name, item)) for name, item in node.items.items() if self._known_column(node.keys[name])
        )

    def _known_column(self, key: Scalar) -> bool:
        if key.text in SPEC_COLUMNS:
            return True
        near = nearest_name(key.text, SPEC_COLUMNS)
        self.report("E304", key, f"unknown column `{key.text}`", nearest=near)
        return False

    def pairs(self, node: Node | None, what: str, *, bound: bool = False) -> Pairs:
        """Names and values, such as `let` and `with`; `bound` in a scope or not."""
        if node is None:
            return ()
        if not isinstance(node, Mapping):
            self.wrong(node, "a mapping")
            return ()
        check = self.bound if bound else self.name
        return tuple((check(node.keys[key], what), self.value(item)) for key, item in node.items.items())


def _reads_a_record(ast: dict[str, Any]) -> bool:
    """Whether an expression is a path below a name that can hold no time."""
    if ast["type"] != "subexpression":
        return False
    head = ast["children"][0]
    return head["type"] == "field" and head["value"] not in ("state", "file")
