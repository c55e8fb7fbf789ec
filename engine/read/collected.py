"""Collections: `collection.json`, `manifest.jsonl` and the files below `fs/`, as places."""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

from engine.errors import BadRecord, BadUnit
from engine.lang import jsontext
from engine.read.disks import Disk
from engine.read.documents import read_bytes
from engine.read.files import Stream
from engine.read.limits import Limits
from engine.read.lines import split
from engine.read.names import shown
from engine.read.places import Place, project_base
from engine.read.sources import HOME, PROJECT, VOLUME, Base
from engine.read.volumes import VOLUME_USER

MANIFEST, DESCRIPTION, LOG, FILES = "manifest.jsonl", "collection.json", "collector.log", "fs"

#: what a manifest's row needs to be parsed; the types whose times are those of the files
COLLECTED, FILE, DIR = "collected", "file", "dir"


def description(path: Path) -> dict[str, Any]:
    """The object in `collection.json`, empty when there is none that can be read."""
    file = path / DESCRIPTION
    try:
        with Stream(str(file)) as stream:
            size = stream.size
        found = jsontext.loads(read_bytes(str(file), size, Limits()))
    except (BadUnit, BadRecord):
        return {}
    return found if isinstance(found, dict) else {}


def manifest(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of `manifest.jsonl`, numbers with a point as Decimal; lines that are none are passed over."""
    try:
        with Stream(str(path / MANIFEST)) as stream:
            for line in split(stream, Limits()):
                try:
                    row = json.loads(line.data, parse_float=Decimal) if line.data.strip() else None
                except (ValueError, RecursionError):
                    continue
                if isinstance(row, dict):
                    yield row
    except BadUnit:
        return


def below_fs(original: str) -> str:
    """An absolute path as it stands below `fs/`: `/home/a` as `home/a`, `C:\\\\Users\\\\a` as `C/Users/a`."""
    if original.startswith("/"):
        return original.strip("/")
    return original.replace("\\", "/").replace(":", "", 1).strip("/")


class Listed:
    """The files and directories of a collection: where they stand below `fs/`, and their times in nanoseconds."""

    def __init__(self, times: dict[str, int | None]):
        self._times = times
        self._places = sorted(times)

    def below(self, place: str) -> dict[str, int | None]:
        """What lies below a directory, by its path below it."""
        start = f"{place}/" if place else ""
        found: dict[str, int | None] = {}
        for at in range(bisect_left(self._places, start), len(self._places)):
            path = self._places[at]
            if not path.startswith(start):
                break
            found[path[len(start) :]] = self._times[path]
        return found


def collected_places(path: Path, host: str, told: dict[str, Any]) -> Iterator[Place]:
    """A place for each home, volume and project that the manifest names; empty without a manifest."""
    times: dict[str, int | None] = {}
    found: dict[tuple[str, str, str], None] = {}
    projects = sorted((_project(item) for item in _items(told, "projects")), key=len, reverse=True)
    for row in manifest(path):
        original, home = str(row.get("path") or ""), str(row.get("home") or "")
        if row.get("status") != COLLECTED or row.get("type") not in (FILE, DIR) or not original:
            continue
        times[place_of(row)] = nanoseconds(row.get("mtime"))
        kind = VOLUME if home.replace("\\", "/").endswith("/_data") else HOME
        if row.get("agent") == PROJECT:
            kind = PROJECT
            home = next((root for root in projects if root and _is_below(original, root)), home)
        if row["type"] == FILE and home and _is_below(original, home):
            found[kind, str(row.get("user") or ""), home] = None
    listing = Listed(times)
    files = path / FILES
    homes = {str(item.get("path")): item for item in _items(told, "homes") if isinstance(item, dict)}
    disks = _disks(files, [home for _, _, home in found], listing)
    for item in _items(told, "roots"):
        if isinstance(item, dict) and isinstance(root := item.get("path"), str):
            below = below_fs(root)
            own = item.get("home")
            base = Base(
                HOME, files / below, host, str(item.get("user") or ""), str(item.get("prefix") or ""),
                own if isinstance(own, str) else None,
            )  # fmt: skip
            names = {str(item.get("root")): ("",)}
            yield Place(base, frozenset({str(item.get("agent"))}), names, listed=listing.below(below))
    for kind, user, home in found:
        below = below_fs(home)
        where = files / below
        if kind == PROJECT:
            base = project_base(where, home, host, user)
        elif kind == VOLUME:
            base = Base(VOLUME, where, host, user or VOLUME_USER, f"volumes/{shown(below.split('/')[-2])}/")
        else:
            known = homes.get(home, {})
            stood = known.get("original") if "original" in known else home
            base = Base(HOME, where, host, user, "", stood if isinstance(stood, str) else None)
        mapped = disks if kind == HOME and base.home is not None else ()
        yield Place(base, listed=listing.below(below), disks=mapped)


def place_of(row: dict[str, Any]) -> str:
    """Where a row's file stands below `fs/`."""
    stands = row.get("archive_path")
    if isinstance(stands, str) and stands.startswith(f"{FILES}/"):
        return stands[len(FILES) + 1 :]
    return below_fs(str(row.get("path") or ""))


def restore_times(path: Path) -> None:
    """Gives the files of an unpacked collection, which are ours, the times of its manifest: archives hold less."""
    for row in manifest(path):
        mtime_ns, place = nanoseconds(row.get("mtime")), place_of(row)
        if row.get("status") == COLLECTED and mtime_ns is not None and ".." not in place.split("/"):
            with suppress(OSError, ValueError, OverflowError):
                os.utime(f"{path}/{FILES}/{place}", ns=(mtime_ns, mtime_ns), follow_symlinks=False)


def _disks(files: Path, homes: list[str], listing: Listed) -> tuple[Disk, ...]:
    """The drives that homes stand on."""
    drives = dict.fromkeys("" if home.startswith("/") else home[:1].upper() for home in homes if home)
    return tuple(Disk(files / drive, drive, listing=listing) for drive in drives)


def _project(item: Any) -> str:
    return item if isinstance(item, str) else str(item.get("path", ""))


def _items(told: dict[str, Any], name: str) -> list[Any]:
    found = told.get(name)
    return [item for item in found if isinstance(item, str | dict)] if isinstance(found, list) else []


def _is_below(path: str, directory: str) -> bool:
    return (below_fs(path) + "/").startswith(below_fs(directory) + "/")


def nanoseconds(seconds: Any) -> int | None:
    """Epoch seconds of a manifest: exact where it has nine decimals, else to the microsecond, which is what a float
    holds of them."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | Decimal):
        return None
    exact = Decimal(seconds)
    if not exact.is_finite() or abs(exact) >= 10**12:
        return None
    return int(exact * 10**9) if exact.as_tuple().exponent == -9 else round(exact * 10**6) * 1000
