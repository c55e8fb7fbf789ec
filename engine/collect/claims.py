"""What of a home, a project or a volume the catalogs of the specs take, and what they leave out."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.collect.items import DIR, EXCLUDED, FILE, LINK, READ_FAULT, SECRET, SYMLINK, TOO_LARGE, Item
from engine.lang.plan import Plan, Store
from engine.read.discover import sources_at
from engine.read.globs import compile_glob, crossing_regex, path_regex
from engine.read.names import shown
from engine.read.places import Place, Trees
from engine.read.sources import HOME, PROJECT, VOLUME
from engine.read.tree import DIRECTORY, join, reason_of
from engine.read.tree import LINK as LINK_KIND

#: how the names of files end that belong to a SQLite database
SIDECARS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Rules:
    """Options of a collection: bytes over which a file is left out that no store reads; whether secrets are taken."""

    size: int
    secrets: bool


@dataclass(frozen=True, slots=True)
class Where:
    """A base as the collection names it: its user, its home's absolute path, and its own, on its machine."""

    user: str
    home: str
    original: str
    place: str


class _Owner:
    """The patterns of one spec, for the paths of one base."""

    def __init__(self, plan: Plan, agent: str, prefixes: Sequence[str]):
        self.agent, self.spec = agent, f"{plan.agent}@{plan.sha256}"
        self._excluded = [(crossing_regex(glob), why) for glob, why in plan.catalog.exclude]
        self._secrets = crossing_regex(*plan.catalog.secrets)
        self._prefixes = prefixes

    def excluded(self, path: str) -> str | None:
        """Why a path is left out, None when it is not."""
        names = self._names(path)
        return next((why for regex, why in self._excluded if any(map(regex.fullmatch, names))), None)

    def secret(self, path: str) -> bool:
        bare = next((path.removesuffix(end) for end in SIDECARS if path.endswith(end)), path)
        names = [*self._names(path), *self._names(bare)]
        return any(map(self._secrets.fullmatch, names))

    def _names(self, path: str) -> list[str]:
        """The path as patterns know it: below a home, also where a variable moved the root."""
        return [join(prefix, path) if path else prefix for prefix in self._prefixes]


def is_walked(store: Store) -> bool:
    """Whether rows come of a store."""
    return store.walk is not None or any(version.walk for version in store.versions)


