"""What a collection is of: the places of its input, and how they are called on the machine that they come from."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path

from engine.collect.claims import Claims, Rules, Where
from engine.errors import BadUnit
from engine.lang.plan import OWN_FOLDER, Plan
from engine.read.archives import Workspace
from engine.read.collected import below_fs
from engine.read.discover import DiscoverOptions, Discovery, find
from engine.read.files import Stream
from engine.read.globs import path_regex
from engine.read.homes import is_own
from engine.read.layouts import LAYOUTS
from engine.read.names import shown
from engine.read.places import Input, Place, absolute
from engine.read.sources import HOME, Base, Source
from engine.read.tree import FILE, join
from engine.read.volumes import VOLUME_USER, Volumes

LIVE, IMAGE = "live", "image"

#: where an image says what its machine is called, and bytes of it that are looked at
_HOSTNAME, _LONGEST = "etc/hostname", 300


class Scope:
    """The input of a collection. Without a root: the current user's home."""

    def __init__(self, root: str | None, plans: Sequence[Plan], as_: str | None, user: str, workspace: Workspace):
        given = [Input(Path(root), as_, "", user)] if root is not None else []
        self.plans, self.rules = plans, Rules(0, True)
        self.found: Discovery = find(given, plans, DiscoverOptions(as_, "", user), workspace)
        self.taken = self.found.inputs[0]
        self.root = absolute(root) if root is not None else absolute(Path.home())
        own = self.root == Path("/") or root is None or (self.taken.kind == "home" and is_own(self.root))
        self.mode = LIVE if own else IMAGE
        disks = {disk.path: disk for place in self.taken.places for disk in place.disks}
        self._disks = sorted(disks.values(), key=lambda disk: len(disk.path.parts))

    @property
    def places(self) -> tuple[Place, ...]:
        return self.taken.places

    def original(self, path: Path) -> str:
        """The absolute path on the machine that is collected, of something on this one; the outermost disk says it."""
        for disk in self._disks:
            if path.is_relative_to(disk.path):
                below = path.relative_to(disk.path).as_posix()
                return disk.original("" if below == "." else below)
        return str(path)

    def where(self, place: Place, named_by: Base | None = None) -> Where:
        base = place.base
        original = self.original(base.path)
        home = self.original(named_by.path) if named_by is not None else original
        return Where(base.user, home, original, below_fs(original))

    def claims(self, place: Place, where: Where, rules: Rules) -> Claims:
        return Claims(place, where, self.plans, self.found.trees, rules)

    def unmatched(self) -> list[tuple[Path, Where]]:
        """The volumes that no spec names, and how their rows call them."""
        volumes = Volumes(self.plans, self.found.trees)
        whole = self.taken.kind in ("image", *LAYOUTS)
        bases = [disk.path for disk in self._disks if whole]
        bases += [place.base.path for place in self.places if place.base.kind == HOME]
        found = {}
        for path in bases:
            for below in volumes.unmatched(self.found.trees.at(path)):
                original = self.original(path / below)
                found[path / below] = Where(VOLUME_USER, original, original, below_fs(original))
        return sorted(found.items())

    def hostname(self) -> str:
        """What the image itself says, '' when it says nothing."""
        for disk in self._disks if self.mode == IMAGE else ():
            # a link, or one in the way, would tell of this machine
            if self.found.trees.at(disk.path).kind(_HOSTNAME) != FILE:
                continue
            try:
                with Stream(str(disk.path / _HOSTNAME), _LONGEST) as stream:
                    words = stream.whole().decode("utf-8", "replace").split()
            except BadUnit:
                continue
            return shown(words[0]) if words else ""
        return ""

    def platform(self) -> str:
        if self.mode == LIVE:
            return sys.platform
        drives = any(disk.drive for disk in self._disks)
        return "windows" if drives else ""


def told_homes(scope: Scope) -> list[dict[str, object]]:
    """The homes for `collection.json`; `original` is where a home is known to have stood, by itself."""
    return [
        {"path": scope.original(place.base.path), "user": place.base.user, "original": place.base.home}
        for place in scope.places
        if place.base.kind == HOME and place.roots is None
    ]


def told_roots(scope: Scope) -> list[dict[str, object]]:
    """The places that are a root of an agent's and no home, for `collection.json`."""
    return [
        {"path": scope.original(place.base.path), "user": place.base.user, "home": place.base.home, "agent": agent,
         "root": root, "prefix": place.base.prefix}
        for place in scope.places if place.roots is not None
        for agent in sorted(place.agents or ()) for root in place.roots
    ]  # fmt: skip


class Naming:
    """Which files of a base have to be at hand to find the projects that its records name."""

    def __init__(self, plans: Sequence[Plan], sources: Sequence[Source]):
        stores = {plan.agent: {name for name, _ in plan.catalog.projects} for plan in plans}
        self.sources = [
            source for source in sources if any(name in stores[source.agent] for name, _ in source.stores)
        ]  # fmt: skip
        self._paths = {source.below: source.folder for source in self.sources}
        agents = {source.agent for source in self.sources}
        self._beside = [
            path_regex(join(start, beside.glob.pattern))
            for plan in plans if plan.agent in agents
            for store in plan.stores if store.name in stores[plan.agent]
            for beside in store.beside if beside.kind in ("json", "text", "all")
            for start in _starts(plan, beside.glob.root)
        ]  # fmt: skip

    def needs(self, below: str) -> bool:
        """Whether a file, by its path below the base, or the database that it belongs to, is one of them."""
        bare = re.sub(r"-(wal|journal)$", "", below)
        if bare in self._paths or any(regex.fullmatch(below) for regex in self._beside):
            return True
        return any(folder and below.startswith(path + "/") for path, folder in self._paths.items())


def _starts(plan: Plan, root: str) -> list[str]:
    """The patterns that a glob of a root may start with."""
    if root in ("", OWN_FOLDER):
        return ["**" if root else ""]
    return [pattern for item in plan.roots if item.name == root for _, pattern in item.bases]
