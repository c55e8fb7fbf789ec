"""Strict YAML: a tree of nodes, each with its line, column and path; everything that YAML would bend is a problem.

Admitted: mappings with scalar keys, sequences, null, true and false, decimal integers, strings. Keys are always text.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import yaml

from engine.spec.problems import Problem

MAX_BYTES = 1 << 20
MAX_DEPTH = 64

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Node(msgspec.Struct):
    """A place in the text: 1-based line and column, and the YAML path."""

    line: int
    column: int
    path: str

    def plain(self) -> Any:
        """The node as null, bool, int, str, list and dict."""
        raise NotImplementedError


class Scalar(Node):
    """`value` is None, a bool, an int or a str; `text` as written (unquoted); `quoted` when it stood in quotes;
    `folded` when it fills several lines."""

    value: bool | int | str | None
    text: str
    quoted: bool
    folded: bool = False

    def plain(self) -> Any:
        return self.value


class Sequence(Node):
    items: list[Node]

    def plain(self) -> Any:
        return [item.plain() for item in self.items]


class Mapping(Node):
    """`items` in the order of the file; `keys` holds the key nodes."""

    items: dict[str, Node]
    keys: dict[str, Scalar]

    def plain(self) -> Any:
        return {key: item.plain() for key, item in self.items.items()}


class Document(msgspec.Struct):
    """A spec's text after reading: `root` is None when the text is no YAML at all."""

    file: str
    sha256: str
    root: Node | None
    problems: list[Problem]


_BOOLS = frozenset(
    form for word in ("yes", "no", "on", "off", "true", "false") for form in (word, word.capitalize(), word.upper())
) - {"true", "false"}
_NULLS = frozenset({"~", "Null", "NULL"})
_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_TIME = re.compile(r"\d{4}-\d\d?-\d\d?([Tt ].*)?|[-+]?\d[\d_]*(:[0-5]?\d)+(\.[\d_]*)?")
_NUMBER = re.compile(
    r"[-+]?(0b[01_]+|0o[0-7]+|0x[\da-fA-F_]+|(\d[\d_]*)?\.?[\d_]*([eE][-+]?\d+)?|\.(inf|Inf|INF|nan|NaN|NAN))"
)
_FIRST = frozenset("0123456789+-.")


def _bent(text: str) -> tuple[str, str] | None:
    """The code and reason for which a plain scalar is refused, or None."""
    if text in _BOOLS or text in _NULLS:
        meant = "write null" if text in _NULLS else "YAML 1.1 reads it as a boolean"
        return "E108", f"plain `{text}`: {meant}; quote this when the text is meant: '{text}'"
    if text[0] not in _FIRST or _INTEGER.fullmatch(text):
        return None
    if _TIME.fullmatch(text):
        return "E110", f"plain `{text}`: YAML 1.1 reads it as a date or a time; quote this: '{text}'"
    if _NUMBER.fullmatch(text) and (any(c.isdigit() for c in text) or text[-3:].lower() in ("inf", "nan")):
        return "E109", f"plain `{text}`: YAML reads it as a number; quote this: '{text}'"
    return None


def _is_cut(text: str) -> bool:
    """Whether a plain scalar of a flow collection ends in the middle of an expression."""
    return text.count("(") != text.count(")") or text.count("`") % 2 == 1


def _advice(problem: str, rest: str) -> tuple[str, str]:
    """The code and message for a syntax error of the YAML parser; `rest` is the line from there on."""
    if "mapping values are not allowed" in problem:
        return "E102", "a `: ` inside a plain scalar: quote this"
    if "expected ',' or" in problem:
        return "E103", "an unquoted comma, quote or bracket cuts the value: quote this"
    if "nesting depth" in problem:
        return "E111", f"nested deeper than {MAX_DEPTH}"
    if "expected ':'" in problem:
        return "E101", "a key without its colon, or a value that goes on in the next line unquoted: quote this"
    if "cannot start any token" in problem and rest.startswith("\t"):
        return "E101", "a tab: YAML is indented by spaces"
    if "cannot start any token" in problem:
        return "E101", "a plain scalar can't begin with this character: quote this"
    return "E101", f"no YAML: {problem}"


_PLAIN_KEY = re.compile(r"[\w-]+")


def _below(path: str, key: str) -> str:
    step = key if _PLAIN_KEY.fullmatch(key) else f"['{key}']"
    return step if not path else f"{path}{step}" if step[0] == "[" else f"{path}.{step}"


