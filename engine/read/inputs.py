"""What people point at: homes, trees of homes, disk images, volumes, projects, agent directories, collections.

An input becomes places: bases with the specs that apply there. Nothing is opened here but a collection's own files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from engine.errors import UsageError
from engine.lang.plan import Plan
from engine.read.archives import Unpacked, Workspace
from engine.read.collected import DESCRIPTION, FILES, MANIFEST, collected_places, description, restore_times
from engine.read.disks import Disk
from engine.read.globs import compile_glob
from engine.read.homes import home_disks
from engine.read.layouts import LAYOUTS, disks_of, layout_of, wsl_roots
from engine.read.names import shown
from engine.read.places import Input, Place, Taken, Trees, absolute, project_base, user_of
from engine.read.sources import HOME, PROJECT, Base
from engine.read.tree import DIRECTORY, Tree, join
from engine.read.velociraptor import copied, escaped
from engine.read.volumes import Volumes

KINDS = ("home", "homes", "image", "volume", "project", "agent", "collection", *LAYOUTS)

#: directories of a disk whose children are homes, and those that are homes themselves
HOME_PARENTS = ("home", "Users", "usr/home", "export/home")
HOME_PLACES = ("root", "var/root")

#: what a file system's root holds beside homes
SYSTEM = ("etc", "usr", "var", "bin", "sbin", "proc", "Windows", "ProgramData", "System", "Library", "Applications")

#: how deep homes are looked for in a tree of no known form
_SEARCH = 3


class Recogniser:
    """Tells what inputs are, for the given specs. Without a workspace no archive is an input."""

    def __init__(self, plans: Sequence[Plan], trees: Trees, workspace: Workspace | None = None):
        self.plans, self.trees, self._workspace = plans, trees, workspace
        self._volumes = Volumes(plans, trees)
        self._entries = {kind: self._patterns(kind) for kind in (HOME, PROJECT)}

    def _patterns(self, kind: str) -> list[str]:
        found = dict.fromkeys(
            pattern
            for plan in self.plans
            for patterns in (
                (pattern for root in plan.roots for base, pattern in root.bases if base == kind),
                plan.catalog.home if kind == HOME else plan.catalog.project,
            )
            for pattern in patterns
        )
        return [pattern for pattern in found if pattern != "."]

    def holds(self, kind: str, tree: Tree, path: str = "") -> bool:
        """Whether an entry of a spec stands below a directory."""
        return next(self._held(kind, tree, path), None) is not None

    def _held(self, kind: str, tree: Tree, path: str = "") -> Iterator[str]:
        """The patterns of the entries that stand below a directory."""
        for pattern in self._entries[kind]:
            if next(tree.glob(compile_glob(pattern), path), None) is not None:
                yield pattern

    def _is_project(self, path: Path, tree: Tree) -> bool:
        """Whether a directory that could be a home is a project all the same: agents have directories of one name in
        both. It holds nothing that only homes hold, and a repository or something that only projects hold."""
        homes, projects = set(self._held(HOME, tree)), set(self._held(PROJECT, tree))
        return homes <= projects and (homes != projects or tree.kind(".git") is not None) and user_of(str(path)) is None

    def places(self, given: Input) -> Taken:
        """What an input is taken for. Raises UsageError for a path that is neither a directory nor an archive."""
        path = absolute(given.path)
        label = given.label or str(given.path)
        unpacked = self._unpacked(path, label)
        if unpacked is not None:
            path = unpacked.root
        elif not path.is_dir():
            what = "is a file, not a directory" if path.exists() else "does not exist"
            raise UsageError(f"{label}: {what}")
        if given.as_ is not None and given.as_ not in KINDS:
            raise UsageError(f"{label}: can't be taken for {given.as_!r}: use one of {', '.join(KINDS)}")
        path = self._unwrapped(path)
        kind = given.as_ or self.kind_of(path)
        if kind == "collection" and unpacked is not None:
            restore_times(path)
        if kind == "velociraptor" and unpacked is None:
            path = self._decoded(path)
        given = replace(given, label=label)
        places = tuple(
            getattr(self, f"_as_{kind}")(path, given) if kind not in LAYOUTS else self._left(kind, path, given)
        )
        refused = tuple(unpacked.refused) if unpacked else ()
        return Taken(label, kind, places, refused, path if kind == "collection" else None)

    def _unpacked(self, path: Path, label: str) -> Unpacked | None:
        if self._workspace is None or not path.is_file():
            return None
        return self._workspace.unpack(path.resolve())

    def _unwrapped(self, path: Path) -> Path:
        """The one directory that a directory holds, when that is a collection."""
        names = self.trees.at(path).listing("").kinds
        only = next(iter(names)) if len(names) == 1 else None
        if only is None or names[only] != DIRECTORY:
            return path
        inside = self.trees.at(path / only).listing("").kinds
        return path / only if DESCRIPTION in inside or MANIFEST in inside else path

    def _decoded(self, path: Path) -> Path:
        """A tree of Velociraptor's with its original names: where it has others, what the specs name is copied."""
        if self._workspace is None or not escaped(self.trees.at(path)):
            return path
        wanted = [*self._entries[HOME], *self._entries[PROJECT]]
        return copied(self.trees.at(path), self._workspace.folder(), wanted)

    def kind_of(self, path: Path) -> str:
        """The kind of input that a directory looks like."""
        tree = self.trees.at(path)
        names = tree.listing("").kinds
        if DESCRIPTION in names or (MANIFEST in names and FILES in names):
            return "collection"
        is_home = self.holds(HOME, tree)
        if any(True for _ in self._standard_homes(tree)) and (
            not is_home or any(tree.kind(name) == DIRECTORY for name in SYSTEM)
        ):
            return "image"
        if not is_home and (layout := layout_of(tree)):
            return layout
        if is_home:
            return "project" if self._is_project(path, tree) else "home"
        if self._volumes.at(path):
            return "volume"
        if self._agent_roots(path):
            return "agent"
        if any(True for _ in self._searched_homes(tree, "", _SEARCH)):
            return "homes"
        if any(True for _ in self._volumes.on_disk(tree)):
            return "image"
        return "project" if self.holds(PROJECT, tree) else "home"

    # ------------------------------------------------------------------------------------------------ homes

    def _as_home(self, path: Path, given: Input) -> Iterator[Place]:
        found = user_of(str(path))
        user = given.user or found or ""
        home = str(path) if found and len(path.parts) <= 3 else None
        disks = home_disks(path, home)
        yield Place(Base(HOME, path, given.host, user, "", home), disks=disks)
        yield from self._inside_home(self.trees.at(path), "", given)

    def _home_at(self, tree: Tree, below: str, given: Input, disks: tuple[Disk, ...] = ()) -> Iterator[Place]:
        parts = below.split("/")
        user = user_of(f"/x/{below}") or shown(parts[-1]) or given.user
        home = disks[0].original(shown(below)) if disks else None
        yield Place(Base(HOME, Path(tree.root) / below, given.host, user, "", home), disks=disks)
        yield from self._inside_home(tree, below, given)

    def _inside_home(self, tree: Tree, home: str, given: Input) -> Iterator[Place]:
        """The volumes of a home, and the homes of its Linux systems."""
        yield from self._volumes.of_home(tree, home, given.host)
        for place in wsl_roots(tree, home):
            yield from self._on_disks((Disk(Path(tree.root) / place),), given)

    def _standard_homes(self, tree: Tree) -> Iterator[str]:
        for parent in HOME_PARENTS:
            if tree.kind(parent) == DIRECTORY:
                for name, kind in tree.listing(parent).kinds.items():
                    if kind == DIRECTORY and self.holds(HOME, tree, join(parent, name)):
                        yield join(parent, name)
        for place in HOME_PLACES:
            if tree.kind(place) == DIRECTORY and self.holds(HOME, tree, place):
                yield place

    def _searched_homes(self, tree: Tree, path: str, depth: int) -> Iterator[str]:
        for name, kind in tree.listing(path).kinds.items():
            below = join(path, name)
            if kind != DIRECTORY:
                continue
            if self.holds(HOME, tree, below):
                yield below
            elif depth > 1:
                yield from self._searched_homes(tree, below, depth - 1)

    def _as_homes(self, path: Path, given: Input) -> Iterator[Place]:
        tree = self.trees.at(path)
        for below in self._searched_homes(tree, "", _SEARCH):
            yield from self._home_at(tree, below, given)

    def _as_image(self, path: Path, given: Input) -> Iterator[Place]:
        windows = self.trees.at(path).kind("Windows") == DIRECTORY
        yield from self._on_disks((Disk(path, "C" if windows else ""),), given)

    def _left(self, kind: str, path: Path, given: Input) -> Iterator[Place]:
        """The places of a tree that another collector left."""
        yield from self._on_disks(tuple(disks_of(kind, self.trees.at(path))), given)

    def _on_disks(self, disks: tuple[Disk, ...], given: Input) -> Iterator[Place]:
        """The homes and volumes on the disks of one machine."""
        for disk in disks:
            tree = self.trees.at(disk.path)
            for below in self._standard_homes(tree):
                yield from self._home_at(tree, below, given, (disk, *(other for other in disks if other != disk)))
            for name, place, agents in self._volumes.on_disk(tree):
                yield self._volumes.place(Path(tree.root) / place, name, agents, given.host)

    # ------------------------------------------------------------------------------------- volumes, projects

    def _as_volume(self, path: Path, given: Input) -> Iterator[Place]:
        found: list[tuple[str, Path, frozenset[str] | None]] = list(self._volumes.at(path))
        for name, place, agents in found or [(path.parent.name if path.name == "_data" else path.name, path, None)]:
            yield self._volumes.place(place, name, agents, given.host)

    def _as_project(self, path: Path, given: Input) -> Iterator[Place]:
        original = str(path) if path == absolute(given.path) else str(absolute(given.label))
        yield Place(project_base(path, original, given.host, given.user))

    # -------------------------------------------------------------------------------------- agent directories

    def _agent_roots(self, path: Path) -> dict[str, dict[str, tuple[str, ...]]]:
        """Agent → root → '' for each root that the directory is by the end of its path, and that holds files."""
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for plan in self.plans:
            for root in plan.roots:
                tails = [pattern.rpartition("/")[2] for _, pattern in root.bases]
                if any(tail != "." and compile_glob(tail) and _fits(tail, path.name) for tail in tails):
                    found.setdefault(plan.agent, {})[root.name] = ("",)
        return {agent: roots for agent, roots in found.items() if self._has_files(agent, path, roots)}

    def _has_files(self, agent: str, path: Path, roots: Mapping[str, tuple[str, ...]]) -> bool:
        plan = next(plan for plan in self.plans if plan.agent == agent)
        tree = self.trees.at(path)
        return any(
            next(tree.glob(compile_glob(glob.pattern)), None) is not None
            for store in plan.stores
            for glob in (*store.files, *store.folder)
            if glob.root in roots
        )

    def _as_agent(self, path: Path, given: Input) -> Iterator[Place]:
        home = self._home_around(path)
        if home is not None:
            user = given.user or user_of(str(home)) or ""
            yield Place(Base(HOME, home, given.host, user), only=path.relative_to(home).as_posix())
            return
        for agent, roots in self._agent_roots(path).items():
            yield Place(Base(HOME, path, given.host, given.user), frozenset({agent}), roots)

    def _home_around(self, path: Path) -> Path | None:
        """The home above an agent's directory, when the path ends with the whole of a root's pattern."""
        for pattern in self._entries[HOME]:
            parts = pattern.split("/")
            tail = path.parts[-len(parts) :]
            if len(tail) == len(parts) < len(path.parts) and all(map(_fits, parts, tail)):
                return path.parents[len(parts) - 1]
        return None

    # --------------------------------------------------------------------------------- collections, projects

    def _as_collection(self, path: Path, given: Input) -> Iterator[Place]:
        told = description(path)
        host = str(told.get("hostname") or "") or given.host
        tree = self.trees.at(path)
        places = list(collected_places(path, host, told))
        for place in places:
            # a manifest may name anything; nothing is read through `..` or a link
            below = place.base.path.relative_to(path)
            if ".." not in below.parts and tree.kind(below.as_posix()) == DIRECTORY:
                yield place
        if places:
            return
        files = path / FILES
        yield from self._as_image(files if files.is_dir() else path, replace(given, host=host))


def _fits(pattern: str, name: str) -> bool:
    segment = compile_glob(pattern)
    return len(segment) == 1 and not isinstance(segment[0], str) and segment[0].match(name) is not None
