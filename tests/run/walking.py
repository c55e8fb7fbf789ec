"""A small home, a small spec, and what the interpreter makes of them."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.lang.load import load_plan
from engine.read.discover import DiscoverOptions, discover
from engine.rows import COLUMNS
from engine.run.interpret import rows
from engine.run.ledger import Ledger
from engine.run.passes import prepare

HEAD = """
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: fixture}
evidence: {toy: {repo: 'https://example.org/toy', commit: abc1234, license: MIT, reviewed: '2026-01-01'}}
roots: {data: {cite: 'toy:paths.rs:1 #x', home: [toy]}}
"""


@dataclass
class Walked:
    """Rows as dicts in the order of the walks, with `pair_key` and `seq`; the ledger of all sources together, and each
    source's own by `source_file`."""

    rows: list[dict[str, Any]]
    ledger: Ledger
    by_file: dict[str, Ledger]

    def column(self, name: str) -> list[Any]:
        return [row[name] for row in self.rows]

    @property
    def texts(self) -> list[str]:
        return self.column("text")


def home_of(base: Path, files: dict[str, str | bytes]) -> Path:
    """A home below `base` with these files."""
    home = base / "home" / "alice"
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return home


def plan_of(base: Path, body: str, head: str = HEAD) -> Any:
    """The plan of a spec whose stores, walks and so on are `body`."""
    path = base / "toy.yaml"
    path.write_text(head + textwrap.dedent(body))
    return load_plan(path)


def walk(base: Path, body: str, files: dict[str, str | bytes], head: str = HEAD) -> Walked:
    """Runs a spec on a home with `files`. Every ledger has to add up."""
    plan = plan_of(base, body, head)
    sources = discover([home_of(base, files)], [plan], DiscoverOptions(as_="home"))
    context = prepare(plan, sources)
    found, total, by_file = [], Ledger(), {}
    for source in sources:
        ledger = Ledger()
        found += [dict(zip((*COLUMNS, "pair_key", "seq"), row, strict=True)) for row in rows(source, context, ledger)]
        assert ledger.adds_up, ledger
        total.add(ledger)
        by_file[source.source_file] = ledger
    return Walked(found, total, by_file)


#: a store of line files, each a session
LOG = """
    stores:
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{data}/<session>.jsonl']
        read: jsonl
        walk: log
"""


def log(base: Path, walk_body: str, *lines: str, walks: str = "", more: str = "") -> Walked:
    """Walks `toy/s1.jsonl` with these lines by a walk with these members; `walks`, `more`: other walks, sections."""
    body = textwrap.dedent(LOG) + "walks:\n  log:\n" + textwrap.indent(textwrap.dedent(walk_body), "    ")
    body += "\n" + textwrap.indent(textwrap.dedent(walks), "  ") + textwrap.dedent(more)
    return walk(base, body, {"toy/s1.jsonl": "".join(line + "\n" for line in lines)})


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def log_store(extra: str) -> str:
    return f"""
    stores:
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{{data}}/*.jsonl']
        read: jsonl
        walk: log
        {extra}
    """
