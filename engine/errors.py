"""The errors that leave a function by `raise`. Problems of a spec are values, not errors: `engine.spec.problems`.

EngineError            one clear line for the user, exit status 2
├── UsageError         a bad option, path or input
├── SpecError          a spec with problems (carries them)
└── RowFault           a fault inside a rule; names the spec's line
BadRecord              a record that can't be read: becomes a note row, never leaves the run
└── BadFile            a record that is a file of its own, in a folder of them
BadUnit                a file, folder or table row that can't be read: one note row
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class EngineError(Exception):
    """Shown as one line on stderr; the command ends with exit status 2."""


class UsageError(EngineError):
    """A bad option, path or input."""


class SpecError(EngineError):
    """A spec that can't be used; `problems` holds every `engine.spec.problems.Problem` that was found."""

    def __init__(self, problems: Sequence[Any]):
        self.problems = tuple(problems)
        super().__init__("\n".join(str(p) for p in self.problems))


class RowFault(EngineError):
    """A fault inside a rule of a spec: a defect of the engine, reported with the spec's file and line."""


class BadRecord(Exception):
    """A record that can't be read. `reason` is a few words, `stored` the record's text as it stands on disk."""

    def __init__(self, reason: str, stored: str | bytes = ""):
        self.reason, self.stored = reason, stored
        super().__init__(reason)


class BadFile(BadRecord):
    """A record file of a folder that can't be read. `text` is the whole text of its note row, without `parser: `."""

    def __init__(self, reason: str, text: str):
        self.text = text
        super().__init__(reason)


class BadUnit(Exception):
    """A unit that can't be read at all. `text` is the whole text of its note row, without the leading `parser: `."""

    def __init__(self, text: str):
        self.text = text
        super().__init__(text)
