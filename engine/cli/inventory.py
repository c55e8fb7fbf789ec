"""`engine inventory`: a line for each host, user and agent of many inputs."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from engine.cli.detect import when
from engine.cli.finding import discovered
from engine.cli.terminal import one_line
from engine.collect.survey import Count, Presence, survey
from engine.errors import EngineError, UsageError
from engine.lang.load import load_plan
from engine.lang.plan import Plan
from engine.read.archives import Workspace
from engine.read.sources import HOME, PROJECT
from engine.spec.library import all_specs
from engine.write.files import OutputFile, StandardOutput, Target

COLUMNS = (
    "host", "user", "agent", "homes", "projects", "stores", "files", "bytes", "unread_files", "first_modified",
    "last_modified", "input",
)  # fmt: skip

#: a cell that begins so would be a formula to a spreadsheet
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@click.command("inventory", short_help="List hosts, users and agents of many inputs.")
@click.argument("inputs", nargs=-1, metavar="INPUT...", required=True)
@click.option("-o", "--out", metavar="FILE", help="The CSV file.  [default: stdout]")
@click.option("--spec", "specs", multiple=True, metavar="SPEC", help="A known spec or a file; default: all known.")
@click.option("--host", multiple=True, help="The host of inputs that name none: one for all, or one for each.")
def command(inputs: tuple[str, ...], out: str | None, specs: tuple[str, ...], host: tuple[str, ...]) -> int:
    """Write a CSV file with a line for each host, user and agent that the INPUTs hold: collections, homes, images.

    An input that can't be used is said on stderr, and the others are listed. Exit status: 0 with lines, 1 without, 2
    when an input could not be used.

    Example: engine inventory collections/*.tar.gz -o fleet.csv
    """
    plans = [load_plan(spec) for spec in specs or all_specs()]
    if len(host) > 1 and len(host) != len(inputs):
        raise UsageError(f"--host: {len(host)} hosts for {len(inputs)} inputs: give one for all, or one for each")
    rows: list[list[Any]] = []
    failed = False
    for number, given in enumerate(inputs):
        try:
            rows += _rows(given, plans, host[number] if len(host) > 1 else "".join(host))
        except EngineError as error:
            failed = True
            print(one_line(f"engine: {error}"), file=sys.stderr)
    _write(sorted(rows, key=lambda row: [str(cell) for cell in row]), out)
    return 2 if failed else 0 if rows else 1


def _rows(given: str, plans: Sequence[Plan], host: str) -> list[list[Any]]:
    """The lines of one input."""
    with Workspace() as workspace:
        found = discovered([given], plans, workspace, hosts=[host] if host else [], hashing=False)
        by_key: dict[tuple[str, str, str], list[Presence]] = {}
        for presence in survey(found, plans).presences:
            key = (presence.base.host, presence.base.user, presence.plan.agent)
            by_key.setdefault(key, []).append(presence)
        return [[*key, *_cells(presences), given] for key, presences in by_key.items()]


def _cells(presences: list[Presence]) -> list[Any]:
    total, rest = Count(), Count()
    for presence in presences:
        total.join(presence.total)
        rest.join(presence.rest)
    bases = [presence.base.kind for presence in presences]
    stores = sorted({name for presence in presences for name in presence.stores})
    return [
        bases.count(HOME), bases.count(PROJECT), " ".join(stores), total.files, total.bytes, rest.files,
        when(total.first_ns), when(total.last_ns),
    ]  # fmt: skip


def _write(rows: list[list[Any]], out: str | None) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(cell) for cell in row] for row in rows)
    target: Target = OutputFile(Path(out)) if out is not None and out != "-" else StandardOutput()
    target.open()
    try:
        target.write(text.getvalue().encode("utf-8", "backslashreplace"))
        target.close()
    except BaseException:
        target.abort()
        raise


def _cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
