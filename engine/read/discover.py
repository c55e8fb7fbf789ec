"""From inputs to sources: every file that a store of a spec reads, found without opening one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from engine.lang.plan import Glob, Plan, Root, Store
from engine.read.archives import Workspace
from engine.read.beside import matches
from engine.read.globs import compile_glob, crossing_regex, path_regex
from engine.read.homes import home_disks
from engine.read.inputs import Recogniser
from engine.read.names import shown
from engine.read.places import Input, Place, Taken, Trees, absolute
from engine.read.sources import HOME, Base, Problem, Source
from engine.read.tree import DIRECTORY, FILE, Found, Tree


class DiscoverOptions(Struct, frozen=True):
    """`as_` forces what every input is taken for. `env` and `home` are those of the current user, for a run without
    inputs; None takes the process's own."""

    as_: str | None = None
    host: str = ""
    user: str = ""
    env: Mapping[str, str] | None = None
    home: Path | None = None


class Discovery(Struct):
    """What was found: the sources in order, what each input was taken for, and what was seen and can't be read."""

    sources: list[Source] = field(default_factory=list)
    inputs: list[Taken] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    trees: Trees = field(default_factory=Trees)
    _seen: set[tuple[str, str, bool]] = field(default_factory=set)
    _said: set[tuple[str, str]] = field(default_factory=set)

    def add(self, places: Iterable[Place], plans: Sequence[Plan]) -> None:
        """The sources at some places join those that are known; a file is read once."""
        places = list(places)
        for place in places:
            for source in sources_at(place, plans, self.trees):
                key = (str(source.path), source.agent, source.folder)
                if key not in self._seen:
                    self._seen.add(key)
                    self.sources.append(source)
        self.sources.sort(key=lambda source: source.sort_key)
        for place in places:
            for path, reason in self.trees.at(place.base.path).problems.items():
                said = (str(place.base.path), path)
                if said not in self._said:
                    self._said.add(said)
                    self.problems.append(Problem(place.base.prefix + shown(path), reason, place.base))

    def add_projects(self, places: Iterable[Place], plans: Sequence[Plan]) -> None:
        """Projects that the records name; they belong to the first input."""
        places = tuple(places)
        if places:
            first = self.inputs[0]
            self.inputs[0] = replace(first, places=(*first.places, *places))
            self.add(places, plans)


def discover(
    inputs: Sequence[str | os.PathLike[str] | Input], plans: Sequence[Plan], options: DiscoverOptions | None = None
) -> list[Source]:
    """The sources of some inputs, sorted by host, user, agent and source_file as code points."""
    return find(inputs, plans, options).sources


def find(
    inputs: Sequence[str | os.PathLike[str] | Input],
    plans: Sequence[Plan],
    options: DiscoverOptions | None = None,
    workspace: Workspace | None = None,
) -> Discovery:
    """`discover`, with what it was taken for and what was left. Without inputs: the current user's home. Archives are
    unpacked in the workspace, which stays the caller's; without one they are no inputs. Raises UsageError for an input
    that can't be used."""
    options = options or DiscoverOptions()
    trees = Trees()
    recogniser = Recogniser(plans, trees, workspace)
    result = Discovery(trees=trees)
    if inputs:
        for given in inputs:
            if not isinstance(given, Input):
                given = Input(Path(given), options.as_, options.host, options.user)
            result.inputs.append(recogniser.places(given))
    else:
        result.inputs.append(_own_home(recogniser, options))
    for taken in result.inputs:
        result.add(taken.places, plans)
        result.problems += [
            Problem(f"{taken.label}: {name}" if name else taken.label, why) for name, why in taken.refused
        ]
    return result


def _own_home(recogniser: Recogniser, options: DiscoverOptions) -> Taken:
    """The current user's home, with the roots that the environment moves."""
    env = os.environ if options.env is None else options.env
    home = absolute(options.home or Path.home())
    user = options.user or env.get("USER") or env.get("USERNAME") or shown(home.name)
    taken = recogniser.places(Input(home, "home", options.host, user))
    base = Base(HOME, home, options.host, user, "", str(home))
    moved = list(_moved(recogniser.plans, env, base))
    hidden = frozenset(
        f"{agent}/{root}" for place in moved for agent in place.agents or () for root in place.roots or ()
    )
    own = (
        Place(base, hidden=hidden, disks=home_disks(home, str(home))),
        *moved,
        *(place for place in taken.places if place.base.kind != HOME),
    )
    return Taken(taken.label, taken.kind, own)


