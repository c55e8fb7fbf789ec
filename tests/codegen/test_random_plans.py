"""Random specs on random records: every way gives the same rows and ledger."""

from __future__ import annotations

import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from engine.errors import SpecError
from engine.lang.load import load_plan
from tests.codegen.both import assert_one_result

FIELDS = ("a", "b", "c", "type")
WORDS = (
    "",
    "x",
    "a b",
    " \n",
    "true",
    "null",
    "5",
    "2026-10-03T16:55:31.123Z",
    "2026-10-03T16:55:31.123456",
    "é\u2028",
    '{"a":1}',
)

# ------------------------------------------------------------------------------------------------- records

SCALARS = st.one_of(
    st.none(), st.booleans(), st.sampled_from((0, 1, -1, 5, 2**70, 0.0, 1.5, 1e300)), st.sampled_from(WORDS)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3)),
    max_leaves=8,
)
RECORDS = st.one_of(
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=4).map(lambda value: json.dumps(value)),
    VALUES.map(json.dumps),
    st.sampled_from(('{"a":1', "[NaN]", '{"a":"\\ud800"}', "", "  ", '{"a":1}{"b":2}', "[" * 600 + "]" * 600)),
)

# --------------------------------------------------------------------------------------------- expressions

PATHS = st.one_of(
    st.sampled_from(
        (
            "record.a",
            "record.b",
            "record.c",
            "record.type",
            "record.a.b",
            "record.a.b.c",
            "record.a[0]",
            "record.a[-1]",
            "record.b[].a",
            "record.b[?a == `1`].c",
            "record.c.*",
            "record.a[1:]",
            "path.session",
            "unit.line",
            "unit.count",
            "state.seen",
            "state.kept",
            "state.keyed",
            "one",
            "two",
            "file.name",
            "pos.record",
        )
    ),
)
LITERALS = st.sampled_from(("`0`", "`1`", "`true`", "`false`", "`null`", '`"x"`', '`""`', "`[]`", '`"a b"`'))
ATOMS = st.one_of(PATHS, LITERALS)


def _compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: f"({p[0]} || {p[1]})"),
        st.tuples(inner, PATHS).map(lambda p: f"({p[0]} && {p[1]})"),
        inner.map(lambda e: f"!({e})"),
        st.tuples(inner, st.sampled_from(("==", "!=")), inner).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(PATHS, st.sampled_from(("<", ">=")), PATHS).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        st.tuples(inner, inner, inner).map(lambda p: f"if({p[0]}, {p[1]}, {p[2]})"),
        pair.map(lambda p: f"not_null({p[0]}, {p[1]})"),
        pair.map(lambda p: f"concat({p[0]}, {p[1]})"),
        pair.map(lambda p: f"get({p[0]}, {p[1]})"),
        pair.map(lambda p: f"contains({p[0]}, {p[1]})"),
        inner.map(lambda e: f'starts_with({e}, `"a"`)'),
        inner.map(lambda e: f'contains({e}, `"x"`)'),
        inner.map(lambda e: f'type({e}) == `"string"`'),
        st.one_of(inner, st.just("record")).map(lambda e: f"json_text({e})"),
        inner.map(lambda e: f"content_text({e})"),
        inner.map(lambda e: f"label({e}, 'starts')"),
        inner.map(lambda e: f"has({e}, 'starts')"),
        inner.map(lambda e: f"omit({e}, 'a')"),
        inner.map(lambda e: f"variant({e}).tag"),
        inner.map(lambda e: f"count({e})"),
        inner.map(lambda e: f"[{e}, `1`]"),
        inner.map(lambda e: f"utc({e})"),
        inner.map(lambda e: f"sort_by(record.b, &a)[0] || {e}"),
    )


