"""Times as generated code has them: the three texts of a row (`timestamp_utc`, `time_basis`, `time_raw`), or None.

Stamps in the two forms that most agents write need no arithmetic: their UTC text is made of slices. Everything else
goes through `engine.lang.times`.
"""

from __future__ import annotations

from typing import Any

from engine.lang import times
from engine.lang.times import EXACT_BASES as EXACT
from engine.lang.times import WITHIN_HOUR, Stamp

Moment = tuple[str, str, str]

NO_TIME: Moment = ("", "", "")

_CLOCKS = frozenset(WITHIN_HOUR)
_SECONDS = frozenset(f"{second:02d}" for second in range(60))
_FRACTIONS = frozenset(f".{ms:03d}" for ms in range(1000))
_MICROS = frozenset(f"{us:03d}" for us in range(1000))

#: hours that were seen, as `2026-10-03T16:`; bounded
_hours: set[str] = set()
_KEPT = 4096


def iso(value: Any, basis: str | None = None) -> Moment | None:
    """An ISO stamp; `basis` replaces the basis that follows from it."""
    if value is None:
        return None
    if type(value) is str and value[:14] in _hours and value[14:19] in _CLOCKS and value[19:23] in _FRACTIONS:
        rest = value[23:]
        if rest == "Z":
            return value, basis or "utc", value
        if rest in _MICROS:
            return f"{value[:23]}Z", basis or "local_as_utc", value
    found = moment_of(times.parse(value, "iso", basis=basis))
    if found is not None and type(value) is str and value[:14] == found[0][:14]:
        if len(_hours) >= _KEPT:
            _hours.clear()
        _hours.add(value[:14])
    return found


#: seconds since 1970 below which a float is written without an exponent, and has its milliseconds
_PLAIN_SECONDS = 10**11

#: `2026-10-03T16:55:` → an offset in whole minutes, and the same minute in UTC; bounded
_moved: dict[str, tuple[Any, str]] = {}
_UNSEEN = (object(), "")


def iso_local(value: Any, offset: Any, basis: str | None = None) -> Moment | None:
    """An ISO stamp that, without a zone, is local time at an offset from UTC."""
    if value is None:
        return None
    if type(value) is str:
        known, minute = _moved.get(value[:17], _UNSEEN)
        if known is offset and value[17:19] in _SECONDS and value[19:23] in _FRACTIONS and value[23:] in _MICROS:
            return f"{minute}{value[17:23]}Z", basis or "local_corrected", value
    found = times.parse(value, "iso", offset=offset, basis=basis)
    if found is None:
        return None
    text = times.utc_text(found.ms)
    moved = basis is None and found.basis == "local_corrected" and type(offset) is not float
    if moved and type(value) is str and text[16:19] == value[16:19]:
        if len(_moved) >= _KEPT:
            _moved.clear()
        _moved[value[:17]] = offset, text[:17]
    return text, found.basis, found.raw


def timed(value: Any, unit: str, nanos: Any = None, offset: Any = None, basis: str | None = None) -> Moment | None:
    """A stamp in any unit; see `engine.lang.times.parse`."""
    if value is None:
        return None
    if type(value) is float and unit == "s" and nanos is None and 0 <= value < _PLAIN_SECONDS:
        raw = repr(value)
        whole, _, fraction = raw.partition(".")
        if fraction.isdecimal():
            return times.utc_text(int(whole + f"{fraction}00"[:3])), basis or "utc", raw
    return moment_of(times.parse(value, unit, nanos=nanos, offset=offset, basis=basis))


def moment_of(value: Any) -> Moment | None:
    """What already is a time; anything else is none."""
    return (times.utc_text(value.ms), value.basis, value.raw) if type(value) is Stamp else None


def stamp_of(moment: Moment | None) -> Stamp | None:
    """The time as expressions see it."""
    if moment is None:
        return None
    found = times.parse(moment[0], "iso")
    return None if found is None else Stamp(found.ms, moment[1], moment[2])


def with_basis(moment: Moment | None, basis: str) -> Moment | None:
    return None if moment is None else (moment[0], basis, moment[2])


def earliest(*moments: Moment | None) -> Moment | None:
    """The earliest when all that are there are exact, else the first."""
    found = [moment for moment in moments if moment is not None]
    if not found or not all(moment[1] in EXACT for moment in found):
        return found[0] if found else None
    return min(found, key=lambda moment: moment[0])
