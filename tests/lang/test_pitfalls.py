import pytest

from engine.lang.expr import parse
from engine.lang.pitfalls import find_call_faults, find_pitfalls, scope_lookups

NAMES = {"record", "id", "state"}


def found(source):
    return [(finding.code, source[finding.offset :][:8]) for finding in find_pitfalls(source, parse(source), NAMES)]


@pytest.mark.parametrize(
    ("source", "code", "at"),
    [
        ("!a.b", "not-path", "!a.b"),
        ("x && !record.flag", "not-path", "!record."),
        ("(!a).b", "not-path", "!a).b"),
        ("!a[?b]", "not-path", "!a[?b]"),
        ("!a[]", "not-path", "!a[]"),
        ("!f.*", "not-path", "!f.*"),
        ("record.error && 'error'", "and-literal", "record.e"),
        ("a && `5`", "and-literal", "a && `5`"),
        ("list[?record.x]", "scope-in-element", "record.x"),
        ("list[?k == id]", "scope-in-element", "id]"),
        ("sort_by(list, &record.x)", "scope-in-element", "record.x"),
        ("list[*].{a: k, b: record.x}", "scope-in-element", "record.x"),
        ("list[].[id, k]", "scope-in-element", "id, k]"),
        ("list[].lower(id)", "scope-in-element", "id)"),
        ("a.{b: record.x}", "scope-in-element", "record.x"),
        ("a | record.x", "scope-in-element", "record.x"),
        ("a == true", "bare-literal", "true"),
        ("null == a", "bare-literal", "null == a"[:8]),
        ("a[?b == false]", "bare-literal", "false]"),
        ("split(a, '\\n')", "raw-backslash", "'\\n')"),
        ("a == `x`", "unquoted-literal", "`x`"),
        ("length(@)", "whole-scope", "@)"),
        ("a < 'x'", "text-order", "a < 'x'"),
        ("get(a 'b')", "missing-comma", "'b')"),
        ("get((a) b)", "missing-comma", "b)"),
        ("map(&a b)", "missing-comma", "b)"),
    ],
)
def test_a_pitfall_is_found_where_it_stands(source, code, at):
    assert found(source) == [(code, at)]


@pytest.mark.parametrize(
    "source",
    [
        "!(a.b)", "!a && b.c", "!a[0]", "!a || b", "c && 'x' || 'y'", "c && b", "c && `true`", "if(c, 'x', `null`)",
        "list[?@.id == 'x'].id", "list[*].id", "list[].record.id", "list[?k == 'x'] | [0].id", "record.list[0].id",
        "sort_by(list, &@.id)", "a.true", '"true"', "a == `true`", "a == `\"x\"`", "'it\\'s'", "list[?@ == 'x']",
        "list[].lower(@)",
        "a < b", "a < `5`", "a == 'x'", "get(a, 'b')", "[a, b]", "a[?b][0]", "{a: b, c: d}", "id == record.id",
    ],
)  # fmt: skip
def test_what_is_meant_well_is_not_found(source):
    assert found(source) == []


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("!a.b", "`!a.b` is `(!a).b`, which is always null: write `!(a.b)`"),
        ("c && 'x'", "`c && x` gives false, null or '' when c does not hold: write `if(c, x, …)`"),
        (
            "list[?id]",
            "`id` inside `[?…]` is looked up in the element, not in the scope: "
            "write `@.id` when the element's own member is meant",
        ),
        ("null", "bare `null` is the name of a field: write `null` in backticks"),
        ("'a\\tb'", "a backslash in a raw string is no escape: write a JSON string in backticks"),
        ("`x`", "text in backticks needs quotes: write 'x'"),
        ("@", "`@` is the whole scope here: begin with a scope's name"),
        ("a > 'x'", "`<`, `<=`, `>` and `>=` compare numbers; with text they give null"),
        ("get(a b)", "a comma is missing between two arguments"),
    ],
)
def test_every_pitfall_says_what_to_write(source, message):
    (finding,) = find_pitfalls(source, parse(source), NAMES)
    assert finding.message == message


MISPLACED = "`&` stands only where a function takes an expression: map, sort_by, min_by, max_by"
MISSING = "argument 2 of sort_by() is an expression of the element: write `&` in front"


@pytest.mark.parametrize(
    ("source", "code", "message", "offset", "nearest"),
    [
        ("a.lenght(b)", "unknown-function", "unknown function lenght()", 2, "length"),
        ("qqq(b)", "unknown-function", "unknown function qqq()", 0, None),
        ("x || get(a)", "arguments", "get() takes 2 arguments, not 1", 5, None),
        ("label(a, 'nmes')", "unknown-table", "label(): no table 'nmes'", 0, "names"),
        ("label(a, b)", "table-name", "label() takes the table's name as a raw string, such as 'x'", 0, None),
        ("lookup('prent', a)", "unknown-lookup", "lookup(): no lookup 'prent'", 0, "parent"),
        ("lookup(a, b)", "lookup-name", "lookup() takes the lookup's name as a raw string, such as 'x'", 0, None),
        ("sort_by(a, b)", "missing-expref", MISSING, 0, None),
        ("type(&a)", "misplaced-expref", MISPLACED, 5, None),
        ("a || &b", "misplaced-expref", MISPLACED, 5, None),
    ],
)  # fmt: skip
def test_a_call_that_does_not_fit_is_found(source, code, message, offset, nearest):
    assert find_call_faults(source, parse(source), ["names"], ["parent"]) == [(code, message, offset, nearest)]


def test_a_call_that_fits_is_not_found():
    for source in (
        "label(a, 'names')",
        "lookup('parent', a)",
        "sort_by(a, &b)",
        "map(&a, b)",
        "utc(a)",
        "concat(a, b, c, d)",
    ):
        assert find_call_faults(source, parse(source), ["names"], ["parent"]) == []


def test_scope_lookups_have_their_offsets_in_source_order():
    source = "joined(' ', a.b[?c == d].e, \"f g\", {h: i}) || @.j"
    names = scope_lookups(source, parse(source))
    assert [(name, source[offset]) for name, offset in names] == [("a", "a"), ("f g", '"'), ("i", "i")]


def test_offsets_are_right_where_a_filter_s_condition_stands_before_what_follows_it():
    source = "a[?x == 'k'].{m: y, n: id}"
    (finding,) = find_pitfalls(source, parse(source), NAMES)
    assert source[finding.offset :] == "id}"
