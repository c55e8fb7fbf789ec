import pytest

from engine.lang.expr import CompileError, Context, ExpressionError, compile_ast, parse
from engine.lang.times import Stamp

CONTEXT = Context(
    tables={"names": {"a": 1, "b": 2}, "order": ["x", "y"]},
    lookup=lambda name, key: {"of": {"k": "found"}}[name].get(key),
)


def run(source, **scope):
    return compile_ast(parse(source), CONTEXT)(scope)


@pytest.mark.parametrize(
    ("source", "message", "offset"),
    [
        ("", "empty expression", 0),
        ("(a", "the expression ends too early", 2),
        ("foo(", "the expression ends too early", 4),
        ("a b", "unexpected `b`", 2),
        ("a == 5", "unexpected number 5: a number is written in backticks, `5`", 5),
        ("a = b", "unknown token `=`: equality is `==`", 2),
        ("'abc", "unclosed ' delimiter", 0),
        ("a # b", "unknown token #", 2),
        ("a[0:1:0]", "the step of a slice can't be 0", 0),
        ("@(a)", "invalid function name '@'", 0),
        ('"f"(a)', "quoted identifier not allowed for function names", 0),
        (" || ".join("a" * 129), "the expression is nested deeper than 128", 0),
        ("(" * 3000 + "a", "not an expression: maximum recursion depth exceeded", 0),
    ],
)
def test_a_broken_expression_is_an_error_with_its_offset(source, message, offset):
    with pytest.raises(ExpressionError) as error:
        parse(source)
    assert error.value.message.startswith(message)
    assert error.value.offset == offset


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nope(a)", "unknown function nope()"),
        ("length()", "length() takes 1 argument, not 0"),
        ("joined()", "joined() takes at least 1 argument, not 0"),
        ("utc(a, 's', b)", "utc() takes 1 to 2 arguments, not 3"),
        ("&a", "`&` stands only where a function takes an expression: map, sort_by, min_by, max_by"),
        ("type(&a)", "`&` stands only where a function takes an expression: map, sort_by, min_by, max_by"),
        ("sort_by(a, b)", "sort_by() takes an expression there: write `&` in front"),
        ("label(a, b)", "label() takes the table's name as a raw string, such as 'names'"),
        ("label(a, 'gone')", "label(): no table 'gone'"),
    ],
)
def test_a_call_that_does_not_fit_is_a_compile_error(source, message):
    with pytest.raises(CompileError) as error:
        compile_ast(parse(source), CONTEXT)
    assert str(error.value) == message


def test_the_first_name_is_a_scope_and_the_rest_are_members():
    assert run("record.payload.type", record={"payload": {"type": "x"}}) == "x"
    assert run("record.payload.type", record={"payload": None}) is None
    assert run("record.payload.type", record="text") is None
    assert run("record.a.b.c.d", record={"a": {"b": {"c": {"d": 1}}}}) == 1


def test_a_scope_is_anything_with_get():
    class Scope:
        def get(self, name):
            return {"record": {"a": name}}.get(name)

    assert compile_ast(parse("record.a"), CONTEXT)(Scope()) == "record"
    assert compile_ast(parse("other.a"), CONTEXT)(Scope()) is None


def test_a_member_may_be_an_object_that_loads_when_asked():
    class Lazy:
        def get(self, name):
            return {"name": name}

    assert run("files.a.name", files=Lazy()) == "a"


def test_a_time_or_bytes_have_no_members():
    assert run("t.ms", t=Stamp(0, "utc", "0")) is None
    assert run("b.x", b=b"x") is None


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("t == `1`", False),
        ("f == `0`", False),
        ("one == `true`", False),
        ("zero == `false`", False),
        ("zero != `false`", True),
        ("one == `1.0`", True),
        ("t == `true`", True),
        ("s == 'x'", True),
        ("s != 'x'", False),
        ("gone == `null`", True),
    ],
)
def test_equality_never_takes_true_for_one(source, result):
    assert run(source, t=True, f=False, one=1, zero=0, s="x") is result


def test_zero_is_true():
    assert run("zero && 'yes'", zero=0) == "yes"
    assert run("!zero", zero=0) is False
    assert run("[a, b, c, d, e][?@]", a="", b=[], c={}, d=False, e=0) == [0]


def test_order_compares_numbers_only():
    assert run("a < b", a=1, b=1.5) is True
    assert run("a <= b", a=1, b=1) is True
    assert run("a > b", a=1, b=2) is False
    assert run("a >= b", a=2, b=2) is True
    for low, high in [("a", "b"), (1, "b"), (True, 2), (None, 1)]:
        assert run("a < b", a=low, b=high) is None


def test_only_the_chosen_side_is_evaluated():
    class Scope:
        def get(self, name):
            if name == "trap":
                raise AssertionError("evaluated")
            return {"yes": True, "no": False}.get(name)

    for source, result in [
        ("if(yes, 'a', trap)", "a"),
        ("if(no, trap, 'b')", "b"),
        ("yes || trap", True),
        ("no && trap", False),
        ("not_null(yes, trap)", True),
    ]:
        assert compile_ast(parse(source), CONTEXT)(Scope()) == result


def test_tables_are_bound_by_content():
    assert run("label(t, 'names')", t="apple") == 1
    assert run("has(t, 'order')", t="y") is True


def test_the_lookup_of_the_moment_is_asked():
    context = Context(lookup=lambda name, key: f"{name} {key}")
    find = compile_ast(parse("lookup('of', key)"), context)
    assert find({"key": "k"}) == "of k"
    context.lookup = lambda name, key: "other"
    assert find({"key": "k"}) == "other"
    assert find({}) is None


def test_without_lookups_a_lookup_is_null():
    assert compile_ast(parse("lookup('of', 'k')"), Context())({}) is None


def test_a_chain_of_names_that_is_too_long_is_refused_at_once() -> None:
    with pytest.raises(ExpressionError, match="longer than 8192 characters"):
        parse("record" + ".a" * 50_000)
