"""Names for Python locals."""

from __future__ import annotations

import builtins
import keyword
import re

_TEMPORARY = re.compile(r"it\d*")
RESERVED = frozenset(keyword.kwlist) | frozenset(keyword.softkwlist) | frozenset(dir(builtins))


class Locals:
    """Gives out the names of a function's locals, none twice."""

    def __init__(self, taken: set[str]):
        self.taken = set(taken)

    def claim(self, wanted: str) -> str:
        base = re.sub(r"\W+", "_", wanted, flags=re.ASCII).strip("_") or "value"
        if base[0].isdigit() or base in RESERVED:
            base = f"{base}_" if not base[0].isdigit() else f"n{base}"
        if _TEMPORARY.fullmatch(base):
            base += "_"
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name
