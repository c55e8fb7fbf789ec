import re
from pathlib import Path

import pytest

from engine.lang.expr import Context, compile_ast, parse
from engine.lang.function import MANY, Function, arity_text
from engine.lang.functions import FUNCTIONS
from engine.lang.functions_jmespath import FUNCTIONS as JMESPATH
from engine.lang.jsontext import Written, dumps
from engine.lang.times import Stamp

TABLES = {"map": {"a": 1, "b": {"c": 2}}, "list": ["a", "b"], "paths": ["a", "b.c", "d.*", "e[]", "f.**"]}
CONTEXT = Context(tables=TABLES, lookup=lambda name, key: f"{name}:{key}")

#: what may stand for any argument of any function
ODD = [None, True, False, 0, -1, 1.5, "", "a", [], [1], ["a"], [None], {}, {"a": 1}, b"", b"x", Stamp(0, "utc", "0"),
       10**4200, [10**400, 1.5], [10**4200] * 200, Written("NaN"), [Written("NaN")], "\ud800", "9" * 5000]  # fmt: skip

#: these say something about null
TAKE_NULL = {"type", "to_string", "to_array"}


def arguments(function, value):
    """A call with `value` in every place that is not bound when compiled."""
    count = function.min_args
    given = [value] * count
    if function.table_arg is not None:
        given[function.table_arg] = TABLES["list"]
    if function.expref_arg is not None:
        given[function.expref_arg] = lambda element: element
    if function.needs_lookup:
        given.insert(0, CONTEXT.lookup)
    return given


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_null_in_null_out(function):
    result = function.impl(*arguments(function, None))
    assert result is None or function.name in TAKE_NULL


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_no_value_makes_a_function_raise(function):
    for value in ODD:
        for other in ODD:
            given = arguments(function, value)
            for place in range(len(given)):
                if not callable(given[place]) and given[place] is not TABLES["list"]:
                    mixed = list(given)
                    mixed[place] = other
                    assert isinstance(dumps(function.impl(*mixed)), str)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS.values() if f.table_arg is not None], ids=lambda f: f.name)
def test_no_constant_in_a_table_makes_a_function_raise(function):
    odd = [None, True, 5, [1], {"a": 1}, "x"]
    for table in (odd, {"x": odd, None: 1, 5: 2, True: 3}, "text", None):
        for value in ODD:
            function.impl(value, table)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_every_function_says_in_a_sentence_what_it_gives(function):
    assert function.doc.endswith(".")


def test_the_table_of_functions_is_that_of_the_language_reference():
    reference = (Path(__file__).parents[2] / "specs" / "README.md").read_text(encoding="utf-8")
    section = reference.split("## Functions", 1)[1].split("\n## ", 1)[0]
    written = set()
    for row in section.splitlines():
        if row.startswith("| `"):
            written |= set(re.findall(r"`(\w+)\(", row.split(" | ")[0]))
    own = set(FUNCTIONS) - {function.name for function in JMESPATH}
    assert written == own


def test_jmespath_s_own_functions_are_all_there():
    from jmespath.functions import Functions

    assert {function.name for function in JMESPATH} == set(Functions.FUNCTION_TABLE)


def test_arities_are_said_in_words():
    assert arity_text(FUNCTIONS["get"]) == "2 arguments"
    assert arity_text(FUNCTIONS["trim"]) == "1 argument"
    assert arity_text(FUNCTIONS["utc"]) == "1 to 2 arguments"
    assert arity_text(FUNCTIONS["tree"]) == "at least 2 arguments"
    assert arity_text(Function("x", 1, MANY, str, "")) == "at least 1 argument"


def run(source, **scope):
    return compile_ast(parse(source), CONTEXT)(scope)


