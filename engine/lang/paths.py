"""What an expression reads: the scope names it looks up, and the paths below them. Found without running it.

A path is the names from the scope down: `('record', 'payload', 'type')`. `[]` is any element of a list (index, slice,
filter, projection, flatten), `*` any member of an object.
"""

from __future__ import annotations

from typing import Any, NamedTuple

Ast = dict[str, Any]
Path = tuple[str, ...]

ELEMENT, ANY = "[]", "*"

#: the scope itself, as a current value
_SCOPE: frozenset[Path] = frozenset({()})
_NOTHING: frozenset[Path] = frozenset()


class Access(NamedTuple):
    """One path that is read. `whole`: all of the value there may be used; else it is only tested or compared, for
    which a typed decoder needs no more than whether it is null or empty, and the value of a scalar."""

    path: Path
    whole: bool


class Flow(NamedTuple):
    """What an expression does with the scope: `reads` are used while it runs, `gives` may be its value, uncopied.

    A let whose value is `record.payload` gives that path and reads nothing; so accesses to the let can be followed.
    """

    reads: frozenset[Access]
    gives: frozenset[Path]


def flow(ast: Ast) -> Flow:
    """The reads and the possible results of an expression."""
    reader = _Reader()
    gives = reader.visit(ast, _SCOPE)
    return Flow(frozenset(reader.reads), frozenset(path for path in gives if path))


def accesses(ast: Ast) -> frozenset[Access]:
    """Every path that an expression reads, its results counted as used whole."""
    reads, gives = flow(ast)
    return reads | {Access(path, True) for path in gives}


def root_names(ast: Ast) -> set[str]:
    """The names that an expression looks up in the scope."""
    reader = _Reader()
    reader.visit(ast, _SCOPE)
    return reader.roots


class _Reader:
    """Runs the expression on sets of paths: every node maps where the current value may come from to where its own
    value may come from. A value that is made new comes from nowhere."""

    def __init__(self) -> None:
        self.reads: set[Access] = set()
        self.roots: set[str] = set()

    def visit(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        visitor = getattr(self, f"visit_{node['type']}", None)
        return self._made_new(node, current) if visitor is None else visitor(node, current)

    def _use(self, paths: frozenset[Path], whole: bool) -> None:
        self.reads.update(Access(path, whole) for path in paths if path)

    def _below(self, paths: frozenset[Path], step: str) -> frozenset[Path]:
        if () in paths:
            self.roots.add(step)
        return frozenset((*path, step) for path in paths)

    def visit_field(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        return self._below(current, node["value"])

    def visit_subexpression(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        for child in node["children"]:
            current = self.visit(child, current)
        return current

    visit_index_expression = visit_pipe = visit_subexpression

    def visit_index(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        return _elements(current)

    def visit_slice(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        return current

    def visit_identity(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        return current

    visit_current = visit_identity

    def visit_literal(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        return _NOTHING

    def visit_projection(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        return self._list_of(self.visit(node["children"][1], _elements(self.visit(node["children"][0], current))))

    def visit_value_projection(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        base = frozenset((*path, ANY) for path in self.visit(node["children"][0], current))
        return self._list_of(self.visit(node["children"][1], base))

    def visit_filter_projection(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        elements = _elements(self.visit(node["children"][0], current))
        self._use(self.visit(node["children"][2], elements), whole=False)
        return self._list_of(self.visit(node["children"][1], elements))

    def _list_of(self, elements: frozenset[Path]) -> frozenset[Path]:
        """A new list of values that are not new: `a[*]` gives what `a` gives; anything else is followed no further."""
        if all(path and path[-1] == ELEMENT for path in elements):
            return frozenset(path[:-1] for path in elements)
        self._use(elements, whole=True)
        return _NOTHING

    def visit_flatten(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        # an element that is a list gives its own elements; a decoder that expects objects must then fall back
        return self.visit(node["children"][0], current)

    def visit_or_expression(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        left = self.visit(node["children"][0], current)
        self._use(left, whole=False)
        return left | self.visit(node["children"][1], current)

    def visit_and_expression(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        # the left side is the value only when it is null or empty
        self._use(self.visit(node["children"][0], current), whole=False)
        return self.visit(node["children"][1], current)

    def visit_not_expression(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        self._use(self.visit(node["children"][0], current), whole=False)
        return _NOTHING

    def visit_comparator(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        sides = [self.visit(child, current) for child in node["children"]]
        whole = not any(_is_scalar_literal(child) for child in node["children"])
        for side in sides:
            self._use(side, whole)
        return _NOTHING

    def visit_function_expression(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        name, arguments = node["value"], node["children"]
        if name == "if" and len(arguments) == 3:
            self._use(self.visit(arguments[0], current), whole=False)
            return self.visit(arguments[1], current) | self.visit(arguments[2], current)
        if name == "not_null":
            return frozenset().union(*(self.visit(argument, current) for argument in arguments))
        if name == "get" and len(arguments) == 2 and _is_text_literal(arguments[1]):
            return self._below(self.visit(arguments[0], current), arguments[1]["value"])
        return self._made_new(node, current)

    def visit_expref(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        # its elements come from an argument that the call uses whole
        return self.visit(node["children"][0], _NOTHING)

    def _made_new(self, node: Ast, current: frozenset[Path]) -> frozenset[Path]:
        for child in node["children"]:
            self._use(self.visit(child, current), whole=True)
        return _NOTHING


def _elements(paths: frozenset[Path]) -> frozenset[Path]:
    return frozenset((*path, ELEMENT) for path in paths)


def _is_text_literal(node: Ast) -> bool:
    return node["type"] == "literal" and isinstance(node["value"], str)


def _is_scalar_literal(node: Ast) -> bool:
    return node["type"] == "literal" and not isinstance(node["value"], list | dict)
