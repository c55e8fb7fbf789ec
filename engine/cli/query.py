"""`engine query`: a question in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from engine.ask.answers import FORMATS
from engine.cli.asking import asking

if TYPE_CHECKING:
    from engine.ask.tables import Answer


@click.command("query", short_help="Ask a timeline or evidence in SQL.")
@click.argument("question", metavar="SQL")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@asking
@click.option("--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True,
              help="A table cuts long values; the others don't.")  # fmt: skip
def command(
    question: str, inputs: tuple[str, ...], specs: tuple[str, ...], agents: tuple[str, ...], format_: str
) -> None:
    """Ask a question in SQL (DuckDB's). INPUT is a timeline (.parquet, a partitioned folder, .jsonl, .csv, .sqlite,
    .duckdb, or a folder of a run) or evidence, as for engine run; by default the current user's home.

    Tables: rows (with id, their order; timestamp_utc is a TIMESTAMP in UTC, null when undated) and sessions; views
    prompts, calls (with their results), decisions, settings, survivors (secondary rows), notes. Of evidence, a database
    and what has its run beside it there are files and ledger too. A question reads these and nothing else.

    Example: engine query "SELECT agent, count(*) FROM rows GROUP BY agent" timeline/
    """
    from engine.ask.tables import opened
    from engine.cli.asking import as_timeline
    from engine.cli.printing import print_lines

    with as_timeline(inputs, specs, agents) as timeline, opened(timeline) as tables:
        print_lines(_results(tables.answers(question), format_))


def _results(answers: Iterable[Answer], format_: str) -> Iterator[str]:
    """The lines of one result after the other, as DuckDB's own shell has them; between tables one is empty."""
    from engine.ask.answers import lines
    from engine.cli.terminal import one_line

    for number, answer in enumerate(answers):
        if number and format_ == "table":
            yield ""
        yield from lines(answer.columns, answer.rows, format_, one_line)
