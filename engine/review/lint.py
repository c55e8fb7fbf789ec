"""The linter: what a spec without errors may still have wrong, and what the spec says to leave of it.

A check is a class of its own; `CHECKS` holds one for each code of `engine.spec.problems.WARNINGS`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from engine.lang.plan import Excepted, Mark
from engine.review.lint_places import (
    ExcludedStore,
    SecretMember,
    SecretSidecar,
    SecretStore,
    UncoveredRoot,
    UnreadPath,
)  # fmt: skip
from engine.review.lint_reach import ConstantCondition, RepeatedCondition, UnknownVersion
from engine.review.lint_rests import BrokenTest, HookInputs, LongCitation, LoosePin, UnreadGift, Unsaid, UntestedEmit
from engine.review.lint_shapes import CaseOutsideShape, MissingMember, NoList, ValueOutsideShape
from engine.review.lint_subject import WARNING, Check, Subject, Undecided
from engine.review.lint_unused import (
    UnusedAlias,
    UnusedColumn,
    UnusedFind,
    UnusedHook,
    UnusedLet,
    UnusedLookup,
    UnusedParameter,
    UnusedRoot,
    UnusedShape,
    UnusedState,
    UnusedStore,
    UnusedTable,
    UnusedWalk,
)  # fmt: skip
from engine.review.spectext import SpecText
from engine.spec.problems import Problem, in_order

CHECKS: tuple[type[Check], ...] = (
    UnusedRoot, UnusedTable, UnusedLookup, UnusedWalk, UnusedLet, UnusedFind, UnusedShape, UnusedStore, UnusedAlias,
    UnusedHook, UnusedColumn, UnusedState, UnusedParameter, CaseOutsideShape, ConstantCondition, RepeatedCondition,
    UnknownVersion, MissingMember, ValueOutsideShape, NoList, SecretStore, SecretSidecar, SecretMember, UncoveredRoot,
    UnreadPath, ExcludedStore, LoosePin, LongCitation, Unsaid, HookInputs, UnreadGift, UntestedEmit, BrokenTest,
)  # fmt: skip

#: the code of an exception that leaves nothing; what it says comes from no check
UNUSED_EXCEPTION = "W901"


def lint(text: SpecText, checks: Sequence[type[Check]] = CHECKS) -> list[Problem]:
    """What the checks say of a spec, without what its `lint` key leaves, in the order of the file."""
    subject = Subject(text)
    found: list[Problem] = []
    ran = set()
    for check in checks:
        with contextlib.suppress(Undecided):
            found += _problems(check(), subject)
            ran.add(check.code)
    kept = [problem for problem in found if not any(_leaves(each, problem) for each in text.plan.lint)]
    for each in text.plan.lint:
        if each.code in ran and not any(_leaves(each, problem) for problem in found):
            message = f"there is no {each.code}{' at ' + each.at if each.at else ''}: the exception can go"
            kept.append(_problem(text, UNUSED_EXCEPTION, WARNING, each.mark, message))
    return in_order(kept)


def _problems(check: Check, subject: Subject) -> Iterator[Problem]:
    for mark, message, nearest in check.find(subject):
        yield _problem(subject.text, check.code, check.severity, mark, message, nearest)


def _problem(text: SpecText, code: str, severity: str, mark: Mark, message: str, nearest: str | None = None) -> Problem:
    return Problem(
        code=code, severity=severity, file=text.label, line=mark.line, column=mark.column, path=mark.path,
        message=message, nearest=nearest,
    )  # fmt: skip


def _leaves(exception: Excepted, problem: Problem) -> bool:
    at = exception.at
    below = problem.path == at or problem.path.startswith((f"{at}.", f"{at}["))
    return exception.code == problem.code and (not at or below)
