"""Logic, comparison and construction of JMESPath in Python."""

from __future__ import annotations

from codegen.base import Ast, Base
from codegen.code import (
    AND,
    ANY,
    BOOL,
    BYTES,
    COMPARE,
    LAZY,
    LIST,
    NOT,
    NULL,
    NUMBER,
    OBJECT,
    OR,
    TERNARY,
    TEXT,
    Code,
    Kinds,
    literal,
    quoted,
    sure,
)
from engine.lang.values import equal

#: kinds for which Python's truth is JMESPath's
_SAME_TRUTH = ANY - {NUMBER}
_CONTAINERS = frozenset((LIST, OBJECT, LAZY))
_PLAIN = frozenset((TEXT, NULL, BYTES))
#: the longest text that is printed twice to save a call
_TWICE = 40
_SIGNS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_COMPARE = {"lt": "less", "lte": "at_most", "gt": "more", "gte": "at_least"}


class Logic(Base):
    """The part of the expression printer that decides and compares."""

    # ---------------------------------------------------------------------------------- logic and values

    def _literal(self, ast: Ast, current: Code | None) -> Code:
        return literal(ast["value"])

    def _and_expression(self, ast: Ast, current: Code | None) -> Code:
        left = self.value(ast["children"][0], current)
        if (known := sure(left)) is not None:
            return self.value(ast["children"][1], current) if known else left
        right = self.value(ast["children"][1], current)
        if left.kinds <= _SAME_TRUTH:
            kinds = (left.kinds & {NULL, BOOL, TEXT, LIST, OBJECT, BYTES}) | right.kinds
            return Code(f"{left.at(AND)} and {right.at(AND)}", kinds, AND)
        held, test = self._tested(left)
        return Code(f"{right.at(OR)} if {test} else {held}", left.kinds | right.kinds, TERNARY)

    def _or_expression(self, ast: Ast, current: Code | None) -> Code:
        left = self.value(ast["children"][0], current)
        if (known := sure(left)) is not None:
            return left if known else self.value(ast["children"][1], current)
        right = self.value(ast["children"][1], current)
        kinds = (left.kinds - {NULL}) | right.kinds
        if left.kinds <= _SAME_TRUTH:
            return self._either([left, right], kinds)
        held, test = self._tested(left)
        return Code(f"{held} if {test} else {right.at(TERNARY)}", kinds, TERNARY)

    @staticmethod
    def _either(sides: list[Code], kinds: Kinds) -> Code:
        """`a or b`; an `and` in it gets brackets."""
        return Code(" or ".join(side.at(NOT if side.level == AND else OR) for side in sides), kinds, OR)

    def _tested(self, code: Code) -> tuple[str, str]:
        """A name for a value, and a condition that computes it and tells its truth."""
        if code.only(NUMBER):
            return code.at(OR), "True"
        held = code.text if code.cheap else self.names.temporary()
        first = held if code.cheap else f"({held} := {code.text})"
        return held, f"{first} or ({held} is not None and {self.names.need('truthy')}({held}))"

    def _not_expression(self, ast: Ast, current: Code | None) -> Code:
        return self.denied(self.condition(ast["children"][0], current))._replace(kinds=frozenset(BOOL))

    def _comparator(self, ast: Ast, current: Code | None) -> Code:
        kind, (left_ast, right_ast) = ast["value"], ast["children"]
        if kind not in ("eq", "ne"):
            pair = [self.value(left_ast, current), self.value(right_ast, current)]
            return self.call(_COMPARE[kind], pair, frozenset((BOOL, NULL)))
        if left_ast["type"] == "literal":
            left_ast, right_ast = right_ast, left_ast
        if left_ast["type"] == right_ast["type"] == "literal":
            return literal(equal(left_ast["value"], right_ast["value"]) is (kind == "eq"))
        found = self._type_test(left_ast, right_ast, current)
        if found is None:
            found = self._equal(self.value(left_ast, current), self.value(right_ast, current), right_ast)
        if kind == "eq":
            return found
        for word, other in ((" == ", " != "), (" is ", " is not ")):
            head, sign, tail = found.text.rpartition(word)
            if sign and found.level == COMPARE:
                return found._replace(text=head + other + tail)
        return self.denied(found)

    def measured(self, ast: Ast, current: Code | None) -> Code | None:
        """The condition that a number, if there is one, is on one side of a constant."""
        sign, (left_ast, right_ast) = _SIGNS.get(ast["value"]), ast["children"]
        if sign is None or right_ast["type"] != "literal":
            return None
        left, right = self.value(left_ast, current), self.value(right_ast, current)
        if not left.only(NUMBER, NULL) or not right.only(NUMBER) or (self.flat and not left.cheap):
            return None
        held, test = self.held(left)
        first = f"{held} is not None" if left.cheap else f"({test}) is not None"
        return Code(f"{first} and {held} {sign} {right.text}", frozenset(BOOL), AND)

    def _type_test(self, left: Ast, right: Ast, current: Code | None) -> Code | None:
        """`type(x) == 'string'` without its call."""
        if left["type"] != "function_expression" or left["value"] != "type" or right["type"] != "literal":
            return None
        value = self.value(left["children"][0], current)
        if right["value"] == "null":
            return Code(f"{value.at(COMPARE + 1)} is None", frozenset(BOOL), COMPARE)
        python = {"string": "str", "array": "list", "boolean": "bool", "bytes": "bytes", "object": "dict"}
        found = python.get(right["value"]) if LAZY not in value.kinds else None
        return None if found is None else Code(f"type({value.text}) is {found}", frozenset(BOOL), COMPARE)

    def _equal(self, left: Code, right: Code, right_ast: Ast) -> Code:
        level, flag = COMPARE, frozenset(BOOL)
        if right.only(NULL) and NULL not in left.kinds:
            return literal(False)
        if right_ast["type"] == "literal" and (right_ast["value"] is None or isinstance(right_ast["value"], bool)):
            return Code(f"{left.at(level + 1)} is {right.text}", flag, level)
        constant = right_ast.get("value") if right_ast["type"] == "literal" else None
        number = isinstance(constant, int | float) and (constant not in (0, 1) or BOOL not in left.kinds)
        apart = not left.kinds & _CONTAINERS or not right.kinds & _CONTAINERS
        if number or left.kinds <= _PLAIN or right.kinds <= _PLAIN or (BOOL not in left.kinds | right.kinds and apart):
            return Code(f"{left.at(level + 1)} == {right.at(level + 1)}", flag, level)
        if TEXT not in left.kinds or len(right.text) > _TWICE or (self.flat and not left.cheap):
            return self.call("equal", [left, right], flag)
        held, test = self.held(left)
        other = f"{self.names.need('equal')}({held}, {right.text})"
        return Code(f"{held} == {right.at(level + 1)} if type({test}) is str else {other}", flag, TERNARY)

    def _multi_select_list(self, ast: Ast, current: Code | None) -> Code:
        made = ", ".join(self.value(child, current).text for child in ast["children"])
        return self._unless_null(Code(f"[{made}]", frozenset(LIST)), current)

    def _multi_select_dict(self, ast: Ast, current: Code | None) -> Code:
        made = ", ".join(
            f"{quoted(child['value'])}: {self.value(child['children'][0], current).text}" for child in ast["children"]
        )
        return self._unless_null(Code(f"{{{made}}}", frozenset(OBJECT)), current)

    @staticmethod
    def _unless_null(made: Code, current: Code | None) -> Code:
        if current is None or NULL not in current.kinds:
            return made
        return Code(f"{made.text} if {current.text} is not None else None", made.kinds | {NULL}, TERNARY)
