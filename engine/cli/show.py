"""`engine show`: a session as a transcript."""

from __future__ import annotations

import sys
from typing import Any

import click
from msgspec.structs import replace

from engine.cli.asking import asking
from engine.cli.filtering import filters_of, narrowing
from engine.errors import UsageError

_LINES = 30


@click.command("show", short_help="Show a session as a transcript.")
@click.argument("session", metavar="SESSION")
@click.argument("inputs", nargs=-1, metavar="[INPUT]...")
@asking
@narrowing
@click.option("--full", is_flag=True, help=f"Show every text whole, not its first {_LINES} lines.")
@click.option("--no-pager", is_flag=True, help="Print it, also on a terminal.")
def command(
    session: str, inputs: tuple[str, ...], specs: tuple[str, ...], agents: tuple[str, ...], **options: Any
) -> None:
    """Show what happened in a session, each call with its decisions and its result. SESSION is its id, or how it
    begins; INPUT a timeline or evidence, as for engine query, by default the current user's home.

    Example: engine show 6f1c0b2e timeline/
    """
    from engine.ask.transcript import Transcript
    from engine.cli.asking import feed
    from engine.cli.terminal import plain
    from engine.rows import Row

    full, pager = options.pop("full"), not options.pop("no_pager") and sys.stdout.isatty()
    rows: list[Row] = []

    def take(some: list[tuple[Any, ...]]) -> None:
        rows.extend(Row(*row) for row in some)

    filters = filters_of(options)
    feed(inputs, specs, agents, replace(filters, sessions=(*filters.sessions, _starting(session))), take)
    chosen = _one(session, rows)
    colours = sys.stdout.isatty()
    transcript = Transcript(chosen, plain=plain, style=_styled if colours else _plainly, most=0 if full else _LINES)
    lines = (f"{line}\n" for line in transcript.lines())
    if pager:
        click.echo_via_pager(lines, color=True)
    else:
        for line in lines:
            sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()


def _starting(session: str) -> str:
    """The pattern of sessions that begin so."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in session) + "*"


def _one(session: str, rows: list[Any]) -> list[Any]:
    """The rows of the one session that is meant. Raises UsageError."""
    from engine.cli.terminal import one_line

    names = list(dict.fromkeys((row.host, row.user, row.agent, row.session_id) for row in rows))
    exact = [name for name in names if name[3] == session] or names
    if not exact:
        raise UsageError(f"no session {session} (engine sessions lists them)")
    if len(exact) > 1:
        said = ", ".join(" ".join(filter(None, name)) for name in exact[:5]) + (", …" if len(exact) > 5 else "")
        raise UsageError(one_line(f"{session} is more than one session: {said}"))
    return [row for row in rows if (row.host, row.user, row.agent, row.session_id) == exact[0]]


def _styled(text: str, style: str) -> str:
    words = style.split()
    colour = next((word for word in words if word not in ("bold", "dim")), None)
    return click.style(text, fg=colour, bold="bold" in words or None, dim="dim" in words or None)


def _plainly(text: str, style: str) -> str:
    return text