EXPRESSIONS = st.recursive(ATOMS, _compound, max_leaves=4)
TEMPLATES = st.lists(
    st.one_of(st.just("text "), EXPRESSIONS.map(lambda e: f"{{{e}}}"), EXPRESSIONS.map(lambda e: f"[ part={{{e}}}]")),
    min_size=1,
    max_size=3,
).map(lambda parts: {"text": "".join(parts)})
TIMES = st.one_of(
    EXPRESSIONS.map(lambda e: {"time": e, "unit": "iso"}),
    EXPRESSIONS.map(lambda e: {"time": e, "unit": "s", "basis": "approximate"}),
    EXPRESSIONS.map(lambda e: {"time": e, "unit": "iso", "offset": "`3600`"}),
    EXPRESSIONS.map(lambda e: {"first": ["previous", {"time": e, "unit": "iso"}]}),
    EXPRESSIONS.map(lambda e: {"earliest": [{"time": e, "unit": "iso"}, {"time": "record.b", "unit": "iso"}]}),
)
TEXTS = st.one_of(EXPRESSIONS, TEMPLATES, st.sampled_from(WORDS).map(lambda word: {"const": word}))

# --------------------------------------------------------------------------------------------------- steps


@st.composite
def shared(draw: Any) -> dict[str, Any]:
    """Keys that every step may have."""
    found: dict[str, Any] = {}
    if draw(st.booleans()):
        found["when"] = draw(EXPRESSIONS)
    if draw(st.integers(0, 3)) == 0:
        found["let"] = {draw(st.sampled_from(("one", "two"))): draw(st.one_of(EXPRESSIONS, TEMPLATES, TIMES))}
    if draw(st.integers(0, 4)) == 0:
        found["each"] = {draw(st.sampled_from(("one", "item"))): draw(EXPRESSIONS)}
        found["count"] = draw(st.booleans())
    return found


@st.composite
def emits(draw: Any) -> dict[str, Any]:
    step = draw(shared()) | {"emit": "row"}
    step |= draw(
        st.sampled_from(
            (
                {"turn": "user"},
                {"turn": "tool_use"},
                {"turn": "tool_result"},
                {"event": "notice"},
                {"event": "session_start"},
                {"turn": "user", "role": "secondary"},
                {"event": "context"},
            )
        )
    )
    for column in draw(
        st.lists(st.sampled_from(("session_id", "model", "tool_name", "tool_use_id", "arguments")), max_size=2)
    ):
        step[column] = draw(TEXTS)
    if draw(st.booleans()):
        step["time"] = draw(st.one_of(TIMES, st.just("one")))
    if draw(st.integers(0, 4)) == 0:
        step["source_line"] = draw(EXPRESSIONS)
    step["text"] = draw(TEXTS)
    return step


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    steps = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.tuples(shared(), steps).map(lambda p: {**p[0], "steps": p[1]}),
        st.tuples(shared(), EXPRESSIONS, steps, steps).map(
            lambda p: {
                **p[0],
                "switch": p[1],
                "cases": {"x | a b": p[2], "true": p[3]},
                "otherwise": {"ignore": "other"},
            }
        ),
        st.tuples(shared(), EXPRESSIONS, steps, steps).map(
            lambda p: {**p[0], "choose": {p[1]: p[2]}, "otherwise": p[3]}
        ),
        st.tuples(shared(), TEXTS, steps).map(lambda p: {**p[0], "set": {"kept": p[1]}, "changed": p[2]}),
    )


LEAVES = st.one_of(
    emits(),
    emits(),
    st.tuples(shared(), EXPRESSIONS).map(lambda p: {**p[0], "set": {"seen": p[1]}}),
    st.tuples(shared(), EXPRESSIONS, EXPRESSIONS).map(lambda p: {**p[0], "set": {"keyed": p[1]}, "at": p[2]}),
    shared().map(lambda s: {**s, "ignore": "for a reason"}),
    st.tuples(shared(), TEXTS).map(lambda p: {**p[0], "unparsed": "no good", "text": p[1]}),
    st.tuples(shared(), EXPRESSIONS, EXPRESSIONS).map(
        lambda p: {**p[0], "keep_json": True, "type": p[1], "rest": p[2]}
    ),
    st.tuples(shared(), EXPRESSIONS).map(lambda p: {**p[0], "use": "part", "with": {"one": p[1]}}),
)
STEPS = st.lists(st.recursive(LEAVES, _containers, max_leaves=5), min_size=1, max_size=3)


