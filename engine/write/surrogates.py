"""Lone surrogates, which JSON can hold and UTF-8 can't."""

from __future__ import annotations

import re

_SURROGATE = re.compile("[\ud800-\udfff]")


def without_surrogates(text: str) -> str:
    """The text with U+FFFD for each lone surrogate."""
    return _SURROGATE.sub("\ufffd", text)
