"""A session as a transcript: what was said, each call with its decisions and its result, in the order of the calls."""

from __future__ import annotations

import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.rows import Row

_MARKS = {"user": "bold cyan", "assistant": "bold", "thinking": "dim", "tool_use": "bold yellow", "error": "red"}
_INDENT = "    "
_PARTS = ("tool_result", "system")

Style = Callable[[str, str], str]


class Transcript:
    """The lines of one session, at least of one row. Its file is the one with most rows: of these the lines give the
    place alone. `plain` makes a text of evidence safe for a terminal, `style` colours our own words
    (text and a style's name in, text out); texts of more than `most` lines are cut, 0 cuts none."""

    def __init__(self, rows: Sequence[Row], *, plain: Callable[[str], str], style: Style, most: int = 0):
        self._rows, self._plain, self._style, self._most = rows, plain, style, most
        self._file = Counter(row.source_file for row in rows).most_common(1)[0][0]
        calls = {row.tool_use_id for row in rows if row.turn_type == "tool_use" and row.tool_use_id}
        self._parts: dict[str, list[Row]] = defaultdict(list)
        self._rest: list[Row] = []
        for row in rows:
            if row.tool_use_id in calls and row.turn_type in _PARTS:
                self._parts[row.tool_use_id].append(row)
            else:
                self._rest.append(row)

    def lines(self) -> Iterator[str]:
        yield from self._head()
        for row in self._rest:
            yield from self._turn(row)
            if row.turn_type == "tool_use":
                for part in self._parts.pop(row.tool_use_id, ()):
                    yield from self._turn(part, _INDENT)

    def _head(self) -> Iterator[str]:
        first = self._rows[0]
        dated = [row for row in self._rows if row.timestamp_utc]
        # a file may have been touched long after
        times = [row.timestamp_utc for row in [row for row in dated if row.time_basis != "file_mtime"] or dated]
        yield self._style(f"{first.agent} {self._plain(first.session_id)}", "bold")
        facts = {
            "host": first.host,
            "user": first.user,
            "project": next((row.project_path for row in self._rows if row.project_path), ""),
            "models": ", ".join(dict.fromkeys(row.model for row in self._rows if row.model)),
            "time": f"{times[0]} to {times[-1]}" if times else "unknown",
            "file": self._file,
        }
        yield from (f"{name:8} {self._line(value)}" for name, value in facts.items() if value)

    def _turn(self, row: Row, indent: str = "") -> Iterator[str]:
        shown = self._line(row.timestamp_utc.replace("T", " ").removesuffix("Z") or "undated")
        name = {"tool_use": "call", "tool_result": "result", "system": row.event}.get(row.turn_type, row.turn_type)
        mark = "error" if row.status else row.turn_type
        more = [self._line(part) for part in (row.tool_name, row.model, row.status) if part]
        if row.role == "secondary":
            more.append("secondary")
        title = " ".join((self._style(name, _MARKS.get(mark, "")), *more))
        file = "" if row.source_file == self._file else self._line(row.source_file)
        place = self._style(f"{file}:{row.source_line}", "dim")
        if row.turn_type == "system" and "\n" not in row.text:
            says_it = row.text.replace(" ", "_").startswith(row.event)
            yield f"{indent}{shown}  {'' if says_it else f'{title}: '}{self._line(row.text)}"
            return
        if not indent:
            yield ""
        yield f"{indent}{shown}  {title}  {place}"
        yield from self._text(row.text, indent + _INDENT)
        if row.turn_type == "tool_use" and row.arguments != row.text:
            yield from self._text(row.arguments, indent + _INDENT)

    def _text(self, text: str, indent: str) -> Iterator[str]:
        found = self._plain(text).split("\n")
        cut = len(found) - self._most if self._most and len(found) > self._most else 0
        for line in found[: len(found) - cut]:
            yield textwrap.indent(line, indent)
        if cut:
            yield indent + self._style(f"… {cut} more lines (--full shows them)", "dim")

    def _line(self, text: Any) -> str:
        return self._plain(str(text)).replace("\t", "\\t").replace("\n", "\\n")
