"""`engine specs`: lists the known specs."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.lang.load import check
from engine.lang.plan import Plan
from engine.spec.library import all_specs

_HEADS = ("id", "file", "basis", "reviewed", "pins")


@click.command("specs", short_help="List the known specs.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def command(as_json: bool) -> None:
    """List the known specs: id, file, what they rest on, the last review, and the pins of their sources.

    Example: engine specs --json
    """
    listed = [_listed(path) for path in all_specs()]
    if as_json:
        click.echo(json.dumps(listed, ensure_ascii=False, indent=2))
        return
    lines = [_HEADS, *(tuple(_cell(entry[head]) for head in _HEADS) for entry in listed)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADS))]
    for line in lines:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def _listed(path: Path) -> dict[str, object]:
    """One spec; of one that can't be used, only its name and the number of its problems."""
    plan, problems = check(path, schema=False)
    if plan is None:
        return {
            "id": path.stem, "file": str(path), "basis": "", "pins": [], "reviewed": "", "problems": len(problems),
        }  # fmt: skip
    return {
        "id": plan.agent,
        "file": str(path),
        "basis": plan.basis,
        "pins": [f"{evidence.alias}@{evidence.commit}" for evidence in plan.evidence],
        "reviewed": _last_review(plan),
        "problems": 0,
    }


def _last_review(plan: Plan) -> str:
    return max((evidence.reviewed for evidence in plan.evidence), default="")


def _cell(value: object) -> str:
    """A cell of the table; pins are cut to what tells commits apart."""
    if isinstance(value, list):
        return " ".join(f"{alias}@{commit[:10]}" for alias, _, commit in (pin.partition("@") for pin in value))
    return str(value)
