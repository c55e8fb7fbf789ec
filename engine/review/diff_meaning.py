"""What parts of a plan mean, apart from how they are written: comparable, and shown as one line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from engine.lang.plan import (
    Citation,
    Const,
    Earliest,
    Expr,
    First,
    Glob,
    Node,
    Optional,
    Previous,
    Text,
    Time,
)

#: fields that say how a spec is written or what it is called, not what it means
_SILENT = frozenset({"mark", "source", "file", "sha256"})
#: fields that hold (name, value) pairs whose order means nothing
_NAMED = frozenset({"let", "columns", "begin_columns", "inputs", "where", "match", "captures", "folder_captures",
                    "unread", "exclude", "scratch", "chains"})  # fmt: skip
#: the field that names an entry of a list of structs
_NAMES = ("name", "alias", "id", "secondary", "column")
#: lists of named entries whose order means something
_ORDERED = frozenset({"versions", "pairings"})


#: nodes that are one value
_WHOLE = (Expr, Const, Text, Time, First, Earliest, Glob, Citation)


class Leaf(NamedTuple):
    """A value: what it means, as text that is equal when the meaning is, and how it is shown."""

    meaning: str
    shown: str


#: stands for an entry that has a name: its parts follow
ENTRY = Leaf("", "")
#: behind a path: the order of the entries there
ORDER = " (order)"
#: dicts of entries
_SECTIONS = frozenset({"tables", "shapes"})


def leaf(value: Any) -> Leaf:
    return Leaf(json.dumps(_meaning(value), sort_keys=True, ensure_ascii=False, default=repr), shown(value))


def _meaning(value: Any) -> Any:
    if isinstance(value, Expr):
        return {"expr": value.ast}
    if isinstance(value, Text):
        return {"text": [_meaning(part) for part in value.parts]}
    if isinstance(value, Citation):
        return value.text
    if isinstance(value, Node):
        fields = {name: getattr(value, name) for name in value.__struct_fields__ if name not in _SILENT}
        return {type(value).__name__: {name: _field(name, inner) for name, inner in fields.items()}}
    if isinstance(value, Mapping):
        return {str(key): _meaning(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_meaning(inner) for inner in value]
    return value


def _field(name: str, value: Any) -> Any:
    if name in _NAMED and isinstance(value, tuple) and all(isinstance(item, tuple) for item in value):
        return {str(key): _meaning(inner) for key, inner in value}
    return _meaning(value)


def shown(value: Any) -> str:
    """A value in one line, as a spec's author would write it."""
    if isinstance(value, Expr | Text | Glob):
        return " ".join(value.source.split())
    if isinstance(value, Citation):
        return value.text
    if isinstance(value, Const):
        return json.dumps(value.value, ensure_ascii=False)
    if isinstance(value, Time):
        parts = [("unit", value.unit), ("nanos", value.nanos), ("offset", value.offset), ("basis", value.basis)]
        more = "".join(f", {name}: {shown(part)}" for name, part in parts if part is not None)
        return f"{{time: {shown(value.time)}{more}}}"
    if isinstance(value, Previous):
        return f"previous ({value.basis})" if value.basis else "previous"
    if isinstance(value, First | Earliest):
        return f"{type(value).__name__.lower()} of {', '.join(map(shown, value.times))}"
    if isinstance(value, Optional):
        return "[…]"
    if isinstance(value, Node):
        fields = ((name, getattr(value, name)) for name in value.__struct_fields__ if name not in _SILENT)
        return "{" + ", ".join(f"{name}: {shown(inner)}" for name, inner in fields if inner not in (None, (), "")) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(shown, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(inner)}" for key, inner in value.items()) + "}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def parts(name: str, value: Any, path: str) -> Iterator[tuple[str, Leaf]]:
    """The parts of a field of a plan by their paths, such as `stores.threads.sqlite.want`; named entries by name. An
    entry stands before its parts as `ENTRY`; the order of entries, where it means something, as `path ORDER`."""
    if isinstance(value, tuple) and value:
        if name in _NAMED and all(isinstance(item, tuple) and len(item) == 2 for item in value):
            yield from _below(dict(value), path)
            return
        key = next((key for key in _NAMES if all(hasattr(item, key) for item in value)), None)
        if key is not None and len({getattr(item, key) for item in value}) == len(value):
            for item in value:
                yield from _entry(item, f"{path}.{getattr(item, key)}")
            if name in _ORDERED:
                yield path + ORDER, Leaf(json.dumps([getattr(item, key) for item in value]), "")
            return
    if name in _SECTIONS and isinstance(value, dict):
        for entry, item in value.items():
            yield from _entry(item, f"{path}.{entry}")
    elif value is not None and value is not False and value not in ((), {}, ""):
        yield from _below(value, path)


def _entry(value: Any, path: str) -> Iterator[tuple[str, Leaf]]:
    yield path, ENTRY
    yield from ((below, each) for below, each in _below(value, path) if below != path)
    if not isinstance(value, Node | dict):
        yield f"{path} =", leaf(value)


def _below(value: Any, path: str) -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, Node) and not isinstance(value, _WHOLE):
        for name in value.__struct_fields__:
            if name not in _SILENT:
                yield from parts(name, getattr(value, name), f"{path}.{name}")
    elif isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _below(inner, f"{path}.{key}")
    elif value is not None:
        yield path, leaf(value)


def prefix_order(table: Any) -> Leaf | None:
    """The order of the keys of a table, as far as it means something: `label` takes the first key that a text starts
    with, so the place of a key matters to those that begin with it."""
    if not isinstance(table, dict):
        return None
    keys = list(map(str, table))
    tied = [key for key in keys if any(key != o and (key.startswith(o) or o.startswith(key)) for o in keys)]
    pairs = sorted((a, b) for n, a in enumerate(tied) for b in tied[n + 1 :] if a.startswith(b) or b.startswith(a))
    return Leaf(json.dumps(pairs, ensure_ascii=False), ", ".join(tied)) if pairs else None
