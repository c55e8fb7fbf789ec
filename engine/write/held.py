"""Rows that wait until there are enough of them to be written together."""

from __future__ import annotations

from collections.abc import Iterator

from engine.rows import COLUMNS
from engine.write.sink import RowTuple

_TEXT, _ARGUMENTS = COLUMNS.index("text"), COLUMNS.index("arguments")


class Held:
    """Holds at most `rows` rows, and not many more than `size` characters of their texts."""

    def __init__(self, rows: int, size: int):
        self._most_rows, self._most_size = rows, size
        self._rows: list[RowTuple] = []
        self._size = 0

    def add(self, rows: list[RowTuple]) -> Iterator[list[RowTuple]]:
        """Takes rows; gives all that are held each time there are enough."""
        for row in rows:
            self._rows.append(row)
            self._size += len(row[_TEXT]) + len(row[_ARGUMENTS])
            if self._size > self._most_size or len(self._rows) == self._most_rows:
                yield self.taken()

    def taken(self) -> list[RowTuple]:
        """All that are held; none are then."""
        rows, self._rows, self._size = self._rows, [], 0
        return rows
