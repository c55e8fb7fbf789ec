"""Stores of a spec, from their nodes."""

from __future__ import annotations

import re
from typing import Any

from engine.lang.compile_fields import mark
from engine.lang.compile_globs import Globs
from engine.lang.plan import Beside, Child, Decode, Find, Glob, Once, Sqlite, Store, Tree, Version
from engine.rows import ROLES
from engine.spec.problems import nearest_name
from engine.spec.yamlio import Mapping, Node, Scalar, Sequence

LINE_KINDS = ("jsonl", "lines", "prompt_toolkit")
DOCUMENT_KINDS = ("json", "jsonc", "toml", "yaml", "env", "mark")
READ_KINDS = (*LINE_KINDS, *DOCUMENT_KINDS)
CODECS = ("zstd", "gzip", "json", "utf8")
BESIDE_KINDS = ("json", "text", "list", "all", "facts")
STORE_KEYS = (
    "cite", "role", "files", "folder", "records", "skip", "read", "as", "need", "decode", "keys", "find", "beside",
    "once", "salvage", "versions", "shape", "walk",
)  # fmt: skip
_STEP = re.compile(r"\.(\w+)|\[(?:<(\w+)>)?\]", re.ASCII)
_TREE = re.compile(rf"(\w+)((?:{_STEP.pattern})+)", re.ASCII)
_TABLE_KEYS = ("need", "want", "json", "order")


