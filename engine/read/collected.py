"""Collections: `collection.json`, `manifest.jsonl` and the files below `fs/`, as places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.errors import BadRecord, BadUnit
from engine.lang import jsontext
from engine.read.documents import read_bytes
from engine.read.files import Stream
from engine.read.limits import Limits
from engine.read.lines import split
from engine.read.places import Place, project_base
from engine.read.sources import HOME, VOLUME, Base
from engine.read.volumes import VOLUME_USER

#: what a manifest's row needs to be parsed, and the agent of files that belong to a project
_COLLECTED, _FILE, _PROJECT = "collected", "file", "project"


def description(path: Path) -> dict[str, Any]:
    """The object in `collection.json`, empty when there is none that can be read."""
    file = path / "collection.json"
    try:
        with Stream(str(file)) as stream:
            size = stream.size
        found = jsontext.loads(read_bytes(str(file), size, Limits()))
    except (BadUnit, BadRecord):
        return {}
    return found if isinstance(found, dict) else {}


def manifest(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of `manifest.jsonl`; lines that are none are passed over."""
    limits = Limits()
    try:
        with Stream(str(path / "manifest.jsonl")) as stream:
            for line in split(stream, limits):
                try:
                    row = jsontext.loads(line.data) if line.data.strip() else None
                except BadRecord:
                    continue
                if isinstance(row, dict):
                    yield row
    except BadUnit:
        return


def below_fs(original: str) -> str:
    """An absolute path as it stands below `fs/`: `/home/a` as `home/a`, `C:\\\\Users\\\\a` as `C/Users/a`."""
    return original.replace("\\", "/").replace(":", "", 1).strip("/")


def manifest_places(path: Path, host: str, projects: list[str]) -> Iterator[Place]:
    """A place for each home, volume and project that the manifest names; empty without a manifest."""
    listed: dict[tuple[str, str, str], dict[str, int | None]] = {}
    roots = sorted((project for project in projects), key=len, reverse=True)
    for row in manifest(path):
        original, home = str(row.get("path") or ""), str(row.get("home") or "")
        if row.get("status") != _COLLECTED or row.get("type") != _FILE or not original:
            continue
        kind = VOLUME if home.replace("\\", "/").endswith("/_data") else HOME
        if row.get("agent") == _PROJECT:
            kind = _PROJECT
            home = next((root for root in roots if _is_below(original, root)), home)
        place = below_fs(original)
        start = below_fs(home)
        if home and _is_below(original, home):
            key = (kind, str(row.get("user") or ""), home)
            listed.setdefault(key, {})[place[len(start) :].lstrip("/")] = _nanoseconds(row.get("mtime"))
    for (kind, user, home), files in listed.items():
        where = path / "fs" / below_fs(home)
        if kind == _PROJECT:
            base = project_base(where, home, host, user)
        elif kind == VOLUME:
            name = below_fs(home).split("/")[-2]
            base = Base(VOLUME, where, host, user or VOLUME_USER, f"volumes/{name}/")
        else:
            base = Base(HOME, where, host, user, "", home)
        yield Place(base, listed=files)


def _is_below(path: str, directory: str) -> bool:
    return (below_fs(path) + "/").startswith(below_fs(directory) + "/")


def _nanoseconds(seconds: Any) -> int | None:
    """Epoch seconds of a manifest to the microsecond, which is what a JSON number holds of them."""
    return round(seconds * 10**6) * 1000 if isinstance(seconds, int | float) and abs(seconds) < 1e12 else None
