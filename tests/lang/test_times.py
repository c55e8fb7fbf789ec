import datetime
from decimal import Decimal
from math import floor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.lang.jsontext import Written
from engine.lang.times import FIRST_MS, LAST_MS, Stamp, offset_seconds, parse, utc_text

UTC = datetime.UTC


@pytest.mark.parametrize(
    ("text", "utc", "basis"),
    [
        ("2026-10-03T16:55:31.123Z", "2026-10-03T16:55:31.123Z", "utc"),
        ("2026-10-03T16:55:31Z", "2026-10-03T16:55:31.000Z", "utc"),
        ("2026-10-03t16:55:31z", "2026-10-03T16:55:31.000Z", "utc"),
        ("2026-10-03 16:55:31.9999999Z", "2026-10-03T16:55:31.999Z", "utc"),
        ("2026-10-03T16:55:31.000000000+00:00", "2026-10-03T16:55:31.000Z", "utc"),
        ("2026-10-03T16:55:31-00:00", "2026-10-03T16:55:31.000Z", "utc"),
        ("2026-10-03 16:55:31 UTC", "2026-10-03T16:55:31.000Z", "utc"),
        ("2026-10-03T18:55:31.5+02:00", "2026-10-03T16:55:31.500Z", "offset"),
        ("2026-10-03T18:55:31+0200", "2026-10-03T16:55:31.000Z", "offset"),
        ("2026-10-03 18:55:31 +0200", "2026-10-03T16:55:31.000Z", "offset"),
        ("2026-10-03T18:55:31+02", "2026-10-03T16:55:31.000Z", "offset"),
        ("2026-10-03T11:25:31-05:30", "2026-10-03T16:55:31.000Z", "offset"),
        ("2026-10-03T16:55:31", "2026-10-03T16:55:31.000Z", "local_as_utc"),
        ("2026-10-03 16:55:31,123456", "2026-10-03T16:55:31.123Z", "local_as_utc"),
        ("2026-10-03T16:55:31.", "2026-10-03T16:55:31.000Z", "local_as_utc"),
        ("2026-10-03 16:55", "2026-10-03T16:55:00.000Z", "local_as_utc"),
        (" 2026-10-03T16:55:31.1\n", "2026-10-03T16:55:31.100Z", "local_as_utc"),
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999Z", "utc"),
        ("2016-12-31T23:59:60.500Z", "2016-12-31T23:59:59.999Z", "utc"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z", "utc"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z", "utc"),
        ("1969-12-31T23:59:59.9991Z", "1969-12-31T23:59:59.999Z", "utc"),
    ],
)
def test_iso_stamps_as_agents_write_them(text, utc, basis):
    for _ in range(2):
        stamp = parse(text, "iso")
        assert (stamp.utc, stamp.basis, stamp.raw) == (utc, basis, text)


@pytest.mark.parametrize(
    "value",
    [
        "", "yesterday", "2026-10-03", "16:55:31", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-10-03T24:00:00Z",
        "2026-10-03T16:60:00Z", "2026-10-03T16:55:61Z", "2026-10-03T16:55:31+25:00", "2026-10-03T16:55:31+02:60",
        "0000-01-01T00:00:00Z", "10000-01-01T00:00:00Z", "2026-10-03T16:55:3xZ", "2026-10-03T16:55:31.12xZ",
        "2026-10-03T16:55:99.123Z", "2026-10-03T16:55x31.123Z", "２０２６-10-03T16:55:31Z", "2026-10-03T16:55:31.١23Z",
        "0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00", "1791046531", 1791046531, 1.5, True, None, [], {},
        b"x",
    ],
)  # fmt: skip
def test_what_is_no_iso_stamp_is_no_time(value):
    parse("2026-10-03T16:55:31.123Z", "iso")
    assert parse(value, "iso") is None


@pytest.mark.parametrize(
    ("value", "unit", "ms", "raw"),
    [
        (1791046531, "s", 1791046531000, "1791046531"),
        (1791046531.123, "s", 1791046531123, "1791046531.123"),
        (1791046531.9999, "s", 1791046531999, "1791046531.9999"),
        (1759510531.001, "s", 1759510531001, "1759510531.001"),
        ("1791046531.5", "s", 1791046531500, "1791046531.5"),
        ("1791046531", "s", 1791046531000, "1791046531"),
        (1791046531123, "ms", 1791046531123, "1791046531123"),
        (1791046531123.9, "ms", 1791046531123, "1791046531123.9"),
        (1791046531123456, "us", 1791046531123, "1791046531123456"),
        (1791046531123456789, "ns", 1791046531123, "1791046531123456789"),
        ("1791046531123456789", "ns", 1791046531123, "1791046531123456789"),
        (-1, "us", -1, "-1"),
        (-0.0001, "s", -1, "-0.0001"),
        (-1.5, "s", -1500, "-1.5"),
        (0, "s", 0, "0"),
        ("1e9", "s", 10**12, "1e9"),
    ],
)
def test_epochs_are_cut_to_the_millisecond_below(value, unit, ms, raw):
    assert parse(value, unit) == Stamp(ms, "utc", raw)


