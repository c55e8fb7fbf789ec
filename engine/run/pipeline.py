"""The run: sources in their order, one after the other, through a back end, pairing and the order, into a sink.

A back end sees one source; pairing and order are the only stages that see more. A row that has to wait lies aside, and
what goes through the sort is its key and its place there.
"""

from __future__ import annotations

import marshal
import struct
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, compress, groupby
from operator import itemgetter
from typing import Any, Protocol

from msgspec import Struct, field

from engine.read.sources import Source
from engine.run import items
from engine.run.clocks import Clocks, Offset, Where
from engine.run.context import RunContext
from engine.run.filters import COMPANION, IN, Companions, Filters
from engine.run.ledger import Ledger
from engine.run.order import Sorter, without
from engine.run.pairing import Pairing
from engine.run.pools import homes, pools, starts_late
from engine.run.shelves import RowShelf, Sink, TextShelf, TextSink
from engine.run.tally import Tally

RowTuple = tuple[Any, ...]
BackEnd = Callable[[Source, RunContext, Ledger], Iterator[list[RowTuple]]]
#: rows in, the same rows without secrets out, and how many each had
Redact = Callable[[list[RowTuple]], tuple[list[RowTuple], list[int]]]

#: bytes of a row's key in the time order, and in the order by file
TIME_KEY, FILE_KEY = 36, 12
#: from how many rows, or characters of their texts, on they are handled together: few enough to stay in the processor's
#: cache from the walk to the sink
_BATCH, _BATCH_SIZE = 256, 256 << 10
_text, _arguments = itemgetter(11), itemgetter(21)


class Setup(Struct, frozen=True):
    """What a run works with.

    contexts  agent → the context of its plan
    back_end  one source in, its rows and its ledger out
    order     `time`, or `file`: by host, user, agent, source_file and the order of the walk
    clocks    host, user, agent → the offsets by which zoneless local times are corrected
    filters   which rows are written
    redact    what takes secrets out of rows
    """

    contexts: Mapping[str, RunContext]
    back_end: BackEnd
    order: str = "time"
    clocks: Mapping[Where, tuple[Offset, ...]] | None = None
    filters: Filters = field(default_factory=Filters)
    redact: Redact | None = None


class Listener(Protocol):
    """Told of each source. When one is done its ledger still lacks what pairing leaves out, told row by row."""

    def source_begins(self, number: int, source: Source) -> None: ...
    def source_done(self, number: int, source: Source, ledger: Ledger) -> None: ...
    def paired(self, number: int, source: Source, store: str) -> None: ...


