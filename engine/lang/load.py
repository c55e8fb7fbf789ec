"""Specs by name or path: their plan, or their problems."""

from __future__ import annotations

from pathlib import Path

from engine.errors import SpecError, UsageError
from engine.lang.compile import compile_document
from engine.lang.plan import Plan
from engine.spec.library import find_spec, is_in_library
from engine.spec.problems import Problem, in_order
from engine.spec.schema import schema_problems
from engine.spec.yamlio import read_document


def check(name_or_path: str | Path, *, schema: bool = True) -> tuple[Plan | None, list[Problem]]:
    """A spec's plan (None when it has an error) and all its problems, in the order of the file.

    With `schema`, the document is also held to the JSON Schema; a place that the compiler already names is not named
    twice. Raises UsageError when there is no such file.
    """
    path = find_spec(name_or_path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    document = read_document(data, str(path))
    plan, problems = compile_document(document)
    if not schema:
        return plan, problems
    further = [found for found in schema_problems(document) if not any(_same_place(found, p) for p in problems)]
    return (None if further else plan), in_order(problems + further)


def _same_place(one: Problem, other: Problem) -> bool:
    return one.path.startswith(other.path) or other.path.startswith(one.path)


def load_plan(name_or_path: str | Path) -> Plan:
    """The plan of a spec. Raises SpecError with all problems when it can't be used.

    The compiler refuses by itself all that would make a plan unsafe; the library's own specs, which the tests hold to
    the schema, are spared the slow import of its validator.
    """
    plan, problems = check(name_or_path, schema=not is_in_library(find_spec(name_or_path)))
    if plan is None:
        raise SpecError(problems)
    return plan