class _Builder:
    """Turns the parser's events into nodes; problems are collected, the text is read to its end."""

    def __init__(self, file: str):
        self.file = file
        self.problems: list[Problem] = []
        self.root: Node | None = None
        self.stack: list[tuple[Node, bool]] = []
        self.key: Scalar | None = None
        self.keys: list[Scalar | None] = []
        self.documents = 0

    def report(self, code: str, mark: Any, path: str, message: str) -> None:
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        self.problems.append(
            Problem(code=code, severity="error", file=self.file, line=line, column=column, path=path, message=message)
        )

    def path(self) -> str:
        if not self.stack:
            return ""
        parent = self.stack[-1][0]
        if isinstance(parent, Sequence):
            return f"{parent.path}[{len(parent.items)}]"
        return parent.path if self.key is None else _below(parent.path, self.key.text)

    def add(self, node: Node, mark: Any) -> None:
        if not self.stack:
            if self.root is None:
                self.root = node
            return
        parent = self.stack[-1][0]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif isinstance(parent, Mapping):
            if self.key is None:
                self.take_key(parent, node, mark)
                return
            if self.key.text not in parent.items:
                parent.items[self.key.text] = node
                parent.keys[self.key.text] = self.key
            self.key = None

    def take_key(self, parent: Mapping, node: Node, mark: Any) -> None:
        if not isinstance(node, Scalar):
            self.report("E113", mark, parent.path, "a key must be a scalar: quote this")
            node = Scalar(node.line, node.column, node.path, "", "", True)
        elif node.text == "<<" and not node.quoted:
            self.report("E106", mark, parent.path, "merge keys are not allowed: write the keys out")
        elif node.text in parent.items:
            first = parent.keys[node.text].line
            self.report(
                "E104", mark, _below(parent.path, node.text), f"`{node.text}` stands twice; first in line {first}"
            )
        node.path = _below(parent.path, node.text)
        self.key = node

    def scalar(self, event: Any) -> None:
        text, mark = event.value, event.start_mark
        quoted, folded = bool(event.style), event.end_mark.line > mark.line
        value: bool | int | str | None = text
        if not quoted:
            if text == "" or text == "null":
                value = None
            elif text == "true" or text == "false":
                value = text == "true"
            elif bent := _bent(text):
                self.report(bent[0], mark, self.path(), bent[1])
            elif text[0] in _FIRST and _INTEGER.fullmatch(text):
                value = int(text)
            if self.stack and self.stack[-1][1] and _is_cut(text):
                self.report("E103", mark, self.path(), f"an unquoted comma cuts `{text}`: quote the whole value")
        self.add(Scalar(mark.line + 1, mark.column + 1, self.path(), value, text, quoted, folded), mark)

    def start(self, event: Any, kind: type[Mapping] | type[Sequence]) -> bool:
        mark = event.start_mark
        place = mark.line + 1, mark.column + 1, self.path()
        node = Mapping(*place, {}, {}) if kind is Mapping else Sequence(*place, [])
        self.keys.append(self.key)
        self.stack.append((node, bool(event.flow_style)))
        self.key = None
        if len(self.stack) > MAX_DEPTH:
            self.report("E111", mark, "", f"nested deeper than {MAX_DEPTH}")
            return False
        return True

    def end(self, event: Any) -> None:
        node, _ = self.stack.pop()
        self.key = self.keys.pop()
        self.add(node, event.start_mark)

    def document(self, event: Any) -> bool:
        self.documents += 1
        if event.version or event.tags:
            self.report("E107", event.start_mark, "", "directives are not allowed")
        if self.documents > 1:
            self.report("E111", event.start_mark, "", "a second document: one spec, one document")
            return False
        return True

    def build(self, events: Iterator[Any]) -> None:
        for event in events:
            if getattr(event, "anchor", None) is not None:
                what = "alias" if isinstance(event, yaml.AliasEvent) else "anchor"
                self.report("E105", event.start_mark, self.path(), f"an {what}: write the value out, or quote this")
            if getattr(event, "tag", None) is not None:
                self.report("E107", event.start_mark, self.path(), f"a tag, `{event.tag}`: leave it out, or quote this")
            if isinstance(event, yaml.ScalarEvent):
                self.scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                mark: Any = event.start_mark
                self.add(Scalar(mark.line + 1, mark.column + 1, self.path(), "", "", True), mark)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                if not self.start(event, Mapping if isinstance(event, yaml.MappingStartEvent) else Sequence):
                    return
            elif isinstance(event, yaml.CollectionEndEvent):
                self.end(event)
            elif isinstance(event, yaml.DocumentStartEvent) and not self.document(event):
                return


def read_document(data: bytes, file: str) -> Document:
    """The spec in `data` as nodes, with all problems of its form; never raises."""
    builder = _Builder(file)
    sha256 = hashlib.sha256(data).hexdigest()
    if len(data) > MAX_BYTES:
        builder.report("E111", None, "", f"larger than {MAX_BYTES} bytes")
        return Document(file, sha256, None, builder.problems)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        place = yaml.Mark("", 0, before.count(b"\n"), error.start - before.rfind(b"\n") - 1, None, 0)
        builder.report("E112", place, "", f"the byte {data[error.start]:#x} is not UTF-8")
        return Document(file, sha256, None, builder.problems)
    broken = False
    try:
        builder.build(yaml.parse(text, Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        broken = True
        at = error.problem_mark
        rest = "".join(text.split("\n")[at.line : at.line + 1])[at.column :] if at else ""
        code, message = _advice(error.problem or "", rest)
        begins = error.context_mark if "end of stream" in message or "colon" in message else None
        builder.report(code, begins or error.problem_mark or error.context_mark, builder.path(), message)
    except yaml.YAMLError as error:
        broken = True
        builder.report("E101", None, "", f"no YAML: {str(error).splitlines()[0]}")
    if builder.root is None and not broken and not builder.problems:
        builder.report("E111", None, "", "empty: a spec is a mapping that begins with `spec: 1`")
    return Document(file, sha256, None if broken else builder.root, builder.problems)
