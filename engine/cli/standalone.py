"""Generated modules by themselves: `python zed_rows.py HOME`, and their `rows(home)`."""

from __future__ import annotations

import marshal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from engine.cli.outputs import place, sink_for
from engine.errors import EngineError
from engine.lang.plan import Plan
from engine.lang.trees import with_trees
from engine.read.discover import DiscoverOptions, find
from engine.rows import COLUMNS, Row
from engine.run.generated import Rules
from engine.run.passes import prepare
from engine.run.pipeline import Run, Setup
from engine.run.runtime import Walk


def rows_of(home: str, walks: Mapping[str, Walk], plan: str) -> Iterator[Row]:
    """The rows of a home, in the order of time."""
    sink = _Kept()
    _run(home, walks, plan, sink)
    return (Row(*marshal.loads(row)) for row in sink.kept)


def main(walks: Mapping[str, Walk], plan: str) -> None:
    """Prints the rows of the home that the command line names as JSONL."""
    if len(sys.argv) != 2:
        sys.exit(f"usage: {Path(sys.argv[0]).name} HOME")
    try:
        sink = sink_for(place(None, "jsonl"), [])
        sink.open()
        _run(sys.argv[1], walks, plan, sink)
        sink.close()
    except EngineError as error:
        sys.exit(str(error))


class _Kept:
    """A sink that keeps what it gets."""

    def __init__(self) -> None:
        self.kept: list[bytes] = []

    def encode(self, row: tuple[Any, ...]) -> bytes:
        return marshal.dumps(row[: len(COLUMNS)])

    def write(self, encoded: list[bytes]) -> None:
        self.kept += encoded

    def write_rows(self, rows: list[tuple[Any, ...]]) -> None:
        self.kept += map(self.encode, rows)


class _Silent:
    """Hears of sources and says nothing."""

    def source_begins(self, number: int, source: Any) -> None: ...
    def source_done(self, number: int, source: Any, ledger: Any) -> None: ...
    def paired(self, number: int, source: Any, store: str) -> None: ...


def _run(home: str, walks: Mapping[str, Walk], plan: str, sink: Any) -> None:
    known = with_trees(msgspec.json.decode(plan, type=Plan))
    found = find([home], [known], DiscoverOptions(as_="home"))
    context = prepare(known, found.sources)
    run = Run(Setup({known.agent: context}, Rules(dict(walks), known).batches), found.sources, sink, _Silent())
    try:
        run.run()
    finally:
        run.close()
