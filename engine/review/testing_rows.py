"""Expected rows and those that came, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.lang import jsontext

Row = Mapping[str, Any]

_SHOWN = 400


def differences(expected: Sequence[Row], rows: Sequence[Row]) -> Iterator[str]:
    """What differs, in the order of the rows: `-` a row that is missing, `+` one too many, `~` one with other columns.

    An expected row names the columns that matter; all rows are expected, in their order.
    """
    columns = list(dict.fromkeys(column for row in expected for column in row)) or ["turn_type", "event", "text"]
    for left, right in _blocks(expected, rows):
        for number in range(max(len(left), len(right))):
            if number < len(left) and number < len(right):
                place, other = left[number], right[number]
                changed = [f"{n}: {_short(v)} -> {_short(other[n])}" for n, v in place.items() if other[n] != v]
                yield f"~ {_short(_telling(other))}: {'; '.join(changed)}"
            elif number < len(left):
                yield f"- {_short(left[number])}"
            else:
                yield f"+ {_short({name: right[number][name] for name in columns})}"


def fits(expected: Row, row: Row) -> bool:
    return all(row[name] == value for name, value in expected.items())


def _blocks(expected: Sequence[Row], rows: Sequence[Row]) -> Iterator[tuple[Sequence[Row], Sequence[Row]]]:
    """The stretches that differ: expected rows, and those that stand in their place."""
    start = 0
    while start < min(len(expected), len(rows)) and fits(expected[start], rows[start]):
        start += 1
    left, right = expected[start:], rows[start:]
    if not left and not right:
        return
    for skipped_left, skipped_right in sorted(_near(len(left), len(right)), key=sum):
        if fits(left[skipped_left], right[skipped_right]):
            yield left[:skipped_left], right[:skipped_right]
            yield from _blocks(left[skipped_left:], right[skipped_right:])
            return
    yield left, right


def _near(left: int, right: int) -> Iterator[tuple[int, int]]:
    """Places where both sides may meet again, not far ahead."""
    ahead = 24
    return ((i, j) for i in range(min(left, ahead)) for j in range(min(right, ahead)))


def _telling(row: Row) -> dict[str, Any]:
    return {name: row[name] for name in ("source_file", "source_line", "rule")}


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else jsontext.dumps(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
