import pytest

from engine.lang.expr import Access, accesses, parse, root_names
from engine.lang.paths import flow


def found(source):
    return {(".".join(path), whole) for path, whole in accesses(parse(source))}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("record.payload.type", {"record"}),
        ("a || b && !c", {"a", "b", "c"}),
        ("items[?x == y].z", {"items"}),
        ("items[*].{a: x}", {"items"}),
        ("{a: x, b: y.z}", {"x", "y"}),
        ("sort_by(items, &name)", {"items"}),
        ("joined(' ', a, b.c)", {"a", "b"}),
        ("a | b", {"a"}),
        ("'x'", set()),
        ("@.record.x", {"record"}),
        ("@", set()),
        ("if(a, b, c)", {"a", "b", "c"}),
        ("get(record, 'x')", {"record"}),
        ('"a b".c', {"a b"}),
    ],
)
def test_root_names_are_those_looked_up_in_the_scope(source, names):
    assert root_names(parse(source)) == names


@pytest.mark.parametrize(
    ("source", "paths"),
    [
        ("record.payload.type", {("record.payload.type", True)}),
        ("record", {("record", True)}),
        ("record.type == 'x'", {("record.type", False)}),
        ("record.a == record.b", {("record.a", True), ("record.b", True)}),
        ("record.a == `[]`", {("record.a", True)}),
        ("record.a || record.b", {("record.a", False), ("record.a", True), ("record.b", True)}),
        ("record.a && record.b", {("record.a", False), ("record.b", True)}),
        ("!(record.a)", {("record.a", False)}),
        ("record.list[0].x", {("record.list.[].x", True)}),
        ("record.list[*].x", {("record.list.[].x", True)}),
        ("record.list[*]", {("record.list", True)}),
        ("record.list[].x", {("record.list.[].x", True)}),
        ("record.list[1:].x", {("record.list.[].x", True)}),
        ("record.list[?k == 'a'].v | [0]", {("record.list.[].k", False), ("record.list.[].v", True)}),
        ("record.list[?k == 'a'] | [0].v", {("record.list.[].k", False), ("record.list.[].v", True)}),
        ("record.map.*.x", {("record.map.*.x", True)}),
        ("{t: record.a}", {("record.a", True)}),
        ("length(record.list)", {("record.list", True)}),
        ("sort_by(record.list, &k)", {("record.list", True)}),
        ("if(record.a, record.b, record.c).d", {("record.a", False), ("record.b.d", True), ("record.c.d", True)}),
        ("not_null(record.a, record.b).c", {("record.a.c", True), ("record.b.c", True)}),
        ("get(record.a, 'k').x", {("record.a.k.x", True)}),
        ("get(record.a, key)", {("record.a", True), ("key", True)}),
        ("(record.a || record.b).c", {("record.a", False), ("record.a.c", True), ("record.b.c", True)}),
        ("record | a", {("record.a", True)}),
        ("`5`", set()),
    ],
)
def test_accesses_are_the_paths_that_are_read(source, paths):
    assert found(source) == paths


def test_what_an_expression_gives_can_be_followed_further():
    reads, gives = flow(parse("record.payload"))
    assert (reads, gives) == (frozenset(), {("record", "payload")})
    reads, gives = flow(parse("record.list[?ok]"))
    assert reads == {Access(("record", "list", "[]", "ok"), False)}
    assert gives == {("record", "list")}
    assert flow(parse("length(record.list)")).gives == frozenset()
