"""`engine explain`: from a row to the spec's lines and their citations."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from engine.cli.terminal import one_line
from engine.errors import UsageError
from engine.lang import jsontext
from engine.review.cites import citations
from engine.review.cites_sources import Sources
from engine.review.explain import Explanation, Place, Rest, Rule, explain, read_rule
from engine.review.spectext import SpecText, read_spec
from engine.spec.library import find_spec

_SHOWN = 160


@click.command("explain", short_help="From a row to its rule and citation.")
@click.argument("what", required=False, default="-", metavar="[ROW|RULE]")
@click.option(
    "--spec", "spec", metavar="SPEC", help="The spec that wrote the row; default: the known one of its agent."
)
@click.option("--source", "given", multiple=True, metavar="[ALIAS=]PATH",
              help="A checkout, a git directory or a folder: the cited lines are shown, at the pin.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a rule.")
def command(what: str, spec: str | None, given: tuple[str, ...], as_json: bool) -> None:
    """Show which step of a spec wrote a row, and what that step rests on.

    ROW is a row as JSON, RULE a rule such as zed/threads/start; without either, rows or rules are read from stdin, one
    a line. A rule is explained once, whatever the number of its rows.

    Example: engine explain zed/threads/start

    With the cited lines: head -1 timeline/timeline.jsonl | engine explain --source zed=~/src/zed
    """
    specs: dict[str, SpecText] = {}
    for rule, row in _asked(what).items():
        if rule.agent not in specs:
            specs[rule.agent] = read_spec(spec or _known(rule.agent))
        text = specs[rule.agent]
        with _sources(text, given) as sources:
            found = explain(text, rule, sources)
        if as_json:
            click.echo(jsontext.dumps(_as_json(text, found, row)).encode("utf-8", "backslashreplace"))
        else:
            for line in _lines(text, found, row):
                click.echo(one_line(line))


def _known(agent: str) -> Path:
    """The known spec of an agent. Raises UsageError that says how to name another."""
    try:
        return find_spec(agent)
    except UsageError as error:
        raise UsageError(f"{error}; of another spec give --spec FILE") from None


def _asked(what: str) -> dict[Rule, dict[str, Any] | None]:
    """The rules in question, each with the first of its rows. Raises UsageError."""
    found: dict[Rule, dict[str, Any] | None] = {}
    lines: Iterable[str] = [what]
    if what == "-":
        lines = (line.decode("utf-8", "replace") for line in sys.stdin.buffer)
    for line in lines:
        if line.strip():
            row = _row(line) if line.lstrip().startswith("{") else None
            found.setdefault(read_rule(str(row["rule"]) if row else line.strip()), row)
    if not found:
        raise UsageError("nothing to explain: stdin has no row and no rule")
    return found


def _row(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise UsageError(f"this row is no JSON: {error}") from None
    if not isinstance(row.get("rule"), str):
        raise UsageError("this row has no `rule`: a row of a timeline names the rule that wrote it")
    return row


def _sources(text: SpecText, given: tuple[str, ...]) -> Sources:
    cited = (each.citation for each in citations(text))
    return Sources(text.plan, given, list(dict.fromkeys(cite.alias for cite in cited if not cite.seen)))


def _lines(text: SpecText, found: Explanation, row: dict[str, Any] | None) -> Iterator[str]:
    yield f"{found.rule}: {found.what}"
    if row is not None:
        place = f"{row.get('source_file', '')}:{row.get('source_line', '')}"
        yield _cut(f"row  {row.get('timestamp_utc') or 'undated'}  {place}  {row.get('text', '')}")
    for place_of in found.places:
        yield f"{text.label}:{place_of.line}:{place_of.column}  {place_of.path}"
        yield from _numbered(place_of)
        if place_of.used:
            yield f"used in {'line' if len(place_of.used) == 1 else 'lines'} {', '.join(map(str, place_of.used))}"
        for rest in place_of.rests:
            yield from _rest_lines(rest)
    yield ""


def _numbered(place: Place) -> Iterator[str]:
    before = None
    for number, line in place.lines:
        if before is not None and number > before + 1:
            yield "       …"
        yield f"{'>' if number in place.own else ' '} {number:5} {line}".rstrip()
        before = number


def _rest_lines(rest: Rest) -> Iterator[str]:
    what = "seen" if rest.citation.seen else "cited"
    where = f"  {rest.evidence.repo} at {rest.evidence.commit}" if rest.evidence and rest.citation.seen else ""
    yield f"{what} {rest.citation.text}{where}"
    if rest.link:
        yield f"  {rest.link}"
    if rest.fault:
        yield f"  {rest.fault}"
    for number, line in rest.lines:
        yield f"  {number:5} {line}".rstrip()


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _as_json(text: SpecText, found: Explanation, row: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "rule": str(found.rule),
        "what": found.what,
        "spec": text.label,
        "row": row,
        "places": [
            {
                "line": place.line,
                "column": place.column,
                "path": place.path,
                "lines": [{"line": n, "text": line, "own": n in place.own} for n, line in place.lines],
                "used": list(place.used),
                "citations": [
                    {
                        "cite": rest.citation.text,
                        "seen": rest.citation.seen,
                        "repo": rest.evidence.repo if rest.evidence else None,
                        "commit": rest.evidence.commit if rest.evidence else None,
                        "link": rest.link,
                        "lines": [{"line": n, "text": line} for n, line in rest.lines],
                        "fault": rest.fault,
                    }
                    for rest in place.rests
                ],
            }
            for place in found.places
        ],
    }
