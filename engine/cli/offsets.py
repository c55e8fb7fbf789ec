"""How far the local times of the sources are from UTC, from a pass over them whose rows go nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

from msgspec.structs import replace

from engine.read.sources import Source
from engine.run.clocks import Offset, Where
from engine.run.ledger import Ledger
from engine.run.pipeline import Run, Setup

_EPOCH = date(1970, 1, 1)


class _Nowhere:
    """A sink and a listener that keep nothing."""

    def encode(self, row: tuple[Any, ...]) -> bytes:
        return b""

    def write(self, encoded: list[bytes]) -> None: ...
    def write_rows(self, rows: list[tuple[Any, ...]]) -> None: ...
    def source_begins(self, number: int, source: Source) -> None: ...
    def source_done(self, number: int, source: Source, ledger: Ledger) -> None: ...
    def paired(self, number: int, source: Source, store: str) -> None: ...


def derived(setup: Setup, sources: list[Source]) -> Mapping[Where, tuple[Offset, ...]]:
    """The offsets that pairs of rows give. Nothing is hashed on the way."""
    contexts = {agent: replace(context, hashing=False) for agent, context in setup.contexts.items()}
    nowhere = _Nowhere()
    run = Run(replace(setup, contexts=contexts, order="time"), sources, nowhere, nowhere)
    try:
        run.run()
        return run.clocks.found
    finally:
        run.close()


def clock_entry(where: Where, offset: Offset, corrected: bool) -> dict[str, Any]:
    """A clock as `run.json` tells it."""
    host, user, agent = where
    hours, minutes = divmod(abs(offset.seconds) // 60, 60)
    said = f"{'-' if offset.seconds < 0 else '+'}{hours:02d}:{minutes:02d}"
    return {
        "host": host,
        "user": user,
        "agent": agent,
        "offset": said,
        "from": (_EPOCH + timedelta(days=offset.first)).isoformat(),
        "to": (_EPOCH + timedelta(days=offset.last)).isoformat(),
        "pairs": offset.pairs,
        "agree": offset.agree,
        "corrected": corrected,
    }
