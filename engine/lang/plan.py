"""The plan: a spec after loading, checking and compiling. Frozen, typed, serialisable; what both back ends read.

Built by `engine.lang.compile` only. Structs are msgspec's, tagged by class name, so that a plan can be cached as
MessagePack and read back typed, without pickle. Mappings whose order matters are tuples of pairs.

Annotations are types and not text, but for names that stand further down: to make types of all of them would cost each
start of the engine as much as to read a plan.
"""

from typing import Any

import msgspec

#: the root of a sidecar's glob that stands for the unit's own directory
OWN_FOLDER = "folder"


class Node(msgspec.Struct, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Base of all nodes of a plan."""


class Mark(msgspec.Struct, frozen=True, array_like=True):
    """A place in a spec: 1-based line and column, and the YAML path, such as `walks.thread.steps[2].when`."""

    line: int
    column: int
    path: str


# ------------------------------------------------------------------------------------------------ values


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


# ------------------------------------------------------------------------------------------------- steps


class Citation(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`alias:path:first-last #anchor`, or `seen:alias:file #key` (`seen` true; then lines are 0)."""

    alias: str
    path: str
    first: int
    last: int
    anchor: str
    seen: bool
    text: str


class Step(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """What every step can have. Order: for every element of `each`: let, when, columns, the action.

    `id` is the step's path of ids inside its walk (unique there), used in messages and coverage.
    """

    mark: Mark
    id: str
    each: tuple[str, Expr] | None = None
    each_records: str | None = None
    count: bool = False
    let: Pairs = ()
    when: Expr | None = None
    columns: Pairs = ()
    cites: tuple[Citation, ...] = ()


class Emit(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Writes a row. `columns` holds all its columns, `text` included. `cites` are its own or the nearest enclosing."""

    name: str
    turn: str
    event: str
    role: str | None = None
    basis: str | None = None


class Block(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`steps: […]`: a block that shares each, let, when and columns."""

    steps: "tuple[AnyStep, ...]"


class Switch(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Dispatch on a value. A case's keys are the values it takes (`a | b` is two)."""

    on: Expr
    cases: "tuple[tuple[tuple[str, ...], tuple[AnyStep, ...]], ...]"
    otherwise: "tuple[AnyStep, ...]"


class Choose(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The body of the first condition that holds."""

    cases: "tuple[tuple[Expr, tuple[AnyStep, ...]], ...]"
    otherwise: "tuple[AnyStep, ...]"


class Set(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`state.<name>` = value for the rest of the unit; null leaves it. `at` keeps one value a key (then
    `state.<name>` is an object). `changed` runs when the value differs from the one before; `was` is the old one."""

    name: str
    value: Value
    at: Expr | None = None
    changed: "tuple[AnyStep, ...]" = ()


class Hook(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Calls a named Python callable; `steps` run for each value that it yields, bound to `as_name`."""

    hook: str
    inputs: Pairs
    as_name: str
    steps: "tuple[AnyStep, ...]"


class Use(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Another walk as a block. It sees what it is given, path captures, file, unit and state."""

    walk: str
    inputs: Pairs


class KeepJson(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The record is unknown: one `note` row, `<type>: <JSON of the rest>`. `type` and `rest` are resolved by the
    compiler from the enclosing switch where the spec does not say; `rest` null means an empty rest."""

    type: Value
    rest: Value


class Ignore(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The record is left alone, for a reason that the ledger names."""

    why: str


class Unparsed(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A bad-record row: session, project and line, no time. `number` defaults to the record's number."""

    reason: Const | Text
    number: Expr | None = None
    text: Value | None = None


AnyStep = Emit | Block | Switch | Choose | Set | Hook | Use | KeepJson | Ignore | Unparsed


class Walk(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """How one record becomes rows."""

    name: str
    mark: Mark
    let: Pairs = ()
    columns: Pairs = ()
    begin_columns: Pairs = ()
    begin: tuple[AnyStep, ...] = ()
    steps: tuple[AnyStep, ...] = ()
    end: tuple[AnyStep, ...] = ()
    params: tuple[str, ...] = ()


# ------------------------------------------------------------------------------------------------ stores


class Glob(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A pattern with captures. `root` is the root's name or '' when the pattern starts at the base itself."""

    source: str
    root: str
    pattern: str
    captures: tuple[tuple[str, str], ...]
    mark: Mark


class Child(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A child table: rows of `table` whose columns equal the parent's, in `order` (a column, or several)."""

    name: str
    table: str
    match: tuple[tuple[str, str], ...]
    order: str | tuple[str, ...] | None
    json: tuple[str, ...] = ()
    need: tuple[str, ...] = ()
    want: tuple[str, ...] = ()


class Sqlite(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`read: {sqlite: …}`. Each table row is a unit and its one record. A row has its columns and `rowid`."""

    table: str
    need: tuple[str, ...]
    want: tuple[str, ...]
    json: tuple[str, ...]
    order: str | tuple[str, ...] | None
    children: tuple[Child, ...] = ()
    where: tuple[tuple[str, Any], ...] = ()


class Decode(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A column's decode chain; with `by`, one chain a value of that expression."""

    column: str
    by: Expr | None
    chains: tuple[tuple[str, tuple[str, ...]], ...]


class Find(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The first non-null value of `value` over the unit's records before the walk begins. Reading for it stops when
    all finds are settled: value found, `until` true, or `within` records seen. Only records with `when` true count.
    A line file whose bytes do not hold `holds` is not read on for it."""

    name: str
    value: Value
    until: Expr | None = None
    when: Expr | None = None
    within: int | None = None
    holds: str | None = None


class Beside(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A sidecar. kind json: the first match's document, or null. text: its text. list: names of all matches,
    sorted. all: an object name → document (`.json`) or text, loaded when asked for. facts: of the first match its
    name, path, size and mtime, or null. The glob's root `folder` is the unit's own directory."""

    name: str
    kind: str
    glob: Glob


class Tree(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`records: {tree: …}`: the records are the nodes of the trees at `path` (`[]` is each element), which may stand in
    a text that is JSON. Nodes are objects, found through the members `below`; a node comes after those below it,
    without these members. `captures` names the positions of the `[]`, '' where a position has no name. Of a document
    that is read as a stream, only the paths `keep` of a node that is large are decoded."""

    path: tuple[str, ...]
    captures: tuple[str, ...]
    below: tuple[str, ...]
    keep: tuple[str, ...]


class Once(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Of records with an equal `key` in one `per` group, one file keeps it: the one whose `prefer` values (true before
    false, then smaller first, null last) come first, then the first path."""

    key: Expr
    per: Expr | None
    prefer: tuple[Expr, ...]
    why: str


class Version(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    id: str
    when: Expr | None
    shape: str | None
    walk: str | None


class Store(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """One kind of file."""

    name: str
    mark: Mark
    role: str
    secondary_if: Glob | None
    files: tuple[Glob, ...]
    folder: tuple[Glob, ...]
    folder_files: str
    folder_captures: tuple[tuple[str, str], ...]
    folder_order: Expr | None
    folder_others: tuple[str, ...] = ()
    skip: tuple[Glob, ...]
    read: str
    sqlite: Sqlite | None
    as_name: str
    need: str | None
    decode: tuple[Decode, ...]
    records: Expr | None
    keys: tuple[str, ...]
    find: tuple[Find, ...]
    beside: tuple[Beside, ...]
    once: Once | None
    salvage: Expr | None
    versions: tuple[Version, ...]
    shape: str | None
    walk: str | None
    cites: tuple[Citation, ...]
    tree: Tree | None = None


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
