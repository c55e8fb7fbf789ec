"""Disks: where the root of a machine's file system, or a drive of it, stands on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from engine.read.tree import DIRECTORY, Tree, join

_DRIVE = re.compile(r"(?:\\\\\?\\)?([A-Za-z]):[\\/]")

#: the longest path that is looked for
_LONGEST = 4096


class Listing(Protocol):
    """The files of a collection."""

    def below(self, place: str) -> Mapping[str, int | None]: ...


class Disk(Struct, frozen=True):
    """`path` is where the root stands, `drive` the letter of a Windows drive, '' where paths begin with `/`. `within`:
    only what lies below that directory is looked for. `listing`: the files of the collection that the disk is."""

    path: Path
    drive: str = ""
    within: Path | None = None
    listing: Listing | None = None

    def original(self, below: str) -> str:
        """The absolute path on its own machine of what lies at a path below the root."""
        return f"{self.drive}:\\" + below.replace("/", "\\") if self.drive else f"/{below}"

    def locate(self, original: str, tree: Tree) -> str | None:
        """The path below the root, of which `tree` is, of the directory that an absolute path names; None when it is
        not there or lies behind a link. Windows does not tell case."""
        drive = _DRIVE.match(original[:8])
        if len(original) > _LONGEST or "\0" in original or (drive[1].upper() if drive else "") != self.drive.upper():
            return None
        if drive is None and not original.startswith("/"):
            return None
        rest = original[drive.end() :].replace("\\", "/") if drive else original
        at = ""
        for part in rest.split("/"):
            if part in ("", "."):
                continue
            if part == "..":
                return None
            kinds = tree.listing(at).kinds
            name = part
            if name not in kinds and drive:
                name = next((known for known in kinds if known.casefold() == part.casefold()), part)
            if kinds.get(name) != DIRECTORY:
                return None
            at = join(at, name)
        inside = self.within is None or (self.path / at).is_relative_to(self.within)
        return at if at and inside else None
