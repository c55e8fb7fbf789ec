"""Projects that the records name, found on the disks that their homes belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.read.discover import Discovery
from engine.read.disks import Disk
from engine.read.places import Place, project_base
from engine.read.sources import HOME, PROJECT, Base


def project_places(found: Discovery, named: Iterable[tuple[Base, str]]) -> Iterator[tuple[Place, Base]]:
    """A place for each directory that exists, is no home and holds none, and is not a place yet, and who named it.

    `named` is (the base of the records, an absolute path on their machine); of several who name one the first has it.
    """
    known = [place for taken in found.inputs for place in taken.places]
    disks = {place.base: place.disks for place in known if place.disks}
    homes = [place.base.path for place in known if place.base.kind == HOME]
    seen = {place.base.path for place in known if place.base.kind == PROJECT}
    for base, original in sorted(named, key=lambda item: (item[0].host, item[0].user, item[1])):
        for disk, below in _located(found, disks.get(base, ()), original):
            path = disk.path / below
            if path in seen or any(home.is_relative_to(path) for home in homes):
                continue
            seen.add(path)
            name = disk.original(below)
            listed = disk.listing.below(below) if disk.listing is not None else None
            yield Place(project_base(path, name, base.host, base.user), listed=listed), base


def _located(found: Discovery, disks: Iterable[Disk], original: str) -> Iterator[tuple[Disk, str]]:
    for disk in disks:
        below = disk.locate(original, found.trees.at(disk.path))
        if below is not None:
            yield disk, below
            return


def mapped(found: Discovery) -> set[Base]:
    """The bases whose records' projects can be found."""
    return {place.base for taken in found.inputs for place in taken.places if place.disks}
