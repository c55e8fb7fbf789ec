"""The Python that a spec can name: functions of `engine.hooks`, and entry points that installed packages give."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

GROUP = "agentrows.hooks"
_OURS = re.compile(r"engine\.hooks\.([a-z_][a-z0-9_]*):([a-z][a-z0-9_]*)")


def find_callable(call: str) -> Callable[..., Any] | None:
    """The callable of a hook's `call`, or None; nothing outside `engine.hooks` and the group's entry points."""
    ours = _OURS.fullmatch(call)
    try:
        if ours is not None:
            module = f"engine.hooks.{ours[1]}"
            found = getattr(importlib.import_module(module), ours[2], None)
            if getattr(found, "__module__", None) != module:
                return None  # what a hook imports for itself is not for specs
        else:
            from importlib import metadata  # costs as much to import as all of this package; few specs ask

            points = metadata.entry_points(group=GROUP, name=call)
            found = next(iter(points)).load() if points else None
    except (ImportError, AttributeError):
        return None
    return found if callable(found) else None