class Claims:
    """The items at one place. `every`: their stores are also those that no walk reads."""

    def __init__(
        self, place: Place, where: Where, plans: Sequence[Plan], trees: Trees, rules: Rules, every: bool = False
    ):
        self._place, self._where, self._rules = place, where, rules
        self._tree = trees.at(place.base.path)
        self._owners: dict[str, tuple[int, _Owner]] = {}
        self._files: dict[str, list[str]] = {}
        self._folders: list[tuple[str, re.Pattern[str], str]] = []
        for plan in plans:
            if place.agents is None or plan.agent in place.agents:
                self._claim(plan)
        walked = {(plan.agent, store.name) for plan in plans for store in plan.stores if every or is_walked(store)}
        folders = {(plan.agent, store.name): store.folder_files for plan in plans for store in plan.stores}
        self.sources = list(sources_at(place, plans, trees))
        for source in self.sources:
            for name, _ in source.stores:
                if (source.agent, name) not in walked:
                    continue
                if source.folder:
                    pattern = path_regex(folders[source.agent, name])
                    self._folders.append((source.below + "/", pattern, name))
                else:
                    self._files.setdefault(source.below, []).append(name)

    def _claim(self, plan: Plan) -> None:
        base, catalog = self._place.base, plan.catalog
        prefixes = [""]
        patterns = {HOME: catalog.home, PROJECT: catalog.project, VOLUME: catalog.volume}[base.kind]
        if self._place.roots is not None:
            mine = [root for root in plan.roots if root.name in self._place.roots]
            prefixes = [pattern for root in mine for kind, pattern in root.bases if kind == HOME]
            patterns = (".",)
        owner = _Owner(plan, PROJECT if base.kind == PROJECT else plan.agent, prefixes)
        for pattern in patterns:
            found = [""] if pattern == "." else [hit.path for hit in self._tree.glob(compile_glob(pattern))]
            for path in found:
                if len(pattern) > self._owners.get(path, (0, None))[0]:
                    self._owners[path] = (len(pattern), owner)

    def items(self) -> Iterator[Item]:
        """Everything that the catalogs claim, in the order of paths, excluded directories as one item."""
        only = self._place.only
        tops = [only] if only else sorted(self._owners)
        for path in tops:
            if any(self._is_below(path, other) for other in tops):
                continue
            owner = self._owner_above(path)
            if owner is not None:
                yield from self._walk(path, owner)

    def item(self, path: str, owner_of: Item) -> Item | None:
        """The item of a database's sidecar, None when it is not there or left out; `owner_of` is the database's."""
        owner = self._owner_above(path)
        found = self._item(path, owner) if owner is not None else None
        if found is None or found.status not in (TOO_LARGE, owner_of.status):
            return None
        found.status = owner_of.status
        return found

    def claimed(self) -> list[str]:
        """The paths below the base that patterns of the catalogs match."""
        return list(self._owners)

    def _owner_above(self, path: str) -> _Owner | None:
        """The owner with the longest pattern among those that claim a path or a directory above it."""
        claims = [claim for place, claim in self._owners.items() if place in ("", path) or self._is_below(path, place)]
        return max(claims, key=lambda claim: claim[0])[1] if claims else None

    @staticmethod
    def _is_below(path: str, directory: str) -> bool:
        return path != directory and (not directory or path.startswith(directory + "/"))

    def _walk(self, top: str, owner: _Owner) -> Iterator[Item]:
        stack = [(top, owner, self._owners.get(top, (0, owner))[0])]
        while stack:
            path, owner, length = stack.pop()
            item = self._item(path, owner)
            yield item
            if item.type != DIR or item.status in (EXCLUDED, READ_FAULT):
                continue
            for name in reversed(self._tree.listing(path).kinds):
                below = join(path, name)
                claim = self._owners.get(below)
                if claim is not None and claim[0] > length:
                    stack.append((below, claim[1], claim[0]))
                else:
                    stack.append((below, owner, length))

    def _item(self, path: str, owner: _Owner) -> Item:
        full = f"{self._tree.root}/{path}" if path else self._tree.root
        where = self._where
        mark = "\\" if "\\" in where.original else "/"
        item = Item(
            path=full,
            original=where.original.rstrip(mark) + mark + path.replace("/", mark) if path else where.original,
            place=join(where.place, path) if path else where.place,
            user=where.user,
            home=where.home,
            agent=owner.agent,
            spec=owner.spec,
        )
        why = owner.excluded(path)
        try:
            item.facts = os.lstat(full)
        except (OSError, ValueError) as error:
            item.status, item.error = READ_FAULT, reason_of(error) if isinstance(error, OSError) else str(error)
            return item
        mode = item.facts.st_mode
        item.type = DIR if stat.S_ISDIR(mode) else LINK if stat.S_ISLNK(mode) else FILE
        item.size = item.facts.st_size if item.type == FILE else None
        item.secret = item.type == FILE and owner.secret(path)
        if why is not None:
            item.status, item.error = EXCLUDED, why
            if item.type == DIR:
                item.size = self._total(path)
        elif item.type == LINK:
            item.status, item.target = SYMLINK, _target(full)
        elif item.type == DIR:
            self._look(item, path)
        else:
            self._decide(item, path)
        return item

    def _look(self, item: Item, path: str) -> None:
        reason = self._tree.listing(path).error
        if reason:
            item.status, item.error = READ_FAULT, f"directory could not be read ({reason})"

    def _decide(self, item: Item, path: str) -> None:
        """The store of a file, and whether it is left out as a secret or by its size."""
        item.store = self._stores(path) or None
        assert item.facts is not None
        if item.secret and not self._rules.secrets:
            item.status = SECRET
        elif item.facts.st_size > self._rules.size and not item.store:
            item.status = TOO_LARGE

    def _stores(self, path: str) -> str:
        bare = next((path.removesuffix(end) for end in SIDECARS if path.endswith(end)), path)
        found = [*self._files.get(path, ()), *(self._files.get(bare, ()) if bare != path else ())]
        found += [
            store for folder, pattern, store in self._folders
            if path.startswith(folder) and pattern.fullmatch(path[len(folder) :])
        ]  # fmt: skip
        return ",".join(dict.fromkeys(found))

    def _total(self, path: str) -> int:
        """The sizes of all files below a directory."""
        total = 0
        for directory in self._tree.directories(path):
            for name, kind in self._tree.listing(directory).kinds.items():
                if kind not in (DIRECTORY, LINK_KIND):
                    try:
                        total += os.lstat(f"{self._tree.root}/{join(directory, name)}").st_size
                    except OSError:
                        continue
        return total


def _target(path: str) -> str | None:
    try:
        return shown(os.readlink(path))  # noqa: PTH115
    except OSError:
        return None
