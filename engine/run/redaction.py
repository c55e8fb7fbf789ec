"""Secrets in rows give way to a marker: `[redacted:<rule>:<first 8 digits of the secret's SHA-256>]`.

Equal secrets have equal markers, so that one can still be followed. Besides what looks like a secret
(`engine.run.secrets`), every value that stands in a file which a spec names as secret is one wherever it appears.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from engine.rows import COLUMNS
from engine.run import secrets
from engine.run.secrets import Rule

RowTuple = tuple[Any, ...]

_SEARCHED = tuple(COLUMNS.index(name) for name in ("text", "arguments", "project_path", "git_branch"))


def marker(rule: str, secret: str) -> str:
    return f"[redacted:{rule}:{hashlib.sha256(secret.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}]"


class Redactor:
    """Rows in, rows without secrets out. `known` are secrets by their value."""

    def __init__(self, known: Iterable[str] = ()):
        self._rules = (*_known(known), *secrets.RULES)
        self._last: tuple[str, tuple[str, int]] = ("", ("", 0))

    def __call__(self, rows: list[RowTuple]) -> tuple[list[RowTuple], list[int]]:
        """The rows, and how many secrets were replaced in each."""
        clean = [self._row(row) for row in rows]
        return [row for row, _ in clean], [count for _, count in clean]

    def _row(self, row: RowTuple) -> tuple[RowTuple, int]:
        values, total = list(row), 0
        for at in _SEARCHED:
            if row[at]:
                values[at], count = self.text(row[at])
                total += count
        return (tuple(values), total) if total else (row, 0)

    def text(self, text: str) -> tuple[str, int]:
        """The text without secrets, and how many they were."""
        if text == self._last[0]:
            return self._last[1]
        found = secrets.spans(text, self._rules)
        parts, end = [], 0
        for start, stop, rule in found:
            parts += [text[end:start], marker(rule, text[start:stop])]
            end = stop
        clean = "".join((*parts, text[end:])) if found else text
        self._last = (text, (clean, len(found)))
        return self._last[1]

    def document(self, value: Any) -> Any:
        """A JSON document whose texts are without secrets; the names of its members stay."""
        if isinstance(value, dict):
            return {name: self.document(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.document(inner) for inner in value]
        return self.text(value)[0] if isinstance(value, str) else value


def _known(values: Iterable[str]) -> list[Rule]:
    """A rule for known values, as they are and as they stand in JSON."""
    forms: set[str] = set()
    for value in values:
        forms |= {value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    if not forms:
        return []
    longest = sorted(forms, key=lambda form: (-len(form), form))
    return [Rule("known", ("",), re.compile("|".join(map(re.escape, longest))), anchored=False)]
