"""Sessions as Markdown, to be read by people. What evidence says stands in fences, so that none of it is markup."""

from __future__ import annotations

import json
import re
from typing import Any

from engine.rows import Row
from engine.write.files import Target
from engine.write.sink import Facts, RowSink, RowTuple

_WIDTH = len(Row._fields)
_HEADS = {"user": "User", "assistant": "Assistant", "thinking": "Thinking", "tool_use": "Call", "tool_result": "Result"}
#: a fact of several lines, or of more characters, stands in a fence
_LONG = 500
_ticks = re.compile("`+")
_control = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def fenced(text: str, language: str = "text") -> str:
    """The text in a fence that is longer than any run of backticks in it, without control characters."""
    longest = max((len(run) for run in _ticks.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{plain(text)}\n{fence}"


def plain(text: str) -> str:
    """Without control characters (but tabs and line ends) and marks of direction, which a viewer might obey."""
    return _control.sub("\ufffd", text)


def inline(text: str) -> str:
    """One line, as code; backticks in it become apostrophes."""
    return "`" + plain(text).replace("`", "'").replace("\n", " ").replace("\t", " ") + "`" if text else ""


class Markdown(RowSink):
    """A head where the session changes, then a section a row: prompts, answers, calls and results, facts as a line.

    At the end stands what the run was: versions, specs and ledger. `replaced` counts rows with control characters in
    their text.
    """

    def __init__(self, target: Target):
        self._target = target
        self._session: Any = None
        self.replaced = 0
        self.close, self.abort, self.open = target.close, target.abort, target.open

    def write_rows(self, rows: list[RowTuple]) -> None:
        self._write("".join(self._section(Row(*row[:_WIDTH])) for row in rows))

    def _write(self, text: str) -> None:
        self._target.write(text.encode())

    def _section(self, row: Row) -> str:
        self.replaced += _control.search(row.text) is not None
        session = (row.host, row.user, row.agent, row.session_id)
        head = ""
        if session != self._session:
            self._session = session
            head = f"# {row.agent} {inline(row.session_id) or 'no session'}\n\n"
            facts = {"host": row.host, "user": row.user, "project": row.project_path, "branch": row.git_branch}
            lines = [f"- {name}: {inline(value)}\n" for name, value in facts.items() if value]
            head += "".join(lines) + ("\n" if lines else "")
        return head + (self._turn(row) if row.turn_type in _HEADS else self._fact(row))

    def _turn(self, row: Row) -> str:
        named = " ".join(inline(part) for part in (row.tool_name, row.model) if part)
        marks = "".join(f" **{mark}**" for mark in (row.status, "secondary" if row.role == "secondary" else "") if mark)
        title = f"## {_HEADS[row.turn_type]} {named}".rstrip()
        more = ""
        if row.arguments and row.arguments != row.text:
            more = fenced(row.arguments, "json") + "\n\n"
        return f"{title}{marks}\n\n{_place(row)}\n\n{fenced(row.text)}\n\n{more}"

    def _fact(self, row: Row) -> str:
        mark = " **secondary**" if row.role == "secondary" else ""
        if "\n" in row.text or len(row.text) > _LONG:
            return f"## {row.event}{mark}\n\n{_place(row)}\n\n{fenced(row.text)}\n\n"
        return f"> {_place(row)}{mark} {inline(row.text)}\n\n"

    def keep(self, facts: Facts) -> None:
        """The run as it is in `run.json`, without its files."""
        self._write(f"# The run\n\n{fenced(json.dumps(facts.run(), indent=2), 'json')}\n")


def _place(row: Row) -> str:
    where = f"{row.source_file}:{row.source_line}" if row.source_line else row.source_file
    return f"{row.timestamp_utc or 'undated'} {inline(where)}"