def _moved(plans: Sequence[Plan], env: Mapping[str, str], home: Base) -> Iterator[Place]:
    """A place for each root whose variable is set."""
    for plan in plans:
        for root in plan.roots:
            value = env.get(root.env or "", "")
            if root.env and value and Path(value).is_absolute():
                path = absolute(value)
                below = path.relative_to(home.path) if path.is_relative_to(home.path) else path
                prefix = "" if path == home.path else shown(below.as_posix()).rstrip("/") + "/"
                base = Base(HOME, path, home.host, home.user, prefix, home.home)
                yield Place(base, frozenset({plan.agent}), {root.name: ("",)})


def sources_at(place: Place, plans: Sequence[Plan], trees: Trees) -> Iterator[Source]:
    """What the specs read at a place."""
    for plan in plans:
        if place.agents is None or plan.agent in place.agents:
            yield from _Finder(place, plan, trees.at(place.base.path)).sources()


class _Finder:
    """Finds one spec's sources at one place."""

    def __init__(self, place: Place, plan: Plan, tree: Tree):
        self._place, self._plan, self._tree = place, plan, tree
        self._excluded = crossing_regex(*(glob for glob, _ in plan.catalog.exclude))
        self._roots: dict[str, list[str]] = {}

    def sources(self) -> Iterator[Source]:
        found: dict[tuple[str, bool], list[tuple[Store, Found, tuple[str, str]]]] = {}
        for store in self._plan.stores:
            for hit, root in self._hits(store):
                found.setdefault((hit.path, bool(store.folder)), []).append((store, hit, root))
        for (path, folder), hits in found.items():
            base = self._place.base
            yield Source(
                agent=self._plan.agent,
                base=base,
                path=base.path / path,
                source_file=base.prefix + shown(path),
                folder=folder,
                stores=tuple((store.name, hit.captures) for store, hit, _ in hits),
                roots=tuple(root for _, _, root in hits),
                secondary=frozenset(store.name for store, hit, root in hits if self._is_secondary(store, hit, root)),
                what=hits[0][1].kind,
                mtime_ns=self._place.listed.get(path) if self._place.listed is not None else None,
            )

    def _hits(self, store: Store) -> Iterator[tuple[Found, tuple[str, str]]]:
        """What the store's globs match, each path once, with the root it was found under."""
        seen: set[str] = set()
        for glob in store.files or store.folder:
            pattern = compile_glob(glob.pattern)
            for root in self._places(glob):
                for hit in self._tree.glob(pattern, root[1]):
                    if hit.path not in seen and self._wanted(store, hit):
                        seen.add(hit.path)
                        yield hit, root

    def _wanted(self, store: Store, hit: Found) -> bool:
        if (hit.kind == DIRECTORY) != bool(store.folder):
            return False
        if store.folder and hit.kind != DIRECTORY:
            return False
        place = self._place
        if place.only and not (hit.path == place.only or hit.path.startswith(place.only + "/")):
            return False
        if place.listed is not None and hit.kind == FILE and hit.path not in place.listed:
            return False
        if self._excluded.fullmatch(hit.path):
            return False
        return not any(self._skips(glob, hit.path) for glob in store.skip)

    def _skips(self, glob: Glob, path: str) -> bool:
        for _, place in self._places(glob):
            below = path.removeprefix(place + "/") if place else path
            if (not place or below != path) and path_regex(glob.pattern).fullmatch(below):
                return True
        return False

    def _places(self, glob: Glob) -> list[tuple[str, str]]:
        """The (name, place below the base) of the roots that a glob starts from."""
        if not glob.root:
            return [("", "")] if self._place.roots is None else []
        return [(glob.root, place) for place in self._root_places(glob.root)]

    def _root_places(self, name: str) -> list[str]:
        if name not in self._roots:
            self._roots[name] = list(self._find_root(name))
        return self._roots[name]

    def _find_root(self, name: str) -> Iterator[str]:
        if self._place.roots is not None:
            yield from self._place.roots.get(name, ())
            return
        if f"{self._plan.agent}/{name}" in self._place.hidden:
            return
        patterns = [pattern for root in self._plan.roots if root.name == name for pattern in self._patterns(root)]
        for pattern in patterns:
            for found in self._tree.glob(compile_glob(pattern)):
                if found.kind == DIRECTORY:
                    yield found.path

    def _patterns(self, root: Root) -> Iterator[str]:
        return (pattern for kind, pattern in root.bases if kind == self._place.base.kind)

    def _is_secondary(self, store: Store, hit: Found, root: tuple[str, str]) -> bool:
        glob = store.secondary_if
        if glob is None or not all(name in hit.captures for name, _ in glob.captures):
            return False
        place = self._place.base
        return next(matches(self._tree, place, self._plan, glob, hit.captures, root), None) is not None


__all__ = ["DiscoverOptions", "Discovery", "Input", "Taken", "discover", "find"]
