"""Hooks: the only Python that a spec can name.

A call is `engine.hooks.<module>:<function>`, or the name of an entry point of the group `agentrows.hooks` that an
installed package gives. Nothing else can be reached from a YAML file.

A hook is called with its declared inputs by keyword; when its state scope is `unit`, also with `state`, a dict of its
own that lives as long as the unit. It returns an iterable of values. A value is an object whose members the spec
declares (`gives`), or any value when `gives` is empty.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from engine.errors import UsageError
from engine.lang.plan import HookSpec

GROUP = "agentrows.hooks"
_OURS = re.compile(r"engine\.hooks\.([a-z_][a-z0-9_]*):([a-z][a-z0-9_]*)")


class HookFault(Exception):
    """A hook that gave what it may not; becomes a RowFault with the step's place."""


def load(spec: HookSpec) -> Callable[..., Any]:
    """The callable of a hook. Raises UsageError when there is none."""
    found = _OURS.fullmatch(spec.call)
    if found:
        try:
            called = getattr(importlib.import_module(f"engine.hooks.{found[1]}"), found[2], None)
        except ImportError as cause:
            raise UsageError(f"hook {spec.name}: no module engine.hooks.{found[1]}") from cause
    else:
        # what it imports costs as much as all of this package's own modules; few specs need it
        from importlib import metadata

        points = metadata.entry_points(group=GROUP, name=spec.call)
        called = next(iter(points)).load() if points else None
    if not callable(called):
        raise UsageError(f"hook {spec.name}: there is no {spec.call} (engine.hooks, or an entry point of {GROUP})")
    return called


def values(spec: HookSpec, called: Callable[..., Any], inputs: dict[str, Any], state: dict[str, Any]) -> Iterator[Any]:
    """Calls a hook and checks what it yields. Raises HookFault."""
    if spec.state == "unit":
        inputs = {**inputs, "state": state}
    for value in called(**inputs) or ():
        if spec.gives and not (isinstance(value, dict) and value.keys() <= set(spec.gives)):
            raise HookFault(f"hook {spec.name} gave {value!r:.200}, its members may be {', '.join(spec.gives)}")
        yield value
