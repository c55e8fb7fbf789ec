"""JMESPath syntax trees as Python expressions: straight code in place of a walk over the tree.

The meaning is that of `engine.lang.expr`: what a wrong type makes null there is null here. Tests that the kinds of a
value make needless are left out, and what stands in no frequent place calls the functions of `engine.lang`.
"""

from __future__ import annotations

from codegen.base import Ast, Names
from codegen.calls import CALLS, CONDITIONS, RESULTS
from codegen.code import (
    AND,
    ANY,
    BOOL,
    COMPARE,
    FALSE,
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
    TRUE,
    Code,
    Kinds,
    literal,
    name,
    quoted,
    sure,
)
from codegen.logic import Logic
from codegen.projections import Projections
from engine.lang.functions import FUNCTIONS

#: kinds for which Python's truth is JMESPath's
_SAME_TRUTH = ANY - {NUMBER}


class Printer(Projections, Logic):
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
            return self.all_of([self.condition(child, current) for child in children])
        if kind == "or_expression":
            return self.any_of([self.condition(child, current) for child in children])
        if kind == "not_expression":
            return self.denied(self.condition(children[0], current))
        if kind == "comparator" and (found := self.measured(ast, current)) is not None:
            return found
        if kind == "function_expression" and ast["value"] in CONDITIONS:
            found = CONDITIONS[ast["value"]](self, children, current)
            if found is not None:
                return found
        return self.truth(self.value(ast, current))

    def truth(self, code: Code) -> Code:
        """JMESPath's truth of a value."""
        if (known := sure(code)) is not None:
            return TRUE if known else FALSE
        if code.kinds <= _SAME_TRUTH:
            return code
        if code.only(NUMBER):
            return TRUE
        truthy = self.names.need("truthy")
        if LAZY in code.kinds or (self.flat and not code.cheap):
            return Code(f"{truthy}({code.text})", frozenset(BOOL), POSTFIX)
        if code.only(NUMBER, NULL) and code.cheap:
            return Code(f"{code.text} is not None", frozenset(BOOL), COMPARE)
        held, test = self.held(code)
        first = test if code.cheap else f"({test})"
        return Code(f"{first} or ({held} is not None and {truthy}({held}))", ANY, OR)

    @staticmethod
    def all_of(tests: list[Code]) -> Code:
        """Whether all conditions hold; those behind one that never does are left out."""
        if FALSE in tests:
            return FALSE
        left = [test for test in tests if test != TRUE]
        return Code(" and ".join(test.at(AND) for test in left), ANY, AND) if len(left) > 1 else [*left, TRUE][0]

    def any_of(self, tests: list[Code]) -> Code:
        """Whether one of the conditions holds."""
        if TRUE in tests:
            return TRUE
        left = [test for test in tests if test != FALSE]
        return self._either(left, ANY) if len(left) > 1 else [*left, FALSE][0]

    def denied(self, code: Code) -> Code:
        if code in (TRUE, FALSE):
            return FALSE if code == TRUE else TRUE
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
        if at < 0 or (self.flat and not base.cheap):
            return self.call("element", [base, literal(at)])
        held, test = self.held(base)
        more = f"len({held}) > {at}" if at else held
        return Code(f"{held}[{at}] if type({test}) is list and {more} else None", ANY, TERNARY)

    def _slice(self, ast: Ast, current: Code | None) -> Code:
        return self.call("part", [_given(current), *map(literal, ast["children"])], frozenset((LIST, NULL)))

    def _identity(self, ast: Ast, current: Code | None) -> Code:
        return _given(current)

    _current = _identity

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
