"""The rows in which two specs differ on real input, compared place by place in bounded memory."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from engine.lang.plan import Plan
from engine.read.discover import DiscoverOptions, find
from engine.read.limits import Limits
from engine.read.sources import Source
from engine.rows import COLUMNS
from engine.run import generated
from engine.run.ledger import Ledger
from engine.run.order import Sorter, in_groups
from engine.run.passes import prepare
from engine.run.pipeline import Run, Setup

RowTuple = tuple[Any, ...]

_FILE, _LINE = COLUMNS.index("source_file"), COLUMNS.index("source_line")
_RULE, _TURN, _EVENT = COLUMNS.index("rule"), COLUMNS.index("turn_type"), COLUMNS.index("event")
#: a place: the head of its file's path, a hash of host, user, agent and the whole path, the line
_HEAD, _WIDTH = 48, 48 + 8 + 8
_OLD, _NEW = b"\0", b"\1"

_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder().decode


class RowChange(NamedTuple):
    """A row that only one spec gives, or one that both give with other columns (`columns`: name → old, new)."""

    kind: str
    row: dict[str, Any]
    columns: dict[str, tuple[Any, Any]]


class RowDifference(NamedTuple):
    """How many rows each spec gives, how many only one of them does, how many changed; and the first of these."""

    old: int
    new: int
    added: int
    removed: int
    changed: int
    shown: tuple[RowChange, ...]

    @property
    def any(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def compare_rows(old: Plan, new: Plan, inputs: Sequence[str], as_: str | None, most: int) -> RowDifference:
    """Runs both specs on the inputs. `most` is how many differing rows are kept to be shown."""
    rows = Sorter()
    before, after = (_gather(plan, side, inputs, as_, rows) for plan, side in ((old, _OLD), (new, _NEW)))
    kinds: Counter[str] = Counter()
    shown: list[RowChange] = []
    try:
        for group in in_groups(rows.chunks(), _WIDTH):
            for change in _differing(group):
                kinds[change.kind] += 1
                if len(shown) < most:
                    shown.append(change)
    finally:
        rows.clear()
    return RowDifference(before, after, kinds["added"], kinds["removed"], kinds["changed"], tuple(shown))


class _Silent:
    """Hears what a run reads, and keeps nothing."""

    def source_begins(self, number: int, source: Source) -> None: ...
    def source_done(self, number: int, source: Source, ledger: Ledger) -> None: ...
    def paired(self, number: int, source: Source, store: str) -> None: ...


class _Sink:
    """Puts rows into the sorter, behind their place."""

    def __init__(self, side: bytes, rows: Sorter):
        self._side, self._rows, self.count = side, rows, 0

    def encode(self, row: RowTuple) -> bytes:
        return _place(row) + self._side + _encode(row[: len(COLUMNS)])

    def write(self, encoded: list[bytes]) -> None:
        self.count += len(encoded)
        self._rows.extend(encoded)

    def write_rows(self, rows: list[RowTuple]) -> None:
        self.write([self.encode(row) for row in rows])


def _place(row: RowTuple) -> bytes:
    path = str(row[_FILE]).encode("utf-8", "replace")
    whole = "\0".join(map(str, (*row[1:4], row[_FILE]))).encode("utf-8", "surrogatepass")
    line = (int(row[_LINE]) + (1 << 63)).to_bytes(8, "big")
    return path[:_HEAD].ljust(_HEAD, b"\0") + hashlib.blake2b(whole, digest_size=8).digest() + line


def _gather(plan: Plan, side: bytes, inputs: Sequence[str], as_: str | None, rows: Sorter) -> int:
    sources = find(inputs, [plan], DiscoverOptions(as_)).sources
    if not sources:
        return 0
    context = prepare(plan, sources, Limits(), hashing=False)
    sink = _Sink(side, rows)
    run = Run(Setup({plan.agent: context}, generated.batches, "file"), sources, sink, _Silent())
    try:
        run.run()
    finally:
        run.close()
    return sink.count


def _differing(group: Iterable[bytes]) -> Iterator[RowChange]:
    """The differences among the rows of one place."""
    sides: dict[bytes, Counter[bytes]] = {_OLD: Counter(), _NEW: Counter()}
    for record in group:
        sides[record[_WIDTH : _WIDTH + 1]][record[_WIDTH + 1 :]] += 1
    old = [_decode(row) for row in (sides[_OLD] - sides[_NEW]).elements()]
    new = [_decode(row) for row in (sides[_NEW] - sides[_OLD]).elements()]
    for same in ((_RULE,), (_TURN, _EVENT)):
        for row in list(old):
            mate = next((other for other in new if all(other[at] == row[at] for at in same)), None)
            if mate is not None:
                old.remove(row)
                new.remove(mate)
                columns = {n: (a, b) for n, a, b in zip(COLUMNS, row, mate, strict=True) if a != b}
                yield RowChange("changed", dict(zip(COLUMNS, mate, strict=True)), columns)
    yield from (RowChange("removed", dict(zip(COLUMNS, row, strict=True)), {}) for row in old)
    yield from (RowChange("added", dict(zip(COLUMNS, row, strict=True)), {}) for row in new)
