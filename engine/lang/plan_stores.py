"""The plan: stores, the kinds of files, and how their records are read."""

from typing import Any

from engine.lang.plan_values import Citation, Expr, Mark, Node, Value

#: the root of a sidecar's glob that stands for the unit's own directory
OWN_FOLDER = "folder"


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