O = {"a": 1, "b": "x", "c": None}  # noqa: E741
L = [{"k": "x", "n": 1}, {"k": "y", "n": 2}, {"k": "x", "n": 3}, {"n": 4}, "no object"]
CONTENT = [
    {"type": "text", "text": "one"},
    {"type": "image", "source": 1},
    {"type": "input_audio"},
    {"type": "x", "y": 1},
]


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("get(o, 'a')", 1),
        ("get(o, 'z')", None),
        ("get(l, `1`).n", 2),
        ("get(l, `-1`)", "no object"),
        ("get(l, `9`)", None),
        ("get(l, `true`)", None),
        ("get(byid, `5`)", "five"),
        ("index_by(l, 'k').x.n", 1),
        ("keys(index_by(l, 'k'))", ["x", "y"]),
        ("index_by(l, 'n').\"2\".k", "y"),
        ("find_by(l, 'k', 'x').n", 1),
        ("find_by(l, 'n', `4`)", {"n": 4}),
        ("find_by(l, 'n', `true`)", None),
        ("find_by(l, 'k', 'none')", None),
        ("lookup('of', 'k')", "of:k"),
        ("lookup('of', `5`)", "of:5"),
        ("entries(o)", [{"key": "a", "value": 1}, {"key": "b", "value": "x"}, {"key": "c", "value": None}]),
        ("omit(o, 'a')", {"b": "x", "c": None}),
        ("""omit(o, `["a", "c"]`)""", {"b": "x"}),
        ("omit(o, `1`)", None),
        ("variant('Resume')", {"tag": "Resume", "body": None}),
        ("variant(one)", {"tag": "User", "body": {"id": 1}}),
        ("variant(o)", None),
        ("first_of(o, 'list')", 1),
        ("first_of(few, 'list')", "second"),
        ("has('a', 'list')", True),
        ("has('z', 'list')", False),
        ("has('b', 'map')", True),
        ("has(`1`, 'list')", False),
        ("label('apple', 'map')", 1),
        ("label('bean', 'list')", "b"),
        ("label('zoo', 'map')", None),
    ],
)
def test_objects_and_tables(source, result):
    scope = {"o": O, "l": L, "one": {"User": {"id": 1}}, "few": {"a": "", "b": "second"}, "byid": {"5": "five"}}
    assert run(source, **scope) == result


def test_tree_gives_nodes_in_preorder_through_several_members():
    node = {"n": 1, "kids": [{"n": 2, "kids": [{"n": 3}]}, None, {"n": 4}], "more": {"n": 5}}
    assert run("tree(node, 'kids', 'more')[].n", node=node) == [1, 2, 3, 4, 5]
    assert run("tree(many, 'kids')[].n", many=[node, {"n": 9}]) == [1, 2, 3, 4, 9]


def test_tree_walks_any_depth():
    node = {"n": 0}
    for number in range(5000):
        node = {"n": number, "kid": node}
    assert len(run("tree(node, 'kid')", node=node)) == 5001


def test_pick_gives_each_path_that_exists_under_its_real_names():
    document = {
        "a": None,
        "b": {"c": 1, "z": 2},
        "d": {"x": 1, "y": {"w": 2}},
        "e": [{"q": 1}, 2],
        "f": {"g": {"h": 1, "i": [1, {"j": 2}]}, "k": "v", "empty": {}},
    }
    assert run("pick(document, 'paths')", document=document) == [
        {"key": "a", "value": None},
        {"key": "b.c", "value": 1},
        {"key": "d.x", "value": 1},
        {"key": "d.y", "value": {"w": 2}},
        {"key": "e", "value": {"q": 1}},
        {"key": "e", "value": 2},
        {"key": "f.g.h", "value": 1},
        {"key": "f.g.i", "value": 1},
        {"key": "f.g.i", "value": {"j": 2}},
        {"key": "f.k", "value": "v"},
    ]
    assert run("pick(document, 'paths')", document={"b": 1}) == []


