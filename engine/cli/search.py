"""`engine search`: the rows that say something."""

from __future__ import annotations

from typing import Any

import click

from engine.cli.asking import asking
from engine.cli.filtering import filters_of, narrowing

FOUND, NOTHING = 0, 1


@click.command("search", short_help="Find the rows that say something.")
@click.argument("words", nargs=-1, required=True, metavar="WORD...")
@click.option("--in", "inputs", multiple=True, metavar="INPUT",
              help="A timeline or evidence, as for engine query.  [default: the current user's home]")  # fmt: skip
@asking
@narrowing
@click.option("--limit", type=click.IntRange(0), default=100, show_default=True, help="The most rows shown; 0 is all.")
@click.option("--jsonl", is_flag=True, help="Print whole rows as JSON lines.")
def command(
    words: tuple[str, ...], inputs: tuple[str, ...], specs: tuple[str, ...], agents: tuple[str, ...], **options: Any
) -> int:
    """Find rows that hold every WORD, in any case, in their text, arguments or tool's name. Words in quotes are one.

    Exit status: 0 when rows were found, 1 when not.

    Example: engine search "rm -rf" --in timeline/ --turn tool_use
    """
    from engine.ask.words import Words
    from engine.cli.asking import feed
    from engine.cli.printing import print_lines
    from engine.rows import Row
    from engine.write.jsonl import encode_row

    looked_for, limit, found = Words(words), options["limit"], 0

    def take(rows: list[tuple[Any, ...]]) -> None:
        nonlocal found
        for row in filter(looked_for.stand_in, rows):
            found += 1
            if not limit or found <= limit:
                line = encode_row(row).decode() if options["jsonl"] else _line(Row(*row), looked_for.excerpt(row))
                print_lines([line])

    feed(inputs, specs, agents, filters_of(options), take)
    if limit and found > limit:
        click.echo(f"{found - limit} more rows (--limit 0 shows all)", err=True)
    return FOUND if found else NOTHING


def _line(row: Any, excerpt: str) -> str:
    from engine.cli.terminal import one_line

    place = f"{row.source_file}:{row.source_line}"
    head = (row.timestamp_utc or "undated", row.agent, row.session_id, row.turn_type, row.tool_name, place)
    return one_line("  ".join(filter(None, head)) + "  " + excerpt.replace("\n", " ").replace("\t", " "))
