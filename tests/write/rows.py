"""Rows for the tests of sinks, and a place that remembers what was written."""

from __future__ import annotations

import re
from datetime import datetime

from hypothesis import strategies as st

from engine.rows import COLUMNS, EVENTS, ROLES, STATUSES, TURN_TYPES

#: every character, lone surrogates too
texts = st.text(st.characters(), max_size=12) | st.sampled_from(
    ["", 'a "quoted" b', "a,b", "\r", "x\ny", "\u2028\u2029", "\ud800", "\0", "=1+1", " "]
)
_values = [st.integers(-(2**63), 2**63 - 1) if name == "source_line" else texts for name in COLUMNS]
row_tuples = st.tuples(*_values, st.just("key"), st.just(7))


class Kept:
    """A target in memory."""

    def __init__(self) -> None:
        self.data = b""

    def open(self) -> None: ...

    def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None: ...

    def abort(self) -> None: ...


_stamps = st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31)).map(
    lambda time: f"{time:%Y}".zfill(4) + f"{time:-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}Z"
)
_plausible = {
    "timestamp_utc": st.just("") | _stamps,
    "agent": st.sampled_from(["zed", "toy"]),
    "event": st.sampled_from(EVENTS),
    "turn_type": st.sampled_from(TURN_TYPES),
    "status": st.sampled_from(STATUSES),
    "role": st.sampled_from(ROLES),
}
#: rows whose closed columns hold what they may
real_tuples = st.tuples(*(_plausible.get(name, value) for name, value in zip(COLUMNS, _values, strict=True)))


def fit(row, unfit: str = "[\ud800-\udfff]"):
    """The columns of a row with U+FFFD for what a sink can't hold."""
    return tuple(re.sub(unfit, "\ufffd", value) if isinstance(value, str) else value for value in row[: len(COLUMNS)])
