"""Records of line files: `jsonl` and `lines`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.errors import BadRecord, BadUnit
from engine.lang.jsontext import BAD_UTF8, loads_flagged
from engine.read.files import Stream, undecodable
from engine.read.limits import Limits, quote
from engine.read.lines import Line, split, unpacked
from engine.read.units import JSON_TYPES, Record

#: a file without one good record is one note, not one a line, from this many lines on
HOPELESS = 100

Decode = Callable[[bytes, Limits], tuple[Any, tuple[str, ...]]]


def decode_json(data: bytes, limits: Limits) -> tuple[Any, tuple[str, ...]]:
    """A line as JSON and what had to be mended. Raises BadRecord."""
    return loads_flagged(data, limits.nesting)


def decode_text(data: bytes, limits: Limits) -> tuple[Any, tuple[str, ...]]:
    """A line as text, without the `\\r` of a Windows line end."""
    data = data.removesuffix(b"\r")
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace"), (BAD_UTF8,)


_DECODERS: dict[str, Decode] = {"jsonl": decode_json, "lines": decode_text}


def bad_line(line: Line, reason: str, limits: Limits) -> Record:
    """A line that can't be read, quoted."""
    return Record(line.number, None, bad=BadRecord(reason, quote(line.data, limits.quote)))


def record_of(line: Line, decode: Decode, need: str | None, limits: Limits) -> Record:
    data = line.data
    if data[:1] == b"\0":
        text = data.lstrip(b"\0")
        reason = f"{len(data) - len(text)} NUL bytes{' in front' if text else ''}"
        return Record(line.number, None, bad=BadRecord(reason, quote(text, limits.quote)))
    try:
        value, flags = decode(data, limits)
    except BadRecord as fault:
        return bad_line(line, fault.reason if line.bad is None else str(line.bad), limits)
    if need is not None and not isinstance(value, JSON_TYPES[need]):
        return bad_line(line, f"not a JSON {need}", limits)
    return Record(line.number, value, flags=flags)


def read_lines(path: str, size: int, kind: str, need: str | None, limits: Limits) -> Iterator[Record]:
    """The records of a file, up to `size` bytes of it. Blank lines are skipped. A file of which no line can be read,
    and which is no text or has over a hundred lines, is one note."""
    decode, first = _DECODERS[kind], True
    with Stream(path, size) as stream:
        for line in split(unpacked(stream, limits), limits):
            data = line.data
            if line.bad is None:
                if not data or data.isspace():
                    continue
                record = record_of(line, decode, need, limits)
            elif isinstance(line.bad, BadRecord):
                record = Record(line.number, None, bad=line.bad)
            else:
                yield from _broken(path, line, decode, need, limits)
                return
            if first:
                first = False
                note = _hopeless(path, size, decode, need, limits) if record.bad is not None else None
                if note is not None:
                    yield Record(0, None, bad=note)
                    return
            yield record


def _broken(path: str, line: Line, decode: Decode, need: str | None, limits: Limits) -> Iterator[Record]:
    """The last line of a file that breaks off: a record when it is whole, and one note in any case."""
    if line.data.strip():
        record = record_of(line, decode, need, limits)
        yield record
        if record.bad is not None:
            return
    yield Record(0, None, bad=line.bad if isinstance(line.bad, BadUnit) else undecodable(path, str(line.bad)))


def _hopeless(path: str, size: int, decode: Decode, need: str | None, limits: Limits) -> BadUnit | None:
    """A note on the whole file when no line of it can be read; it is read up to the first that can."""
    count, nuls, reason = 0, False, ""
    with Stream(path, size) as stream:
        for line in split(unpacked(stream, limits), limits):
            if line.bad is None:
                if not line.data or line.data.isspace():
                    continue
                bad = record_of(line, decode, need, limits).bad
                if bad is None:
                    return None
                nuls, reason = nuls or b"\0" in line.data, str(bad)
            count += 1
    if nuls or count > HOPELESS:
        return undecodable(path, reason if count == 1 else f"none of its {count} lines can be read")
    return None
