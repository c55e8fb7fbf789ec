"""JMESPath syntax trees as Python expressions: straight code in place of a walk over the tree.

The meaning is that of `engine.lang.expr`: what a wrong type makes null there is null here. Tests that the kinds of a
value make needless are left out, and what stands in no frequent place calls the functions of `engine.lang`.
"""

from __future__ import annotations

from typing import Any, Protocol

from codegen.calls import CALLS, CONDITIONS, RESULTS
from codegen.code import (
    AND,
    ANY,
    BOOL,
    BYTES,
    COMPARE,
    LAZY,
    LIST,
    NONE,
    NOT,
    NULL,
    NUMBER,
    OBJECT,
    OR,
    POSTFIX,
    TERNARY,
    TEXT,
    Code,
    Kinds,
    literal,
    name,
    quoted,
)
from engine.lang.functions import FUNCTIONS
from engine.lang.values import equal

Ast = dict[str, Any]

#: kinds for which Python's truth is JMESPath's
_SAME_TRUTH = ANY - {NUMBER}
_CONTAINERS = frozenset((LIST, OBJECT, LAZY))
_PLAIN = frozenset((TEXT, NULL, BYTES))
_COMPARE = {"lt": "less", "lte": "at_most", "gt": "more", "gte": "at_least"}


class Names(Protocol):
    """What the surroundings of an expression give."""

    def path(self, root: str, fields: tuple[str, ...]) -> Code: ...

    def moment(self, root: str) -> Code | None: ...

    def temporary(self) -> str: ...

    def table(self, table: str) -> Code: ...

    def starts(self, table: str) -> Code: ...

    def need(self, helper: str) -> str: ...