class Stores(Globs):
    """Compiles stores; `walks` and `shapes` are what the spec declares."""

    walks: frozenset[str]
    shapes: frozenset[str]

    def store(self, name: str, node: Node) -> Store:
        members = self.fields(node, STORE_KEYS, ("read",))
        if ("files" in members) == ("folder" in members):
            self.report("E207", node, "a store has either `files` or `folder`")
        files, folder = self.globs(members.get("files")), self.globs(members.get("folder"))
        below = self._below(members) if "folder" in members and "files" not in members else {}
        captures = {c for glob in (*files, *folder) for c, _ in glob.captures} | dict(below.get("captures", ())).keys()
        read, sqlite = self._read(members.get("read"))
        role, secondary_if = self._role(members.get("role"), captures)
        return Store(
            name=name,
            mark=mark(node),
            role=role,
            secondary_if=secondary_if,
            files=files,
            folder=folder,
            folder_files=below.get("files", ""),
            folder_captures=below.get("captures", ()),
            folder_order=below.get("order"),
            folder_others=below.get("others", ()),
            skip=self.globs(members.get("skip")),
            read=read,
            sqlite=sqlite,
            as_name=self._as_name(members, read),
            need=self.word(members.get("need"), ("object", "array"), "kind") or None,
            decode=self._decode(members.get("decode"), sqlite),
            records=self._records(members, read),
            tree=self._tree(members, read),
            keys=self._keys(members.get("keys")),
            find=tuple(self._find(key, item) for key, item in self._bound(members, "find")),
            beside=tuple(
                self._beside(key, item, captures)
                for key, item in self.named(members.get("beside"), "a sidecar", bound=True)
            ),
            once=self._once(members["once"]) if "once" in members else None,
            salvage=self.expr(members["salvage"]) if "salvage" in members else None,
            versions=self._versions(members.get("versions")),
            shape=self.refer(members.get("shape"), self.shapes, "shape", "E311") or None,
            walk=self.refer(members.get("walk"), self.walks, "walk", "E306") or None,
            cites=self.cites(members.get("cite")),
        )

    def _bound(self, members: dict[str, Node], key: str) -> list[tuple[str, Node]]:
        return self.named(members.get(key), f"{key} of a store", bound=True)

    def _role(self, node: Node | None, captures: set[str]) -> tuple[str, Glob | None]:
        if isinstance(node, Mapping):
            members = self.fields(node, ("secondary_if",), ("secondary_if",))
            return "primary", self.filled(members["secondary_if"], captures) if members else None
        return self.word(node, ROLES, "role") or "primary", None

    def _below(self, members: dict[str, Node]) -> dict[str, Any]:
        """The record files below a folder."""
        node = members.get("records")
        if node is None:
            self.report("E207", members["folder"], "`folder` goes with `records: {files, order}`")
            return {}
        inner = self.fields(node, ("files", "order", "others"), ("files",))
        pattern = self.text(inner.get("files"))
        at = inner.get("files", node)
        return {
            "files": self.pattern(pattern, at),
            "captures": self.captures(pattern, at),
            "order": self.expr(inner["order"]) if "order" in inner else None,
            "others": tuple(self.pattern(self.text(item), item) for item in self.items(inner.get("others"))),
        }

    def _records(self, members: dict[str, Node], read: str) -> Any:
        node = members.get("records")
        if node is None or "folder" in members or isinstance(node, Mapping):
            return None
        if read in LINE_KINDS:
            self.report("E207", node, f"`records` is the list inside a document or row; `{read}` is read line by line")
        return self.expr(node)

    def _tree(self, members: dict[str, Node], read: str) -> Tree | None:
        """`records: {tree, below, keep}`."""
        node = members.get("records")
        if "folder" in members or not isinstance(node, Mapping):
            return None
        if read != "json":
            self.report("E207", node, f"`tree` is for the records of a JSON document; this store reads `{read}`")
        inner = self.fields(node, ("tree", "below", "keep"), ("tree", "below"))
        source = self.text(inner.get("tree"))
        found = _TREE.fullmatch(source)
        if found is None or found[1] != self._as_name(members, read):
            self.report(
                "E413",
                inner.get("tree", node),
                f"`{source}`: a tree stands at a path, such as doc.a[<n>].b",
            )
        steps = list(_STEP.findall(found[2])) if found else []
        return Tree(
            path=tuple(name or "[]" for name, _ in steps),
            captures=tuple(capture for name, capture in steps if not name),
            below=self.texts(inner.get("below")),
            keep=self._keys(inner.get("keep")) if "keep" in inner else (),
        )

    def _read(self, node: Node | None) -> tuple[str, Sqlite | None]:
        if isinstance(node, Mapping):
            return "sqlite", self._sqlite(node)
        return self.word(node, READ_KINDS, "way to read") or "json", None

    def _as_name(self, members: dict[str, Node], read: str) -> str:
        node = members.get("as")
        if isinstance(node, Scalar):
            return self.bound(node, "a scope")
        if node is not None:
            self.wrong(node, "text")
        if read == "sqlite":
            return "row"
        return "record" if read in LINE_KINDS or "folder" in members else "doc"

    def _sqlite(self, node: Node) -> Sqlite:
        members = self.fields(node, ("sqlite", *_TABLE_KEYS, "where", "children"), ("sqlite",))
        return Sqlite(
            table=self.text(members.get("sqlite")),
            need=self.texts(members.get("need")),
            want=self.texts(members.get("want")),
            json=self.texts(members.get("json")),
            order=self._order(members.get("order")),
            children=tuple(self._child(key, item) for key, item in self._bound(members, "children")),
            where=self._where(members.get("where")),
        )

    def _order(self, node: Node | None) -> str | tuple[str, ...] | None:
        if isinstance(node, Sequence):
            return self.texts(node)
        return self.text(node) or None

    def _where(self, node: Node | None) -> tuple[tuple[str, Any], ...]:
        pairs = []
        for column, item in self.mapping(node).items() if node else ():
            if isinstance(item, Scalar):
                pairs.append((column, item.value))
            else:
                self.wrong(item, "a constant or null")
        return tuple(pairs)

    def _child(self, name: str, node: Node) -> Child:
        members = self.fields(node, ("table", "match", *_TABLE_KEYS), ("table", "match"))
        match = self.mapping(members["match"]) if "match" in members else {}
        return Child(
            name=name,
            table=self.text(members.get("table")),
            match=tuple((column, self.text(item)) for column, item in match.items()),
            order=self._order(members.get("order")),
            json=self.texts(members.get("json")),
            need=self.texts(members.get("need")),
            want=self.texts(members.get("want")),
        )

    def _decode(self, node: Node | None, sqlite: Sqlite | None) -> tuple[Decode, ...]:
        if node is not None and sqlite is None:
            self.report("E207", node, "`decode` is for columns of a table: `read: {sqlite: ..}`")
            return ()
        made = []
        columns = (*sqlite.need, *sqlite.want, *sqlite.json) if sqlite else ()
        for column, item in self.mapping(node).items() if node else ():
            if column not in columns and isinstance(node, Mapping):
                near = nearest_name(column, columns)
                self.report("E317", node.keys[column], f"`{column}`: `read` does not name this column", nearest=near)
            if isinstance(item, Sequence):
                made.append(Decode(column=column, by=None, chains=(("", self._chain(item)),)))
                continue
            members = self.mapping(item)
            if "by" not in members:
                self.report("E202", item, "`by` is missing: a chain is a list, several are {by: expr, <value>: [..]}")
            chains = tuple((key, self._chain(chain)) for key, chain in members.items() if key != "by")
            made.append(Decode(column=column, by=self.expr(members.get("by")), chains=chains))
        return tuple(made)

    def _chain(self, node: Node) -> tuple[str, ...]:
        return tuple(codec for item in self.items(node) if (codec := self.word(item, CODECS, "codec", "E314")))

    def _keys(self, node: Node | None) -> tuple[str, ...]:
        """Key paths, or those of a table."""
        if not isinstance(node, Scalar):
            return self.texts(node)
        table = self.refer(node, self.tables, "table", "E308")
        paths = self.tables.get(table)
        if table and not (isinstance(paths, list) and all(isinstance(p, str) for p in paths)):
            self.report("E415", node, f"`{table}` is no list of key paths")
            return ()
        return tuple(paths or ())

    def _find(self, name: str, node: Node) -> Find:
        members = self.fields(node, ("value", "until", "when", "within", "holds"), ("value",))
        holds = self.text(members["holds"]) if "holds" in members else None
        if holds is not None and (not holds.isascii() or set(holds) & set('"\\')):
            self.report(
                "E207", members["holds"], "`holds` is ASCII text without quotes and backslashes, as a file has it"
            )
        return Find(
            name=name,
            value=self.value(members["value"]) if "value" in members else self.expr(None),
            until=self.expr(members["until"]) if "until" in members else None,
            when=self.expr(members["when"]) if "when" in members else None,
            within=self.number(members.get("within")),
            holds=holds,
        )

    def _beside(self, name: str, node: Node, captures: set[str]) -> Beside:
        members = self.fields(node, BESIDE_KINDS)
        if len(members) != 1:
            self.report("E207", node, f"a sidecar is one of {', '.join(f'{{{k}: glob}}' for k in BESIDE_KINDS)}")
        kind, item = next(iter(members.items()), ("json", None))
        empty = Glob(source="", root="", pattern="", captures=(), mark=mark(node))
        return Beside(name=name, kind=kind, glob=self.filled(item, captures, own=True) if item else empty)

    def _once(self, node: Node) -> Once:
        members = self.fields(node, ("key", "per", "prefer", "why"), ("key", "why"))
        return Once(
            key=self.expr(members.get("key")),
            per=self.expr(members["per"]) if "per" in members else None,
            prefer=self.exprs(members.get("prefer")),
            why=self.text(members.get("why")),
        )

    def _versions(self, node: Node | None) -> tuple[Version, ...]:
        items = self.items(node)
        made: list[Version] = []
        for number, item in enumerate(items, 1):
            members = self.fields(item, ("id", "when", "shape", "walk"), ("id",))
            version = self.text(members.get("id"))
            if version in {v.id for v in made}:
                self.report("E509", item, f"version `{version}` stands twice")
            if number == len(items) and "when" in members:
                self.report("E503", item, "the last version has no `when`: it takes what the others leave")
            if number < len(items) and "when" not in members:
                self.report("E503", item, f"without `when`, `{version}` takes all: the versions after it never hold")
            made.append(
                Version(
                    id=version,
                    when=self.expr(members["when"]) if "when" in members else None,
                    shape=self.refer(members.get("shape"), self.shapes, "shape", "E311") or None,
                    walk=self.refer(members.get("walk"), self.walks, "walk", "E306") or None,
                )
            )
        return tuple(made)
