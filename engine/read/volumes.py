"""Volumes of containers: where they lie on a disk and in a home, and which specs read them."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.lang.plan import Plan
from engine.read.names import shown
from engine.read.places import Place, Trees
from engine.read.sources import VOLUME, Base
from engine.read.tree import DIRECTORY, Tree, join

#: directories of volumes below the root of a disk, and below a home (rootless Docker and Podman)
DISK_PARENTS = ("var/lib/docker/volumes", "var/lib/containers/storage/volumes", "ProgramData/Docker/volumes")
HOME_PARENTS = (".local/share/docker/volumes", ".local/share/containers/storage/volumes")

#: the user of a volume's rows
VOLUME_USER = "docker"

#: a volume's name, the place of its files, and the agents whose specs name it
Found = tuple[str, str, frozenset[str]]


class Volumes:
    """Finds the volumes whose names some spec's catalog has."""

    def __init__(self, plans: Sequence[Plan], trees: Trees):
        self._plans, self._trees = plans, trees

    def _agents(self, name: str) -> frozenset[str]:
        return frozenset(
            plan.agent
            for plan in self._plans
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in plan.catalog.volume_names)
        )

    def place(self, path: Path, name: str, agents: frozenset[str] | None, host: str) -> Place:
        return Place(Base(VOLUME, path, host, VOLUME_USER, f"volumes/{shown(name)}/"), agents)

    def _below(self, tree: Tree, parent: str) -> Iterator[Found]:
        if tree.kind(parent) != DIRECTORY:
            return
        for name, kind in tree.listing(parent).kinds.items():
            agents = self._agents(name)
            place = join(join(parent, name), "_data")
            if kind == DIRECTORY and agents and tree.kind(place) == DIRECTORY:
                yield name, place, agents

    def on_disk(self, tree: Tree) -> Iterator[Found]:
        for parent in DISK_PARENTS:
            yield from self._below(tree, parent)

    def of_home(self, tree: Tree, home: str, host: str) -> Iterator[Place]:
        for parent in HOME_PARENTS:
            for name, place, agents in self._below(tree, join(home, parent) if home else parent):
                yield self.place(Path(tree.root) / place, name, agents, host)

    def unmatched(self, tree: Tree, home: str = "") -> Iterator[str]:
        """The places of volumes that no spec names, on a disk or in the home at a path below it."""
        for parent in (*DISK_PARENTS, *HOME_PARENTS) if not home else HOME_PARENTS:
            start = join(home, parent) if home else parent
            if tree.kind(start) == DIRECTORY:
                for name, kind in tree.listing(start).kinds.items():
                    if kind == DIRECTORY and not self._agents(name):
                        yield join(join(start, name), "_data")

    def at(self, path: Path) -> list[tuple[str, Path, frozenset[str]]]:
        """The volumes that a directory is or holds."""
        if path.name == "_data":
            agents = self._agents(path.parent.name)
            return [(path.parent.name, path, agents)] if agents else []
        agents = self._agents(path.name)
        if agents:
            data = path / "_data"
            return [(path.name, data if data.is_dir() and not data.is_symlink() else path, agents)]
        tree = self._trees.at(path)
        return [(name, path / place, found) for name, place, found in self._below(tree, "")]
