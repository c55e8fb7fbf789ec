"""`run.json`: what a run was, what it read and what became of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from engine import __version__
from engine.lang.plan import Plan
from engine.read.inputs import Taken
from engine.read.sources import Problem, Source
from engine.rows import SCHEMA_VERSION
from engine.run.ledger import Ledger
from engine.write.files import Target
from engine.write.jsonl import as_line


def head(plans: Iterable[Plan], options: dict[str, Any], inputs: list[dict[str, str]]) -> dict[str, Any]:
    """What is known before anything is read. `options` are those of the command, `inputs` what each was taken for."""
    return {
        "engine": {"name": "agentrows", "version": __version__},
        "row_schema": SCHEMA_VERSION,
        "specs": [
            {"agent": p.agent, "file": p.file, "spec": p.language, "basis": p.basis, "sha256": p.sha256} for p in plans
        ],
        "options": options,
        "inputs": inputs,
    }


def file_entry(source: Source, ledger: Ledger) -> dict[str, Any]:
    """One source: its file or folder, the files read for it, the ledger of each store."""
    return {
        "host": source.base.host,
        "user": source.base.user,
        "agent": source.agent,
        "source_file": source.source_file,
        "folder": source.folder,
        "files": [
            {"source_file": f.source_file, "size": f.size, "sha256": f.sha256, "what": f.what} for f in ledger.files
        ],
        "stores": ledger.as_dict(),
    }


def input_entry(taken: Taken) -> dict[str, str]:
    return {"path": taken.label, "as": taken.kind}


def problem_entry(problem: Problem) -> dict[str, str]:
    base = problem.base
    return {"host": base.host, "user": base.user, "source_file": problem.source_file, "reason": problem.reason}


def write_manifest(
    known: dict[str, Any], files: Iterator[dict[str, Any]], rest: dict[str, Any], target: Target
) -> None:
    """Writes the document to an open target: `known`, then `files` one a line, then `rest`."""
    start = json.dumps(known, indent=2).rstrip("}").rstrip()
    target.write(f'{start},\n  "files": ['.encode())
    for n, entry in enumerate(files):
        target.write((b",\n    " if n else b"\n    ") + as_line(entry))
    end = json.dumps(rest, indent=2).lstrip("{").lstrip()
    target.write(f"\n  ],\n  {end}\n".encode())
