"""Rows that say something: all words, in any case, anywhere in a row's text, arguments or tool's name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.rows import COLUMNS

RowTuple = tuple[Any, ...]

_SEARCHED = tuple(COLUMNS.index(name) for name in ("text", "arguments", "tool_name"))
#: characters of an excerpt before and after the first word found
_BEFORE, _AFTER = 40, 120


class Words:
    """What is looked for."""

    def __init__(self, words: Sequence[str]):
        self._words = [word.casefold() for word in words]

    def stand_in(self, row: RowTuple) -> bool:
        said = "\0".join(row[at] for at in _SEARCHED).casefold()
        return all(word in said for word in self._words)

    def excerpt(self, row: RowTuple) -> str:
        """The place in the row where the first of the words stands, with what is around it."""
        for at in _SEARCHED:
            text = row[at]
            places = [place for word in self._words if (place := text.casefold().find(word)) >= 0]
            if places:
                start = max(0, min(places) - _BEFORE)
                end = start + _BEFORE + _AFTER
                return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
        return ""
