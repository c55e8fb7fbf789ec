"""The run: sources in their order, one after the other, through a back end, pairing and the order, into a sink.

A back end sees one source; pairing and order are the only stages that see more. Rows travel as bytes: the sink's
`encode` is called once a row, and what goes through the sort is its result behind the row's key.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Protocol

from engine.read.sources import Source
from engine.run import items
from engine.run.clocks import Clocks, Offset, Where
from engine.run.context import RunContext
from engine.run.ledger import Ledger
from engine.run.order import Sorter, without
from engine.run.pairing import Pairing
from engine.run.pools import homes, pools, starts_late
from engine.run.tally import Tally

RowTuple = tuple[Any, ...]
BackEnd = Callable[[Source, RunContext, Ledger], Iterator[RowTuple]]

#: bytes of a row's key in the time order, and in the order by file
TIME_KEY, FILE_KEY = 36, 12
#: how many rows, and characters of their texts, are handled together
_BATCH, _BATCH_SIZE = 512, 1 << 20


class Sink(Protocol):
    """The part of `engine.write.sink.Sink` that the run uses."""

    def encode(self, row: RowTuple) -> bytes: ...
    def write(self, encoded: list[bytes]) -> None: ...
    def write_rows(self, rows: list[RowTuple]) -> None: ...


@dataclass(frozen=True, slots=True)
class Setup:
    """What a run works with.

    contexts  agent → the context of its plan
    back_end  one source in, its rows and its ledger out
    order     `time`, or `file`: by host, user, agent, source_file and the order of the walk
    clocks    host, user, agent → the offsets by which zoneless local times are corrected
    """

    contexts: Mapping[str, RunContext]
    back_end: BackEnd
    order: str = "time"
    clocks: Mapping[Where, tuple[Offset, ...]] | None = None


class Listener(Protocol):
    """Told of each source. When one is done its ledger still lacks what pairing leaves out, told row by row."""

    def source_begins(self, number: int, source: Source) -> None: ...
    def source_done(self, number: int, source: Source, ledger: Ledger) -> None: ...
    def paired(self, number: int, source: Source, store: str) -> None: ...


class Run:
    """One pass over the sources. `tally` holds totals and sessions afterwards, exact for the rows that were written,
    `clocks` the offsets of local times that pairs gave."""

    def __init__(self, setup: Setup, sources: list[Source], sink: Sink, listener: Listener):
        self._setup, self._sources, self._sink, self._listener = setup, sources, sink, listener
        self._by_time = setup.order == "time"
        self._keys = items.row_keys if self._by_time else items.row_places
        self._key_of: Callable[[bytes], bytes] = items.key_of if self._by_time else items.place_of
        self._width = TIME_KEY if self._by_time else FILE_KEY
        self._rows, self._pending, self._drops = Sorter(), Sorter(), Sorter()
        self.tally = Tally()
        self.clocks = Clocks(setup.clocks)

    def run(self) -> Tally:
        """Reads, pairs, orders and writes. The sink is open before and stays open after."""
        for _, block in groupby(enumerate(self._sources), key=lambda item: item[1].sort_key[:3]):
            self._block(list(block))
        self._settle()
        return self.tally

    def close(self) -> None:
        """Lets go of temporary files."""
        for sorter in (self._rows, self._pending, self._drops):
            sorter.clear()
        self.tally.close()

    def _block(self, block: list[tuple[int, Source]]) -> None:
        """The sources of one host, user and agent: no pairing reaches further."""
        plan = self._setup.contexts[block[0][1].agent].plan
        sources = [source for _, source in block]
        pairing = Pairing(pools(plan, sources), self._drop)
        late = {store.name for store in plan.stores if starts_late(plan, store)}
        for (number, source), home in zip(block, homes(sources), strict=True):
            pairing.begin(number, home)
            held = self._by_time or not pairing.idle or any(name in late for name, _ in source.stores)
            self._source(number, source, pairing, held)
            pairing.end_source()
            if pairing.local and not self._by_time:
                self._settle()
        pairing.end()
        self.clocks.note(block[0][1].sort_key[:3], pairing.clock)
        if not self._by_time:
            self._settle()

    def _source(self, number: int, source: Source, pairing: Pairing, held: bool) -> None:
        """Reads one source; its rows are kept to be sorted when `held`, else written as they come."""
        self._listener.source_begins(number, source)
        ledger = Ledger()
        rows = self._setup.back_end(source, self._setup.contexts[source.agent], ledger)
        rows = self.clocks.corrected(source.sort_key[:3], rows)
        encode = self._sink.encode
        for some in _batches(rows):
            if held:
                keys = self._keys(some, number)
                self._rows.extend([key + encode(row) for key, row in zip(keys, some, strict=True)])
                some = self._observed(some, keys, number, pairing)
            else:
                self._sink.write_rows(some)
            self.tally.add(some, number)
        self._listener.source_done(number, source, ledger)

    def _observed(self, rows: list[RowTuple], keys: list[bytes], number: int, pairing: Pairing) -> list[RowTuple]:
        """Shows rows to pairing; gives those that are sure to stay. The others wait, without their long texts."""
        if pairing.idle:
            return rows
        stay = []
        for row, key in zip(rows, keys, strict=True):
            if pairing.observe(row):
                short = (*row[:11], "", *row[12:21], "", "", row[23])
                self._pending.add(key + marshal.dumps((number, short)))
            else:
                stay.append(row)
        return stay

    def _drop(self, item: bytes, store: str) -> None:
        self._drops.add(self._key_of(item))
        number = items.source_of(item)
        self._listener.paired(number, self._sources[number], store)

    def _settle(self) -> None:
        """Writes the rows that are held, in order, without those that pairing dropped, and counts those that stayed."""
        width = self._width
        for chunk in without(self._rows.chunks(), self._drops.chunks(), width):
            self._sink.write([record[width:] for record in chunk])
        for chunk in without(self._pending.chunks(), self._drops.chunks(), width):
            waiting = (marshal.loads(record[width:]) for record in chunk)
            for number, some in groupby(waiting, key=itemgetter(0)):
                self.tally.add([row for _, row in some], number)
        for sorter in (self._rows, self._pending, self._drops):
            sorter.clear()


def _batches(rows: Iterator[RowTuple]) -> Iterator[list[RowTuple]]:
    """Rows, some at a time."""
    some: list[RowTuple] = []
    size = 0
    for row in rows:
        some.append(row)
        size += len(row[11])
        if size > _BATCH_SIZE or len(some) == _BATCH:
            yield some
            some, size = [], 0
    if some:
        yield some
