"""Timesketch's JSONL and CSV, held to the columns and types of its documentation."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rows import COLUMNS
from engine.write.timesketch import TimesketchCsv, TimesketchJsonLines
from tests.write.rows import Kept, fit, real_tuples

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def jsonl(rows):
    sink = TimesketchJsonLines(target := Kept())
    sink.open()
    sink.write_rows(rows)
    return sink, [json.loads(line) for line in target.data.splitlines()]


def table(rows, **options):
    sink = TimesketchCsv(target := Kept(), **options)
    sink.open()
    sink.write_rows(rows)
    return sink, list(csv.DictReader(io.StringIO(target.data.decode(), newline=""), strict=True))


@pytest.mark.parametrize(("write", "unfit"), [(jsonl, "(?!)"), (table, "[\ud800-\udfff]")])
@given(rows=st.lists(real_tuples, max_size=3))
def test_each_dated_row_is_an_event_with_the_fields_that_an_import_needs(write, unfit, rows):
    sink, events = write(rows)
    dated = [row for row in rows if row[0]]
    assert sink.left_out == len(rows) - len(dated)
    assert len(events) == len(dated)
    for event, row in zip(events, dated, strict=True):
        known = dict(zip(COLUMNS, fit(row, unfit), strict=True))
        assert event["message"] == known.pop("text") or known["event"].replace("_", " ")
        time = datetime.fromisoformat(known.pop("timestamp_utc"))
        assert datetime.fromisoformat(event["datetime"]) == time
        assert event["datetime"].endswith("+00:00")
        assert int(event["timestamp"]) == (time - EPOCH) // timedelta(microseconds=1)
        assert event["timestamp_desc"]
        assert {name: str(event[name]) for name in known} == {name: str(value) for name, value in known.items()}


def test_numbers_of_jsonl_are_numbers():
    row = tuple({"timestamp_utc": "2026-01-01T00:00:00.001Z", "source_line": 7}.get(name, "x") for name in COLUMNS)
    _, (event,) = jsonl([row])
    assert event["timestamp"] == 1_767_225_600_001_000
    assert event["source_line"] == 7


def test_cells_can_be_made_safe_for_spreadsheets():
    row = tuple({"timestamp_utc": "2026-01-01T00:00:00.001Z", "text": "=1+1"}.get(name, "") for name in COLUMNS)
    _, (event,) = table([row], cells_safe=True)
    assert event["message"] == "'=1+1"
