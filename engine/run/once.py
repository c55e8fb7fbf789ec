"""`once`: of records with an equal key in one `per` group of a base, one file keeps it, the others count as copies.

The owner is the file whose `prefer` values come first (true before false, then numbers from small to large, texts in
code point order, anything else by its JSON, null last), then the first in the order of sources. `prefer` and `per` are
computed at the first record of a file that has the key. All records of the owner stay, also when a key comes twice in
it. A record with a null key is no copy of anything.

The pass before the walk reads no file that can hold no copy: a store's only file in its base, or in its group when
`per` follows from the path alone. Of the others it reads the head, up to `HEAD` records with a key. Files that share a
key of their heads are a family; only families are read whole. So a copy is found when the copying file has one of the
original's first keyed records among its own first ones, as forks, resumed sessions and backups do.

Keys are kept as digests, in a private SQLite table that spills to disk by itself.
"""

from __future__ import annotations

import contextlib
import hashlib
from bisect import bisect_left
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct, field

from engine.errors import BadUnit
from engine.lang import expr, jsontext
from engine.lang.plan import Once
from engine.lang.times import Stamp
from engine.lang.values import is_number
from engine.read.sources import Source
from engine.run.scope import Scope
from engine.run.values import Values

WIDTH = 16

#: keyed records of a file's head
HEAD = 8

#: source and store → where it stands in `Owners`
At = tuple[str, str, str, str, str]


def place(source: Source, store: str) -> At:
    return source.base.host, source.base.user, str(source.base.path), source.source_file, store


class Digests(Sequence[bytes]):
    """Digests of `WIDTH` bytes, sorted, in one piece of memory."""

    def __init__(self, packed: bytes = b""):
        self.packed = packed

    def __len__(self) -> int:
        return len(self.packed) // WIDTH

    def __getitem__(self, at: Any) -> Any:
        return self.packed[at * WIDTH : at * WIDTH + WIDTH]

    def __contains__(self, digest: object) -> bool:
        at = bisect_left(self, digest) if isinstance(digest, bytes) else len(self)
        return at < len(self) and self[at] == digest


class Owners(Struct, frozen=True):
    """What each file loses: digests of the keys that another file keeps. Picklable."""

    losses: dict[At, bytes] = field(default_factory=dict)

    def lost_by(self, source: Source, store: str) -> Digests | None:
        """The digests of the keys that a file loses; None where it loses none."""
        packed = self.losses.get(place(source, store))
        return Digests(packed) if packed else None


class Key:
    """A store's `once`, compiled."""

    def __init__(self, once: Once, values: Values):
        #: what is asked of the heads
        self.exprs = (once.key,) if once.per is None else (once.key, once.per)
        self.key = values.expr(once.key)
        self.per = values.expr(once.per) if once.per is not None else None
        self.prefer = [values.expr(found) for found in once.prefer]
        #: the names that `prefer` looks up
        self.preferred = {name for found in once.prefer for name in expr.root_names(found.ast)}
        self.by_path = once.per is not None and expr.root_names(once.per.ast) <= {"path"}

    def digest(self, scope: Scope) -> bytes | None:
        """The digest of group and key; None without a key."""
        key = self.key(scope)
        if key is None:
            return None
        text = jsontext.dumps([self.group(scope), key])
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=WIDTH).digest()

    def group(self, scope: Scope) -> Any:
        return self.per(scope) if self.per is not None else None

    def rank(self, scope: Scope) -> list[Any]:
        """The `prefer` values as columns that SQLite sorts: kind, number, text."""
        return [part for found in self.prefer for part in _rank(found(scope))]


def _rank(value: Any) -> tuple[int, float | int, bytes]:
    if isinstance(value, bool):
        return (0 if value else 1), 0, b""
    if isinstance(value, Stamp):
        return 2, value.ms, b""
    if is_number(value):
        return 2, value if isinstance(value, float) or abs(value) < 2**63 else float(value), b""
    if isinstance(value, str):
        return 3, 0, value.encode("utf-8", "surrogatepass")
    if value is None:
        return 5, 0, b""
    return 4, 0, jsontext.dumps(value).encode("utf-8", "surrogatepass")


#: one file as the pass sees it: its keyed records as (digest, rank), read from its start each time
Read = Generator[tuple[bytes, list[Any]], None, None]


def families(heads: Iterable[tuple[Any, Iterable[bytes]]]) -> list[list[Any]]:
    """Files that share a key of their heads, directly or through others, in their order; files alone are left out."""
    files: list[Any] = []
    joined: list[int] = []
    holder: dict[bytes, int] = {}

    def root(at: int) -> int:
        while joined[at] != at:
            at = joined[at]
        return at

    for at, (file, head) in enumerate(heads):
        files.append(file)
        joined.append(at)
        for key in head:
            one, other = sorted((root(holder.setdefault(key, at)), root(at)))
            joined[other] = one
    found: dict[int, list[Any]] = {}
    for at, file in enumerate(files):
        found.setdefault(root(at), []).append(file)
    return [members for members in found.values() if len(members) > 1]


def losses(family: Sequence[Read], parts: int) -> Iterator[tuple[int, bytes]]:
    """Which member of a family loses what: (its index, its digests packed and sorted). `parts` columns a rank."""
    import sqlite3

    columns = [f"r{n}" for n in range(parts)]
    names = ", ".join(["digest", "file", *columns])
    with contextlib.closing(sqlite3.connect("")) as store:
        store.execute(f"CREATE TABLE keys ({names}, PRIMARY KEY (digest, file)) WITHOUT ROWID")
        insert = f"INSERT OR IGNORE INTO keys VALUES ({', '.join('?' * (2 + parts))})"
        for at, read in enumerate(family):
            with contextlib.suppress(BadUnit):
                store.executemany(insert, ((digest, at, *rank) for digest, rank in read))
        order = ", ".join([*columns, "file"])
        ranked = f"SELECT digest, file, row_number() OVER (PARTITION BY digest ORDER BY {order}) AS n FROM keys"
        lost = f"SELECT file, digest FROM ({ranked}) WHERE n > 1 ORDER BY file, digest"
        packed: dict[int, bytearray] = {}
        for at, digest in store.execute(lost):
            packed.setdefault(at, bytearray()).extend(digest)
        yield from ((at, bytes(found)) for at, found in packed.items())
