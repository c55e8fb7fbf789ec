"""Trees that other collectors leave: KAPE (`C/Users/…`), UAC (`[root]/home/…`), Velociraptor (`uploads/auto/C%3A/…`),
and the Linux file systems of WSL inside a Windows home.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from engine.read.disks import Disk
from engine.read.globs import compile_glob
from engine.read.tree import DIRECTORY, Tree, join
from engine.read.velociraptor import ACCESSORS, UPLOADS, original_name

#: kind of input → how its summary calls it
LAYOUTS = ("kape", "uac", "velociraptor")

_KAPE_DRIVE = re.compile(r"[A-Za-z]")
_DRIVE = re.compile(r"(?:\\\\[.?]\\)?([A-Za-z]):")
_UAC_ROOT = "[root]"

#: directories of a Windows home below which distributions of WSL lie, when they are mounted or of WSL 1
_WSL = ("AppData/Local/Packages/*/LocalState", "AppData/Local/wsl/*")


def layout_of(tree: Tree) -> str | None:
    """The collector that left a tree, None when it is none of these."""
    return next((kind for kind in LAYOUTS if next(disks_of(kind, tree), None) is not None), None)


def disks_of(kind: str, tree: Tree) -> Iterator[Disk]:
    """The disks in a collector's tree, which may itself lie in one further directory."""
    below = [name for name, found in tree.listing("").kinds.items() if found == DIRECTORY]
    for start in ("", *below):
        found = list(_FINDERS[kind](tree, start))
        if found:
            yield from found
            return


def _kape(tree: Tree, start: str) -> Iterator[Disk]:
    drives = [
        name for name, kind in tree.listing(start).kinds.items() if kind == DIRECTORY and _KAPE_DRIVE.fullmatch(name)
    ]
    if any(tree.kind(join(start, f"{drive}/Users")) == DIRECTORY for drive in drives):
        for drive in drives:
            yield Disk(Path(tree.root) / start / drive, drive.upper())


def _uac(tree: Tree, start: str) -> Iterator[Disk]:
    place = join(start, _UAC_ROOT)
    if tree.kind(place) == DIRECTORY:
        yield Disk(Path(tree.root) / place)


def _velociraptor(tree: Tree, start: str) -> Iterator[Disk]:
    uploads = join(start, UPLOADS)
    for accessor in ACCESSORS:
        place = join(uploads, accessor)
        names = [name for name, kind in tree.listing(place).kinds.items() if kind == DIRECTORY]
        drives = [(name, found[1].upper()) for name in names if (found := _DRIVE.fullmatch(original_name(name)))]
        for name, drive in drives:
            yield Disk(Path(tree.root) / place / name, drive)
        if names and not drives:
            yield Disk(Path(tree.root) / place)


_FINDERS = {"kape": _kape, "uac": _uac, "velociraptor": _velociraptor}


def wsl_roots(tree: Tree, home: str) -> Iterator[str]:
    """The paths of Linux file systems below a Windows home."""
    for pattern in _WSL:
        for found in tree.glob(compile_glob(pattern), home):
            if found.kind != DIRECTORY:
                continue
            names = tree.listing(found.path).kinds
            for place in (found.path, *(join(found.path, name) for name, kind in names.items() if kind == DIRECTORY)):
                inside = tree.listing(place).kinds
                if inside.get("etc") == DIRECTORY and DIRECTORY in (inside.get("home"), inside.get("root")):
                    yield place
