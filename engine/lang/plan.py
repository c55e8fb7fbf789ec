"""The plan: a spec after loading, checking and compiling. Frozen, typed, serialisable; what both back ends read.

Built by `engine.lang.compile` only. Structs are msgspec's, tagged by class name, so that a plan can be cached as
MessagePack and read back typed, without pickle. Mappings whose order matters are tuples of pairs.

All nodes are imported from here: `plan_values`, `plan_steps` and `plan_stores` are parts of this module.

Annotations are types and not text, but for names that stand further down: to make types of all of them would cost each
start of the engine as much as to read a plan.
"""

from typing import Any

from engine.lang.plan_steps import (
    AnyStep,
    Block,
    Choose,
    Emit,
    Hook,
    Ignore,
    KeepJson,
    Set,
    Step,
    Switch,
    Unparsed,
    Use,
    Walk,
)
from engine.lang.plan_stores import OWN_FOLDER, Beside, Child, Decode, Find, Glob, Once, Sqlite, Store, Tree, Version
from engine.lang.plan_values import (
    Citation,
    Const,
    Earliest,
    Expr,
    First,
    Mark,
    Node,
    Optional,
    Pairs,
    Previous,
    Text,
    Time,
    Value,
)

__all__ = [
    "OWN_FOLDER", "AnyStep", "Beside", "Block", "Catalog", "Child", "Choose", "Citation", "Const", "Decode",
    "Earliest", "Emit", "Evidence", "Excepted", "Expr", "Find", "First", "Glob", "Hook", "HookSpec", "Ignore",
    "KeepJson", "Lookup", "Mark", "Node", "Once", "Optional", "Pairing", "Pairs", "Plan", "Previous", "Root", "Set",
    "Sqlite", "Step", "Store", "Switch", "Text", "Time", "Tree", "Unparsed", "Use", "Value", "Version", "Walk",
]  # fmt: skip


class Root(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Named base directories. `bases` are (kind, pattern): kind home, project or volume."""

    name: str
    bases: tuple[tuple[str, str], ...]
    env: str | None
    cites: tuple[Citation, ...]


class Lookup(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Values found in other stores: `key` → `value` over the heads of their units. `per_file`: over every table row
    or record, one table a file. A list as key enters each element."""

    name: str
    stores: tuple[str, ...]
    key: Expr
    value: Expr
    per_file: bool


class Pairing(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Rows of `secondary` (a store, or `store/step`) pair with rows of the `primary` stores. `within` is in
    milliseconds. `key`: a row's `pair_key` joins first."""

    secondary: str
    primary: tuple[str, ...]
    within: int
    key: bool
    clock: str | None
    why: str
    mark: Mark


class HookSpec(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    name: str
    call: str
    inputs: tuple[str, ...]
    gives: tuple[str, ...]
    state: str
    why: str


class Evidence(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    alias: str
    repo: str
    commit: str
    license: str
    reviewed: str


class Catalog(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """What a collector takes. Patterns are relative to a home, a project or a volume."""

    home: tuple[str, ...] = ()
    project: tuple[str, ...] = ()
    volume: tuple[str, ...] = ()
    volume_names: tuple[str, ...] = ()
    exclude: tuple[tuple[str, str], ...] = ()
    secrets: tuple[str, ...] = ()
    projects: tuple[tuple[str, Expr], ...] = ()
    scratch: tuple[tuple[str, str], ...] = ()


class Excepted(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A warning of `engine check` that a spec leaves as it is: `at` is a YAML path, '' for the whole spec."""

    code: str
    at: str
    why: str
    mark: Mark


class Plan(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A whole spec. `file` is its path as given, `sha256` the hash of its text, `tables` name → map or list."""

    file: str
    sha256: str
    language: int
    agent: str
    name: str
    summary: str
    basis: str
    evidence: tuple[Evidence, ...]
    roots: tuple[Root, ...]
    catalog: Catalog
    tables: dict[str, Any]
    lookups: tuple[Lookup, ...]
    stores: tuple[Store, ...]
    walks: tuple[Walk, ...]
    pairings: tuple[Pairing, ...]
    hooks: tuple[HookSpec, ...]
    shapes: dict[str, Any]
    unread: tuple[tuple[str, str], ...]
    tests: tuple[dict[str, Any], ...]
    lint: tuple[Excepted, ...] = ()
