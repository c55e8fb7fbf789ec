"""Functions on objects, lists and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.lang.function import MANY, Registry
from engine.lang.text import as_text
from engine.lang.values import equal, is_empty, is_number, is_object, member

#: what a table of a spec is
_TABLES = (list, dict)

_registry = Registry()
_function = _registry.add
FUNCTIONS = _registry.functions


@_function("get", 2)
def get(value: Any, key: Any) -> Any:
    """The member `key` of an object, or the element of a list for an integer (from the end when negative)."""
    if value is None or key is None:
        return None
    if isinstance(key, str):
        return value.get(key) if type(value) is dict else member(value, key)
    if isinstance(value, list):
        return value[key] if type(key) is int and -len(value) <= key < len(value) else None
    return member(value, as_text(key)) if is_number(key) else None


@_function("index_by", 2)
def index_by(values: Any, field: Any) -> Any:
    """An object: the field's value (text or number) → the element; of equal values the first wins."""
    if not isinstance(values, list) or not isinstance(field, str):
        return None
    found: dict[str, Any] = {}
    for element in values:
        key = member(element, field)
        if isinstance(key, str) or is_number(key):
            found.setdefault(as_text(key), element)
    return found


@_function("find_by", 3)
def find_by(values: Any, field: Any, value: Any) -> Any:
    """The first element whose field equals the value."""
    if not isinstance(values, list) or not isinstance(field, str) or value is None:
        return None
    return next((element for element in values if equal(member(element, field), value)), None)


@_function("lookup", 2, needs_lookup=True)
def lookup(find: Callable[[str, Any], Any], name: Any, key: Any) -> Any:
    """The value that the named lookup has for the key."""
    return find(name, key) if isinstance(name, str) and key is not None else None


@_function("entries", 1)
def entries(value: Any) -> Any:
    """`[{key, value}]` for the members of an object, in order."""
    return [{"key": key, "value": found} for key, found in value.items()] if is_object(value) else None


@_function("omit", 2)
def omit(value: Any, names: Any) -> Any:
    """The object without these members; `names` is a list of names or one name."""
    if not is_object(value):
        return None
    if isinstance(names, str):
        names = [names]
    if not isinstance(names, list):
        return None
    kept = dict(value)
    for name in names:
        if isinstance(name, str):
            kept.pop(name, None)
    return kept


@_function("tree", 2, MANY)
def tree(node: Any, *children: Any) -> Any:
    """The node and all nodes below it through these members, in preorder; a list is many nodes."""
    if node is None or not all(isinstance(child, str) for child in children):
        return None
    found: list[Any] = []
    stack: list[Any] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            stack.extend(reversed(current))
        elif current is not None:
            found.append(current)
            stack.extend(member(current, child) for child in reversed(children))
    return found


@_function("pick", 2, table_arg=1)
def pick(document: Any, table: Any) -> Any:
    """`[{key, value}]` for each path of the table that exists: `a.b`, `*` any, `[]` elements, `**` leaves."""
    if document is None or not isinstance(table, _TABLES):
        return None
    return [
        {"key": ".".join(names), "value": value}
        for path in table
        for names, value in _walk_path(document, _segments(path), ())
    ]


def _segments(path: str) -> tuple[str, ...]:
    """`a.b[].*` as its segments: `a`, `b`, `[]`, `*`."""
    segments: list[str] = []
    for part in str(path).split("."):
        name = part
        while name.endswith("[]"):
            name = name[:-2]
        segments.extend(([name] if name else []) + ["[]"] * ((len(part) - len(name)) // 2))
    return tuple(segments)


def _walk_path(value: Any, path: tuple[str, ...], names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not path:
        yield names, value
        return
    first, rest = path[0], path[1:]
    if first == "[]":
        for element in value if isinstance(value, list) else ():
            yield from _walk_path(element, rest, names)
    elif not is_object(value):
        return
    elif first == "**":
        yield from _leaves(value, names)
    elif first == "*":
        for key in value:
            yield from _walk_path(value[key], rest, (*names, key))
    elif first in value:
        yield from _walk_path(value[first], rest, (*names, first))


def _leaves(value: Any, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What is no object below an object; the elements of a list are leaves. Without recursion, in order."""
    stack = [(names, value)]
    while stack:
        where, current = stack.pop()
        if is_object(current):
            stack.extend(((*where, key), current[key]) for key in reversed(list(current)))
        elif isinstance(current, list):
            yield from ((where, element) for element in current)
        else:
            yield where, current


@_function("first_of", 2, table_arg=1)
def first_of(value: Any, table: Any) -> Any:
    """The first member named in the table (a list) that is not null or empty."""
    if value is None or not isinstance(table, _TABLES):
        return None
    for name in table:
        if isinstance(name, str):
            found = value.get(name) if type(value) is dict else member(value, name)
            if found or (found is not None and not is_empty(found)):
                return found
    return None


@_function("has", 2, table_arg=1)
def has(value: Any, table: Any) -> Any:
    """Whether the value is in the table's list, or is a key of its map."""
    if not isinstance(table, _TABLES):
        return None
    if isinstance(value, str):
        return value in table
    if value is None or isinstance(value, _TABLES):
        return None
    return any(equal(value, item) for item in table)


@_function("label", 2, table_arg=1)
def label(text: Any, table: Any) -> Any:
    """The value of the first key of the table (a map) that the text starts with; of a list, the key."""
    if not isinstance(text, str) or not isinstance(table, _TABLES):
        return None
    for key in table:
        if isinstance(key, str) and text.startswith(key):
            return table[key] if isinstance(table, dict) else key
    return None


@_function("variant", 1)
def variant(value: Any) -> Any:
    """serde's external tag: a string or an object of one member as `{tag, body}`; anything else null."""
    if type(value) is dict and len(value) == 1:
        ((tag, body),) = value.items()
        return {"tag": tag, "body": body}
    return {"tag": value, "body": None} if isinstance(value, str) else None
