"""Times as agents write them, to milliseconds since 1970 and back. Milliseconds are cut, never rounded.

A stamp carries its basis (how far it can be trusted, `engine.rows.TIME_BASES`) and its raw text.
"""

from __future__ import annotations

import datetime
import math
import re
from decimal import Decimal, InvalidOperation
from typing import Any, NamedTuple

from engine.lang.jsontext import Written, dumps

UNITS = ("iso", "s", "ms", "us", "ns")

#: 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z
FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_999

#: bases of times that the source itself gives exactly; what `earliest` may compare
EXACT_BASES = frozenset({"utc", "offset", "local_corrected"})


class Stamp(NamedTuple):
    """A time: milliseconds since 1970 in UTC, its basis, and the stamp as the source has it."""

    ms: int
    basis: str
    raw: str

    @property
    def utc(self) -> str:
        """`YYYY-MM-DDTHH:MM:SS.mmmZ`"""
        return utc_text(self.ms)


def parse(value: Any, unit: str, nanos: Any = None, offset: Any = None, basis: str | None = None) -> Stamp | None:
    """The time that `value` states in `unit` (iso, s, ms, us, ns); None for what is no time between years 1 and 9999.

    `nanos` adds nanoseconds. `offset` (seconds east of UTC, or `+HH:MM`) moves a zoneless ISO stamp, which becomes
    `local_corrected`; without it, it is `local_as_utc`. `basis` replaces the basis that follows from the stamp.
    Epoch units take integers, floats and numeric text. A time passes through.
    """
    if type(value) is Stamp:
        return value if basis is None else value._replace(basis=basis)
    if unit == "iso":
        if isinstance(value, datetime.datetime):
            value = value.isoformat()
        if type(value) is not str:
            return None
        found = parse_iso(value)
        if found is None:
            return None
        ms, kind = found
        raw = value
        if kind == "local_as_utc" and offset is not None and (seconds := offset_seconds(offset)) is not None:
            ms, kind = ms - math.floor(seconds * 1000), "local_corrected"
    else:
        epoch = _epoch_ms(value, unit, nanos)
        if epoch is None:
            return None
        ms, kind, raw = epoch, "utc", value if type(value) is str else dumps(value)
    if nanos is not None and unit == "iso" and type(nanos) is int:
        ms += nanos // 1_000_000
    if not FIRST_MS <= ms <= LAST_MS:
        return None
    return Stamp(ms, kind if basis is None else basis, raw)


# --------------------------------------------------------------------------------------------------- ISO

_ISO = re.compile(
    r"\s*(?P<minute>(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d))(?::(\d\d)(?:[.,](\d*))?)?"
    r"\s?(?P<zone>[Zz]|UTC|([+-])(\d\d)(?::?(\d\d))?)?\s*",
    re.ASCII,
)

_MINUTES: dict[str, int] = {}
_MINUTES_KEPT = 4096


def parse_iso(text: str) -> tuple[int, str] | None:
    """Milliseconds and basis (`utc`, `offset`, `local_as_utc`) of an ISO 8601 stamp with date and time of day.

    Taken: `T`, `t` or a space; no seconds; any number of fraction digits after `.` or `,`; `Z`, `z`, `UTC`, `±HH:MM`,
    `±HHMM`, `±HH` or no zone. A leap second (`:60`) is the last millisecond of its minute, so that it stays in order.
    """
    start = _MINUTES.get(text[:16])
    if start is not None and len(text) > 18 and text[16] == ":":
        found = _within_minute(text, start)
        if found is not None:
            return found
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    minute, year, month, day, hour, minutes, second, fraction, zone, sign, zone_hours, zone_minutes = match.groups()
    start = _minute_ms(minute, int(year), int(month), int(day), int(hour), int(minutes))
    if start is None:
        return None
    ms = start
    if second is not None:
        if second > "60":
            return None
        ms += 59_999 if second == "60" else int(second) * 1000 + int(((fraction or "") + "000")[:3])
    if zone is None:
        return ms, "local_as_utc"
    if sign is None:
        return ms, "utc"
    east = _zone_minutes(zone_hours, zone_minutes)
    if east is None:
        return None
    return (ms - east * 60_000 if sign == "+" else ms + east * 60_000), "offset" if east else "utc"


