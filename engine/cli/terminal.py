"""Text of evidence on a terminal: nothing in it may move the cursor, change colours or turn the line around."""

from __future__ import annotations

import functools
import re

from engine.write.files import StandardOutput

_UNSAFE = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
#: compiled when a terminal is written to, and not at each start
_unsafe = functools.cache(functools.partial(re.compile, _UNSAFE))


def plain(text: str) -> str:
    """The text with control characters, marks of direction and lone surrogates written as escapes, those of JSON; tab
    and line break stay."""
    return _unsafe().sub(lambda found: _escaped(ord(found[0])), text)


class TerminalOutput(StandardOutput):
    """Standard output that is a terminal. JSON stays the same JSON."""

    def write(self, data: bytes) -> None:
        super().write(plain(data.decode()).encode())


def one_line(text: str) -> str:
    """`plain`, and tabs and line breaks are escapes too."""
    return plain(text).replace("\t", "\\t").replace("\n", "\\n")


def _escaped(code: int) -> str:
    return f"\\u{code:04x}"
