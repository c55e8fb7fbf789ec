"""Typed access to the nodes of a spec: every mapping is closed, every problem is collected with its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from engine.lang.plan import Mark
from engine.spec.problems import Problem, nearest_name
from engine.spec.yamlio import Mapping, Node, Scalar, Sequence

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

#: names that the engine binds in every walk
RESERVED = ("path", "file", "unit", "state", "pos", "next", "was")

_KINDS = {Mapping: "a mapping", Sequence: "a list"}


def kind_of(node: Node) -> str:
    """What a node is, in words."""
    if isinstance(node, Scalar):
        value = node.value
        if value is None:
            return "nothing" if node.text == "" else "null"
        return {bool: "true or false", int: "a number", str: "text"}[type(value)]
    return _KINDS[type(node)]


def mark(node: Node) -> Mark:
    return Mark(node.line, node.column, node.path)


class Fields:
    """Reads nodes and collects problems; a value that can't be read comes back as None or empty."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []

    def report(
        self, code: str, at: Node | Mark, message: str, *, nearest: str | None = None, severity: str = "error"
    ) -> None:
        self.problems.append(
            Problem(
                code=code, severity=severity, file=self.file, line=at.line, column=at.column, path=at.path,
                message=message, nearest=nearest,
            )
        )  # fmt: skip

    def wrong(self, node: Node, expected: str) -> None:
        advice = ""
        if isinstance(node, Scalar) and not node.quoted and type(node.value) in (int, bool) and "text" in expected:
            advice = f": quote this: '{node.text}'"
        self.report("E203", node, f"expected {expected}, found {kind_of(node)}{advice}")

    def mapping(self, node: Node) -> dict[str, Node]:
        """The members of an open mapping, one whose keys are names that the spec chooses."""
        if isinstance(node, Mapping):
            return node.items
        self.wrong(node, "a mapping")
        return {}

    def fields(self, node: Node, known: Collection[str], required: Iterable[str] = ()) -> dict[str, Node]:
        """The members of a closed mapping; unknown and missing keys are problems."""
        if not isinstance(node, Mapping):
            self.wrong(node, "a mapping")
            return {}
        meant = set()
        for key, at in node.keys.items():
            if key not in known:
                meant.add(near := nearest_name(key, known))
                self.report("E201", at, f"unknown key `{key}`", nearest=near)
        for key in required:
            if key not in node.items and key not in meant:
                self.report("E202", node, f"`{key}` is missing")
        return {key: item for key, item in node.items.items() if key in known}

    def text(self, node: Node | None) -> str:
        """A string that is not empty; '' when it is none."""
        if node is None:
            return ""
        if isinstance(node, Scalar) and isinstance(node.value, str):
            if node.value == "":
                self.report("E203", node, "expected text, found an empty string")
            return node.value
        self.wrong(node, "text")
        return ""

    def word(self, node: Node | None, known: Collection[str], what: str, code: str = "E204") -> str:
        """One word of a closed list; '' when it is none."""
        value = self.text(node)
        if value and value not in known and node is not None:
            nearest = nearest_name(value, known)
            listed = "" if nearest else f"; it is one of {', '.join(known)}"
            self.report(code, node, f"unknown {what} `{value}`{listed}", nearest=nearest)
            return ""
        return value

    def number(self, node: Node | None) -> int | None:
        """An integer above 0."""
        if node is None:
            return None
        if isinstance(node, Scalar) and type(node.value) is int and node.value > 0:
            return node.value
        self.wrong(node, "a number above 0")
        return None

    def flag(self, node: Node | None) -> bool:
        if node is None:
            return False
        if isinstance(node, Scalar) and type(node.value) is bool:
            return node.value
        self.wrong(node, "true or false")
        return False

    def items(self, node: Node | None) -> list[Node]:
        if node is None:
            return []
        if isinstance(node, Sequence):
            return node.items
        self.wrong(node, "a list")
        return []

    def texts(self, node: Node | None) -> tuple[str, ...]:
        return tuple(text for item in self.items(node) if (text := self.text(item)))

    def one_or_more(self, node: Node | None) -> list[Node]:
        """A node, or the nodes of a list."""
        if node is None:
            return []
        return node.items if isinstance(node, Sequence) else [node]

    def name(self, node: Scalar, what: str) -> str:
        """A name for scopes: a JMESPath identifier."""
        if not _NAME.fullmatch(node.text):
            self.report("E205", node, f"`{node.text}` is no name for {what}: letters, digits and `_`, no digit first")
        return node.text

    def bound(self, node: Scalar, what: str) -> str:
        """A name that is bound in a scope: it may not hide one that the engine binds."""
        if node.text in RESERVED:
            self.report("E510", node, f"`{node.text}` hides a name of the engine: take another name")
        return self.name(node, what)

    def label(self, node: Scalar, what: str) -> str:
        """A name that never stands in an expression: stores, walks, emits, tables; dashes and dots allowed."""
        if not _WORD.fullmatch(node.text):
            self.report("E205", node, f"`{node.text}` is no name for {what}: letters, digits, `_`, `-` and `.`")
        return node.text

    def named(self, node: Node | None, what: str, *, bound: bool = False) -> list[tuple[str, Node]]:
        """The members of a mapping from names to definitions, their names checked; `bound` in a scope or not."""
        if node is None:
            return []
        if not isinstance(node, Mapping):
            self.wrong(node, "a mapping")
            return []
        check = self.bound if bound else self.label
        return [(check(node.keys[key], what), item) for key, item in node.items.items()]

    def refer(self, node: Node | None, known: Collection[str], what: str, code: str) -> str:
        """The name of something that the spec declares elsewhere; what comes nearest, or '', when it does not."""
        value = self.text(node)
        if value and value not in known and node is not None:
            near = nearest_name(value, known)
            self.report(code, node, f"unknown {what} `{value}`", nearest=near)
            return near or ""
        return value
