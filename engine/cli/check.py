"""`engine check`: validates specs."""

from __future__ import annotations

import json
import sys

import click
import msgspec

from engine.errors import UsageError
from engine.lang.load import check
from engine.spec.library import all_specs
from engine.spec.problems import CODES, Problem, nearest_name


@click.command("check", short_help="Validate specs.")
@click.argument("specs", nargs=-1, metavar="[SPEC]...")
@click.option("--json", "as_json", is_flag=True, help="Print the problems as JSON to stdout.")
@click.option("--explain", metavar="CODE", help="Say what a code means, and stop.")
def command(specs: tuple[str, ...], as_json: bool, explain: str | None) -> None:
    """Validate specs: YAML, schema, names, expressions, citations.

    SPEC is the id of a known spec or a path; without one, all known specs are checked. Every problem is one line on
    stderr, as file:line:column: severity CODE at YAML path: message. Exit status 0 without errors, else 2.

    Example: engine check specs/zed.yaml
    """
    if explain is not None:
        click.echo(_explained(explain))
        return
    found: list[Problem] = []
    for spec in specs or all_specs():
        found += check(spec)[1]
    errors = sum(problem.severity == "error" for problem in found)
    if as_json:
        click.echo(json.dumps([msgspec.to_builtins(problem) for problem in found], ensure_ascii=False, indent=2))
    else:
        for problem in found:
            click.echo(str(problem), err=True)
    if errors:
        sys.exit(2)


def _explained(code: str) -> str:
    if code not in CODES:
        near = nearest_name(code, CODES)
        raise UsageError(f"unknown code {code}" + (f" (did you mean {near}?)" if near else ""))
    return f"{code}: {CODES[code]}"
