"""`engine census`: what data holds that specs do not read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from engine.cli.terminal import one_line
from engine.errors import UsageError
from engine.lang.load import load_plan
from engine.lang.plan import Plan
from engine.read.discover import DiscoverOptions, Discovery, find
from engine.read.inputs import KINDS
from engine.review.census import Census, entries
from engine.review.census_counts import Counts, Entry
from engine.review.census_files import count_files
from engine.spec.library import all_specs

NOTHING, UNREAD = 0, 1


@click.command("census", short_help="What data holds that specs do not read.")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@click.option("--spec", "specs", multiple=True, metavar="SPEC", help="A known spec or a file; default: all known.")
@click.option("--as", "as_", type=click.Choice(KINDS), help="What every input is taken for.")
@click.option("--all", "everything", is_flag=True, help="List what the spec names as left alone, too.")
@click.option("--json", "as_json", is_flag=True, help="Print the census as JSON.")
def command(inputs: tuple[str, ...], specs: tuple[str, ...], as_: str | None, everything: bool, as_json: bool) -> int:
    """Count what each INPUT (as for `engine run`) holds that the specs do not read: members by path, kinds and variants
    without a case, tables, columns, files; and the versions that it names. Each with one example's place.

    Of secret files nothing is looked at, and no text is ever shown: only names of a format, short words that rules
    dispatch on, and versions. Exit status: 0 when all that is left is named in `unread`, 1 when not, 2 for an error.

    Example: engine census ~ --spec codex-cli
    """
    plans = _plans(specs)
    found = find(list(inputs), plans, DiscoverOptions(as_))
    counts = Counts()
    taken = {plan.agent: _Taken(Census(plan, counts=counts), found) for plan in plans}
    taken = {agent: each for agent, each in taken.items() if each.files}
    listed = entries(counts, plans)
    if as_json:
        shown = {"agents": [each.as_dict() for each in taken.values()], "beyond": counts.beyond}
        shown["entries"] = [entry.as_dict() for entry in listed]
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace"))
    else:
        for line in _lines(taken, listed, counts, everything):
            click.echo(one_line(line))
    return UNREAD if any(not entry.left for entry in listed) else NOTHING


def _plans(specs: tuple[str, ...]) -> list[Plan]:
    """The plans of the specs, of all known ones without any. Raises UsageError for two specs of one agent."""
    plans: dict[str, Plan] = {}
    for spec in specs or all_specs():
        plan = load_plan(spec)
        if plan.agent in plans:
            raise UsageError(f"--spec {spec}: {plans[plan.agent].file} is about {plan.agent} too")
        plans[plan.agent] = plan
    return list(plans.values())


class _Taken:
    """The census of one agent, taken."""

    def __init__(self, census: Census, found: Discovery):
        self.census, self.plan = census, census.plan
        mine = [source for source in found.sources if source.agent == self.plan.agent]
        for source in mine:
            census.source(source)
        bases = {str(place.base.path): place.base for taken in found.inputs for place in taken.places}
        count_files(self.plan, bases.values(), mine, census.counts)
        self.files = len(mine)

    def as_dict(self) -> dict[str, Any]:
        return {
            "agent": self.plan.agent,
            "spec": self.plan.file,
            "files": self.files,
            "secret_files": self.census.secret,
            "versions": [
                {"store": store, "path": path, "values": dict(values.most_common())}
                for store, path, values in self.versions
            ],
        }

    @property
    def versions(self) -> list[tuple[str, str, Any]]:
        found = self.census.counts.versions.items()
        return [(store, path, values) for (agent, store, path), values in found if agent == self.plan.agent]


def _lines(taken: dict[str, _Taken], listed: list[Entry], counts: Counts, everything: bool) -> Iterator[str]:
    if not taken:
        yield "nothing was found that these specs describe"
    for agent, each in taken.items():
        secret = f", {each.census.secret} of them secret and not looked at" if each.census.secret else ""
        yield f"{agent}: {each.files} {'file' if each.files == 1 else 'files'}{secret}"
        for store, path, values in each.versions:
            said = ", ".join(f"{value} ({count})" for value, count in values.most_common())
            yield f"  version  {store}  {path or 'of the spec'}: {said}"
        mine = [entry for entry in listed if entry.agent == agent]
        for entry in mine:
            if everything or not entry.left:
                yield _line(entry)
        left = sum(bool(entry.left) for entry in mine)
        if left and not everything:
            yield f"  {left} more that the spec names as left alone (--all)"
        if left == len(mine):
            yield "  nothing that the spec neither reads nor names"
    if counts.beyond:
        yield f"{counts.beyond} more were met when the census was full"


def _line(entry: Entry) -> str:
    detail = f" = {entry.detail}" if entry.kind == "value" else f" is {entry.detail}" if entry.detail else ""
    types = f" ({', '.join(entry.types)})" if entry.types else ""
    why = f"  [{entry.left}]" if entry.left else ""
    where = f"{entry.store}  " if entry.store else ""
    return f"  {entry.kind:8} {where}{entry.path}{detail}{types}  {entry.count}×  {entry.example}{why}"
