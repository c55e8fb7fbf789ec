"""Rows as the blocks that the report's page carries: columns, with a dictionary for those that repeat.

A block is one line of JSON and behind it all its long texts in one piece, compressed, in base64: so no text of evidence
ever stands in the page's own markup, and the page cuts the texts out of one string without copying them.
"""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

from engine.rows import COLUMNS
from engine.write.arrow import milliseconds
from engine.write.surrogates import without_surrogates

RowTuple = tuple[Any, ...]

#: columns whose values repeat: the page holds each value once
REPEATED = (
    "host", "user", "agent", "session_id", "project_path", "git_branch", "turn_type", "model", "tool_name",
    "source_file", "event", "status", "time_basis", "role", "basis", "rule",
)  # fmt: skip
_AT = {name: COLUMNS.index(name) for name in COLUMNS}
_TIME, _RAW, _TEXT, _ARGUMENTS = (_AT[name] for name in ("timestamp_utc", "time_raw", "text", "arguments"))


def packed(value: Any, body: str = "") -> str:
    """A JSON value on a line and a text behind it, compressed, in base64. A lone surrogate in the text is U+FFFD."""
    data = json.dumps(value, separators=(",", ":")).encode() + b"\n" + without_surrogates(body).encode()
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode()


def units(text: str) -> int:
    """The length of a text as JavaScript counts it, in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


class Dictionary:
    """Numbers for the values of the repeated columns, given in the order in which they come."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[str, int]] = {name: {} for name in REPEATED}

    def block(self, rows: list[RowTuple]) -> str:
        """The rows as one block. `raw` is null where it is the row's time, a text's arguments are left out where they
        are its text; `ends` are the places where texts end, two a row: the text's, then the arguments'."""
        fresh: dict[str, list[str]] = {}
        ids: dict[str, list[int]] = {}
        for name, numbers in self._numbers.items():
            known, at = len(numbers), _AT[name]
            ids[name] = [numbers.setdefault(row[at], len(numbers)) for row in rows]
            fresh[name] = list(numbers)[known:] if len(numbers) > known else []
        parts: list[str] = []
        ends: list[int] = []
        end = 0
        for row in rows:
            text, arguments = row[_TEXT], row[_ARGUMENTS]
            for part in (text, "" if arguments == text else arguments):
                end += units(part)
                parts.append(part)
                ends.append(end)
        head = {
            "count": len(rows),
            "fresh": fresh,
            "ids": ids,
            "ms": [milliseconds(row[_TIME]) for row in rows],
            "raw": [None if row[_RAW] == row[_TIME] else row[_RAW] for row in rows],
            "call": [row[_AT["tool_use_id"]] for row in rows],
            "line": [row[_AT["source_line"]] for row in rows],
            "ends": ends,
        }
        return packed(head, "".join(parts))
