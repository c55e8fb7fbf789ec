"""What is remembered of each source while a run goes on, for `run.json` and the summary."""

from __future__ import annotations

import marshal
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from engine.cli.progress import Progress
from engine.lang.plan import Plan
from engine.read.limits import Limits
from engine.read.sources import Source
from engine.run.ledger import Ledger
from engine.run.order import Sorter
from engine.write.manifest import file_entry

#: what the short census may look at again, so that a run with many unknown records is no second one: sources of one
#: agent, and the bytes of one
_MOST_SOURCES, _MOST_BYTES = 20, 16 << 20


class RunListener:
    """The listener of a run. File entries wait on disk until it is known which of their rows were paired away."""

    def __init__(self, progress: Progress, keep_files: bool):
        self.ledgers: dict[str, Ledger] = defaultdict(Ledger)
        self.sources = 0
        self._progress, self._keep_files = progress, keep_files
        self._entries = Sorter()
        self._odd: dict[str, list[Source]] = defaultdict(list)
        self._paired: Counter[tuple[int, str]] = Counter()

    def source_begins(self, number: int, source: Source) -> None:
        self._progress.step(number, source.source_file)

    def source_done(self, number: int, source: Source, ledger: Ledger) -> None:
        self.sources += 1
        self.ledgers[source.agent].add(ledger)
        if any(count.unknown for _, count in ledger) and sum(file.size for file in ledger.files) <= _MOST_BYTES:
            self._odd[source.agent] = [*self._odd[source.agent], source][:_MOST_SOURCES]
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

    def unknown(self, plans: Iterable[Plan], limits: Limits) -> dict[str, Any]:
        """Agent → the short census of what its spec does not know, of agents with unknown records only."""
        if not any(count.unknown for ledger in self.ledgers.values() for _, count in ledger):
            return {}
        from engine.review.census import unknowns

        found = {plan.agent: unknowns(plan, self._odd[plan.agent], limits) for plan in plans if self._odd[plan.agent]}
        return dict(sorted(found.items()))

    def close(self) -> None:
        self._progress.close()
        self._entries.clear()
