"""A spec as text, nodes and plan at once: for those who show its lines, or edit them in place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from engine.errors import SpecError, UsageError
from engine.lang.compile import compile_document
from engine.lang.plan import Plan
from engine.spec.library import find_spec
from engine.spec.yamlio import Document, Mapping, Node, Sequence, read_document


class Span(NamedTuple):
    """Where a node stands: 0-based characters of the text, the end after the last one; 1-based lines, both included."""

    start: int
    end: int
    first: int
    last: int


@dataclass(frozen=True)
class SpecText:
    """`label` is what the spec is called in messages; `text` is as on disk, line ends and byte order mark kept."""

    label: str
    text: str
    document: Document
    plan: Plan

    @cached_property
    def lines(self) -> list[str]:
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    @cached_property
    def spans(self) -> dict[str, Span]:
        """YAML path → where its value stands."""
        found: dict[str, Span] = {}
        root = yaml.compose(self.text, Loader=yaml.SafeLoader)
        if self.document.root is not None and root is not None:
            _spans(self.document.root, root, found)
        return found

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """YAML path → node, outer before inner."""
        found: dict[str, Node] = {}
        if self.document.root is not None:
            _nodes(self.document.root, found)
        return found


def read_spec(name_or_path: str | Path) -> SpecText:
    """A known spec or a file. Raises UsageError when there is none, SpecError when it can't be used."""
    path = find_spec(name_or_path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
    return spec_of(data, str(path))


def spec_of(data: bytes, label: str) -> SpecText:
    """The spec in `data`. Raises SpecError with all its problems when it can't be used."""
    document = read_document(data, label)
    plan, problems = compile_document(document)
    if plan is None:
        raise SpecError([problem for problem in problems if problem.severity == "error"])
    return SpecText(label, data.decode("utf-8"), document, plan)


def _nodes(node: Node, found: dict[str, Node]) -> None:
    found[node.path] = node
    inner = node.items.values() if isinstance(node, Mapping) else node.items if isinstance(node, Sequence) else ()
    for item in inner:
        _nodes(item, found)


def _spans(node: Node, composed: Any, found: dict[str, Span]) -> tuple[int, int]:
    """Enters the node and all below it; gives its end. A block collection ends where its last member does: its own end
    mark stands behind the comments that follow."""
    start = composed.start_mark
    end = (composed.end_mark.index, composed.end_mark.line + 1)
    last = None
    if isinstance(node, Mapping):
        for item, (_, value) in zip(node.items.values(), composed.value, strict=True):
            last = _spans(item, value, found)
    elif isinstance(node, Sequence):
        for item, value in zip(node.items, composed.value, strict=True):
            last = _spans(item, value, found)
    if last is not None and not composed.flow_style:
        end = last
    found[node.path] = Span(start.index, end[0], start.line + 1, end[1])
    return end
