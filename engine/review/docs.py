"""A spec as a page for people, in Markdown: where an agent stores what, what becomes rows of it, what is left alone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

from engine.lang.links import link
from engine.lang.plan import Catalog, Citation, Const, Emit, Expr, Plan, Root, Store, Text, Value
from engine.lang.traversal import steps_by_store
from engine.review.cites import citations
from engine.review.docs_shapes import members
from engine.review.spectext import SpecText

#: what of a home's path says which operating system it is of
_SYSTEMS = (("Library/", "macOS"), ("AppData/", "Windows"), (".var/app/", "Linux (Flatpak)"))
_PERMISSIONS = ("permission_setting", "permission_mode", "permission_decision")


class RowOf(NamedTuple):
    """A step that writes rows: its name, what the row is, its text as the spec has it, its citations."""

    name: str
    kind: str
    text: str
    cites: tuple[Citation, ...]


class StoreOf(NamedTuple):
    store: Store
    files: tuple[str, ...]
    read: str
    rows: tuple[RowOf, ...]


def page(text: SpecText) -> str:
    """The page of a spec."""
    plan = text.plan
    stores = [_store(plan, store) for store in plan.stores]
    rows = [(each.store, row) for each in stores for row in each.rows]
    return _template("docs_page.md.jinja").render(
        plan=plan,
        systems=_systems(plan),
        covered=_covered(plan.catalog),
        excluded=_excluded(plan.catalog),
        stores=stores,
        shapes=[(name, shape.get("description", ""), list(members(shape))) for name, shape in plan.shapes.items()],
        permissions=[(store, row) for store, row in rows if row.kind in _PERMISSIONS],
        secondary=[store for store in plan.stores if store.role == "secondary" or store.secondary_if is not None],
        cited=[each.citation for each in citations(text)],
        link=lambda citation: _link(plan, citation),
        cell=_cell,
        code=_code,
    )


def index(texts: Sequence[SpecText]) -> str:
    """The page that leads to the pages of all specs, `<agent>.md` beside it."""
    return _template("docs_index.md.jinja").render(plans=[text.plan for text in texts], cell=_cell, reviewed=_reviewed)


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    folder = Path(__file__).parent / "templates"
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder), trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined, autoescape=False,
    )  # fmt: skip


def _template(name: str) -> jinja2.Template:
    return _environment().get_template(name)


def _systems(plan: Plan) -> list[tuple[str, str, list[str]]]:
    """(root, where, patterns): the roots of homes by operating system, then those of projects and volumes."""
    found: dict[tuple[str, str], list[str]] = {}
    for root in plan.roots:
        for kind, pattern in root.bases:
            where = _system(pattern) if kind == "home" else f"in a {kind}"
            found.setdefault((_root_name(root), where), []).append(pattern)
    return [(name, where, patterns) for (name, where), patterns in found.items()]


def _root_name(root: Root) -> str:
    return f"{root.name} (or ${root.env})" if root.env else root.name


def _system(pattern: str) -> str:
    return next((system for head, system in _SYSTEMS if pattern.startswith(head)), "Linux" if "/" in pattern else "any")


def _covered(catalog: Catalog) -> list[tuple[str, tuple[str, ...]]]:
    return [(kind, getattr(catalog, kind)) for kind in ("home", "project", "volume") if getattr(catalog, kind)]


def _excluded(catalog: Catalog) -> list[tuple[str, list[str]]]:
    """Reason → the globs that are left out for it."""
    found: dict[str, list[str]] = {}
    for glob, why in catalog.exclude:
        found.setdefault(why, []).append(glob)
    return list(found.items())


def _store(plan: Plan, store: Store) -> StoreOf:
    files = tuple(glob.source for glob in (*store.files, *store.folder))
    emits = [step for each, step in steps_by_store(plan) if each is store and isinstance(step, Emit)]
    return StoreOf(store, files, _read(store), tuple(map(_row, emits)))


def _read(store: Store) -> str:
    if store.sqlite is not None:
        return f"SQLite, table {store.sqlite.table}"
    return f"{store.read}, a folder of files {store.folder_files}" if store.folder else store.read


def _row(step: Emit) -> RowOf:
    kind = step.event if step.turn == "system" else step.turn
    text = next((_words(value) for name, value in step.columns if name == "text"), "")
    return RowOf(step.name, kind, text, step.cites)


def _words(value: Value) -> str:
    if isinstance(value, Text | Expr):
        return value.source
    return str(value.value) if isinstance(value, Const) else ""


def _link(plan: Plan, citation: Citation) -> str:
    """A citation as Markdown: a link to its lines at their pin where the code host is known."""
    evidence = next((each for each in plan.evidence if each.alias == citation.alias), None)
    address = link(citation, evidence) if evidence is not None else None
    label = f"{_code(citation.text.removeprefix('seen:'))}"
    return f"[{label}]({address.replace('(', '%28').replace(')', '%29')})" if address else label


def _cell(text: Any) -> str:
    """Text as a cell of a table: what Markdown or HTML would take for its own stays text."""
    plain = " ".join(str(text).split())
    return "".join(f"\\{char}" if char in r"\`*_[]<>|&#" else char for char in plain)


def _code(text: Any) -> str:
    """Text as code, also inside a table's cell."""
    plain = " ".join(str(text).split()).replace("|", "\\|")
    ticks = "``" if "`" in plain else "`"
    space = " " if "`" in plain else ""
    return f"{ticks}{space}{plain}{space}{ticks}" if plain else ""


def _reviewed(plan: Plan) -> str:
    return max((evidence.reviewed for evidence in plan.evidence), default="")