def _renamed(value: Any, names: str, other: str) -> Any:
    """The same with another name in place of some that are not in scope there; a use of a walk becomes an ignore."""
    if isinstance(value, list):
        return [_renamed(item, names, other) for item in value]
    if isinstance(value, dict):
        if "use" in value:
            value = {key: item for key, item in value.items() if key not in ("use", "with")} | {"ignore": "no walk"}
        return {_renamed(key, names, other): _renamed(item, names, other) for key, item in value.items()}
    return re.sub(rf"(?<![.\w'])(?:{names})\b", other, value) if isinstance(value, str) else value


@st.composite
def specs(draw: Any) -> dict[str, Any]:
    lets = {"one": draw(st.one_of(EXPRESSIONS, TIMES)), "two": draw(EXPRESSIONS)}
    walk = {
        "cite": CITE,
        "let": {name: _renamed(value, "one|two", "record.c") for name, value in lets.items()},
        "columns": {"session_id": draw(TEXTS), "time": draw(TIMES), "model": draw(TEXTS)},
        "begin": [
            {"set": {"seen": "record.a"}},
            {"set": {"kept": "record.b.c"}},
            {"set": {"keyed": "record.b.c"}, "at": "record.a"},
            *draw(STEPS),
        ],
        "steps": draw(STEPS),
        "end": _renamed(draw(STEPS), "pos.record|record", "one"),
    }
    part = {"steps": _renamed(draw(STEPS), "pos.record|record", "one")}
    part["let"] = {"two": _renamed(draw(EXPRESSIONS), "two|pos.record|record", "one")}
    return {"walks": {"log": walk, "part": {"cite": CITE, "params": ["one"], **part}}}


CITE = "toy:log.rs:1 #x"
HEAD: dict[str, Any] = {
    "spec": 1,
    "agent": {"id": "toy", "name": "Toy", "summary": "A toy.", "basis": "fixture"},
    "evidence": {
        "toy": {"repo": "https://example.org/toy", "commit": "abc1234", "license": "MIT", "reviewed": "2026-01-01"}
    },
    "roots": {"data": {"cite": "toy:paths.rs:1 #x", "home": ["toy"]}},
    "tables": {"starts": {"x": "label x", "a b": "label ab", "2026": "year"}},
    "stores": {"log": {"cite": "toy:log.rs:1 #x", "files": ["{data}/<session>.jsonl"], "read": "jsonl", "walk": "log"}},
}


def _named(value: Any, number: list[int]) -> Any:
    """Emits with names of their own."""
    if isinstance(value, list):
        return [_named(item, number) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: _named(item, number) for key, item in value.items()}
    if "emit" in found:
        number[0] += 1
        found["emit"] = f"row{number[0]}"
    if found.get("count") is not None and "each" not in found:
        del found["count"]
    return found


class _Quoted(yaml.SafeDumper):
    """Every text in quotes."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Quoted.add_representer(str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"'))


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(specs(), st.lists(RECORDS, min_size=1, max_size=5))
def test_random_specs_give_one_result_on_random_records(spec: dict[str, Any], records: list[str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "toy.yaml")
        path.write_text(
            yaml.dump(HEAD | _named(spec, [0]), Dumper=_Quoted, sort_keys=False, width=10**6), encoding="utf-8"
        )
        home = Path(folder, "home", "alice")
        (home / "toy").mkdir(parents=True)
        (home / "toy" / "s1.jsonl").write_text("".join(line + "\n" for line in records), encoding="utf-8")
        try:
            plan = load_plan(path)
        except SpecError:
            assume(False)
        assert_one_result(plan, home)
