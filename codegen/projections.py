"""Projections of JMESPath as comprehensions."""

from __future__ import annotations

from codegen.base import Ast, Base
from codegen.code import (
    AND,
    ANY,
    LIST,
    NULL,
    OBJECT,
    POSTFIX,
    TERNARY,
    Code,
    Kinds,
    name,
)


class Projections(Base):
    """The part of the expression printer that goes over lists."""

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