class Printer:
    """Prints expressions in one scope. `flat` is on where an assignment inside an expression is not allowed."""

    def __init__(self, names: Names):
        self.names = names
        self.flat = False

    # ------------------------------------------------------------------------------------- entry points

    def value(self, ast: Ast, current: Code | None = None) -> Code:
        """The value of a tree. `current` is what `@` and first names look in; None is the scope."""
        return getattr(self, f"_{ast['type']}")(ast, current)

    def condition(self, ast: Ast, current: Code | None = None) -> Code:
        """A Python condition that holds when the value is true in JMESPath's sense."""
        kind, children = ast["type"], ast.get("children", ())
        if kind == "and_expression":
            return Code(" and ".join(self.condition(child, current).at(AND) for child in children), ANY, AND)
        if kind == "or_expression":
            return self._either([self.condition(child, current) for child in children], ANY)
        if kind == "not_expression":
            return self._denied(self.condition(children[0], current))
        if kind == "function_expression" and ast["value"] in CONDITIONS:
            found = CONDITIONS[ast["value"]](self, children, current)
            if found is not None:
                return found
        return self.truth(self.value(ast, current))

    def truth(self, code: Code) -> Code:
        """JMESPath's truth of a value."""
        if code.kinds <= _SAME_TRUTH:
            return code
        if code.only(NUMBER):
            return Code("True", frozenset(BOOL))
        truthy = self.names.need("truthy")
        if LAZY in code.kinds or (self.flat and not code.cheap):
            return Code(f"{truthy}({code.text})", frozenset(BOOL), POSTFIX)
        if code.only(NUMBER, NULL) and code.cheap:
            return Code(f"{code.text} is not None", frozenset(BOOL), COMPARE)
        held, test = self.held(code)
        first = test if code.cheap else f"({test})"
        return Code(f"{first} or ({held} is not None and {truthy}({held}))", ANY, OR)

    @staticmethod
    def _denied(code: Code) -> Code:
        for word, other in ((" is not None", " is None"), (" is None", " is not None")):
            head = code.text.removesuffix(word)
            if code.level == COMPARE and head != code.text and " " not in head:
                return Code(head + other, frozenset(BOOL), COMPARE)
        return Code(f"not {code.at(NOT)}", frozenset(BOOL), NOT)

    # -------------------------------------------------------------------------------------------- paths

    def _field(self, ast: Ast, current: Code | None) -> Code:
        if current is None:
            return self.names.path(ast["value"], ())
        return self.member(current, ast["value"])

    def _subexpression(self, ast: Ast, current: Code | None) -> Code:
        chain = chain_of(ast)
        if current is None and chain[0]["type"] == "field":
            fields: list[str] = []
            at = 1
            while at < len(chain) and chain[at]["type"] == "field":
                fields.append(chain[at]["value"])
                at += 1
            value = self.names.path(chain[0]["value"], tuple(fields))
            rest = chain[at:]
        else:
            value, rest = self.value(chain[0], current), chain[1:]
        for node in rest:
            value = self.within(node, value)
        return value

    _pipe = _subexpression
    _index_expression = _subexpression

    def within(self, ast: Ast, base: Code) -> Code:
        """A tree whose current value is `base`, which is computed once."""
        if base.cheap or ast["type"] in ("field", "index", "slice", "identity", "current"):
            return self.value(ast, base)
        held = self.names.temporary()
        inner = self.value(ast, name(held, base.kinds))
        return Code(f"(lambda {held}: {inner.text})({base.text})", inner.kinds, POSTFIX)

    def member(self, base: Code, field: str) -> Code:
        """The member of an object; null for anything else."""
        if base.only(OBJECT):
            return Code(f"{base.at(POSTFIX)}.get({quoted(field)})", ANY, POSTFIX)
        if OBJECT not in base.kinds and LAZY not in base.kinds:
            return NONE
        if LAZY in base.kinds or (self.flat and not base.cheap):
            return Code(f"{self.names.need('member')}({base.text}, {quoted(field)})", ANY, POSTFIX)
        held, test = self.held(base)
        return Code(f"{held}.get({quoted(field)}) if type({test}) is dict else None", ANY, TERNARY)

    def held(self, code: Code) -> tuple[str, str]:
        """A name for a value, and the text that computes and names it, which must run first."""
        if code.cheap:
            return code.text, code.text
        held = self.names.temporary()
        return held, f"{held} := {code.text}"

    def _index(self, ast: Ast, current: Code | None) -> Code:
        base, at = _given(current), ast["value"]
        if LIST not in base.kinds:
            return NONE
        if base.cheap and at == 0:
            text = base.text
            test = text if base.only(LIST, NULL) else f"type({text}) is list and {text}"
            return Code(f"{text}[0] if {test} else None", ANY, TERNARY)
        return self.call("element", [base, literal(at)])

    def _slice(self, ast: Ast, current: Code | None) -> Code:
        return self.call("part", [_given(current), *map(literal, ast["children"])], frozenset((LIST, NULL)))

    def _identity(self, ast: Ast, current: Code | None) -> Code:
        return _given(current)

    _current = _identity

    # -------------------------------------------------------------------------------------- projections

    def _projection(self, ast: Ast, current: Code | None) -> Code:
        base, right = ast["children"]
        return self._collect(self.value(base, current), right, None)

    def _filter_projection(self, ast: Ast, current: Code | None) -> Code:
        base, right, condition = ast["children"]
        return self._collect(self.value(base, current), right, condition)

    def _value_projection(self, ast: Ast, current: Code | None) -> Code:
        base, right = ast["children"]
        found = self.call("members", [self.value(base, current)], frozenset((LIST, NULL)))
        return self._collect(found, right, None)

    def _flatten(self, ast: Ast, current: Code | None) -> Code:
        return self.call("flat", [self.value(ast["children"][0], current)], frozenset((LIST, NULL)))

    def _collect(self, base: Code, right: Ast, condition: Ast | None) -> Code:
        """A list of what is not null; null when `base` is no list."""
        element = self.names.temporary()
        one = name(element)
        if self.flat:
            return self._collect_flat(base, right, condition, one)
        held, test = self.held(base)
        made = self.value(right, one)
        tests = [] if condition is None else [self.condition(condition, one).at(AND)]
        if made.text == element:
            if condition is None or NULL in self._kinds_when(condition):
                tests.append(f"{element} is not None")
            shown = element
        elif NULL in made.kinds:
            shown = self.names.temporary()
            tests.append(f"({shown} := {made.text}) is not None")
        else:
            shown = made.text
        filters = f" if {' and '.join(tests)}" if tests else ""
        found = f"[{shown} for {element} in {held}{filters}]"
        if base.only(LIST):
            return Code(found.replace(f"in {held}", f"in {base.text}", 1), frozenset(LIST))
        return Code(f"{found} if type({test}) is list else None", frozenset((LIST, NULL)), TERNARY)

    @staticmethod
    def _kinds_when(condition: Ast) -> Kinds:
        """Whether a null element can pass a condition: not when it compares a member with text."""
        children = condition.get("children", ())
        if condition["type"] == "comparator" and condition["value"] == "eq":
            member, other = children
            if member["type"] == "field" and other["type"] == "literal" and other["value"] is not None:
                return frozenset(OBJECT)
        return ANY

    def _collect_flat(self, base: Code, right: Ast, condition: Ast | None, one: Code) -> Code:
        made = f"lambda {one.text}: {self.value(right, one).text}"
        args = [base.text, made]
        if condition is not None:
            args.append(f"lambda {one.text}: {self.condition(condition, one).text}")
        return Code(f"{self.names.need('collect')}({', '.join(args)})", frozenset((LIST, NULL)), POSTFIX)

    # ---------------------------------------------------------------------------------- logic and values

    def _literal(self, ast: Ast, current: Code | None) -> Code:
        return literal(ast["value"])

    def _and_expression(self, ast: Ast, current: Code | None) -> Code:
        left, right = (self.value(child, current) for child in ast["children"])
        if left.kinds <= _SAME_TRUTH:
            kinds = (left.kinds & {NULL, BOOL, TEXT, LIST, OBJECT, BYTES}) | right.kinds
            return Code(f"{left.at(AND)} and {right.at(AND)}", kinds, AND)
        held, test = self._tested(left)
        return Code(f"{right.at(OR)} if {test} else {held}", left.kinds | right.kinds, TERNARY)

    def _or_expression(self, ast: Ast, current: Code | None) -> Code:
        left, right = (self.value(child, current) for child in ast["children"])
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
        return self._denied(self.condition(ast["children"][0], current))._replace(kinds=frozenset(BOOL))

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
        return self._denied(found)

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
        return self.call("equal", [left, right], flag)

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

    # ---------------------------------------------------------------------------------------- functions

    def _function_expression(self, ast: Ast, current: Code | None) -> Code:
        called, children = ast["value"], ast["children"]
        if called in CALLS:
            found = CALLS[called](self, children, current)
            if found is not None:
                return found
        function = FUNCTIONS[called]
        args = []
        for at, child in enumerate(children):
            if at == function.table_arg:
                args.append(self.names.table(str(child.get("value"))))
            elif at == function.expref_arg:
                args.append(self._lambda(child))
            else:
                args.append(self.value(child, current))
        return self.call(self.names.need(f"function {called}"), args, RESULTS.get(called, ANY), known=True)

    def _lambda(self, ast: Ast) -> Code:
        element = self.names.temporary()
        inner = ast["children"][0] if ast["type"] == "expref" else ast
        return Code(f"lambda {element}: {self.value(inner, name(element)).text}", ANY, TERNARY)

    def call(self, helper: str, args: list[Code], kinds: Kinds = ANY, *, known: bool = False) -> Code:
        """A call of a helper of the run time, or of a function whose name is known already."""
        called = helper if known else self.names.need(helper)
        return Code(f"{called}({', '.join(arg.text for arg in args)})", kinds, POSTFIX)


def _given(current: Code | None) -> Code:
    """The current value; the scope itself is none."""
    if current is None:
        raise ValueError("`@` stands where there is no current value")
    return current


def chain_of(ast: Ast) -> list[Ast]:
    """`a.b.c` as its nodes, from the left."""
    if ast["type"] not in ("subexpression", "pipe", "index_expression"):
        return [ast]
    left, *rest = ast["children"]
    return [*chain_of(left), *rest]
