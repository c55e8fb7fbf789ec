"""Checks of what a spec rests on: citations, hooks, tests."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

from engine.errors import UsageError
from engine.lang.callables import find_callable
from engine.lang.plan import Emit, Hook, Mark
from engine.review.cites import citations
from engine.review.lint_subject import NOTE, Check, Finding, Subject, Undecided, members_in
from engine.review.testing import case_at, reached_rules
from engine.spec.yamlio import Scalar

#: more lines than this leave the reviewer to find what was meant
MANY_LINES = 200
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
#: package URLs of registries where a release, once out, does not change
_REGISTRIES = ("pkg:pypi/", "pkg:npm/", "pkg:cargo/")


class LoosePin(Check):
    code = "W601"

    def find(self, spec: Subject) -> Iterator[Finding]:
        cited = {each.citation.alias for each in citations(spec.text) if not each.citation.seen}
        marks = dict(spec.declared("evidence"))
        for evidence in spec.plan.evidence:
            moves = not _COMMIT.fullmatch(evidence.commit) and not evidence.repo.startswith(_REGISTRIES)
            if evidence.alias in cited and moves:
                message = f"`{evidence.commit}` is no whole commit: the lines that are cited may move"
                yield Finding(marks[evidence.alias], message)


class LongCitation(Check):
    code, severity = "W602", NOTE

    def find(self, spec: Subject) -> Iterator[Finding]:
        for citation, marks, _ in citations(spec.text):
            count = citation.last - citation.first + 1
            if count > MANY_LINES:
                yield Finding(marks[0], f"`{citation.text}` cites {count} lines: cite those that say it")


class Unsaid(Check):
    code = "W603"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for path, node in spec.text.nodes.items():
            if path.startswith(("agent.", "evidence.")) and isinstance(node, Scalar) and node.value == "TODO":
                yield Finding(Mark(node.line, node.column, node.path), "`TODO` is still to be said")


class HookInputs(Check):
    code = "W701"

    def find(self, spec: Subject) -> Iterator[Finding]:
        marks = dict(spec.declared("hooks"))
        for hook in spec.plan.hooks:
            called = find_callable(hook.call)
            inputs = dict.fromkeys((*hook.inputs, *(("state",) if hook.state == "unit" else ())))
            try:
                if called is not None:
                    inspect.signature(called).bind(**inputs)
            except TypeError as error:
                yield Finding(marks[hook.name], f"`{hook.call}` does not take what `inputs` and `state` say: {error}")


class UnreadGift(Check):
    code = "W702"

    def find(self, spec: Subject) -> Iterator[Finding]:
        marks = dict(spec.declared("hooks"))
        calls = [step for steps in spec.steps.values() for step in steps if isinstance(step, Hook)]
        for hook in spec.plan.hooks:
            read: set[str] = set()
            for step in (step for step in calls if step.hook == hook.name):
                members = members_in(step.steps, step.as_name)
                read |= set(hook.gives) if members is None else members
            for name in hook.gives:
                if calls and name not in read:
                    yield Finding(marks[hook.name], f"no step reads `{name}`, which hook `{hook.name}` gives")


class UntestedEmit(Check):
    code, severity = "W801", NOTE

    def find(self, spec: Subject) -> Iterator[Finding]:
        try:
            reached = {rule.split("/", 2)[2] for rule in reached_rules(spec.text)}
        except UsageError as error:  # a fixture that is not at hand, as in an installed package
            raise Undecided from error
        for walk in spec.plan.walks:
            if not spec.stores_of(walk.name):
                continue
            for step in spec.steps[walk.name]:
                if isinstance(step, Emit) and step.name not in reached:
                    yield Finding(step.mark, f"no test of this spec reaches `{step.name}`")


class BrokenTest(Check):
    code = "W802"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for number in range(len(spec.plan.tests)):
            try:
                case_at(spec.text, number)
            except UsageError as error:
                node = spec.text.nodes[f"tests[{number}]"]
                yield Finding(Mark(node.line, node.column, node.path), str(error).partition(": ")[2])
