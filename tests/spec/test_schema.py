"""The JSON Schema of specs: closed, explained, and of one mind with the compiler."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine.lang.compile import AGENT_KEYS, DOCUMENT_KEYS, WALK_KEYS
from engine.lang.compile_steps import ACTIONS, SHARED
from engine.lang.compile_stores import BESIDE_KINDS, CODECS, READ_KINDS, STORE_KEYS
from engine.lang.compile_values import UNITS
from engine.lang.load import check
from engine.rows import BASES, EVENTS, SPEC_COLUMNS, TIME_BASES, TURN_TYPES
from engine.spec.library import all_specs, data_folder
from engine.spec.yamlio import read_document

EVERY_WORD = Path(__file__).parent / "every_word.yaml"
SCHEMA: dict[str, Any] = json.loads((data_folder("schemas") / "spec.schema.json").read_text(encoding="utf-8"))


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with what it refers to under it."""
    while "$ref" in schema:
        target: Any = SCHEMA
        for step in schema["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        schema = {**target, **{key: item for key, item in schema.items() if key != "$ref"}}
    return schema


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema of an object inside a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for key, inner in schema.items():
            for each in inner.values() if key in ("properties", "$defs") else [inner]:
                yield from objects(each)
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


def keys_of(name: str) -> set[str]:
    return set(SCHEMA["$defs"][name]["properties"])


def test_the_schema_is_a_schema_of_the_draft_that_it_names() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_object_is_closed_or_a_map_whose_values_are_described() -> None:
    found = list(objects(SCHEMA))
    assert len(found) > 40
    for schema in found:
        assert "additionalProperties" in schema, schema
        if "properties" not in schema:
            assert schema["additionalProperties"] is not True


def test_every_key_has_a_description_for_editors() -> None:
    without = [
        name
        for schema in objects(SCHEMA)
        for name, inner in schema.get("properties", {}).items()
        if not resolved(inner).get("description")
    ]
    assert without == []


def test_the_schema_stays_small() -> None:
    text = (data_folder("schemas") / "spec.schema.json").read_text(encoding="utf-8")
    assert sum(1 for line in text.splitlines() if line.strip()) <= 700


def test_the_schema_and_the_compiler_know_the_same_keys() -> None:
    assert set(SCHEMA["properties"]) == set(DOCUMENT_KEYS)
    assert set(SCHEMA["properties"]["agent"]["properties"]) == set(AGENT_KEYS)
    assert keys_of("store") == set(STORE_KEYS)
    assert keys_of("walk") == set(WALK_KEYS)
    assert keys_of("columns") == set(SPEC_COLUMNS)
    assert keys_of("step") == {*SHARED, *ACTIONS, *(key for keys in ACTIONS.values() for key in keys)}


def test_the_schema_and_the_compiler_know_the_same_words() -> None:
    defs = SCHEMA["$defs"]
    step, store = defs["step"]["properties"], defs["store"]["properties"]
    assert tuple(step["turn"]["enum"]) == TURN_TYPES
    assert tuple(step["event"]["enum"]) == EVENTS
    assert tuple(defs["basis"]["enum"]) == BASES
    assert set(defs["time_basis"]["enum"]) == {basis for basis in TIME_BASES if basis}
    assert tuple(defs["time"]["properties"]["unit"]["enum"]) == UNITS
    assert set(store["read"]["anyOf"][0]["enum"]) == set(READ_KINDS)
    assert set(defs["codecs"]["items"]["enum"]) == set(CODECS)
    assert set(store["beside"]["additionalProperties"]["properties"]) == set(BESIDE_KINDS)


def test_a_spec_with_every_word_of_the_language_is_good() -> None:
    plan, problems = check(EVERY_WORD)
    assert problems == [] and plan is not None


def test_that_spec_uses_every_key_of_the_schema() -> None:
    document = read_document(EVERY_WORD.read_bytes(), str(EVERY_WORD)).root
    assert document is not None
    used: set[str] = set()

    def visit(data: Any) -> None:
        if isinstance(data, dict):
            used.update(data)
        for inner in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
            visit(inner)

    visit(document.plain())
    known = {name for schema in objects(SCHEMA) for name in schema.get("properties", {})}
    assert known - used == set()


@pytest.mark.parametrize("path", all_specs(), ids=lambda path: path.stem)
def test_a_spec_of_the_library_has_no_problem_and_names_the_schema(path: Path) -> None:
    plan, problems = check(path)
    assert [str(problem) for problem in problems] == []
    assert plan is not None and plan.agent == path.stem
    assert path.read_text(encoding="utf-8").startswith("# yaml-language-server: $schema=../schemas/spec.schema.json\n")
