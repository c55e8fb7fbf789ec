"""Rows of SQLite tables as units, with the rows of their child tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.errors import BadRecord
from engine.lang import jsontext
from engine.lang.plan import Child, Sqlite, Store
from engine.lang.text import as_text
from engine.read import codecs
from engine.read.databases import FAULTS, Database, fault_text, quoted, sqlite_error
from engine.read.expressions import Expressions
from engine.read.limits import Limits, quote, quote_hex
from engine.read.units import JSON_TYPES, Record

_ROWID_NAMES = ("rowid", "_rowid_", "oid")


class TableRow(NamedTuple):
    """A row: its rowid (0 in a table without), its columns, the parent columns that child tables ask for, and why it
    can't be read when it can't."""

    rowid: int
    columns: dict[str, Any]
    keys: dict[str, Any]
    bad: BadRecord | None = None


def order_columns(spec: Sqlite | Child) -> tuple[str, ...]:
    """The columns that rows are sorted by, before their rowid."""
    return (spec.order,) if isinstance(spec.order, str) else tuple(spec.order or ())


class Table:
    """One table of a database, as a store declares it."""

    def __init__(self, database: Database, spec: Sqlite | Child, extra: tuple[str, ...] = ()):
        self._database, self._spec = database, spec
        self.name = self._name()
        self.exists = self.name is not None
        if not self.exists:
            return
        self._present = {name.lower() for name in database.columns(str(self.name))}
        for column in spec.need:
            if column.lower() not in self._present:
                raise sqlite_error(f"no such column: {spec.table}.{column}")
        self.columns = tuple(dict.fromkeys((*spec.need, *spec.want, *spec.json)))
        self._extra = tuple(column for column in extra if column not in self.columns)
        self.rowid = self._rowid()

    def _name(self) -> str | None:
        wanted = self._spec.table.lower()
        for name, kind in self._database.tables().items():
            if name.lower() == wanted:
                if kind != "table":
                    raise sqlite_error(f"{self._spec.table} is a {kind}, which is not read")
                return name
        return None

    def _rowid(self) -> str | None:
        """The name under which the table's rowid is at hand, None for a table without."""
        for name in _ROWID_NAMES:
            if name not in self._present:
                try:
                    self._database.query(f"SELECT {name} FROM {quoted(str(self.name))} LIMIT 0")
                except FAULTS:
                    return None
                return name
        return None

    def _column(self, column: str) -> str:
        if column.lower() in self._present:
            return quoted(column)
        return self.rowid or "NULL" if column.lower() in _ROWID_NAMES else "NULL"

    def _order(self) -> list[str]:
        terms = [f"{self._column(name)} COLLATE BINARY" for name in order_columns(self._spec)]
        return [term for term in terms if not term.startswith("NULL")]

    def _selected(self) -> str:
        return ", ".join((self.rowid or "0", *map(self._column, (*self.columns, *self._extra))))

    def rows(self, where: tuple[tuple[str, Any], ...]) -> Iterator[TableRow]:
        """The rows in order. A row that SQLite can't give is bad; raises sqlite3.Error where it can't go on."""
        conditions = " AND ".join(f"{self._column(column)} IS ?" for column, _ in where)
        tail = (f" WHERE {conditions}" if where else "") + " ORDER BY "
        table, values = quoted(str(self.name)), tuple(value for _, value in where)
        if self.rowid is None:
            order = self._order()
            tail = tail.removesuffix(" ORDER BY ") + (f" ORDER BY {', '.join(order)}" if order else "")
            query = self._database.query(f"SELECT {self._selected()} FROM {table}{tail}", values)
            yield from map(self._row, self._database.bounded(query))
            return
        # rowids first: a sort then carries no columns, and one broken row does not end the table
        by = ", ".join((*self._order(), self.rowid))
        one = f"SELECT {self._selected()} FROM {table} WHERE {self.rowid} = ?"
        rowids = self._database.query(f"SELECT {self.rowid} FROM {table} NOT INDEXED{tail}{by}", values)
        for (rowid,) in self._database.bounded(rowids):
            try:
                found = next(iter(self._database.query(one, (rowid,))), None)
            except (*FAULTS, OverflowError) as error:
                yield TableRow(rowid, {}, {}, BadRecord(fault_text(error)))
                continue
            if found is not None:
                yield self._row(found)

    def matching(self, pairs: tuple[tuple[str, Any], ...], index: str | None) -> Iterator[TableRow]:
        """The rows whose columns equal the values, in order, found through an index of the copy where there is one."""
        if any(self._column(column) == "NULL" for column, _ in pairs):
            return
        conditions = " AND ".join(f"{self._column(column)} = ? COLLATE BINARY" for column, _ in pairs)
        order = ", ".join((*self._order(), *((self.rowid,) if self.rowid else ())))
        query = self._database.query(
            f"SELECT {self._selected()} FROM {quoted(str(self.name))}"
            f" {f'INDEXED BY {quoted(index)}' if index else 'NOT INDEXED'}"
            f" WHERE {conditions}" + (f" ORDER BY {order}" if order else ""),
            tuple(value for _, value in pairs),
        )
        yield from map(self._row, self._database.bounded(query))

    def _row(self, row: tuple[Any, ...]) -> TableRow:
        columns = dict(zip(self.columns, row[1:], strict=False))
        keys = dict(zip(self._extra, row[1 + len(self.columns) :], strict=True))
        rowid = int(row[0])
        bad = None
        for column in self._spec.json:
            value = columns.get(column)
            if value is None:
                continue
            try:
                columns[column] = codecs.decode(value, ("json",), self._database.limits)
            except BadRecord as fault:
                bad = bad or BadRecord(fault.reason, stored_text(value, self._database.limits))
        columns["rowid"] = rowid
        return TableRow(rowid, columns, keys, bad)