@pytest.mark.parametrize(
    "value",
    ["2026-10-03T16:55:31Z", "", "nan", "1_000", "٣", True, None, [], Written("NaN"), float("inf"), 1e300, 10**40,
     10**20, "9" * 41, -(10**14)],
)  # fmt: skip
def test_what_is_no_epoch_is_no_time(value):
    assert parse(value, "s") is None


def test_an_unknown_unit_is_no_time():
    assert parse(5, "days") is None
    assert parse(5.5, "days") is None


def test_nanoseconds_are_added():
    assert parse(1791046531, "s", nanos=123456789).ms == 1791046531123
    assert parse(1791046531, "s", nanos=None).ms == 1791046531000
    assert parse(1791046531, "s", nanos="x").ms == 1791046531000
    assert parse("2026-10-03T16:55:31Z", "iso", nanos=123456789).utc == "2026-10-03T16:55:31.123Z"


def test_an_offset_corrects_zoneless_stamps_alone():
    for offset in (7200, 7200.0, "+02:00", "+0200"):
        stamp = parse("2026-10-03T18:55:31", "iso", offset=offset)
        assert (stamp.utc, stamp.basis) == ("2026-10-03T16:55:31.000Z", "local_corrected")
    assert parse("2026-10-03T18:55:31Z", "iso", offset=7200).basis == "utc"
    for offset in (None, "PST", "+25:00", True, 86400, []):
        assert parse("2026-10-03T18:55:31", "iso", offset=offset).basis == "local_as_utc"
    assert offset_seconds("-05:30") == -19800


def test_a_basis_replaces_the_one_that_follows():
    assert parse(5, "s", basis="approximate") == Stamp(5000, "approximate", "5")
    assert parse(Stamp(5, "utc", "5"), "s", basis="approximate") == Stamp(5, "approximate", "5")


def test_a_time_passes_through():
    stamp = Stamp(5, "file_mtime", "")
    assert parse(stamp, "iso") is stamp


def test_a_date_and_time_of_toml_or_yaml_is_a_stamp():
    value = datetime.datetime(2026, 10, 3, 16, 55, 31, 123456, tzinfo=UTC)
    assert parse(value, "iso") == Stamp(1791046531123, "utc", "2026-10-03T16:55:31.123456+00:00")


MOMENTS = st.datetimes(timezones=st.just(UTC))


def ms_of(moment):
    return (moment - datetime.datetime(1970, 1, 1, tzinfo=UTC)) // datetime.timedelta(milliseconds=1)


@given(MOMENTS)
@settings(max_examples=300, deadline=None)
def test_a_stamp_s_text_is_that_of_the_standard_library(moment):
    expected = moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    assert utc_text(ms_of(moment)) == expected
    assert parse(moment.isoformat(), "iso").utc == expected
    assert parse(expected, "iso").ms == ms_of(moment)


@given(
    MOMENTS.filter(lambda moment: 1 < moment.year < 9999),
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
    st.sampled_from(["T", " ", "t"]),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_an_offset_moves_a_stamp_as_in_the_standard_library(moment, minutes, between, colon):
    local = moment.astimezone(datetime.timezone(datetime.timedelta(minutes=minutes)))
    sign, rest = ("-", -minutes) if minutes < 0 else ("+", minutes)
    zone = f"{sign}{rest // 60:02d}{':' if colon else ''}{rest % 60:02d}"
    text = local.replace(tzinfo=None).isoformat(between, timespec="microseconds") + zone
    stamp = parse(text, "iso")
    assert (stamp.ms, stamp.basis) == (ms_of(moment), "offset" if minutes else "utc")


@given(st.integers(FIRST_MS * 1000, LAST_MS * 1000))
@settings(max_examples=300, deadline=None)
def test_microseconds_are_cut_to_earlier_whatever_their_form(us):
    expected = us // 1000
    assert parse(us, "us").ms == parse(str(us), "us").ms == expected
    assert parse(us * 1000, "ns").ms == expected
    exact = Decimal(us) / 1_000_000
    assert parse(str(exact), "s").ms == expected
    seconds = float(exact)
    assert parse(seconds, "s").ms == floor(Decimal(repr(seconds)) * 1000)


@given(st.text(max_size=30) | st.integers() | st.floats(), st.sampled_from(["iso", "s", "ms", "us", "ns"]))
@settings(max_examples=300, deadline=None)
def test_any_value_is_a_time_between_years_1_and_9999_or_none(value, unit):
    stamp = parse(value, unit)
    if stamp is not None:
        assert FIRST_MS <= stamp.ms <= LAST_MS
        assert len(stamp.utc) == 24


def test_text_order_is_time_order():
    moments = [FIRST_MS, -1, 0, 1, 999, 1000, 1791046531123, LAST_MS]
    assert sorted(map(utc_text, moments)) == list(map(utc_text, moments))


def test_the_caches_stay_bounded():
    from engine.lang import times

    for hour in range(6000):
        assert utc_text(hour * 3_600_000)[11:13] == f"{hour % 24:02d}"
        parse(f"2026-01-{hour % 28 + 1:02d}T{hour // 28 % 24:02d}:{hour // 672:02d}:00Z", "iso")
    assert len(times._HOURS) <= 4096
    assert len(times._MINUTES) <= 4096
