"""A spec's document → its plan, and every problem on the way."""

from __future__ import annotations

from typing import Any

from engine.lang.compile_bodies import Place
from engine.lang.compile_checks import Checks
from engine.lang.compile_fields import mark
from engine.lang.compile_sections import Sections
from engine.lang.plan import Citation, Plan, Walk
from engine.lang.traversal import walks_of
from engine.spec.problems import Problem, in_order, without_consequences
from engine.spec.yamlio import Document, Mapping, Node, Scalar

LANGUAGE = 1
DOCUMENT_KEYS = (
    "spec", "agent", "evidence", "roots", "tables", "lookups", "catalog", "stores", "shapes", "walks", "pairings",
    "hooks", "unread", "tests", "lint",
)  # fmt: skip
WALK_KEYS = ("cite", "let", "columns", "begin", "steps", "end", "params")
AGENT_KEYS = ("id", "name", "summary", "basis")


class Compiler(Sections):
    """Compiles a whole document. What the sections declare is collected first, so that they can name each other."""

    def __init__(self, document: Document):
        super().__init__(document.file)
        self.document = document
        self.problems.extend(document.problems)
        root = document.root
        self.members = self.fields(root, DOCUMENT_KEYS, ("spec", "agent", "stores", "walks")) if root else {}
        self.aliases = frozenset(self.declared("evidence"))
        self.roots = frozenset(self.declared("roots"))
        self.shapes = frozenset(self.declared("shapes"))
        self.walks = frozenset(self.declared("walks"))
        self.stores = frozenset(self.declared("stores"))
        self.lookups = frozenset(self.declared("lookups"))
        self.tables = {name: item.plain() for name, item in self.declared("tables").items()}
        self.params = {name: _listed(item, "params") for name, item in self.declared("walks").items()}
        self.inputs = {name: _listed(item, "inputs") for name, item in self.declared("hooks").items()}

    def declared(self, section: str) -> dict[str, Node]:
        node = self.members.get(section)
        return node.items if isinstance(node, Mapping) else {}

    def plan(self) -> Plan:
        members = self.members
        self._language(members.get("spec"))
        agent = self.fields(members["agent"], AGENT_KEYS, AGENT_KEYS) if "agent" in members else {}
        evidence = self.evidence(members.get("evidence"))
        roots = self.all_roots(members.get("roots"))
        self.check_tables(members.get("tables"))
        stores = tuple(self.store(name, item) for name, item in self.named(members.get("stores"), "a store"))
        enclosing: dict[str, tuple[Citation, ...]] = {}
        for store in stores:
            for walk in walks_of(store):
                enclosing[walk] = enclosing.get(walk, ()) + store.cites
        walks = tuple(
            self.walk(name, item, enclosing.get(name, ())) for name, item in self.named(members.get("walks"), "a walk")
        )
        return Plan(
            file=self.document.file,
            sha256=self.document.sha256,
            language=LANGUAGE,
            agent=self._agent_id(agent.get("id")),
            name=self.text(agent.get("name")),
            summary=self.text(agent.get("summary")),
            basis=self.basis(agent.get("basis")),
            evidence=evidence,
            roots=roots,
            catalog=self.catalog(members.get("catalog")),
            tables=self.tables,
            lookups=self.all_lookups(members.get("lookups")),
            stores=stores,
            walks=walks,
            pairings=self.pairings(members.get("pairings")),
            hooks=self.hooks(members.get("hooks")),
            shapes=self.all_shapes(members.get("shapes")),
            unread=self.reasons(members.get("unread")),
            tests=self.tests(members.get("tests")),
            lint=self.exceptions(members.get("lint")),
        )

    def _language(self, node: Node | None) -> None:
        if node is not None and not (isinstance(node, Scalar) and node.value == LANGUAGE):
            self.report("E209", node, f"this engine reads language version {LANGUAGE}: `spec: {LANGUAGE}`")

    def _agent_id(self, node: Node | None) -> str:
        return self.label(node, "an agent") if isinstance(node, Scalar) and self.text(node) else self.text(node)

    def walk(self, name: str, node: Node, enclosing: tuple[Citation, ...]) -> Walk:
        members = self.fields(node, WALK_KEYS)
        cites = self.cites(members["cite"]) if "cite" in members else enclosing
        lets = self.pairs(members.get("let"), "a let", bound=True)
        place = Place("", cites, dict(lets), {})
        begin: dict[str, Any] = {"steps": members.get("begin")}
        if isinstance(members.get("begin"), Mapping):
            begin = self.fields(members["begin"], ("columns", "steps"))
        return Walk(
            name=name,
            mark=mark(node),
            let=lets,
            columns=self.columns(members.get("columns")),
            begin_columns=self.columns(begin.get("columns")),
            begin=self.steps(begin.get("steps"), place._replace(prefix="begin/")),
            steps=self.steps(members.get("steps"), place),
            end=self.steps(members.get("end"), place._replace(prefix="end/")),
            params=tuple(self.bound(item, "a parameter") for item in self._scalars(members.get("params"))),
        )

    def _scalars(self, node: Node | None) -> list[Scalar]:
        return [item for item in self.items(node) if isinstance(item, Scalar) and self.text(item)]


def _listed(node: Node, key: str) -> tuple[str, ...]:
    """The texts of a list below a key, as far as they are texts; problems are found when the section is compiled."""
    listed = node.items.get(key) if isinstance(node, Mapping) else None
    plain = listed.plain() if listed is not None else ()
    return tuple(text for text in plain if isinstance(text, str)) if isinstance(plain, list) else ()


def compile_document(document: Document) -> tuple[Plan | None, list[Problem]]:
    """The plan, or None when there is an error; and all problems in the order of the file."""
    compiler = Compiler(document)
    plan = None
    if isinstance(document.root, Mapping):
        plan = compiler.plan()
        if {"stores", "walks"} <= document.root.items.keys():
            Checks(plan, compiler).run()
        else:
            compiler.problems = [problem for problem in compiler.problems if problem.code != "E501"]
    problems = in_order(without_consequences(compiler.problems))
    if any(problem.severity == "error" for problem in problems):
        plan = None
    return plan, problems
