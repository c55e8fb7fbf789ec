"""Moments are what `engine.lang.times` makes of the same stamps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.lang import times
from engine.lang.times import Stamp
from engine.run import moments

STAMPS = st.one_of(
    st.datetimes().map(lambda at: at.isoformat(timespec="milliseconds") + "Z"),
    st.datetimes().map(lambda at: at.isoformat(timespec="microseconds")),
    st.datetimes().map(lambda at: at.isoformat() + "+01:00"),
    st.text(alphabet="0123456789-:T.Z+ ", max_size=30),
    st.sampled_from((None, 5, 1.5, True, [], {}, b"x", Stamp(0, "utc", "0"))),
)


def expected(stamp: Stamp | None) -> Any:
    return None if stamp is None else (times.utc_text(stamp.ms), stamp.basis, stamp.raw)


def parsed(value: Any, unit: str, **more: Any) -> Any:
    return None if value is None else expected(times.parse(value, unit, **more))


@given(STAMPS, st.sampled_from((None, "approximate")))
@example("2026-10-03T16:55:31.123Z", None)
@example("2026-10-03T16:55:61.123Z", None)
@example("2026-10-03T16:55:31.12٣Z", None)
def test_an_iso_stamp(value: Any, basis: str | None) -> None:
    for _ in range(2):
        assert moments.iso(value, basis) == parsed(value, "iso", basis=basis)


@given(STAMPS, st.one_of(st.integers(-90000, 90000), st.sampled_from(("+01:30", "-05:00", None, 0.5, True, "x"))))
def test_a_local_stamp_at_an_offset(value: Any, offset: Any) -> None:
    for _ in range(2):
        assert moments.iso_local(value, offset) == parsed(value, "iso", offset=offset)


@pytest.mark.parametrize("offset", [0, 1, 3600, 3601.0, 0.5, True, False, "+05:30", "-05:30", None])
@pytest.mark.parametrize("first", ["2026-10-03T16:55:31.900", "2026-10-03T16:55:31.900123", "2026-10-03T16:55:31"])
@pytest.mark.parametrize("basis", [None, "local_corrected"])
def test_what_is_known_of_a_minute_holds_for_its_offset_and_for_local_stamps_alone(
    first: str, offset: Any, basis: str | None
) -> None:
    for value in (first, f"{first}+01:00", f"{first}Z", "2026-10-03T16:55:59.999999"):
        for other in (offset, 7200, "+02:00", None):
            for given_basis in (basis, None):
                found = moments.iso_local(value, other, given_basis)
                assert found == parsed(value, "iso", offset=other, basis=given_basis)


@pytest.mark.parametrize("hour", ["2026-10-03T16", "0001-01-01T00", "9999-12-31T23"])
@pytest.mark.parametrize(
    "rest",
    [
        ":59:59.999Z", ":60:00.000Z", ":00:60.000Z", ":00:00.000", ":00:00.0000000", ":00:00.000000", ":00:00,000Z",
        ":00:00.000+00:00", ":00:00.000+01:00", ":00:00Z", ":0a:00.000Z", ":00:00.00Z", ":00:00.000ZZ", ":٠٠:00.000Z",
    ],
)  # fmt: skip
def test_an_hour_that_was_seen_vouches_for_no_more_than_itself(hour: str, rest: str) -> None:
    for value in (f"{hour}:00:00.000Z", f"{hour}{rest}"):
        assert moments.iso(value) == parsed(value, "iso")


@given(st.one_of(st.floats(), st.integers(), st.floats(0, 2e9), STAMPS), st.sampled_from(times.UNITS))
@example(1772442000.123, "s")
@example(0.0005, "s")
@example(99999999999.9, "s")
def test_a_stamp_in_any_unit(value: Any, unit: str) -> None:
    assert moments.timed(value, unit) == parsed(value, unit)


@pytest.mark.parametrize("value", ["2026-10-03T16:55:31.123Z", "2026-10-03T16:55:31.123456"])
def test_a_moment_is_a_stamp_for_expressions(value: str) -> None:
    assert moments.stamp_of(moments.iso(value)) == times.parse(value, "iso")
