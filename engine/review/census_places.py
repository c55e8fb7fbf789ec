"""The places of a record, and what is read there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from engine.lang.paths import ANY, ELEMENT, Path


@dataclass
class Reads:
    """What is read at a place and below. `whole`: all of it; `whole_of`: all of it where the value at a path below is
    one of these cases. `kinds`: the values that a switch takes here, and others that it is compared with; `switched`:
    whether there is a switch. `records`: the store's records stand here."""

    below: dict[str, Reads] = field(default_factory=dict)
    whole: bool = False
    whole_of: dict[Path, set[str]] = field(default_factory=dict)
    kinds: set[str] = field(default_factory=set)
    switched: bool = False
    records: bool = False

    def at(self, path: Iterable[str]) -> Reads:
        """The place at a path, made when it is not there."""
        node = self
        for step in path:
            node = node.below.setdefault(step, Reads())
        return node

    def member(self, key: str) -> Reads | None:
        return self.below.get(key) or self.below.get(ANY)

    def takes(self, value: Any) -> bool:
        """Whether all of a value that stands here is read."""
        return self.whole or any(case_at(value, path) in cases for path, cases in self.whole_of.items())

    def element(self) -> Reads:
        """Elements of a list; what is asked of a list as a whole is asked of each, as `a[]` flattens."""
        return self.below.get(ELEMENT, self)


def case_of(value: Any) -> str:
    """A value as a switch's case is written."""
    return {True: "true", False: "false", None: "null"}[value] if value is None or value is True or value is False \
        else str(value)  # fmt: skip


def case_at(value: Any, path: Path) -> str | None:
    """The case of what stands at a path of members below a value; None where it is none."""
    for name in path:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return None if isinstance(value, dict | list) else case_of(value)
