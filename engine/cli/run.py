"""`engine run`: evidence in, rows out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from engine.cli.filtering import filtering, filters_of
from engine.cli.outputs import FORMATS, place, refuse_inside
from engine.cli.sizes import Size, short
from engine.errors import UsageError
from engine.lang.plan import Plan
from engine.read.inputs import KINDS
from engine.read.limits import Limits
from engine.run.cache import Cache
from engine.spec.library import all_specs
from engine.spec.problems import nearest_name

_LIMITS = Limits()

#: deeper JSON would overflow the stack of the decoder that is written in C
_MOST = {"max_nesting": 4096}

#: option → field of Limits; sizes in bytes, the rest counts
_BOUNDS = {
    "max_line": ("line", "The longest line of a line file; a longer one is a bad record."),
    "max_blob": ("blob", "The largest decompressed value, and the largest document that is held whole."),
    "max_nesting": ("nesting", "The deepest JSON."),
    "max_quote": ("quote", "What a note quotes of a bad record."),
    "max_members": ("members", "The most members of an archive."),
}


def _bounds(function: Any) -> Any:
    for name, (field, text) in reversed(_BOUNDS.items()):
        default = getattr(_LIMITS, field)
        option = "--" + name.replace("_", "-")
        add = click.option(
            option, name, type=Size(_MOST.get(name)), default=short(default), show_default=True, help=text
        )
        function = add(function)
    return function


@click.command("run", short_help="Read evidence and write its rows.")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@click.option("--spec", "specs", multiple=True, metavar="SPEC", help="A known spec or a file; default: all known.")
@click.option("--agent", "agents", multiple=True, metavar="ID", help="Of these specs, only those of this agent.")
@click.option("--out", metavar="PATH", help="A folder, or a file whose name gives the format. Default: stdout.")
@click.option("--format", "format_", type=click.Choice(FORMATS), help="The format of the rows.  [default: jsonl]")
@click.option("--host", multiple=True, metavar="NAME",
              help="The host of rows from inputs that name none: one for all inputs, or one for each.")  # fmt: skip
@click.option("--user", default="", help="The user of rows from homes that name none.")
@click.option("--as", "as_", type=click.Choice(KINDS), help="What every input is taken for.")
@click.option("--order", type=click.Choice(["time", "file"]), default="time", show_default=True,
              help="The order of rows; by file they are written as they are read.")  # fmt: skip
@click.option("--correct-local-times", is_flag=True,
              help="Move zoneless local times to UTC where rows that stand twice give the host's offset.")  # fmt: skip
@click.option("--partition", is_flag=True, help="Parquet: a folder with a part for each agent and date.")
@click.option("--csv-safe", is_flag=True, help="CSV: no cell is a formula for a spreadsheet.")
@click.option("--csv-bom", is_flag=True, help="CSV: begin with the mark by which Excel knows UTF-8.")
@filtering
@click.option("--redact", is_flag=True, help="Put a marker with a short hash in the place of secrets.")
@click.option("--no-hash", is_flag=True, help="Don't compute SHA-256 of the files that are read.")
@click.option("--interpret", is_flag=True, help="Use the reference back end.")
@click.option("--no-cache", is_flag=True, help="Neither use nor keep compiled specs.")
@click.option("-q", "--quiet", is_flag=True, help="No summary, no progress bar.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one line of JSON.")
@_bounds
def command(inputs: tuple[str, ...], specs: tuple[str, ...], agents: tuple[str, ...], **options: Any) -> int:
    """Read what agents left in each INPUT (a home, a tree of homes, a disk's root, a volume, a project, an agent's
    directory, a collection, what KAPE, UAC or Velociraptor left, an archive of any of these; by default the current
    user's home) and write it as rows. A collection is held to its manifest.

    Rows go to stdout or to --out, the summary goes to stderr. With --out a folder gets the timeline, sessions.jsonl and
    run.json. A file's name gives the format: .jsonl, .csv, .parquet, .sqlite, .duckdb, .md. Exit status: 0 with rows,
    1 without, 2 for an error.

    Example: engine run ~ --spec zed --out timeline/

    Example: engine run ~ --since yesterday --redact --out day.parquet
    """
    from engine.cli.execution import Execution

    out = place(
        options["out"], options["format_"], partition=options.pop("partition"), safe=options.pop("csv_safe"),
        bom=options.pop("csv_bom"),
    )  # fmt: skip
    options["filters"] = filters_of(options)
    refuse_inside(out, [Path(given) for given in inputs])
    options["cache"] = cache_for(inputs, keep=not options.pop("no_cache"))
    plans = plans_of(specs, agents, options["cache"])
    bounds = {field: options.pop(name) for name, (field, _) in _BOUNDS.items()}
    return Execution(list(inputs), plans, out, replace(_LIMITS, **bounds), options).run()


def cache_for(inputs: Sequence[str], *, keep: bool = True) -> Cache:
    """The cache of compiled specs while these inputs are read; without one it is the user's own home."""
    return Cache(keep, [Path(given) for given in inputs] or [Path.home()])


def plans_of(specs: tuple[str, ...], agents: tuple[str, ...], cache: Cache) -> list[Plan]:
    """The plans of the named specs, those of the named agents only. Raises UsageError when two are of one agent."""
    plans = [cache.plan(spec) for spec in specs or all_specs()]
    known = [plan.agent for plan in plans]
    for agent in agents:
        if agent not in known:
            near = nearest_name(agent, known)
            raise UsageError(f"--agent {agent}: no spec of it" + (f" (did you mean '{near}'?)" if near else ""))
    twice = next((agent for agent in known if known.count(agent) > 1), None)
    if twice:
        raise UsageError(f"two specs describe {twice}")
    return [plan for plan in plans if not agents or plan.agent in agents]
