"""Secret files: of their documents only the named key paths are ever kept."""

from __future__ import annotations

from typing import Any

#: what is kept of a value that no path names
NOTHING = object()


def keep(value: Any, paths: tuple[str, ...]) -> Any:
    """The value reduced to what the paths name: `a.b`, `*` any member, `[]` each element, `**` every leaf below.

    Objects and lists on the way keep their form and hold nothing else; a value without any of the paths is null.
    """
    kept = _keep(value, [segments(path) for path in paths])
    return None if kept is NOTHING else kept


def segments(path: str) -> tuple[str, ...]:
    """The names of a key path; `[]` stands for each element."""
    segments: list[str] = []
    for part in path.split("."):
        name = part.rstrip("[]") if part.endswith("[]") else part
        segments.extend([name] if name else [])
        segments.extend(["[]"] * ((len(part) - len(name)) // 2))
    return tuple(segments)


def _keep(value: Any, paths: list[tuple[str, ...]]) -> Any:
    if any(not path or (path[0] == "**" and isinstance(value, dict)) for path in paths):
        return value
    if isinstance(value, list):
        below = [path[1:] for path in paths if path[0] == "[]"]
        elements = [kept for element in value if (kept := _keep(element, below)) is not NOTHING] if below else []
        return elements or NOTHING
    if not isinstance(value, dict):
        return NOTHING
    found = {}
    for key, member in value.items():
        below = [path[1:] for path in paths if path[0] in (key, "*")]
        kept = _keep(member, below) if below else NOTHING
        if kept is not NOTHING:
            found[key] = kept
    return found if found else NOTHING
