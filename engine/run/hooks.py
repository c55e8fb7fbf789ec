"""Hooks, as a walk calls them; `engine.lang.callables` says which Python a spec can name.

A hook is called with its declared inputs by keyword; when its state scope is `unit`, also with `state`, a dict of its
own that lives as long as the unit. It returns an iterable of values. A value is an object whose members the spec
declares (`gives`), or any value when `gives` is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.errors import UsageError
from engine.lang.callables import GROUP, find_callable
from engine.lang.plan import HookSpec


class HookFault(Exception):
    """A hook that gave what it may not; becomes a RowFault with the step's place."""


def load(spec: HookSpec) -> Callable[..., Any]:
    """The callable of a hook. Raises UsageError when there is none."""
    called = find_callable(spec.call)
    if called is None:
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
