"""The JSON Schema of specs: what the compiler does not look at, such as shapes and tests, is held to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from engine.spec.library import data_folder
from engine.spec.problems import Problem
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
        yield Problem(
            code="E208", severity="error", file=document.file, line=node.line, column=node.column, path=node.path,
            message=_message(error),
        )  # fmt: skip


def _deepest(error: Any) -> Any:
    """The most telling of the errors below an alternative: the one that went furthest into the document."""
    while error.context:
        error = max(error.context, key=lambda inner: (len(inner.absolute_path), inner.validator != "type"))
    return error


def _message(error: Any) -> str:
    text = error.message
    return text if len(text) <= 200 else f"{text[:200]}…"


def _at(node: Node, path: Any) -> Node:
    """The node at a path of keys and indices."""
    for step in path:
        if isinstance(node, (Mapping, Sequence)):
            node = node.items[step]
    return node
