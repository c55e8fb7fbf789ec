"""Whatever is wrong with a spec, loading it gives problems: never another error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import SpecError
from engine.lang.compile import compile_document
from engine.lang.load import load_plan
from engine.lang.plan import Plan
from engine.spec.schema import schema_problems
from engine.spec.yamlio import read_document

TEXT = (Path(__file__).parent / "every_word.yaml").read_text(encoding="utf-8")
LINES = TEXT.splitlines()

_WORDS = st.sampled_from(
    ["", "x", "record", "entry.at", "[[", "{text: x}", "&a", "*a", "!t x", "on", "1.5", "null", "- ", "'", '"', "`",
     "a | b",
     "keep_json", "records", "path.id", "<id:int>", "{data}/**/x", "{x}", "[{x}]", "a[].b(c)", "!a.b", "src:a:1 #b"]
)  # fmt: skip
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**6) | _WORDS | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=5,
)


def places(data: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) inside plain data."""
    found: list[tuple[Any, Any]] = []
    for key in list(data) if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        found += [(data, key), *places(data[key])]
    return found


def outcome(text: str) -> None:
    document = read_document(text.encode("utf-8", "surrogatepass"), "mutated.yaml")
    plan, problems = compile_document(document)
    assert isinstance(plan, Plan) or any(problem.severity == "error" for problem in problems)
    for problem in problems:
        assert problem.line >= 1 and problem.column >= 1 and problem.message


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_spec_with_changed_lines_gives_a_plan_or_problems(data: st.DataObject) -> None:
    lines = list(LINES)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        line = lines[at]
        cut = data.draw(st.integers(0, len(line)))
        lines[at] = data.draw(
            st.sampled_from([line[:cut], line[:cut] + line[cut + 1 :], line + line, "  " + line, "", lines[at - 1]])
            | st.builds(lambda word, line=line, cut=cut: line[:cut] + word + line[cut:], _WORDS)
        )
    outcome("\n".join(lines))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_spec_with_changed_values_gives_a_plan_or_problems(data: st.DataObject) -> None:
    spec = yaml.load(TEXT, Loader=yaml.BaseLoader)
    spec["spec"] = 1
    for _ in range(data.draw(st.integers(1, 3))):
        found = places(spec)
        container, key = found[data.draw(st.integers(0, len(found) - 1))]
        if data.draw(st.booleans()):
            container[key] = data.draw(_VALUES)
        elif isinstance(container, dict):
            container[data.draw(_WORDS)] = container.pop(key)
        else:
            del container[key]
    outcome(yaml.safe_dump(spec, sort_keys=False))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_schema_is_applied_to_any_document(data: st.DataObject) -> None:
    spec = yaml.load(TEXT, Loader=yaml.BaseLoader)
    found = places(spec)
    container, key = found[data.draw(st.integers(0, len(found) - 1))]
    container[key] = data.draw(_VALUES)
    document = read_document(yaml.safe_dump(spec).encode(), "mutated.yaml")
    assert all(problem.code == "E208" for problem in schema_problems(document))


def test_an_expression_that_is_too_deep_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "deep.yaml"
    deep = "when: '" + "(" * 3000 + "entry.at" + ")" * 3000 + "',"
    path.write_text(TEXT.replace("when: entry.at,", deep), encoding="utf-8")
    with pytest.raises(SpecError, match="E401"):
        load_plan(path)


def test_a_template_that_is_too_deep_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "deep.yaml"
    path.write_text(TEXT.replace("[ | {readme}]", "[{readme}" * 3000 + "]" * 3000), encoding="utf-8")
    with pytest.raises(SpecError, match="E402"):
        load_plan(path)
