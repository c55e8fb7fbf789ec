"""Sizes and counts as options: `67108864`, `64M`, `64MiB`, `1G`."""

from __future__ import annotations

import re
from typing import Any

import click

_FORM = re.compile(r"(\d+)\s*([kmgt]?)(?:i?b)?", re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def short(size: int) -> str:
    """The size as one would type it."""
    for letter, power in reversed(_POWERS.items()):
        if size % 1024**power == 0:
            return f"{size // 1024**power}{letter.upper()}"
    return str(size)


class Size(click.ParamType):
    """A number of bytes, at least 1, and at most `most` where that is given."""

    name = "size"

    def __init__(self, most: int | None = None):
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _FORM.fullmatch(value.strip())
        size = int(found[1]) * 1024 ** _POWERS[found[2].lower()] if found else 0
        if size < 1:
            self.fail(f"{value!r} is no size (such as 64M)", param, ctx)
        if self._most is not None and size > self._most:
            self.fail(f"{value!r} is more than {self._most}", param, ctx)
        return size
