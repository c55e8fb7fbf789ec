"""What a question is asked of: timelines that were written before, or evidence that is read for it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from engine.ask.timelines import Timeline, timeline_at
from engine.cli.outputs import Place
from engine.errors import UsageError
from engine.rows import COLUMNS
from engine.run.filters import IN, Filters
from engine.write.sink import RowSink, Sink

RowTuple = tuple[Any, ...]

_OPTIONS = (
    click.option("--spec", "specs", multiple=True, metavar="SPEC", help="For evidence: a known spec or a file.  "
                 "[default: all known]"),
    click.option("--agent", "agents", multiple=True, metavar="ID", help="Only this agent."),
)  # fmt: skip


def asking(function: Any) -> Any:
    """Adds the options of what is asked to a command."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def timeline_of(inputs: Sequence[str]) -> Timeline | None:
    """The one timeline among the inputs; None when they are evidence. Raises UsageError when they are mixed."""
    found = [timeline_at(Path(given)) for given in inputs]
    if not any(found):
        return None
    if len(inputs) > 1:
        raise UsageError("one timeline, or one or more inputs of evidence, can be asked at once")
    return found[0]


@contextlib.contextmanager
def as_timeline(inputs: Sequence[str], specs: tuple[str, ...], agents: tuple[str, ...]) -> Iterator[Timeline]:
    """A timeline to be asked in SQL; of evidence one is made for as long as it takes."""
    timeline = timeline_of(inputs)
    if timeline is not None:
        if specs or agents:
            raise UsageError("--spec and --agent are for evidence: a timeline has its rows")
        yield timeline
        return
    with tempfile.TemporaryDirectory(prefix="agentrows-") as folder:
        made = Path(folder, "timeline.duckdb")
        _execute(inputs, specs, agents, Place("duckdb", made, None), Filters(), None)
        yield Timeline(made, "duckdb")


def feed(
    inputs: Sequence[str],
    specs: tuple[str, ...],
    agents: tuple[str, ...],
    filters: Filters,
    take: Callable[[list[RowTuple]], None],
) -> None:
    """Gives `take` the rows that the filters choose, in order, some at a time."""
    timeline = timeline_of(inputs)
    if timeline is None:
        _execute(inputs, specs, agents, Place("jsonl", None, None), filters, _Handed(take))
        return
    if specs:
        raise UsageError("--spec is for evidence: a timeline has its rows")
    from engine.ask.tables import batches

    for some in batches(timeline):
        if agents:
            some = [row for row in some if row[3] in agents]
        if filters:
            some = [row for row, fate in zip(some, filters.chosen(some), strict=True) if fate == IN]
        if some:
            take(some)


class _Handed(RowSink):
    """A sink that hands on what it is given."""

    def __init__(self, take: Callable[[list[RowTuple]], None]):
        self._take = take

    def write_rows(self, rows: list[RowTuple]) -> None:
        self._take([row[: len(COLUMNS)] for row in rows])

    def open(self) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...


def _execute(
    inputs: Sequence[str],
    specs: tuple[str, ...],
    agents: tuple[str, ...],
    out: Place,
    filters: Filters,
    sink: Sink | None,
) -> None:
    from engine.cli.execution import Execution
    from engine.cli.run import cache_for, plans_of
    from engine.read.limits import Limits

    cache = cache_for(inputs)
    options: dict[str, Any] = {
        "as_": None, "host": (), "user": "", "no_hash": True, "quiet": True, "as_json": False, "order": "time",
        "interpret": False, "correct_local_times": False, "filters": filters, "redact": False, "cache": cache,
    }  # fmt: skip
    Execution(list(inputs), plans_of(specs, agents, cache), out, Limits(), options, sink).run()
