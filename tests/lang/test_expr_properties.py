"""Random expressions on random values mean what the `jmespath` package says."""

import jmespath
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jmespath.exceptions import JMESPathError
from jmespath.visitor import TreeInterpreter

from engine.lang.expr import Context, accesses, compile_ast, parse, root_names
from engine.lang.pitfalls import find_call_faults, find_pitfalls, scope_lookups
from engine.lang.values import is_number

NAMES = ("a", "b", "c", '"a b"')

SCALARS = st.sampled_from([None, True, False, 0, 1, -1, 2, 1.5, "", "a", "b", "ab"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["a", "b", "c", "a b"]), inner, max_size=3)
    ),
    max_leaves=20,
)
LITERALS = st.sampled_from(
    ["`null`", "`true`", "`false`", "`0`", "`1`", "`2`", "'a'", "''", "`[]`", "`{}`", '`["a", 1]`', '`{"a": 1}`']
)
ONE = (
    "length",
    "keys",
    "values",
    "sort",
    "reverse",
    "max",
    "min",
    "sum",
    "avg",
    "abs",
    "ceil",
    "floor",
    "type",
    "to_array",
)
TWO = ("starts_with", "ends_with", "join", "not_null")


def grow(inner):
    name = st.sampled_from(NAMES)
    return st.one_of(
        st.builds("{}.{}".format, inner, name),
        st.builds("{}[{}]".format, inner, st.sampled_from(["0", "-1", "1", "*", "", ":1", "::-1", "-2:"])),
        st.builds("{}[?{}]".format, inner, inner),
        st.builds("{}.*".format, inner),
        st.builds("{}[].{}".format, inner, name),
        st.builds("{}[*].{}".format, inner, name),
        st.builds("{} | {}".format, inner, inner),
        st.builds("{} || {}".format, inner, inner),
        st.builds("{} && {}".format, inner, inner),
        st.builds("!{}".format, inner),
        st.builds("({})".format, inner),
        st.builds("{} {} {}".format, inner, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("{{x: {}, a: {}}}".format, inner, inner),
        st.builds("{}.[{}, {}]".format, inner, inner, inner),
        st.builds("{}.{{b: {}}}".format, inner, inner),
        st.builds("{}({})".format, st.sampled_from(ONE), inner),
        st.builds("{}({}, {})".format, st.sampled_from(TWO), inner, inner),
        st.builds("{}({}, &{})".format, st.sampled_from(["sort_by", "max_by", "min_by"]), inner, inner),
        st.builds("map(&{}, {})".format, inner, inner),
        # the package checks the first argument of merge() only
        st.builds("merge({{x: {}}}, {{a: {}}})".format, inner, inner),
    )


EXPRESSIONS = st.recursive(st.sampled_from(NAMES) | LITERALS | st.just("@"), grow, max_leaves=8)


class NumbersInOrder(TreeInterpreter):
    """The package's interpreter, with the one rule of the language reference that differs."""

    def visit_comparator(self, node, value):
        if node["value"] not in ("eq", "ne"):
            sides = [self.visit(child, value) for child in node["children"]]
            if not all(map(is_number, sides)):
                return None
        return super().visit_comparator(node, value)


def reference(source, value):
    try:
        parsed = jmespath.compile(source).parsed
        return NumbersInOrder().visit(parsed, value)
    except (JMESPathError, TypeError, OverflowError, AttributeError):
        # it raises for wrong types, where ours give null and go on
        assume(False)


def strict(value):
    """A form in which true is not 1, 1 is 1.0, and the order of members counts."""
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, list):
        return [strict(item) for item in value]
    if isinstance(value, dict):
        return [(key, strict(item)) for key, item in value.items()]
    return value


@given(EXPRESSIONS, VALUES)
@settings(max_examples=600, deadline=None)
def test_an_expression_gives_what_the_package_gives(source, value):
    expected = reference(source, value)
    assert strict(compile_ast(parse(source), Context())(value)) == strict(expected)


@given(EXPRESSIONS, VALUES)
@settings(max_examples=200, deadline=None)
def test_no_expression_raises(source, value):
    compile_ast(parse(source), Context())(value)


class Watched(dict):
    """A scope that remembers what was looked up."""

    def __init__(self, members):
        super().__init__(members)
        self.asked = set()

    def get(self, name, default=None):
        self.asked.add(name)
        return super().get(name, default)


@given(EXPRESSIONS, st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES))
@settings(max_examples=200, deadline=None)
def test_every_name_that_is_looked_up_is_a_root_name(source, members):
    assume("@" not in source and ".*" not in source)
    scope = Watched(members)
    ast = parse(source)
    compile_ast(ast, Context())(scope)
    assert scope.asked <= root_names(ast)
    assert {access.path[0] for access in accesses(ast)} <= root_names(ast)


@given(EXPRESSIONS)
@settings(max_examples=200, deadline=None)
def test_the_checks_find_an_offset_inside_every_expression(source):
    ast = parse(source)
    for finding in find_pitfalls(source, ast, {"a", "b"}) + find_call_faults(source, ast, (), ()):
        assert 0 <= finding.offset < len(source)
    for name, offset in scope_lookups(source, ast):
        assert source[offset:].lstrip('"').startswith(name)