class Run:
    """One pass over the sources. `tally` holds totals and sessions afterwards, exact for the rows that were written,
    `clocks` the offsets of local times that pairs gave, `seen` the number of rows before pairing and filters,
    `secrets` the number of secrets that were replaced in the rows that were written."""

    def __init__(self, setup: Setup, sources: list[Source], sink: Sink, listener: Listener):
        self._setup, self._sources, self._sink, self._listener = setup, sources, sink, listener
        self._by_time = setup.order == "time"
        self._keys = items.row_keys if self._by_time else items.row_places
        self._key_of: Callable[[bytes], bytes] = items.key_of if self._by_time else items.place_of
        self._width = TIME_KEY if self._by_time else FILE_KEY
        self._record = struct.Struct(f">{self._width}sQQ").pack
        self._place = struct.Struct(f">{self._width}xQQ").iter_unpack
        self._rows, self._pending, self._drops = Sorter(), Sorter(), Sorter()
        self._shelf = TextShelf(sink) if isinstance(sink, TextSink) else RowShelf(sink)
        self._filters = setup.filters or None
        self._companions = Companions() if setup.filters.match else None
        self.seen = self.secrets = 0
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
        for sorter in (self._rows, self._pending, self._drops, self._companions):
            if sorter is not None:
                sorter.clear()
        self._shelf.clear()
        self.tally.close()

    def _block(self, block: list[tuple[int, Source]]) -> None:
        """The sources of one host, user and agent: no pairing reaches further."""
        plan = self._setup.contexts[block[0][1].agent].plan
        sources = [source for _, source in block]
        pairing = Pairing(pools(plan, sources), self._drop)
        late = {store.name for store in plan.stores if starts_late(plan, store)}
        for (number, source), home in zip(block, homes(sources), strict=True):
            pairing.begin(number, home)
            sorted_ = self._by_time or self._companions is not None
            held = sorted_ or not pairing.idle or any(name in late for name, _ in source.stores)
            self._source(number, source, pairing, held)
            pairing.end_source()
            if pairing.local and not sorted_:
                self._settle()
        pairing.end()
        self.clocks.note(block[0][1].sort_key[:3], pairing.clock)
        if not self._by_time:
            self._settle()

    def _source(self, number: int, source: Source, pairing: Pairing, held: bool) -> None:
        """Reads one source; its rows are kept to be sorted when `held`, else written as they come."""
        self._listener.source_begins(number, source)
        ledger = Ledger()
        made = self._setup.back_end(source, self._setup.contexts[source.agent], ledger)
        for some in _batches(self.clocks.corrected(source.sort_key[:3], made)):
            self.seen += len(some)
            stay, secrets = self._held(some, number, pairing) if held else self._passed(some)
            self.tally.add(stay, number)
            self.secrets += sum(secrets)
            # while the next are read, none of these is needed
            del some, stay
        self._listener.source_done(number, source, ledger)

    def _passed(self, rows: list[RowTuple]) -> tuple[list[RowTuple], list[int]]:
        """Writes the rows that are chosen, at once; gives them, and how many secrets each had."""
        if self._filters is not None:
            rows = [row for row, fate in zip(rows, self._filters.chosen(rows), strict=True) if fate == IN]
        rows, secrets = self._redacted(rows)
        if rows:
            self._sink.write_rows(rows)
        return rows, secrets

    def _held(self, rows: list[RowTuple], number: int, pairing: Pairing) -> tuple[list[RowTuple], list[int]]:
        """Keeps the rows that are chosen, to be sorted. Gives those that are sure to stay, and their secrets."""
        keys = self._keys(rows, number)
        unsure = [] if pairing.idle else [pairing.observe(row) for row in rows]
        if self._filters is not None:
            rows, keys, unsure = self._chosen(rows, keys, unsure, number)
        rows, secrets = self._redacted(rows)
        self._keep(keys, rows)
        if not any(unsure):
            return rows, secrets
        counts = secrets or [0] * len(rows)
        for row, key, count, waits in zip(rows, keys, counts, unsure, strict=True):
            if waits:
                self._pending.add(key + marshal.dumps((number, _short(row), count)))
        sure = [not waits for waits in unsure]
        return list(compress(rows, sure)), list(compress(secrets, sure))

    def _keep(self, keys: list[bytes], rows: list[RowTuple]) -> None:
        self._rows.extend(map(self._record, keys, *self._shelf.add(rows)))

    def _chosen(
        self, rows: list[RowTuple], keys: list[bytes], unsure: list[bool], number: int
    ) -> tuple[list[RowTuple], list[bytes], list[bool]]:
        """The rows that the filters choose, with their keys and whether pairing may leave them out."""
        assert self._filters is not None
        fates = self._filters.chosen(rows)
        if self._companions is not None:
            for row, key, fate in zip(rows, keys, fates, strict=True):
                if fate == IN:
                    self._companions.matched(row)
                elif fate == COMPANION:
                    (clean,), secrets = self._redacted([row])
                    self._companions.waits(row, (key, number, clean, sum(secrets)))
        chosen = [fate == IN for fate in fates]
        return list(compress(rows, chosen)), list(compress(keys, chosen)), list(compress(unsure, chosen))

    def _redacted(self, rows: list[RowTuple]) -> tuple[list[RowTuple], list[int]]:
        return (rows, []) if self._setup.redact is None else self._setup.redact(rows)

    def _drop(self, item: bytes, store: str) -> None:
        self._drops.add(self._key_of(item))
        number = items.source_of(item)
        self._listener.paired(number, self._sources[number], store)

    def _settle(self) -> None:
        """Writes the rows that are held, in order, without those that pairing dropped, and counts those that stayed."""
        width = self._width
        if self._companions is not None:
            for key, number, row, count in self._companions.found():
                self._keep([key], [row])
                self._pending.add(key + marshal.dumps((number, _short(row), count)))
        ordered = without(self._rows.chunks(), self._drops.chunks(), width)
        self._shelf.write(chain.from_iterable(self._place(b"".join(chunk)) for chunk in ordered))
        for chunk in without(self._pending.chunks(), self._drops.chunks(), width):
            waiting = (marshal.loads(record[width:]) for record in chunk)
            for number, some in groupby(waiting, key=itemgetter(0)):
                _, rows, counts = zip(*some, strict=True)
                self.tally.add(list(rows), number)
                self.secrets += sum(counts)
        for sorter in (self._rows, self._pending, self._drops):
            sorter.clear()
        self._shelf.clear()


def _short(row: RowTuple) -> RowTuple:
    """What counts need of a row: all but its long texts."""
    return (*row[:11], "", *row[12:21], "", "", row[23])


def _batches(made: Iterator[list[RowTuple]]) -> Iterator[list[RowTuple]]:
    """Rows, neither very few nor very many at a time."""
    some: list[RowTuple] = []
    size = 0
    for rows in made:
        for at in range(0, len(rows), _BATCH):
            part = rows[at : at + _BATCH]
            some += part
            size += sum(map(len, map(_text, part))) + sum(map(len, map(_arguments, part)))
            del part
            if size > _BATCH_SIZE or len(some) >= _BATCH:
                yield some
                some, size = [], 0
    if some:
        yield some
