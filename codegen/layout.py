"""The last pass over a module's text: what the formatter would do."""

from __future__ import annotations


def formatted(text: str) -> str:
    return text