def stored_text(value: Any, limits: Limits) -> str:
    """A column's value as a note quotes it: text as it is, bytes as hex."""
    if isinstance(value, bytes):
        return quote_hex(value, limits.quote)
    return quote(value if isinstance(value, str) else jsontext.dumps(value), limits.quote)


def decode_columns(store: Store, columns: dict[str, Any], expressions: Expressions, limits: Limits) -> BadRecord | None:
    """Unpacks the store's `decode` columns in place. The first that can't be makes the row one bad record."""
    for decode in store.decode:
        value = columns.get(decode.column)
        if value is None:
            continue
        chains = dict(decode.chains)
        key = "" if decode.by is None else expressions.value(decode.by, {store.as_name: columns})
        chain = chains.get(key if isinstance(key, str) else jsontext.dumps(key))
        try:
            if chain is None:
                name = str(decode.by.source).rpartition(".")[2] if decode.by else "value"
                raise BadRecord(f"unknown {name} {quote(as_text(key), 200)}")
            decoded = codecs.decode(value, chain, limits)
            if store.need is not None and not isinstance(decoded, JSON_TYPES[store.need]):
                raise BadRecord(f"not a JSON {store.need}")
        except BadRecord as fault:
            reason = fault.reason
            if isinstance(value, bytes) and chain and chain[0] in ("json", "utf8"):
                value = value.decode("utf-8", "replace")
            if isinstance(value, bytes):
                reason += f"; stored {chain[0] + ' ' if chain else ''}blob as hex"
            return BadRecord(reason, stored_text(value, limits))
        columns[decode.column] = decoded
    return None


class Children:
    """The rows of one child table, a parent at a time."""

    def __init__(self, database: Database, child: Child):
        self.child = child
        self._table = Table(database, child)
        self._index = None
        if self._table.exists:
            columns = (*(column for column, _ in child.match), *order_columns(child))
            self._index = database.index(str(self._table.name), columns)

    @property
    def missing(self) -> bool:
        """Whether the table is not there and its columns are needed."""
        return bool(self.child.need) and not self._table.exists

    def rows(self, parent: Mapping[str, Any]) -> Iterator[TableRow]:
        """The rows whose columns equal the parent's, in order. Raises sqlite3.Error."""
        if not self._table.exists:
            return iter(())
        return self._table.matching(tuple((column, parent.get(of)) for column, of in self.child.match), self._index)


def child_records(rows: Iterator[TableRow]) -> Iterator[Record]:
    """Child rows as records; where SQLite can't go on, a note."""
    try:
        for row in rows:
            yield Record(row.rowid, None if row.bad else row.columns, bad=row.bad)
    except FAULTS as error:
        yield Record(0, None, bad=sqlite_error(error))
