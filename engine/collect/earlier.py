"""An interrupted collection that is gone on with: what it holds is not read again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.collect.items import FILE, Item
from engine.errors import UsageError
from engine.read.archives import Workspace
from engine.read.collected import COLLECTED, FILES, description, manifest, nanoseconds, place_of
from engine.read.files import sha256_of
from engine.read.temporary import remove_folder


class Earlier:
    """The files of an interrupted collection. An archive is unpacked into the workspace; a directory is moved aside,
    beside itself, until the new one is whole."""

    def __init__(self, path: Path, workspace: Workspace):
        self._aside: Path | None = None
        root = path if path.is_dir() else workspace.unpack(path).root
        told = description(root)
        if not told.get("interrupted"):
            raise UsageError(f"{path}: is no interrupted collection, there is nothing to resume")
        self.started = told.get("started")
        if path.is_dir():
            self._aside = path.with_name(f".{path.name}.earlier")
            path.rename(self._aside)
            root = self._aside
        self._root = root
        self._rows: dict[str, dict[str, Any]] = {
            str(row.get("path")): row
            for row in manifest(root)
            if row.get("status") == COLLECTED and row.get("type") == FILE and not row.get("error")
        }

    def has(self, item: Item) -> Path | None:
        """Its copy of a file that has not changed since, None when it has none that is whole."""
        row = self._rows.get(item.original)
        if row is None or item.facts is None:
            return None
        same = row.get("size") == item.facts.st_size and nanoseconds(row.get("mtime")) == item.facts.st_mtime_ns
        copy = self._root / FILES / place_of(row)
        if not same or copy.is_symlink() or not copy.is_file():
            return None
        return copy if sha256_of(str(copy)) == row.get("sha256") else None

    def close(self) -> None:
        if self._aside is not None:
            remove_folder(self._aside)
