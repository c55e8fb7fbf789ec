"""Whole documents: JSON, JSON with comments, TOML, YAML, `NAME=value` files. Each is bounded by `Limits.blob`.

The notes: `<file> is not a JSON object` where the store needs one, else `<file> could not be decoded (<reason>)`.
Reasons never quote the file: it may hold secrets. The parsers of rarer formats are imported when one is met.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from engine.errors import BadRecord, BadUnit
from engine.lang import jsontext
from engine.read.codecs import Cut
from engine.read.files import Stream, undecodable
from engine.read.limits import CHUNK, Limits
from engine.read.lines import BOM, unpacked
from engine.read.names import base_name
from engine.read.units import JSON_TYPES

#: what an empty file holds: nothing, not even null
ABSENT = object()


class Undecodable(Exception):
    """Why a document can't be decoded, in a few words that quote nothing of it."""


def read_bytes(path: str, size: int, limits: Limits) -> bytes:
    """All bytes of a file, unpacked by its suffix. Raises BadUnit."""
    with Stream(path, size) as stream:
        return bytes_of(stream, limits)


def bytes_of(stream: Stream, limits: Limits) -> bytes:
    """`read_bytes` of a file that is open."""
    source = unpacked(stream, limits)
    if stream.size > limits.blob:
        raise undecodable(stream.path, f"over the limit of {limits.blob} bytes")
    if source is stream:
        return stream.whole()
    parts, given = [], 0
    try:
        while part := source.read(CHUNK):
            parts.append(part)
            given += len(part)
            if given > limits.blob:
                raise undecodable(stream.path, f"unpacks to over {limits.blob} bytes")
    except Cut as fault:
        raise undecodable(stream.path, str(fault)) from None
    return b"".join(parts)


def decode_document(path: str, data: bytes, kind: str, limits: Limits) -> tuple[Any, tuple[str, ...]]:
    """The document and what had to be mended to read it. ABSENT for an empty file of a kind that allows it (JSON does
    not). Raises BadUnit."""
    data = data.removeprefix(BOM)
    if kind != "json" and not data.strip():
        return ABSENT, ()
    try:
        if kind == "json":
            return jsontext.loads_flagged(data, limits.nesting)
        return DECODERS[kind](data, limits), ()
    except BadRecord as fault:
        raise undecodable(path, fault.reason) from None
    except Undecodable as fault:
        raise undecodable(path, str(fault)) from None
    except RecursionError:
        raise undecodable(path, "nested too deeply") from None


def check_need(path: str, value: Any, need: str | None) -> None:
    """Raises BadUnit when the store needs an object or a list and the document is none."""
    if need is not None and not isinstance(value, JSON_TYPES[need]):
        raise not_needed(path, need)


def not_needed(path: str, need: str) -> BadUnit:
    """The note for a document that is not what the store needs."""
    return BadUnit(f"{base_name(path)} is not a JSON {need}")


def _jsonc(data: bytes, limits: Limits) -> Any:
    """Strict JSON first, which keeps every number; else what a JSON5 reader makes of it (comments, trailing commas,
    and its other liberties). A file of comments alone is empty."""
    try:
        return jsontext.loads(data, limits.nesting)
    except BadRecord:
        pass
    import pyjson5

    try:
        return pyjson5.decode(data.decode("utf-8", "replace"), limits.nesting)
    except pyjson5.Json5Exception as fault:
        message = str(fault.args[0]) if fault.args else "no JSON"
    if message.startswith("No JSON data found"):
        return ABSENT
    raise Undecodable(message.replace("b'", "'").strip())


def _toml(data: bytes, limits: Limits) -> Any:
    import tomllib

    try:
        return _plain(tomllib.loads(data.decode("utf-8")), limits)
    except UnicodeDecodeError:
        raise Undecodable("invalid UTF-8") from None
    except tomllib.TOMLDecodeError as fault:
        raise Undecodable(_toml_reason(str(fault))) from None


def _toml_reason(message: str) -> str:
    """The parser's message without what it quotes of the file."""
    place = message.rpartition("(")[2].rstrip(")") if message.endswith(")") else ""
    words = message.partition(":")[0].partition("'")[0].partition('"')[0].partition("(")[0].strip()
    return " ".join(part for part in (words[:1].lower() + words[1:], place) if part)


def _yaml(data: bytes, limits: Limits) -> Any:
    from engine.read import yamltext

    try:
        return _plain(yamltext.load(data), limits)
    except yamltext.NoYaml as fault:
        raise Undecodable(str(fault)) from None


def _env(data: bytes, limits: Limits) -> Any:
    """`NAME=value` lines; `#` comments, `export ` and one pair of quotes around a value are taken off; the last of
    equal names wins. Other lines are nothing."""
    found = {}
    for line in data.decode("utf-8", "replace").split("\n"):
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if not equals or not name or name.startswith("#"):
            continue
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        found[name] = value
    return found


def _plain(value: Any, limits: Limits) -> Any:
    """JSON values only: times and dates as ISO text, bytes as hex. Bounds the nodes that aliases stand
    for, and the depth. Raises Undecodable."""
    return jsontext.in_fresh_stack(lambda: _plain_at(value, limits, 1, count(1)))


def _plain_at(value: Any, limits: Limits, level: int, seen: Iterator[int]) -> Any:
    if next(seen) > limits.members or level > limits.nesting:
        raise Undecodable(f"over {limits.members} values" if level <= limits.nesting else "nested too deeply")
    if isinstance(value, dict):
        return {key: _plain_at(member, limits, level + 1, seen) for key, member in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain_at(element, limits, level + 1, seen) for element in value]
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else value


DECODERS: dict[str, Callable[[bytes, Limits], Any]] = {
    "jsonc": _jsonc, "toml": _toml, "yaml": _yaml, "env": _env,
}  # fmt: skip
