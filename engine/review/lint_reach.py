"""Checks for what no record can reach."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engine.lang.paths import flow
from engine.lang.plan import Choose, Expr, Switch
from engine.lang.traversal import expressions
from engine.review.lint_subject import Ast, Check, Finding, Subject, comparisons, names_in

_VERSION = ("unit", "version")


class ConstantCondition(Check):
    code = "W202"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for condition in _conditions(spec):
            if not names_in(condition):
                yield Finding(condition.mark, f"`{condition.source}` is the same for every record")


class RepeatedCondition(Check):
    code = "W203"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for steps in spec.steps.values():
            for step in (step for step in steps if isinstance(step, Choose)):
                seen: dict[str, str] = {}
                for condition, _ in step.cases:
                    other = seen.setdefault(json.dumps(condition.ast), condition.source)
                    if other != condition.source:
                        message = f"`{condition.source}` says what `{other}` above has taken"
                        yield Finding(condition.mark, message)


class UnknownVersion(Check):
    code = "W204"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for walk in spec.plan.walks:
            known = {version.id for store in spec.stores_of(walk.name) for version in store.versions}
            for expr in expressions(walk):
                for subject, value in comparisons(expr.ast):
                    if _is_version(subject) and value is not None and value not in known:
                        yield Finding(expr.mark, f"no store has a version `{value}`")
            for step in spec.steps[walk.name]:
                if isinstance(step, Switch) and _is_version(step.on.ast):
                    for key in (key for keys, _ in step.cases for key in keys if key not in known | {"null"}):
                        yield Finding(step.mark, f"no store has a version `{key}`")


def _is_version(ast: Ast) -> bool:
    return flow(ast).gives == {_VERSION}


def _conditions(spec: Subject) -> Iterator[Expr]:
    for store in spec.plan.stores:
        yield from (find.when for find in store.find if find.when is not None)
        yield from (version.when for version in store.versions if version.when is not None)
    for step in (step for steps in spec.steps.values() for step in steps):
        if step.when is not None:
            yield step.when
        if isinstance(step, Choose):
            yield from (condition for condition, _ in step.cases)
