"""`engine sessions`: the sessions of a timeline or of evidence."""

from __future__ import annotations

from typing import Any

import click

from engine.ask.answers import FORMATS
from engine.cli.asking import asking
from engine.cli.filtering import filters_of, narrowing

FOUND, NOTHING = 0, 1


@click.command("sessions", short_help="List the sessions.")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@asking
@narrowing
@click.option("--format", "format_", type=click.Choice(FORMATS), default="table", show_default=True,
              help="csv and json have every column of sessions.jsonl.")  # fmt: skip
def command(inputs: tuple[str, ...], specs: tuple[str, ...], agents: tuple[str, ...], **options: Any) -> int:
    """List the sessions of INPUT (a timeline or evidence, as for engine query; by default the current user's home), by
    their first time, with what was said, called and where.

    Exit status: 0 with sessions, 1 without.

    Example: engine sessions timeline/ --since 3d
    """
    from engine.ask.answers import lines
    from engine.cli.asking import feed
    from engine.cli.printing import print_lines
    from engine.cli.terminal import one_line
    from engine.run.sessions import Session, Sessions

    sessions, format_ = Sessions(), options.pop("format_")
    number = 0

    def take(rows: list[tuple[Any, ...]]) -> None:
        nonlocal number
        sessions.add([(*row, "", number + n) for n, row in enumerate(rows)], 0)
        number += len(rows)

    try:
        feed(inputs, specs, agents, filters_of(options), take)
        found = list(sessions.records())
    finally:
        sessions.close()
    if format_ == "table":
        print_lines(lines(_COLUMNS, map(_short, found), format_, one_line))
    else:
        print_lines(lines(Session._fields, found, format_, one_line))
    return FOUND if found else NOTHING


_COLUMNS = ("first", "last", "agent", "session", "prompts", "answers", "calls", "models", "project")


def _short(session: Any) -> tuple[Any, ...]:
    return (
        session.first_timestamp_utc[:16].replace("T", " "),
        session.last_timestamp_utc[:16].replace("T", " "),
        session.agent,
        session.session_id,
        session.user_turns,
        session.assistant_turns,
        session.tool_calls,
        ", ".join(session.models),
        session.project_path,
    )
