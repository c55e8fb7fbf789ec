"""Writes the rows that came as those that are expected: into golden files, or into the spec itself."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.lang import jsontext
from engine.review.spectext import SpecText, spec_of
from engine.review.testing import Outcome, Row
from engine.write.files import write_text

#: what a new row shows besides its turn or event, where it is not empty
_TOLD = ("timestamp_utc", "session_id", "tool_name", "status", "text")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
_WIDTH = 118


def update(text: SpecText, outcomes: Sequence[Outcome]) -> None:
    """Writes what some tests gave in the place of what they expected. Raises UsageError when a file can't be written,
    and when the spec would not be what it was but for that."""
    for outcome in outcomes:
        if outcome.case.golden is not None:
            write_text(outcome.case.golden, "".join(_golden_line(row) for row in _rows(outcome)))
    inline = [outcome for outcome in outcomes if outcome.case.golden is None]
    if inline:
        edited = text.text
        for outcome in sorted(inline, key=lambda each: -each.case.mark.line):
            edited = _edited(text, edited, outcome)
        _check(text, edited, inline)
        write_text(Path(text.label), edited)


def _rows(outcome: Outcome) -> list[Row]:
    """The rows that came, each with the columns of the row that was expected in its place."""
    expected = outcome.case.expected
    columns = list(dict.fromkeys(column for row in expected for column in row))
    made = []
    for number, row in enumerate(outcome.rows):
        if len(expected) == len(outcome.rows):
            wanted = list(expected[number])
        else:
            wanted = columns or [name for name in row if name not in ("host", "user", "agent")]
        if not columns and outcome.case.golden is None:
            wanted = [_kind(row), *(name for name in _TOLD if row[name] not in ("", None))]
        made.append({name: row[name] for name in wanted})
    return made


def _kind(row: Row) -> str:
    return "event" if row["turn_type"] == "system" else "turn_type"


def _golden_line(row: Row) -> str:
    return jsontext.dumps(row) + "\n"


def _edited(text: SpecText, edited: str, outcome: Outcome) -> str:
    """The text with the rows of one test; the tests after it stand already."""
    path = f"{outcome.case.mark.path}.expect"
    span, node = text.spans[path], text.nodes[path]
    rows = _rows(outcome)
    if not rows:
        return edited[: span.start] + "[]" + edited[span.end :]
    in_flow = text.text[span.start] == "["
    indent = outcome.case.mark.column + 1 if in_flow else node.column - 1
    lines = [line for row in rows for line in _item(row)]
    body = ("\n" + " " * indent).join(lines)
    start = span.start
    if in_flow:
        start = len(edited[:start].rstrip(" "))
        body = "\n" + " " * indent + body
    return edited[:start] + body + edited[span.end :]


def _item(row: Row) -> list[str]:
    """A row as an item of a YAML list: in one line where it fits."""
    pairs = [f"{name}: {_scalar(value)}" for name, value in row.items()]
    flow = f"- {{{', '.join(pairs)}}}"
    if len(flow) <= _WIDTH - 8:
        return [flow]
    return [f"- {pairs[0]}", *(f"  {pair}" for pair in pairs[1:])]


def _scalar(value: Any) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    if value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=True)


def _check(text: SpecText, edited: str, outcomes: Sequence[Outcome]) -> None:
    """The edited spec is what it was, but for the expected rows."""
    old, new = (_without(plain, outcomes) for plain in (_plain(text), _plain(spec_of(edited.encode(), text.label))))
    if old != new:
        raise UsageError(f"{text.label}: the rows can't be written into this text: write them by hand")


def _plain(text: SpecText) -> Any:
    return text.document.root.plain() if text.document.root is not None else None


def _without(plain: Any, outcomes: Sequence[Outcome]) -> Any:
    for outcome in outcomes:
        plain["tests"][int(outcome.case.mark.path[len("tests[") : -1])]["expect"] = None
    return plain
