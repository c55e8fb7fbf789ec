"""What is remembered of each source while a run goes on, for `run.json` and the summary."""

from __future__ import annotations

import marshal
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from engine.cli.progress import Progress
from engine.read.sources import Source
from engine.run.ledger import Ledger
from engine.run.order import Sorter
from engine.write.manifest import file_entry


class RunListener:
    """The listener of a run. File entries wait on disk until it is known which of their rows were paired away."""

    def __init__(self, progress: Progress, keep_files: bool):
        self.ledgers: dict[str, Ledger] = defaultdict(Ledger)
        self.sources = 0
        self._progress, self._keep_files = progress, keep_files
        self._entries = Sorter()
        self._paired: Counter[tuple[int, str]] = Counter()

    def source_begins(self, number: int, source: Source) -> None:
        self._progress.step(number, source.source_file)

    def source_done(self, number: int, source: Source, ledger: Ledger) -> None:
        self.sources += 1
        self.ledgers[source.agent].add(ledger)
        if self._keep_files:
            self._entries.add(number.to_bytes(4, "big") + marshal.dumps(file_entry(source, ledger)))

    def paired(self, number: int, source: Source, store: str) -> None:
        self.ledgers[source.agent].store(store).paired += 1
        self._paired[number, store] += 1

    @property
    def paired_rows(self) -> int:
        return self._paired.total()

    def files(self) -> Iterator[dict[str, Any]]:
        """The entries for `run.json`, in the order of sources."""
        for chunk in self._entries.chunks():
            for record in chunk:
                entry = marshal.loads(record[4:])
                for store, count in entry["stores"].items():
                    count["paired"] = self._paired[int.from_bytes(record[:4], "big"), store]
                yield entry

    def ledger(self) -> dict[str, Any]:
        """Agent → store → numbers, over all sources."""
        return {agent: ledger.as_dict() for agent, ledger in sorted(self.ledgers.items())}

    def close(self) -> None:
        self._progress.close()
        self._entries.clear()
