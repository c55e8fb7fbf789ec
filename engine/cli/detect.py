"""`engine detect`: what agents left in an input, without reading it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import click

from engine.cli.finding import discovered
from engine.cli.summary import INPUTS
from engine.cli.terminal import one_line
from engine.collect.survey import Count, Presence, Survey, survey
from engine.lang.load import load_plan
from engine.lang.times import utc_text
from engine.read.archives import Workspace
from engine.read.discover import Discovery
from engine.read.inputs import KINDS
from engine.read.names import shown
from engine.read.sources import Base
from engine.spec.library import all_specs

FOUND, NOTHING = 0, 1

#: base → the path that is shown, where it is not its own
Paths = dict[Base, str]


@click.command("detect", short_help="Say what agents left in an input.")
@click.argument("inputs", nargs=-1, metavar="INPUT...", required=True)
@click.option("--files", is_flag=True, help="List each file with the stores that read it.")
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@click.option("--spec", "specs", multiple=True, metavar="SPEC", help="A known spec or a file; default: all known.")
@click.option("--as", "as_", type=click.Choice(KINDS), help="What every input is taken for.")
@click.option("--host", multiple=True, help="The host of inputs that name none: one for all, or one for each.")
@click.option("--user", default="", help="The user of homes that name none.")
@click.option("--no-hash", is_flag=True, help="Don't hold a collection's files to their SHA-256.")
def command(inputs: tuple[str, ...], files: bool, as_json: bool, specs: tuple[str, ...], as_: str | None,
            host: tuple[str, ...], user: str, no_hash: bool) -> int:  # fmt: skip
    """Say what each INPUT is taken for, and which users, homes, agents and stores it holds: files, bytes, the first and
    the last time that one was modified. Also: stores that no walk reads, what looks like an agent that no spec knows,
    and what is missing, changed or added in a collection.

    Exit status: 0 when something was found, 1 when not, 2 for an error.

    Example: engine detect /mnt/image --files
    """
    plans = [load_plan(spec) for spec in specs or all_specs()]
    with Workspace() as workspace:
        found = discovered(inputs, plans, workspace, as_=as_, hosts=host, user=user, hashing=not no_hash)
        seen = survey(found, plans, keep_files=files)
        if as_json:
            click.echo(json.dumps(_document(found, seen, files, workspace), ensure_ascii=True, indent=2))
        else:
            for line in _lines(found, seen, files, workspace):
                click.echo(line)
    return FOUND if seen.presences else NOTHING


def when(moment_ns: int | None) -> str:
    return "" if moment_ns is None else utc_text(moment_ns // 10**6)


def _count(count: Count) -> dict[str, Any]:
    return {"files": count.files, "bytes": count.bytes, "first": when(count.first_ns), "last": when(count.last_ns)}


def _base(presence: Presence, paths: Paths) -> dict[str, str]:
    base = presence.base
    return {"host": base.host, "user": base.user, "kind": base.kind, "path": paths.get(base) or _path(base),
            "prefix": base.prefix}  # fmt: skip


def _path(base: Base) -> str:
    return shown(os.fspath(base.path))


def _paths(found: Discovery, workspace: Workspace) -> Paths:
    """The paths of bases that lie in archives: `<archive>:<path in it>`."""
    placed = (
        (taken, place.base, workspace.inside(place.base.path)) for taken in found.inputs for place in taken.places
    )
    return {base: f"{taken.label}:{shown(inside)}" for taken, base, inside in placed if inside is not None}


def _document(found: Discovery, seen: Survey, files: bool, workspace: Workspace) -> dict[str, Any]:
    paths = _paths(found, workspace)
    return {
        "inputs": [{"path": taken.label, "as": taken.kind} for taken in found.inputs],
        "found": [_presence(presence, files, paths) for presence in seen.presences],
        "unknown": [
            {"host": base.host, "user": base.user, "path": shown(odd.path), "file": shown(odd.file), "why": odd.why}
            for base, odd in seen.strangers
        ],
        "problems": [{"path": problem.source_file, "reason": problem.reason} for problem in found.problems],
    }


def _presence(presence: Presence, files: bool, paths: Paths) -> dict[str, Any]:
    unwalked = dict(presence.unwalked())
    stores = [
        {"store": name, "walked": name not in unwalked, "why": unwalked.get(name, ""), **_count(count)}
        for name, count in presence.stores.items()
    ]
    known = {**_base(presence, paths), "agent": presence.plan.agent, **_count(presence.total), "stores": stores,
             "unread": _count(presence.rest)}  # fmt: skip
    if files:
        known["source_files"] = [
            {
                "source_file": shown(item.place),
                "size": item.size,
                "stores": (item.store or "").split(",") if item.store else [],
            }
            for item in presence.files
        ]
    return known


def _lines(found: Discovery, seen: Survey, files: bool, workspace: Workspace) -> Iterator[str]:
    paths = _paths(found, workspace)
    for taken in found.inputs:
        yield f"input      {one_line(taken.label)}: taken for {INPUTS.get(taken.kind, taken.kind)}"
    before = None
    for presence in seen.presences:
        base = _base(presence, paths)
        if base != before:
            before = base
            who = " ".join(f"{name} {one_line(base[name])}" for name in ("host", "user") if base[name])
            yield f"{base['kind']:10} {one_line(base['path'])}" + (f" ({who})" if who else "")
        yield f"  {presence.plan.agent:12} {_words(presence.total)}"
        unwalked = dict(presence.unwalked())
        for name, count in sorted(presence.stores.items()):
            note = (
                f"; no walk reads it{': ' + unwalked[name] if unwalked.get(name) else ''}" if name in unwalked else ""
            )
            yield f"    {name:22} {_words(count)}{note}"
        if presence.rest.files:
            yield f"    {'(no store)':22} {_words(presence.rest)}"
        for item in presence.files if files else ():
            yield f"      {item.size:>12} {item.store or '-'} {one_line(shown(item.place))}"
    for home, odd in seen.strangers:
        user = f" of {one_line(home.user)}" if home.user else ""
        yield f"unknown    {one_line(shown(odd.path))}{user}: {odd.why} in {one_line(shown(odd.file))}"
    if not (seen.presences or seen.strangers):
        yield "nothing was found that these specs describe"
    for problem in found.problems:
        yield f"problem    {one_line(problem.source_file)}: {one_line(problem.reason)}"


def _words(count: Count) -> str:
    files = "1 file" if count.files == 1 else f"{count.files} files"
    return f"{files}, {count.bytes} bytes, {when(count.first_ns)} to {when(count.last_ns)}"
