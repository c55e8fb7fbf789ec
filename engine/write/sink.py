"""What rows are written to.

Rows that need no sorting come by `write_rows`. The others are turned into the bytes that go through the sort. A text
format's `lines` does so for many rows at once, each with its end, and `write_text` takes these back in their final
order, cut anywhere. Others have `encode` and `write`; a sink that derives from `RowSink` has to say `write_rows` alone.

A row is a tuple whose first items are the columns of `engine.rows.Row`; more may follow and mean nothing here. After
the last one comes `close`, or `abort` when the run did not end well.
"""

from __future__ import annotations

import marshal
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from engine.rows import COLUMNS
from engine.write.files import Output

RowTuple = tuple[Any, ...]


class RecordSink(Output, Protocol):
    """A format that is no text."""

    def encode(self, row: RowTuple) -> bytes: ...
    def write(self, encoded: list[bytes]) -> None: ...
    def write_rows(self, rows: list[RowTuple]) -> None: ...


class TextSink(Output, Protocol):
    """A text format."""

    def lines(self, rows: list[RowTuple]) -> tuple[bytes, list[int]]: ...
    def write_text(self, data: bytes) -> None: ...
    def write_rows(self, rows: list[RowTuple]) -> None: ...


Sink = RecordSink | TextSink


class Facts(Struct, frozen=True):
    """What is known of a run when all its rows are written.

    run       versions, specs, options, totals and the ledger, as in `run.json` without its files
    sessions  the sessions, as objects with the columns of `sessions.jsonl`; each call gives them anew
    files     the entries of `run.json`'s files; each call gives them anew
    """

    run: Callable[[], dict[str, Any]]
    sessions: Callable[[], Iterable[dict[str, Any]]]
    files: Callable[[], Iterable[dict[str, Any]]]


@runtime_checkable
class KeepsFacts(Protocol):
    """A sink that stores the facts of its run beside the rows: `keep` is called after the last row, before `close`."""

    def keep(self, facts: Facts) -> None: ...


class RowSink(ABC):
    """A sink that is given rows, in batches. On their way through the sort they are marshalled, which keeps lone
    surrogates; only what this process wrote to its own unnamed files is read back."""

    def encode(self, row: RowTuple) -> bytes:
        return marshal.dumps(row[: len(COLUMNS)])

    def write(self, encoded: list[bytes]) -> None:
        self.write_rows([marshal.loads(item) for item in encoded])

    @abstractmethod
    def write_rows(self, rows: list[RowTuple]) -> None:
        """Takes rows in their final order, tuples whose first items are the columns."""

    def flush(self) -> None:  # noqa: B027  most hold nothing
        """After the last row: what is held is written, so that all counts are final."""
