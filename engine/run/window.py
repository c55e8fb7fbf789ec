"""Spans of time as people name them: `2026-10-03`, `2026-10-03T16:55+02:00`, `16:55`, `1759510531`, `3d`, `yesterday`.

Everything is UTC unless an offset is given. A name that means a period (a year, a day, a minute, a second of an epoch
stamp) is its first and its last millisecond.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from engine.errors import UsageError
from engine.lang.times import FIRST_MS, LAST_MS, offset_seconds, utc_text
from engine.run.filters import Window

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_DAY = 86_400_000

_DATE = re.compile(
    r"(?P<year>\d{4})(?:-(?P<month>\d\d)(?:-(?P<day>\d\d)"
    r"(?:[Tt ](?P<hour>\d\d)(?::(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?)?)?)?"
    r"\s?(?P<zone>[Zz]|UTC|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:\s?(?:[Zz]|UTC|[+-]\d\d(?::?\d\d)?))?", re.ASCII)
_AGO = re.compile(r"-?(\d{1,6}) ?(s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|w|weeks?)(?: ago)?", re.ASCII)
_SPANS = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": _DAY, "w": 7 * _DAY}
_STAMP = re.compile(r"@?(\d{9,19})(?:[.,](\d{1,9}))?", re.ASCII)
#: digits of an epoch stamp → how many of its units are a millisecond; seconds apart
_STAMPS = {12: 1, 13: 1, 15: 1_000, 16: 1_000, 18: 1_000_000, 19: 1_000_000}
_DAYS = {"today": 0, "yesterday": 1}


class Period(NamedTuple):
    """First and last millisecond since 1970."""

    first: int
    last: int


def window(since: str | None, until: str | None, now: datetime | None = None) -> Window:
    """The window that two names leave. Raises UsageError for a name of no time, and when nothing can lie in it."""
    at = _ms(now or datetime.now(UTC))
    first = _named("--since", since, at).first if since else None
    last = _named("--until", until, at).last if until else None
    found = Window("" if first is None else utc_text(first), "" if last is None else utc_text(last))
    if first is not None and last is not None and first > last:
        raise UsageError(f"nothing lies between --since {since} and --until {until}: {found}")
    return found


def _named(option: str, text: str, now: int) -> Period:
    found = period(text, now)
    if found is None or not FIRST_MS <= found.first <= found.last <= LAST_MS:
        raise UsageError(
            f"{option} {text}: not a time; write 2026-10-03, 2026-10-03T16:55, 16:55+02:00, 1759510531, 3d or yesterday"
        )
    return found


def period(text: str, now: int) -> Period | None:
    """What a text means at a time, in milliseconds since 1970; None when it names none."""
    text = text.strip()
    name = text.lower()
    if name == "now":
        return Period(now, now)
    today = now - now % _DAY
    if name in _DAYS:
        first = today - _DAYS[name] * _DAY
        return Period(first, first + _DAY - 1)
    if ago := _AGO.fullmatch(name):
        then = now - int(ago[1]) * _SPANS[ago[2][0]]
        return Period(then, then)
    if stamp := _STAMP.fullmatch(text):
        return _stamp(stamp[1], stamp[2])
    if _CLOCK.fullmatch(text):
        text = f"{utc_text(today)[:10]}T{text}"
    if re.fullmatch(r"\d{8}", text, re.ASCII):
        text = f"{text[:4]}-{text[4:6]}-{text[6:]}"
    date = _DATE.fullmatch(text)
    return _date(date) if date else None


def _stamp(digits: str, fraction: str | None) -> Period | None:
    """Seconds have 9 to 11 digits, milliseconds 12 or 13, microseconds 15 or 16, nanoseconds 18 or 19."""
    if len(digits) <= 11:
        return _fraction(int(digits) * 1000, fraction)
    units = _STAMPS.get(len(digits))
    if units is None or fraction is not None:
        return None
    return Period(int(digits) // units, int(digits) // units)


def _fraction(ms: int, digits: str | None) -> Period:
    """A second, or the part of it that its decimals name."""
    if digits is None:
        return Period(ms, ms + 999)
    first = ms + int((digits + "00")[:3])
    return Period(first, first + 10 ** max(0, 3 - len(digits)) - 1)


def _date(date: re.Match[str]) -> Period | None:
    part = {name: int(value) for name, value in date.groupdict().items() if value and name not in ("zone", "fraction")}
    zone = date["zone"]
    if zone and "hour" not in part and zone[0] not in "Zz":
        return None
    try:
        start = datetime(part["year"], part.get("month", 1), part.get("day", 1), part.get("hour", 0),
                         part.get("minute", 0), part.get("second", 0), tzinfo=UTC)  # fmt: skip
    except ValueError:
        return None
    first = _ms(start)
    if "second" in part:
        found = _fraction(first, date["fraction"])
    elif "hour" in part:
        found = Period(first, first + (60_000 if "minute" in part else 3_600_000) - 1)
    elif "day" in part:
        found = Period(first, first + _DAY - 1)
    else:
        found = Period(first, _end(start, months=1 if "month" in part else 12))
    east = _east(zone)
    return None if east is None else Period(found.first - east, found.last - east)


def _end(start: datetime, months: int) -> int:
    year, month = divmod(start.month - 1 + months, 12)
    if start.year + year > 9999:
        return LAST_MS
    return _ms(start.replace(year=start.year + year, month=month + 1)) - 1


def _east(zone: str | None) -> int | None:
    """Milliseconds east of UTC."""
    if zone is None or zone[0] in "ZzU":
        return 0
    seconds = offset_seconds(zone if len(zone) > 3 else f"{zone}:00")
    return None if seconds is None else int(seconds * 1000)


def _ms(time: datetime) -> int:
    return (time - _EPOCH) // _MS