@pytest.mark.parametrize("path", ["e[].q", "e.[].q"])
def test_pick_goes_below_the_elements_of_a_list(path):
    context = Context(tables={"t": [path]})
    assert compile_ast(parse("pick(doc, 't')"), context)({"doc": {"e": [{"q": 1}, {"q": 2}, 3]}}) == [
        {"key": "e.q", "value": 1},
        {"key": "e.q", "value": 2},
    ]


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("""json('{"a":[1]}')""", {"a": [1]}),
        ("json('{')", None),
        ("json('5')", 5),
        ("json(b)", {"a": 1}),
        ("""maybe_json(' {"a":1}')""", {"a": 1}),
        ("maybe_json('[1]')", [1]),
        ("maybe_json('5')", "5"),
        ("maybe_json('{not')", "{not"),
        ("maybe_json(o)", O),
        ("json_text(o)", '{"a":1,"b":"x","c":null}'),
        ("json_text('é')", '"é"'),
        ("content_text('as it is')", "as it is"),
        ("content_text(content)", 'one\n[image]\n[audio]\n{"type":"x","y":1}'),
        ("content_text(content[0])", "one"),
        ("content_text(mixed)", "a\nb\n7"),
        ("content_text(`5`)", None),
        ("join_text(mixed)", "a"),
        ("join_text('a')", None),
    ],
)
def test_json_and_content(source, result):
    assert run(source, o=O, b=b'{"a":1}', content=CONTENT, mixed=["a", {"text": "b"}, 7, None]) == result


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("joined(', ', 'a', '', empty, `5`, gone, `[1,2]`)", "a, 5, [1,2]"),
        ("joined(', ', gone)", None),
        ("joined(', ', '')", ""),
        ("lines('a', gone, 'b')", "a\nb"),
        ("concat('a', `1`, `true`)", "a1true"),
        ("split('a b c', ' ')", ["a", "b", "c"]),
        ("split('a', '')", None),
        ("before('a=b=c', '=')", "a"),
        ("before('abc', '=')", None),
        ("after('a=b=c', '=')", "b=c"),
        ("after('abc', '=')", None),
        ("between('x<a>b</a>', '<a>', '</a>')", "b"),
        ("between('x<a>b', '<a>', '</a>')", None),
        ("between('b</a>', '<a>', '</a>')", None),
        ("base64('Y2xpOmRpcmVjdA')", "cli:direct"),
        ("base64('Y2xpOmRpcmVjdA==')", "cli:direct"),
        ("base64('w7_Dvw')", "ÿÿ"),
        ("base64('w7/Dvw')", "ÿÿ"),
        ("base64('cli_direct')", None),
        ("base64('telegram')", None),
        ("base64('Y2xpOmRpcmVjdB')", None),
        ("base64('AAAA')", None),
        ("strip_end('name.json', '.json')", "name"),
        ("strip_end('name', '.json')", "name"),
        ("replace('a-b-c', '-', '')", "abc"),
        ("replace('abc', '', '-')", None),
        ("trim(white)", "a\x1f"),
        ("lower('ÄB')", "äb"),
        ("head('äbc', `2`)", "äb"),
        ("head('abc', `-1`)", None),
        ("basename('/a/b.txt')", "b.txt"),
        ("basename('/a/b/')", "b"),
        ("basename(windows)", "b.txt"),
        ("basename('b')", "b"),
        ("dirname('/a/b.txt')", "/a"),
        ("dirname('/a')", "/"),
        ("dirname('/')", "/"),
        ("dirname('a')", ""),
        ("dirname(windows)", "C:\\a"),
        ("url_path(path)", "/a%20b/%C3%A9%3F%23.md"),
        ("url_path(windows)", "C:/a/b.txt"),
        ("url_form('a b&ü~*')", "a+b%26%C3%BC%7E*"),
    ],
)
def test_text(source, result):
    scope = {"empty": [], "white": "\u2003\n a\x1f\t", "windows": "C:\\a\\b.txt", "path": "/a b/é?#.md"}
    assert run(source, **scope) == result


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("if(`0`, 'a', 'b')", "a"),
        ("if('', 'a', 'b')", "b"),
        ("count(`[1, 2]`)", 2),
        ("count('äb')", 2),
        ("count(o)", 3),
        ("count(`5`)", None),
        ("number('12')", 12),
        ("number(' -1.5e3 ')", -1500.0),
        ("number('12345678901234567890')", 12345678901234567890),
        ("number(`7`)", 7),
        ("number('x')", None),
        ("number('nan')", None),
        ("number('1e999')", None),
        ("number(`true`)", None),
        ("add(`1`, `2`)", 3),
        ("add('1', `2`)", None),
        ("utc(stamp)", "2026-10-03T16:55:31.123Z"),
        ("utc('2026-10-03T18:55:31.1239+02:00')", "2026-10-03T16:55:31.123Z"),
        ("utc(`1791046531`, 's')", "2026-10-03T16:55:31.000Z"),
        ("utc('2026-10-03T18:55:31Z', 'days')", None),
        ("utc('yesterday')", None),
        ("zone_offset('2026-01-01T14:00:05', '2026-01-01T12:00:00Z')", 7200),
        ("zone_offset('2026-01-01T13:59:01', '2026-01-01T12:00:00Z')", 7200),
        ("zone_offset('2026-01-01T13:58:59', '2026-01-01T12:00:00Z')", None),
        ("zone_offset('2026-01-01T17:45:10', '2026-01-01T12:00:00Z')", 20700),
        ("zone_offset('2026-01-01T04:00:10', '2026-01-01T12:00:00Z')", -28800),
        ("zone_offset('2026-01-02T03:00:00', '2026-01-01T12:00:00Z')", None),
        ("zone_offset('2026-01-02T02:00:00', '2026-01-01T12:00:00Z')", 50400),
        ("zone_offset('2026-01-01T14:00:05Z', '2026-01-01T12:00:00Z')", None),
        ("zone_offset('2026-01-01T14:00:05', '2026-01-01T12:00:00')", None),
        ("uuid('6F1C0B2E11114BBB8CCC000000000099')", "6f1c0b2e-1111-4bbb-8ccc-000000000099"),
        ("uuid(bytes)", "6f1c0b2e-1111-4bbb-8ccc-000000000099"),
        ("uuid('6f1c0b2e')", None),
        ("sha256('abc')", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("sha256(`5`)", None),
    ],
)
def test_values_times_and_digests(source, result):
    stamp = Stamp(1791046531123, "utc", "x")
    assert run(source, o=O, stamp=stamp, bytes=bytes.fromhex("6f1c0b2e11114bbb8ccc000000000099")) == result


