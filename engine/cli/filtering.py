"""The options that choose rows, shared by the commands that write or show them."""

from __future__ import annotations

from typing import Any

import click

from engine.rows import EVENTS, TURN_TYPES
from engine.run.filters import Filters, Window, pattern

_OPTIONS = (
    click.option("--since", metavar="TIME",
                 help="Rows from then on: 2026-10-03, 2026-10-03T16:55+02:00, 16:55, an epoch stamp, 3d, yesterday."),
    click.option("--until", metavar="TIME", help="Rows up to then; of a day or minute its last millisecond counts."),
    click.option("--keep-undated", is_flag=True, help="With --since or --until: keep rows without a time too."),
    click.option("--match", metavar="REGEX",
                 help="Rows whose text, arguments or tool match; with a call its result is kept, and the reverse."),
    click.option("--session", "sessions", multiple=True, metavar="ID",
                 help="Rows of this session; * and ? stand for anything."),
    click.option("--project", "projects", multiple=True, metavar="DIR", help="Rows of this directory, or below it."),
    click.option("--turn", "turns", multiple=True, type=click.Choice(TURN_TYPES), help="Rows of this turn."),
    click.option("--event", "events", multiple=True, type=click.Choice(EVENTS), metavar="EVENT",
                 help="Rows of this event, such as permission_decision."),
    click.option("--no-thinking", is_flag=True, help="No thinking rows."),
)  # fmt: skip
_NAMES = ("since", "until", "keep_undated", "match", "sessions", "projects", "turns", "events", "no_thinking")


def filtering(function: Any) -> Any:
    """Adds the options to a command; `filters_of` takes them."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def narrowing(function: Any) -> Any:
    """The same without `--match`, for commands that have their own way to look for words."""
    for name, option in reversed(list(zip(_NAMES, _OPTIONS, strict=True))):
        if name != "match":
            function = option(function)
    return function


def filters_of(options: dict[str, Any]) -> Filters:
    """The filters, taken out of a command's options. Raises UsageError."""
    given = {name: options.pop(name, None) for name in _NAMES}
    return Filters(
        window=_window(given["since"], given["until"]),
        undated=given["keep_undated"],
        sessions=given["sessions"],
        projects=given["projects"],
        turns=given["turns"],
        events=given["events"],
        thinking=not given["no_thinking"],
        match=pattern(given["match"]) if given["match"] else None,
    )


def _window(since: str | None, until: str | None) -> Window:
    if not (since or until):
        return Window()
    from engine.run.window import window

    return window(since, until)
