"""`engine test`: runs the tests of specs."""

from __future__ import annotations

import json
from typing import Any

import click

from engine.cli.terminal import one_line
from engine.errors import UsageError
from engine.review.spectext import SpecText, read_spec
from engine.review.testing import Outcome, all_rules, cases, reached_rules, run_case
from engine.review.testing_update import update
from engine.spec.library import all_specs

PASSED, FAILED = 0, 1


@click.command("test", short_help="Run the tests of specs.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--only", default="", metavar="TEXT", help="Only tests whose name holds TEXT.")
@click.option("--coverage", is_flag=True, help="Say which rules the tests reach, and which they do not.")
@click.option("--update", "updates", is_flag=True,
              help="Write the rows that came as those that are expected; what changes is shown.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a spec.")
@click.option("-q", "--quiet", is_flag=True, help="Print only what failed.")
def command(specs: tuple[str, ...], only: str, coverage: bool, updates: bool, as_json: bool, quiet: bool) -> int:
    """Run the tests that specs hold: files are built from `given`, read, and the rows compared with `expect`.

    SPEC is the id of a known spec or a path; without one, all known specs are tested. Of a test that fails, each row
    that differs is a line: - is missing, + is one too many, ~ has other columns. Exit status 0 when all passed, else 1.

    Example: engine test zed --coverage
    """
    failed = ran = 0
    for name in specs or all_specs():
        text = read_spec(name)
        outcomes = [run_case(text, case) for case in cases(text, only)]
        ran += len(outcomes)
        failing = [outcome for outcome in outcomes if not outcome.passed]
        if updates and failing:
            update(text, failing)
        else:
            failed += len(failing)
        if as_json:
            click.echo(json.dumps(_as_json(text, outcomes, coverage), ensure_ascii=False))
            continue
        for outcome in outcomes:
            _say(text, outcome, updates, quiet)
        if coverage:
            _say_coverage(text, outcomes)
    if only and not ran:
        raise UsageError(f"no test has `{only}` in its name")
    if not as_json and not quiet:
        click.echo(f"{ran} test{'s' if ran != 1 else ''}, {failed} failed" if ran else "no tests")
    return FAILED if failed else PASSED


def _say(text: SpecText, outcome: Outcome, updates: bool, quiet: bool) -> None:
    word = "ok" if outcome.passed else "updated" if updates else "FAILED"
    if not (quiet and outcome.passed):
        where = "" if outcome.passed else f"  ({text.label}:{outcome.case.mark.line})"
        click.echo(one_line(f"{word:7} {text.plan.agent}: {outcome.case.name}{where}"))
    for line in outcome.differences:
        click.echo(one_line(f"  {line}"))


def _say_coverage(text: SpecText, outcomes: list[Outcome]) -> None:
    reached, rules = reached_rules(text, outcomes), all_rules(text.plan)
    count = sum(rule in reached for rule in rules)
    for rule in rules:
        click.echo(f"{'+' if rule in reached else '-'} {rule}")
    click.echo(f"{text.plan.agent}: {count} of {len(rules)} rules reached")


def _as_json(text: SpecText, outcomes: list[Outcome], coverage: bool) -> dict[str, Any]:
    reached = reached_rules(text, outcomes)
    told: dict[str, Any] = {
        "spec": text.label,
        "agent": text.plan.agent,
        "tests": [
            {
                "name": outcome.case.name,
                "line": outcome.case.mark.line,
                "passed": outcome.passed,
                "rows": len(outcome.rows),
                "differences": list(outcome.differences),
            }
            for outcome in outcomes
        ],
    }
    return told | ({"rules": {rule: rule in reached for rule in all_rules(text.plan)}} if coverage else {})
