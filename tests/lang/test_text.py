import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lang.expr import parse
from engine.lang.plan import Expr, Mark, Optional
from engine.lang.text import Hole, TemplateError, as_text, holes, parse_template, render, trim
from engine.lang.times import Stamp


def fill(source, **values):
    return render(parse_template(source), lambda hole: values[hole.source])


def test_a_template_is_text_holes_and_optional_parts():
    assert parse_template("a {b}[ x={c}[ y={d}]] e") == [
        "a ",
        ("expr", "b", 3),
        [" x=", ("expr", "c", 10), [" y=", ("expr", "d", 17)]],
        " e",
    ]
    assert parse_template("") == []
    assert parse_template("a\\[b\\]") == ["a[b]"]


def test_holes_have_their_offsets():
    source = "\\{{a}[{b.c}]"
    found = holes(parse_template(source))
    assert [hole.source for hole in found] == ["a", "b.c"]
    assert all(source[hole.offset :].startswith(hole.source) for hole in found)


@pytest.mark.parametrize(
    ("source", "hole"),
    [
        ("{ {a: b}.a }", " {a: b}.a "),
        ("{split(a, '}')}", "split(a, '}')"),
        ("{join('\\'}', a)}", "join('\\'}', a)"),
        ('{"a}b"}', '"a}b"'),
        ('{`{"a": 1}`}', '`{"a": 1}`'),
        ("{a[?b == '[']}", "a[?b == '[']"),
    ],
)
def test_braces_and_quotes_of_an_expression_stay_in_its_hole(source, hole):
    (found,) = parse_template(source)
    assert found == Hole("expr", hole, 1)
    parse(hole)


@pytest.mark.parametrize(
    ("source", "message", "offset"),
    [
        ("a {b", "`{` without `}`: write \\{ for the character", 2),
        ("a {b 'x}", "`{` without `}`: write \\{ for the character", 2),
        ("a } b", "`}` without `{`: write \\} for the character", 2),
        ("a [{b}", "`[` without `]`: write \\[ for the character", 2),
        ("a ] b", "`]` without `[`: write \\] for the character", 2),
        ("a [image]", "`[..]` without a hole directly in it: write \\[ \\] for the characters", 2),
        ("[x [{a}]]", "`[..]` without a hole directly in it: write \\[ \\] for the characters", 0),
        ("a { } b", "empty hole `{}`: write an expression, or \\{ \\} for the characters", 2),
    ],
)
def test_a_broken_template_is_an_error_with_its_offset(source, message, offset):
    with pytest.raises(TemplateError) as error:
        parse_template(source)
    assert (error.value.message, error.value.offset, str(error.value)) == (message, offset, message)


def test_strings_go_in_raw_and_the_rest_as_compact_json():
    assert (
        fill("{a}|{b}|{c}|{d}|{e}", a="x", b={"k": [1, None]}, c=1.5, d=None, e=False) == 'x|{"k":[1,null]}|1.5||false'
    )


def test_escaped_brackets_and_braces_are_literal():
    assert fill("\\[image\\] \\{{a}\\} \\n", a=1) == "[image] {1} \\n"
    assert fill("C:\\\\[{a}\\]", a="x") == "C:\\[x]"


@pytest.mark.parametrize("nothing", [None, "", [], {}])
def test_an_optional_part_falls_away_when_a_hole_in_it_is_nothing(nothing):
    assert fill("a[ b={b} c={c}] d", b=nothing, c=1) == "a d"
    assert fill("a[ b={b} c={c}] d", b=1, c=nothing) == "a d"


@pytest.mark.parametrize("something", [0, False, " ", [None], {"a": None}])
def test_it_stays_for_everything_else(something):
    assert fill("a[ b={b}]", b=something) == f"a b={as_text(something)}"


def test_an_inner_part_falls_away_alone_and_an_outer_one_with_all():
    assert fill("[a={a}[ b={b}]]", a=1, b=None) == "a=1"
    assert fill("[a={a}[ b={b}]]", a=None, b=1) == ""
    assert fill("[a={a}[ b={b}]]", a=1, b=2) == "a=1 b=2"


def test_holes_after_one_that_is_nothing_are_not_evaluated():
    asked = []

    def value(hole):
        asked.append(hole.source)

    assert render(parse_template("[{a}{b}]"), value) == ""
    assert asked == ["a"]


def test_the_parts_of_a_plan_render_alike():
    mark = Mark(1, 1, "")
    a, b = (Expr(source=name, ast=parse(name), mark=mark) for name in "ab")
    parts = ("x", a, Optional(parts=(" ", b, Optional(parts=(b,)))))
    assert render(parts, lambda expr: {"a": 1, "b": 2}[expr.source]) == "x1 22"
    assert render(parts, lambda expr: {"a": 1, "b": None}[expr.source]) == "x1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"), (None, ""), (True, "true"), (False, "false"), (0, "0"), (-5, "-5"), (2**70, str(2**70)),
        (1.0, "1.0"),
        (b"\x00\xff", "00ff"), (Stamp(0, "utc", "0"), "1970-01-01T00:00:00.000Z"), ([], "[]"),
        ({"ä": "é"}, '{"ä":"é"}'),
    ],
)  # fmt: skip
def test_values_as_text(value, text):
    assert as_text(value) == text


def test_trim_takes_white_space_of_unicode_and_nothing_else():
    white = [
        c for c in map(chr, range(0x3001)) if unicodedata.category(c) in ("Zs", "Zl", "Zp") or c in "\t\n\v\f\r\x85"
    ]
    assert len(white) == 25
    for character in white:
        assert trim(f"{character}a{character}b{character}") == f"a{character}b"
    for character in "\x1c\x1d\x1e\x1f\u200b\ufeff\x00\u180e":
        assert trim(f"{character}a{character}") == f"{character}a{character}"


@given(st.text(st.sampled_from("ab[]{}\\'\"` x"), max_size=30))
@settings(max_examples=400, deadline=None)
def test_any_template_is_read_or_refused_with_an_offset(source):
    try:
        parts = parse_template(source)
    except TemplateError as error:
        assert 0 <= error.offset < len(source)
        return
    assert all(source[hole.offset :].startswith(hole.source) for hole in holes(parts))


@given(st.text(max_size=30))
@settings(max_examples=200, deadline=None)
def test_escaped_text_renders_as_itself(text):
    escaped = "".join("\\" + c if c in "[]{}" else c for c in text)
    assert fill(escaped) == text
