"""The sections of a spec beside stores and walks, from their nodes."""

from __future__ import annotations

import re
from typing import Any

from engine.lang.callables import GROUP, find_callable
from engine.lang.compile_fields import mark
from engine.lang.compile_steps import Steps
from engine.lang.compile_stores import Stores
from engine.lang.plan import Catalog, Evidence, Excepted, Expr, HookSpec, Lookup, Pairing, Root
from engine.rows import BASES
from engine.spec.problems import WARNINGS, nearest_name
from engine.spec.yamlio import Mapping, Node, Scalar, Sequence

_EVIDENCE_KEYS = ("repo", "commit", "license", "reviewed")
_HOOK_KEYS = ("call", "inputs", "gives", "state", "why")
_PAIRING_KEYS = ("secondary", "primary", "within", "key", "clock", "why")
_CATALOG_KEYS = ("home", "project", "volume", "volume_names", "exclude", "secrets", "projects", "scratch")
BASE_KINDS = ("home", "project", "volume")
_WITHIN = re.compile(r"(\d{1,9}) (ms|s|min|h|days?)")
_MILLISECONDS = {"ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "day": 86_400_000, "days": 86_400_000}
_ENV = re.compile(r"[A-Z_][A-Z0-9_]*")
HOOK_STATES = ("none", "unit")


class Sections(Steps, Stores):
    """Compiles evidence, roots, tables, lookups, catalog, pairings, hooks, shapes, unread, tests and lint."""

    stores: frozenset[str]

    def basis(self, node: Node | None) -> str:
        return self.word(node, BASES, "basis")

    def evidence(self, node: Node | None) -> tuple[Evidence, ...]:
        made = []
        for alias, item in self.named(node, "evidence"):
            members = self.fields(item, _EVIDENCE_KEYS, _EVIDENCE_KEYS)
            texts = {key: self.text(members.get(key)) for key in _EVIDENCE_KEYS}
            made.append(Evidence(alias=alias, **texts))
        return tuple(made)

    def all_roots(self, node: Node | None) -> tuple[Root, ...]:
        return tuple(self._root_named(name, item) for name, item in self.named(node, "a root"))

    def _root_named(self, name: str, node: Node) -> Root:
        members = self.fields(node, (*BASE_KINDS, "env", "cite"))
        bases = tuple((kind, self._base(item)) for kind in BASE_KINDS for item in self.items(members.get(kind)))
        if not bases:
            self.report("E202", node, f"a root needs one of {', '.join(f'`{kind}`' for kind in BASE_KINDS)}")
        env = self.text(members.get("env")) or None
        if env and not _ENV.fullmatch(env):
            self.report("E205", members["env"], f"`{env}` is no name of an environment variable")
        return Root(name=name, bases=bases, env=env, cites=self.cites(members.get("cite")))

    def _base(self, node: Node) -> str:
        pattern = self.pattern(self.text(node), node)
        if self.captures(pattern, node):
            self.report("E413", node, f"`{pattern}`: a root captures nothing")
        return pattern

    def check_tables(self, node: Node | None) -> None:
        for _, item in self.named(node, "a table"):
            if not isinstance(item, Mapping | Sequence):
                self.wrong(item, "a map or a list of constants")

    def all_lookups(self, node: Node | None) -> tuple[Lookup, ...]:
        made = []
        for name, item in self.named(node, "a lookup"):
            members = self.fields(item, ("from", "key", "value", "per"), ("from", "key", "value"))
            stores = self.items(members.get("from"))
            for store in stores:
                self.refer(store, self.stores, "store", "E307")
            made.append(
                Lookup(
                    name=name,
                    stores=tuple(str(store.plain()) for store in stores),
                    key=self.expr(members.get("key")),
                    value=self.expr(members.get("value")),
                    per_file=self.word(members.get("per"), ("file",), "group") == "file",
                )
            )
        return tuple(made)

    def catalog(self, node: Node | None) -> Catalog:
        if node is None:
            return Catalog()
        members = self.fields(node, _CATALOG_KEYS)
        paths = {
            key: tuple(self.pattern(self.text(item), item) for item in self.items(members.get(key)))
            for key in (*BASE_KINDS, "secrets")
        }
        return Catalog(
            **paths,
            volume_names=self.texts(members.get("volume_names")),
            exclude=self._with_why(members.get("exclude"), "glob"),
            projects=self._projects(members.get("projects")),
            scratch=self._with_why(members.get("scratch"), "path"),
        )

    def _with_why(self, node: Node | None, key: str) -> tuple[tuple[str, str], ...]:
        made = []
        for item in self.items(node):
            members = self.fields(item, (key, "why"), (key, "why"))
            made.append((self.text(members.get(key)), self.text(members.get("why"))))
        return tuple(made)

    def _projects(self, node: Node | None) -> tuple[tuple[str, Expr], ...]:
        made = []
        for item in self.items(node):
            members = self.fields(item, ("store", "value"), ("store", "value"))
            store = self.refer(members.get("store"), self.stores, "store", "E307")
            made.append((store, self.expr(members.get("value"))))
        return tuple(made)

    def pairings(self, node: Node | None) -> tuple[Pairing, ...]:
        return tuple(self._pairing(item) for item in self.items(node))

    def _pairing(self, node: Node) -> Pairing:
        members = self.fields(node, _PAIRING_KEYS, ("secondary", "primary", "within"))
        if "why" not in members:
            self.report("E505", node, "a pairing needs its reason: `why`")
        secondary = self.text(members.get("secondary"))
        store = secondary.partition("/")[0]
        if store and store not in self.stores:
            near = nearest_name(store, self.stores)
            self.report("E307", members["secondary"], f"unknown store `{store}`", nearest=near)
        primary = [self.refer(item, self.stores, "store", "E307") for item in self.items(members.get("primary"))]
        return Pairing(
            secondary=secondary,
            primary=tuple(name for name in primary if name),
            within=self._within(members.get("within")),
            key=self.flag(members.get("key")),
            clock=self.word(members.get("clock"), ("local",), "clock") or None,
            why=self.text(members.get("why")),
            mark=mark(node),
        )

    def _within(self, node: Node | None) -> int:
        """A tolerance in milliseconds."""
        text = node.text if isinstance(node, Scalar) else self.text(node)
        if not text:
            return 0
        match = _WITHIN.fullmatch(text)
        if match is None and node is not None:
            self.report("E506", node, f"`{text}`: a tolerance is a number and a unit, such as `0 s`, `500 ms`, `1 day`")
        return int(match[1]) * _MILLISECONDS[match[2]] if match else 0

    def hooks(self, node: Node | None) -> tuple[HookSpec, ...]:
        made = []
        for name, item in self.named(node, "a hook"):
            members = self.fields(item, _HOOK_KEYS, ("call", "why"))
            call = self.text(members.get("call"))
            if call and find_callable(call) is None:
                message = f"no callable `{call}`: engine.hooks.<module>:<function>, or an entry point of {GROUP}"
                self.report("E320", members["call"], message)
            made.append(
                HookSpec(
                    name=name,
                    call=call,
                    inputs=self.texts(members.get("inputs")),
                    gives=self.texts(members.get("gives")),
                    state=self.word(members.get("state"), HOOK_STATES, "reach of state"),
                    why=self.text(members.get("why")),
                )
            )
        return tuple(made)

    def all_shapes(self, node: Node | None) -> dict[str, Any]:
        return {name: item.plain() for name, item in self.named(node, "a shape")}

    def reasons(self, node: Node | None) -> tuple[tuple[str, str], ...]:
        return tuple((name, self.text(item)) for name, item in self.mapping(node).items()) if node else ()

    def tests(self, node: Node | None) -> tuple[dict[str, Any], ...]:
        made = []
        for item in self.items(node):
            if isinstance(item, Mapping):
                made.append(item.plain())
            else:
                self.wrong(item, "a mapping")
        return tuple(made)

    def exceptions(self, node: Node | None) -> tuple[Excepted, ...]:
        made = []
        for item in self.items(node):
            members = self.fields(item, ("code", "at", "why"), ("code", "why"))
            made.append(
                Excepted(
                    code=self.word(members.get("code"), tuple(WARNINGS), "code of a warning"),
                    at=self.text(members.get("at")),
                    why=self.text(members.get("why")),
                    mark=mark(item),
                )
            )
        return tuple(made)
