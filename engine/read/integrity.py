"""Whether a collection is what it was when it was made: hashes and the list of its files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine.errors import BadUnit
from engine.read.collected import COLLECTED, DESCRIPTION, FILE, FILES, LOG, MANIFEST, manifest, place_of
from engine.read.files import sha256_of
from engine.read.names import shown
from engine.read.tree import DIRECTORY, Tree


class Fault(NamedTuple):
    """A file of a collection, '' for the collection itself, and what is wrong: missing, changed, added, unreadable."""

    path: str
    what: str


def verify(collection: Path, hashing: bool = True) -> Iterator[Fault]:
    """What is missing, changed or added in a collection's directory. Only files whose row has a hash can be changed."""
    if not (collection / MANIFEST).is_file():
        yield Fault("", f"no {MANIFEST}: its files can't be verified")
        return
    expected: dict[str, tuple[int | None, str]] = {}
    for row in manifest(collection):
        if row.get("status") == COLLECTED and row.get("type") == FILE:
            size, sha256 = row.get("size"), row.get("sha256")
            place = f"{FILES}/{place_of(row)}"
            expected[place] = (size if isinstance(size, int) else None, sha256 if isinstance(sha256, str) else "")
    tree = Tree(os.fspath(collection))
    present = {path for path, kind in _files(tree) if kind != DIRECTORY}
    for place, (size, sha256) in sorted(expected.items()):
        if place not in present:
            yield Fault(shown(place), "missing: the manifest lists it")
            continue
        what = _changed(collection / place, size, sha256 if hashing else "")
        if what:
            yield Fault(shown(place), what)
    for place in sorted(present - expected.keys()):
        if place.startswith(f"{FILES}/"):
            yield Fault(shown(place), "added: the manifest does not list it")
    for name in (DESCRIPTION, LOG):
        if name not in present:
            yield Fault(name, "missing")


def _files(tree: Tree) -> Iterator[tuple[str, str]]:
    for directory in tree.directories(""):
        for name, kind in tree.listing(directory).kinds.items():
            yield (f"{directory}/{name}" if directory else name), kind


def _changed(path: Path, size: int | None, sha256: str) -> str:
    """Why a file is not the one that was collected, '' when it is."""
    try:
        found = path.lstat().st_size
        if size is not None and found != size:
            return f"changed: {found} bytes, {size} in the manifest"
        if sha256 and sha256_of(str(path)) != sha256.lower():
            return "changed: its SHA-256 is not that of the manifest"
    except (OSError, BadUnit) as error:
        return f"could not be verified ({error})"
    return ""


def verify_archive(archive: Path) -> str:
    """What the sidecar `<archive>.sha256` says: '' when it fits, else what is wrong; also '' without a sidecar."""
    sidecar = archive.with_name(archive.name + ".sha256")
    try:
        said = sidecar.read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        return ""
    if not said or said[0].lower() != sha256_of(str(archive)):
        return f"its SHA-256 is not that of {sidecar.name}"
    return ""
