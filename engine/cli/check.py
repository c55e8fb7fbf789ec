"""`engine check`: what is wrong in specs."""

from __future__ import annotations

import json
import sys

import click
import msgspec

from engine.cli.terminal import one_line
from engine.errors import UsageError
from engine.lang.load import check
from engine.review.lint import lint
from engine.review.spectext import read_spec
from engine.spec.library import all_specs
from engine.spec.problems import CODES, WARNINGS, Problem, nearest_name


@click.command("check", short_help="Say what is wrong in specs.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--errors-only", is_flag=True, help="Only what keeps a spec from being used; no warnings and notes.")
@click.option("--strict", is_flag=True, help="Warnings are errors: exit status 2.")
@click.option("--json", "as_json", is_flag=True, help="Print the problems as JSON to stdout.")
@click.option("--explain", metavar="CODE", help="Say what a code means, and stop.")
def command(specs: tuple[str, ...], errors_only: bool, strict: bool, as_json: bool, explain: str | None) -> None:
    """Say what is wrong in specs: errors (E…), then, of a spec that has none, warnings and notes (W…).

    SPEC is the id of a known spec or a path; without one, all known specs are checked. Every problem is one line on
    stderr, as file:line:column: severity CODE at YAML path: message. A spec says under `lint`, with reasons, what is
    left as it is. Exit status 2 with an error (with --strict: or a warning), else 0.

    Example: engine check specs/zed.yaml
    """
    if explain is not None:
        click.echo(_explained(explain))
        return
    found: list[Problem] = []
    for spec in specs or all_specs():
        plan, problems = check(spec)
        found += problems
        if plan is not None and not errors_only:
            found += lint(read_spec(spec))
    if as_json:
        click.echo(json.dumps([msgspec.to_builtins(problem) for problem in found], ensure_ascii=False, indent=2))
    else:
        for problem in found:
            click.echo(one_line(str(problem)), err=True)
    fatal = ("error", "warning") if strict else ("error",)
    if any(problem.severity in fatal for problem in found):
        sys.exit(2)


def _explained(code: str) -> str:
    known = CODES | WARNINGS
    if code not in known:
        near = nearest_name(code, known)
        raise UsageError(f"unknown code {code}" + (f" (did you mean {near}?)" if near else ""))
    return f"{code}: {known[code]}"
