"""Places: where the patterns of specs start, and the inputs that they come from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from engine.read.disks import Disk
from engine.read.names import shown
from engine.read.sources import PROJECT, Base
from engine.read.tree import Tree


class Input(Struct, frozen=True):
    """One input. `as_` forces what it is taken for; `host` and `user` are of its rows where it names none itself.

    `label` is what it is called in messages (an archive's name, when `path` is where it was unpacked).
    """

    path: Path
    as_: str | None = None
    host: str = ""
    user: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """A base and the specs that apply there: all (`agents` None) or some. `roots`: root's name → where it is below the
    base, when the base is not a whole home but a root itself. `only`: nothing else below the base is looked at.
    `hidden`: `agent/root` of roots that stand elsewhere. `listed`: the files of a collection's manifest, path below
    the base → its mtime in nanoseconds or None. `disks`: where the projects are looked for that its records name."""

    base: Base
    agents: frozenset[str] | None = None
    roots: Mapping[str, tuple[str, ...]] | None = None
    only: str = ""
    hidden: frozenset[str] = frozenset()
    listed: Mapping[str, int | None] | None = field(default=None, compare=False)
    disks: tuple[Disk, ...] = field(default=(), compare=False)


class Taken(Struct, frozen=True):
    """What an input was taken for, for the summary. `refused`: what of an archive was not read, and why; '' is the
    archive itself. `collection`: the directory of a collection, to be verified."""

    label: str
    kind: str
    places: tuple[Place, ...]
    refused: tuple[tuple[str, str], ...] = ()
    collection: Path | None = None


class Trees:
    """One `Tree` for each directory, shared by everything that looks below it."""

    def __init__(self) -> None:
        self._trees: dict[str, Tree] = {}

    def at(self, path: Path | str) -> Tree:
        key = os.fspath(path)
        if key not in self._trees:
            self._trees[key] = Tree(key)
        return self._trees[key]


def absolute(path: str | os.PathLike[str]) -> Path:
    """The absolute path with its links as they are: a home's path tells its user."""
    return Path(os.path.abspath(path))  # noqa: PTH100


def lies_in(path: str | os.PathLike[str], folder: str | os.PathLike[str]) -> bool:
    """Whether a path is a folder or in it, behind all links; a link to itself is where it stands."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def user_of(path: str) -> str | None:
    """The user whose home a path is by its form: `…/home/<user>`, `…/Users/<user>`, `…/root`; None when it has none."""
    parts = [part for part in path.split("/") if part]
    if not parts:
        return None
    if parts[-1] == "root":
        return "root"
    return shown(parts[-1]) if len(parts) > 1 and parts[-2] in ("home", "Users") else None


def project_base(path: Path, original: str, host: str, user: str) -> Base:
    """The base of a project whose absolute path on the machine that was read is `original`."""
    below = shown(original).replace("\\", "/").replace(":", "", 1).strip("/")
    return Base(PROJECT, path, host, user, f"projects/{below}/")