def _within_minute(text: str, start: int) -> tuple[int, str] | None:
    """The plain forms, of a minute that was seen before: seconds, a fraction after `.`, `Z` or `+00:00` or no zone."""
    second, tail, basis = text[17:19], text[19:], "local_as_utc"
    if not second.isdecimal() or second > "59" or not text.isascii():
        return None
    if tail.endswith("Z"):
        tail, basis = tail[:-1], "utc"
    elif tail.endswith("+00:00"):
        tail, basis = tail[:-6], "utc"
    if not tail:
        return start + int(second) * 1000, basis
    fraction = tail[1:]
    if tail[0] != "." or not fraction.isdecimal():
        return None
    return start + int(second) * 1000 + int((fraction + "00")[:3]), basis


def _minute_ms(key: str, year: int, month: int, day: int, hour: int, minute: int) -> int | None:
    try:
        days = datetime.date(year, month, day).toordinal() - _EPOCH_DAY
    except ValueError:
        return None
    if hour > 23 or minute > 59:
        return None
    ms = ((days * 24 + hour) * 60 + minute) * 60_000
    if len(_MINUTES) >= _MINUTES_KEPT:
        _MINUTES.clear()
    _MINUTES[key] = ms
    return ms


_EPOCH_DAY = datetime.date(1970, 1, 1).toordinal()


def _zone_minutes(hours: str, minutes: str | None) -> int | None:
    east = int(hours) * 60 + int(minutes or 0)
    return east if east < 24 * 60 and int(minutes or 0) < 60 else None


_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)", re.ASCII)


def offset_seconds(offset: Any) -> float | None:
    """Seconds east of UTC from a number or `±HH:MM`; None for anything that is no offset under 24 hours."""
    if isinstance(offset, str):
        match = _OFFSET.fullmatch(offset)
        if match is None:
            return None
        east = _zone_minutes(match[2], match[3])
        return None if east is None else (east * 60 if match[1] == "+" else -east * 60)
    if isinstance(offset, bool) or not isinstance(offset, int | float) or not abs(offset) < 86_400:
        return None
    return offset


# ------------------------------------------------------------------------------------------------- epoch

_PER_MS = {"s": Decimal("0.001"), "ms": Decimal(1), "us": Decimal(1000), "ns": Decimal(1_000_000)}
_NUMBER = re.compile(r"\s*[+-]?\d{1,40}(?:\.\d{0,60})?(?:[eE][+-]?\d{1,3})?\s*", re.ASCII)


def _epoch_ms(value: Any, unit: str, nanos: Any) -> int | None:
    if type(value) is int and nanos is None:
        if unit == "s":
            return value * 1000
        if unit == "ms":
            return value
        if unit == "us":
            return value // 1000
        return value // 1_000_000 if unit == "ns" else None
    exact = _decimal(value)
    if exact is None or unit not in _PER_MS:
        return None
    ms = exact / _PER_MS[unit]
    if nanos is not None and (extra := _decimal(nanos)) is not None:
        ms += extra / 1_000_000
    return math.floor(ms) if abs(ms) < 10**15 else None


def _decimal(value: Any) -> Decimal | None:
    """The number as its shortest decimal text states it: 1759510531.123 is 123 ms, whatever its double is."""
    if isinstance(value, bool | Written):
        return None
    if isinstance(value, int):
        return Decimal(value) if abs(value) < 10**30 else None
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        try:
            return Decimal(value.strip())
        except InvalidOperation:
            return None
    return None


# -------------------------------------------------------------------------------------------------- text

_HOURS: dict[int, str] = {}
_HOURS_KEPT = 4096
_SIXTY = tuple(f"{number:02d}" for number in range(60))
WITHIN_HOUR = tuple(f"{minute}:{second}" for minute in _SIXTY for second in _SIXTY)
_FRACTIONS = tuple(f".{ms:03d}Z" for ms in range(1000))


def utc_text(ms: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmmZ` of milliseconds since 1970, between years 1 and 9999."""
    hour, rest = divmod(ms, 3_600_000)
    head = _HOURS.get(hour)
    if head is None:
        if len(_HOURS) >= _HOURS_KEPT:
            _HOURS.clear()
        days, hour_of_day = divmod(hour, 24)
        head = f"{datetime.date.fromordinal(_EPOCH_DAY + days).isoformat()}T{hour_of_day:02d}:"
        _HOURS[hour] = head
    return head + WITHIN_HOUR[rest // 1000] + _FRACTIONS[rest % 1000]