@pytest.mark.parametrize(
    ("source", "result"),
    [
        ("contains(`[1]`, `true`)", False),
        ("contains(`[1, \"a\"]`, 'a')", True),
        ("contains('abc', 'b')", True),
        ("contains('abc', `1`)", None),
        ('sort(`["b", "a"]`)', ["a", "b"]),
        ('sort(`["b", 1]`)', None),
        ('min(`["b", "a"]`)', "a"),
        ('max(`["b", "a"]`)', "b"),
        ("min(`[]`)", None),
        ("sort_by(l, &n)[].n", [1, 2, 3, 4]),
        ("sort_by(l, &k)", None),
        ("max_by(l, &n).n", 4),
        ("min_by(l, &n).n", 1),
        ("map(&n, l)", [3, 1, 2, 4]),
        ('merge(`{"a":1}`, `{"a":2}`)', {"a": 2}),
        ('merge(`{"a":1}`, gone)', None),
        ("join('-', `[\"a\", 1]`)", None),
        ("to_number('5')", 5),
        ("to_number('five')", None),
        ('to_string(`{"ä": 1}`)', '{"ä":1}'),
        ("to_string(gone)", "null"),
        ("type(stamp)", "time"),
        ("type(bytes)", "bytes"),
        ("type(gone)", "null"),
        ("ceil(`1.2`)", 2),
        ("floor(`1.8`)", 1),
        ("abs('x')", None),
        ("length(`5`)", None),
        ("starts_with(`5`, 'a')", None),
        ("ends_with('abc', 'c')", True),
        ("reverse('abc')", "cba"),
    ],
)
def test_jmespath_s_functions_give_null_where_they_would_raise(source, result):
    elements = [{"n": 3}, {"n": 1, "k": "a"}, {"n": 2}, {"n": 4}]
    assert run(source, l=elements, stamp=Stamp(0, "utc", "0"), bytes=b"x") == result


def test_no_text_is_made_that_is_longer_than_the_bound(monkeypatch):
    monkeypatch.setattr("engine.lang.functions_text.LONGEST", 12)
    monkeypatch.setattr("engine.lang.functions_jmespath.LONGEST", 12)
    assert run("replace(a, 'x', '1234')", a="xxx") == "1234" * 3
    assert run("replace(a, 'x', '1234')", a="xxx.") is None
    assert run("replace(a, '.', '12345678')", a="xxxx.") == "xxxx12345678"
    assert run("join('1234', a)", a=["", "", ""]) == "1234" * 2
    assert run("join('1234', a)", a=[""] * 4) is None
