"""A home, a small spec with a catalog, and what a collection of it holds."""

from __future__ import annotations

import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.collect.claims import Rules
from engine.collect.items import Item
from engine.collect.making import Made, collect
from engine.collect.scope import Scope
from engine.read.archives import Workspace
from engine.read.limits import MIB
from tests.read.reading import make, plan_of

SPEC = """
stores:
  chats: {cite: 'toy:a:1 #x', role: primary, files: ['{data}/chats/<id>.jsonl'], read: jsonl, walk: nothing}
  state: {cite: 'toy:a:1 #x', role: primary, files: ['{data}/state.db'], read: {sqlite: t, need: [x]}, as: row,
    walk: nothing}
  events: {cite: 'toy:a:1 #x', role: primary, folder: ['{data}/events/<id>'], records: {files: '*.json'}, read: json,
    walk: nothing}
  names: {cite: 'toy:a:1 #x', role: primary, files: ['{data}/names.json'], read: json}
  local: {cite: 'toy:a:1 #x', role: primary, files: ['{data}/settings.json'], read: json, walk: nothing}
"""
ROOTS = """
roots:
  data: {cite: 'toy:a:1 #x', home: [.toy], project: [.toy], volume: ['.']}
catalog:
  home: [.toy, .toy-extra/keep, '.toyrc*']
  project: [.toy, TOY.md]
  volume: ['.']
  volume_names: ['*toy_usr']
  exclude: [{glob: .toy/cache, why: downloads}, {glob: '*.tmp', why: scratch}]
  secrets: ['.toy/*.key', .toy/state.db]
  projects: [{store: chats, value: record.cwd}]
"""


class Case:
    """`home` is /…/home/alice; `collect` makes a collection of it and keeps what was told and its rows."""

    def __init__(self, base: Path):
        self.base, self.home = base, base / "disk" / "home" / "alice"
        self.home.mkdir(parents=True)
        self.plan = plan_of(base / "spec", SPEC, ROOTS)
        self.spec = base / "spec" / "toy.yaml"

    def put(self, files: dict[str, str | bytes], below: str = "home/alice") -> None:
        make(self.base / "disk" / below, files)

    def collect(
        self, out: str = "out.tar.gz", root: Path | None = None, size: int = 256 * MIB, secrets: bool = True,
        stop: Callable[[], bool] = lambda: False, progress: Callable[[Item, int], None] = lambda item, count: None,
        resume: bool = False, as_: str | None = None,
    ) -> Made:  # fmt: skip
        self.out = self.base / out
        with Workspace() as workspace:
            scope = Scope(str(root or self.home), [self.plan], as_, "", workspace)
            made = collect(
                scope, self.out, "box", Rules(size, secrets), {}, progress=progress, stop=stop, resume=resume
            )
        self.rows = [json.loads(line) for line in self._manifest().splitlines()]
        return made

    def _manifest(self) -> str:
        if self.out.is_dir():
            return (self.out / "manifest.jsonl").read_text()
        stem = self.out.name.removesuffix(".tar.gz").removesuffix(".zip")
        return self.out.with_name(f"{stem}.manifest.jsonl").read_text()

    def row(self, path: str) -> dict[str, Any]:
        """The one row of a path below the home, or of an absolute path."""
        wanted = path if path.startswith("/") else f"{self.home}/{path}"
        (found,) = [row for row in self.rows if row["path"] == wanted]
        return found

    def statuses(self) -> dict[str, str]:
        return {row["path"].removeprefix(f"{self.home}/"): row["status"] for row in self.rows if row["type"] != "dir"}

    def names(self) -> set[str]:
        """The members of the archive."""
        if self.out.suffix == ".zip":
            return set(zipfile.ZipFile(self.out).namelist())
        with tarfile.open(self.out) as tar:
            return {member.name for member in tar.getmembers() if member.isfile()}

    def content(self, path: str) -> bytes:
        with tarfile.open(self.out) as tar:
            found = tar.extractfile(f"fs{self.home}/{path}")
            assert found is not None
            return found.read()
