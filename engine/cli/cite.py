"""`engine cite`: holds a spec's citations to the sources they name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from engine.cli.terminal import one_line
from engine.errors import UsageError
from engine.lang.plan import Evidence
from engine.review.cites import BROKEN, Cited, check, citations, sources_of
from engine.review.cites_report import check_json, check_lines, drift_json, drift_lines, written_lines
from engine.review.cites_sources import Sources, by_alias
from engine.review.drift import OPEN, Drifted, drift, target
from engine.review.drift_write import Written, rewritten
from engine.review.spectext import SpecText, read_spec
from engine.write.files import OutputFile

HOLDS, OPEN_ENDS, ERROR = 0, 1, 2

_source = click.option(
    "--source", "given", multiple=True, metavar="[ALIAS=]PATH",
    help="A checkout, a git directory or a folder with the source of an alias of the spec's evidence. Repeat it for "
    "each alias; aliases of one repository share it.",
)  # fmt: skip
_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


@click.group("cite", short_help="Hold citations to their sources.", invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Hold the citations of a spec to the sources that they name, offline.

    Example: engine cite check specs/zed.yaml --source zed=~/src/zed
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        context.exit(ERROR)


@command.command("check", short_help="Does every citation hold at its pin?")
@click.argument("spec")
@_source
@_json
def check_command(spec: str, given: tuple[str, ...], as_json: bool) -> int:
    """Say for every citation of SPEC whether its file is there at the pin, has the lines, and whether the anchor stands
    in them. `seen:` citations are exempt. Exit status: 0 when all hold, 1 when one does not, 2 for an error.

    Example: engine cite check specs/zed.yaml --source zed=~/src/zed
    """
    text = read_spec(spec)
    cited = citations(text)
    with sources_of(text, given, cited) as sources:
        checked = check(cited, sources)
    _print(check_json(text, checked) if as_json else check_lines(text, checked))
    return OPEN_ENDS if any(each.status == BROKEN for each in checked) else HOLDS


@command.command("drift", short_help="What became of the cited lines in another revision?")
@click.argument("spec")
@_source
@click.option("--to", "to", multiple=True, metavar="[ALIAS=]REV", default=("HEAD",), show_default=True,
              help="The revision to compare the pins with, of one alias or of all.")  # fmt: skip
@click.option("--write", is_flag=True, help="Move pins and line numbers in SPEC where nothing changed but place.")
@click.option("--all", "everything", is_flag=True, help="List citations whose lines are the same, too.")
@_json
def drift_command(
    spec: str, given: tuple[str, ...], to: tuple[str, ...], write: bool, everything: bool, as_json: bool
) -> int:
    """Say for every citation of SPEC what became of its lines between the pin and REV: same, moved (with new numbers),
    changed (with a diff) or gone, grouped by the rules that rest on it. `seen:` citations are exempt.

    With --write, pins and numbers are moved in SPEC; all else stays as it is. Citations that need a person stay at the
    old pin, under an alias of their own. Exit status: 0 when nothing changed but place, 1 else, 2 for an error.

    Example: engine cite drift specs/zed.yaml --source zed=~/src/zed --to origin/main --write
    """
    text = read_spec(spec)
    cited = citations(text)
    with sources_of(text, given, cited) as sources:
        revisions = _revisions(to, text.plan.evidence)
        drifted = drift(cited, sources, revisions)
        pins = _pins(cited, sources, revisions)
    written = _written(text, drifted, pins) if write else None
    if as_json:
        _print(drift_json(text, drifted, pins, written))
    else:
        _print(drift_lines(text, drifted, everything))
        _print(written_lines(text, written) if written is not None else ())
    return OPEN_ENDS if any(each.status in OPEN for each in drifted) else HOLDS


def _revisions(given: tuple[str, ...], evidence: Iterable[Evidence]) -> dict[str, str]:
    """Alias → revision; one without an alias is for all that have none of their own."""
    aliases = [each.alias for each in evidence]
    named = [by_alias(text, aliases) for text in given]
    general = [revision for alias, revision in named if alias is None]
    if len(general) > 1:
        raise UsageError(f"--to {general[1]}: one revision for all is enough; others are ALIAS=REV")
    if any(not revision for _, revision in named):
        raise UsageError("--to: an empty revision")
    return dict.fromkeys(aliases, (general or ["HEAD"])[0]) | {alias: rev for alias, rev in named if alias is not None}


def _pins(cited: Iterable[Cited], sources: Sources, revisions: dict[str, str]) -> dict[str, str]:
    """Alias → the full hash of its revision, for every alias that a citation of lines names and a source is given."""
    aliases = dict.fromkeys(each.citation.alias for each in cited if not each.citation.seen)
    found = ((alias, sources.get(alias)) for alias in aliases)
    return {alias: target(source, revisions[alias]).to for alias, source in found if source is not None}


def _written(text: SpecText, drifted: list[Drifted], pins: dict[str, str]) -> Written:
    written = rewritten(text, drifted, pins)
    if written.text != text.text:
        path = Path(text.label).resolve()
        mode = path.stat().st_mode
        output = OutputFile(path)
        output.open()
        try:
            output.write(written.text.encode())
            output.close()
        except BaseException:
            output.abort()
            raise
        path.chmod(mode)
    return written


def _print(what: dict[str, Any] | Iterable[str]) -> None:
    if isinstance(what, dict):
        click.echo(json.dumps(what, ensure_ascii=False, indent=2).encode("utf-8", "backslashreplace"))
    else:
        for line in what:
            click.echo(one_line(line))
