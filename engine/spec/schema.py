"""The JSON Schema of specs: what the compiler does not look at, such as shapes and tests, is held to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from engine.spec.library import data_folder
from engine.spec.problems import Problem, nearest_name
from engine.spec.yamlio import Document, Mapping, Node, Sequence


@lru_cache(maxsize=1)
def _validator() -> Any:
    import jsonschema  # slow to import, and needed only where a spec is not known to be good

    schema = json.loads((data_folder("schemas") / "spec.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


def schema_problems(document: Document) -> Iterator[Problem]:
    """Where a document does not fit the schema, but for places that another problem already names."""
    if document.root is None:
        return
    for error in _validator().iter_errors(document.root.plain()):
        error = _deepest(error)
        node = _at(document.root, error.absolute_path)
        for place, path, message, nearest in _said(error, node):
            yield Problem(
                code="E208", severity="error", file=document.file, line=place.line, column=place.column, path=path,
                message=message, nearest=nearest,
            )  # fmt: skip


def _deepest(error: Any) -> Any:
    """The most telling of the errors below an alternative: the one that went furthest into the document."""
    while error.context:
        error = max(error.context, key=lambda inner: (len(inner.absolute_path), inner.validator != "type"))
    return error


def _said(error: Any, node: Node) -> Iterator[tuple[Node, str, str, str | None]]:
    """Node, path, message and nearest name of what an error says; keys are said one by one."""
    if error.validator == "additionalProperties" and isinstance(node, Mapping):
        known = error.schema.get("properties", {})
        for key in (key for key in node.items if key not in known):
            yield node.keys[key], node.items[key].path, f"unknown key `{key}`", nearest_name(key, known)
    elif error.validator == "required" and isinstance(node, Mapping):
        for key in (key for key in error.validator_value if key not in node.items):
            yield node, node.path, f"`{key}` is missing", None
    else:
        yield node, node.path, _message(error), None


def _message(error: Any) -> str:
    text = error.message
    if error.validator == "pattern" and "description" in error.schema:
        text = f"`{error.instance}` does not fit: {error.schema['description'].removesuffix('.')}"
    return text if len(text) <= 200 else f"{text[:200]}…"


def _at(node: Node, path: Any) -> Node:
    """The node at a path of keys and indices."""
    for step in path:
        if isinstance(node, (Mapping, Sequence)):
            node = node.items[step]
    return node
