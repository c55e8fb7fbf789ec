"""Texts of the rows in which the parser itself speaks."""

from __future__ import annotations

from typing import Any

from engine.lang import jsontext, text
from engine.read.limits import quote, quote_hex

#: the last part of the `rule` of rows that no step wrote
UNPARSEABLE, UNKNOWN, FILE, MENDED = "unparseable", "unknown", "file", "mended"

NO_TYPE = "no type"
NO_RULE = "no rule for it"


def unparseable(number: Any, reason: str, content: str | bytes, limit: int) -> str:
    """`parser: unparseable record <number> (<reason>): <content>`; bytes stand as hex, long content in part.

    Without content (an empty record, a secret file) nothing stands after the bracket."""
    shown = quote_hex(content, limit) if isinstance(content, bytes) else quote(content, limit)
    return f"parser: unparseable record {text.as_text(number)} ({reason})" + (f": {shown}" if shown else "")


def unknown(kind: str, rest: Any, limit: int) -> str:
    """`<type>: <JSON of the rest>`; the type alone when nothing is left. A text stands as it is."""
    return kind if rest in (None, "", [], {}) else f"{kind}: {quote(text.as_text(rest), limit)}"


def of_file(reason: str) -> str:
    """The one row of a file that can't be read."""
    return f"parser: {reason}"


def mended(number: int, flags: tuple[str, ...]) -> str:
    """Beside a record whose text had to be mended to be read."""
    return f"parser: record {number} mended to be read ({', '.join(flags)})"


def by_itself(record: Any) -> tuple[str, Any] | None:
    """Type and rest of a record that made no row: its `type` and what else it holds; None when it has no type."""
    kind = record.get("type") if isinstance(record, dict) else None
    if not isinstance(kind, str) or not kind:
        return None
    return kind, {name: value for name, value in record.items() if name != "type"}


def as_json(record: Any) -> str:
    return jsontext.dumps(record)
