"""A tree of files, a small spec, and what the readers make of them."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import BadUnit
from engine.lang.load import check
from engine.lang.plan import Plan
from engine.read.discover import find
from engine.read.limits import Limits
from engine.read.reader import Opened
from engine.read.sources import FileInfo, Source
from engine.read.units import Record

HEAD = """
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: fixture}
evidence: {toy: {repo: 'https://example.org/toy', commit: abc1234, license: MIT, reviewed: '2026-01-01'}}
"""

ROOTS = """
roots: {data: {cite: 'toy:paths.rs:1 #x', home: [.toy]}}
"""

WALKS = """
walks: {nothing: {cite: 'toy:walk.rs:1 #x', steps: [{ignore: for a test}]}}
"""


def make(base: Path, files: Mapping[str, str | bytes]) -> Path:
    """Files below `base`, with their directories."""
    for name, content in files.items():
        path = base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return base


def plan_of(base: Path, body: str, roots: str = ROOTS, agent: str = "toy") -> Plan:
    """The plan of a spec whose stores are `body`: each store's definition without citations, or whole sections."""
    base.mkdir(parents=True, exist_ok=True)
    text = textwrap.dedent(body)
    if not text.lstrip().startswith(("stores:", "catalog:")):
        text = "stores:\n" + textwrap.indent(text, "  ")
    path = base / f"{agent}.yaml"
    path.write_text(HEAD.replace("id: toy", f"id: {agent}") + roots + text + WALKS)
    plan, problems = check(path, schema=False)
    assert plan is not None, [str(problem) for problem in problems]
    return plan


@dataclass
class Seen:
    """What was read of one source: `units` as (store, names, records), `note` when nothing could be."""

    source: Source
    units: list[tuple[str, dict[str, Any], list[Record]]] = field(default_factory=list)
    captures: list[dict[str, Any]] = field(default_factory=list)
    files: list[FileInfo] = field(default_factory=list)
    note: str = ""

    @property
    def records(self) -> list[Record]:
        return [record for _, _, records in self.units for record in records]

    @property
    def values(self) -> list[Any]:
        return [record.value for record in self.records if record.bad is None]

    @property
    def bad(self) -> list[tuple[int, str, str]]:
        """Line, reason and stored text of bad records; of notes on the file the text."""
        return [
            (r.line, r.bad.text, "") if isinstance(r.bad, BadUnit) else (r.line, r.bad.reason, str(r.bad.stored))
            for r in self.records
            if r.bad is not None
        ]


def read_source(source: Source, plan: Plan, limits: Limits | None = None) -> Seen:
    """Everything that one source gives."""
    seen = Seen(source)
    opened = Opened(source, plan, limits or Limits())
    try:
        for unit in opened.units():
            seen.units.append((unit.store.name, unit.names, list(unit.records())))
            seen.captures.append(unit.captures)
    except BadUnit as note:
        seen.note = note.text
    seen.files = opened.files
    return seen


def read(base: Path, body: str, files: Mapping[str, str | bytes], limits: Limits | None = None) -> Seen:
    """The one source of a home with some files, read by a store `s`."""
    found = read_all(base, body, files, limits)
    assert len(found) == 1, [seen.source.source_file for seen in found]
    return found[0]


def read_all(base: Path, body: str, files: Mapping[str, str | bytes], limits: Limits | None = None) -> list[Seen]:
    """Every source of a home with some files."""
    home = make(base / "case" / "home", files)
    plan = plan_of(base / "spec", body)
    return [read_source(source, plan, limits) for source in find([home], [plan]).sources]


def store(name: str, files: str, how: str, role: str = "primary", **more: str) -> str:
    """A store's definition: `read` and further keys as YAML."""
    lines = [f"{name}:", "  cite: 'toy:store.rs:1 #x'", f"  role: {role}", f"  files: ['{files}']", f"  read: {how}"]
    return "\n".join(lines + [f"  {key}: {value}" for key, value in more.items()]) + "\n"


def empty(base: Path, *names: str) -> Path:
    """Empty files below `base`."""
    return make(base, dict.fromkeys(names, ""))
