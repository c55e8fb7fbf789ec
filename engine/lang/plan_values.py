"""The plan: what every part of it rests on, and the values of expressions, templates and times."""

from typing import Any

import msgspec


class Node(msgspec.Struct, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Base of all nodes of a plan."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """A place in a spec: 1-based line and column, and the YAML path, such as `walks.thread.steps[2].when`."""

    line: int
    column: int
    path: str


class Citation(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`alias:path:first-last #anchor`, or `seen:alias:file #key` (`seen` true; then lines are 0)."""

    alias: str
    path: str
    first: int
    last: int
    anchor: str
    seen: bool
    text: str


class Expr(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A JMESPath expression over named scopes. `ast` is the jmespath package's parse tree."""

    source: str
    ast: dict[str, Any]
    mark: Mark


class Const(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A literal from the YAML."""

    value: Any


class Optional(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A `[..]` part of a template: falls away when a hole directly in it is null, '', [] or {}."""

    parts: "tuple[str | Expr | Optional, ...]"


class Text(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A text template: literal strings, holes, optional parts. Strings go in raw, the rest as compact JSON."""

    source: str
    parts: tuple[str | Expr | Optional, ...]
    mark: Mark


class Time(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """One stamp. `unit` is iso, s, ms, us or ns; `nanos` adds nanoseconds; `offset` (seconds east of UTC, or
    `+HH:MM`) moves a zoneless stamp; `basis` replaces the basis that follows from the stamp."""

    time: Expr
    unit: str
    mark: Mark
    nanos: Expr | None = None
    offset: Expr | None = None
    basis: str | None = None


class Previous(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The unit's last time, its basis replaced when `basis` is given."""

    basis: str | None = None


class First(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The first of several times that parses."""

    times: tuple[Time | Previous | Expr, ...]


class Earliest(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The earliest of several times when all that parse are exact; else the first that parses."""

    times: tuple[Time | Previous | Expr, ...]


Value = Expr | Const | Text | Time | Previous | First | Earliest

Pairs = tuple[tuple[str, Value], ...]
