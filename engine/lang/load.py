"""Specs by name or path: their plan, or their problems."""

from __future__ import annotations

from pathlib import Path

from engine.errors import SpecError, UsageError
from engine.lang.compile import compile_document
from engine.lang.plan import Plan
from engine.spec.library import find_spec
from engine.spec.problems import Problem
from engine.spec.yamlio import read_document


def check(name_or_path: str | Path) -> tuple[Plan | None, list[Problem]]:
    """A spec's plan (None when it has an error) and all its problems. Raises UsageError when there is no such file."""
    path = find_spec(name_or_path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    return compile_document(read_document(data, str(path)))


def load_plan(name_or_path: str | Path) -> Plan:
    """The plan of a spec. Raises SpecError with all problems when it can't be used."""
    plan, problems = check(name_or_path)
    if plan is None:
        raise SpecError(problems)
    return plan
