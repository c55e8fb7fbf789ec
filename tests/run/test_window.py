"""Times as people name them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.lang.times import utc_text
from engine.run.window import period, window

NOW = datetime(2026, 10, 3, 16, 55, 31, 123_000, tzinfo=UTC)
NOW_MS = 1_791_046_531_123


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026", "2026-01-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"),
        ("2026-02", "2026-02-01T00:00:00.000Z", "2026-02-28T23:59:59.999Z"),
        ("2026-12", "2026-12-01T00:00:00.000Z", "2026-12-31T23:59:59.999Z"),
        ("9999", "9999-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
        ("2026-10-03", "2026-10-03T00:00:00.000Z", "2026-10-03T23:59:59.999Z"),
        ("20261003", "2026-10-03T00:00:00.000Z", "2026-10-03T23:59:59.999Z"),
        ("2026-10-03T16", "2026-10-03T16:00:00.000Z", "2026-10-03T16:59:59.999Z"),
        ("2026-10-03 16:55", "2026-10-03T16:55:00.000Z", "2026-10-03T16:55:59.999Z"),
        ("2026-10-03T16:55:31", "2026-10-03T16:55:31.000Z", "2026-10-03T16:55:31.999Z"),
        ("2026-10-03T16:55:31.1", "2026-10-03T16:55:31.100Z", "2026-10-03T16:55:31.199Z"),
        ("2026-10-03T16:55:31.123456Z", "2026-10-03T16:55:31.123Z", "2026-10-03T16:55:31.123Z"),
        ("2026-10-03T16:55+02:00", "2026-10-03T14:55:00.000Z", "2026-10-03T14:55:59.999Z"),
        ("2026-10-03T16:55:00-0530", "2026-10-03T22:25:00.000Z", "2026-10-03T22:25:00.999Z"),
        ("2026-10-03T16:55+02", "2026-10-03T14:55:00.000Z", "2026-10-03T14:55:59.999Z"),
        ("2026-10-03T16:55 UTC", "2026-10-03T16:55:00.000Z", "2026-10-03T16:55:59.999Z"),
        ("08:15", "2026-10-03T08:15:00.000Z", "2026-10-03T08:15:59.999Z"),
        ("08:15:30+01:00", "2026-10-03T07:15:30.000Z", "2026-10-03T07:15:30.999Z"),
        ("1759510531", "2025-10-03T16:55:31.000Z", "2025-10-03T16:55:31.999Z"),
        ("@1759510531", "2025-10-03T16:55:31.000Z", "2025-10-03T16:55:31.999Z"),
        ("1759510531.12", "2025-10-03T16:55:31.120Z", "2025-10-03T16:55:31.129Z"),
        ("1759510531123", "2025-10-03T16:55:31.123Z", "2025-10-03T16:55:31.123Z"),
        ("1759510531123999", "2025-10-03T16:55:31.123Z", "2025-10-03T16:55:31.123Z"),
        ("1759510531123999999", "2025-10-03T16:55:31.123Z", "2025-10-03T16:55:31.123Z"),
        ("3d", "2026-09-30T16:55:31.123Z", "2026-09-30T16:55:31.123Z"),
        ("90 minutes ago", "2026-10-03T15:25:31.123Z", "2026-10-03T15:25:31.123Z"),
        ("2w", "2026-09-19T16:55:31.123Z", "2026-09-19T16:55:31.123Z"),
        ("now", "2026-10-03T16:55:31.123Z", "2026-10-03T16:55:31.123Z"),
        ("Today", "2026-10-03T00:00:00.000Z", "2026-10-03T23:59:59.999Z"),
        ("yesterday", "2026-10-02T00:00:00.000Z", "2026-10-02T23:59:59.999Z"),
    ],
)
def test_a_name_is_its_first_and_its_last_millisecond(text, first, last):
    found = period(text, NOW_MS)
    assert found is not None
    assert (utc_text(found.first), utc_text(found.last)) == (first, last)
    assert window(text, text, NOW) == (first, last)


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13", "2026-02-30", "2026-10-03T25:00", "2026-10-03T16:61", "2026-10-03T16:55+25:00",
     "12", "0000",
     "2026-10-03+02:00", "12345678901234", "3x", "9999999 d", "1759510531123.5", "2026-1-2"],
)  # fmt: skip
def test_what_is_no_time_is_an_error_of_use(text):
    with pytest.raises(UsageError, match="not a time"):
        window(text or " ", None, NOW)


def test_a_window_in_which_nothing_can_lie_is_an_error_of_use():
    with pytest.raises(UsageError, match="nothing lies between"):
        window("2026-10-04", "2026-10-03", NOW)


def test_a_window_is_open_where_nothing_is_said():
    assert str(window(None, "2026", NOW)) == "the beginning to 2026-12-31T23:59:59.999Z"
    assert str(window("2026", None, NOW)) == "2026-01-01T00:00:00.000Z to the end"


@given(st.text(max_size=30) | st.text("0123456789-:T+ .Zdhm@", max_size=30))
def test_any_text_is_a_period_or_none(text):
    found = period(text, NOW_MS)
    assert found is None or found.first <= found.last
