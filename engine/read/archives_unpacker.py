"""Members of an archive as files of a private directory: nothing is written outside it, whatever their names say."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from engine.read.codecs import Cut
from engine.read.limits import Limits
from engine.read.names import shown
from engine.read.tree import reason_of

#: members that are named one by one for each reason; the others are counted
_NAMED = 50

#: an archive whose members are over `Limits.blob` together may hold so many times its own size
_RATIO = 200

#: what the file system keeps free, and how many bytes are written between two looks at it
_SPARE, _LOOK = 1 << 30, 64 << 20

#: where links of an archive lead: nowhere
_NOWHERE = "(a link of an archive)"

_DRIVE = re.compile(r"[A-Za-z]:")


class Full(Exception):
    """No more of an archive is unpacked. `str()` is why."""


class Refusals:
    """What was not read of an archive, or not as it stands: member and reason, by reason no more than some."""

    def __init__(self) -> None:
        self._named: list[tuple[str, str]] = []
        self._counts: Counter[str] = Counter()

    def say(self, name: str, reason: str) -> None:
        self._counts[reason] += 1
        if self._counts[reason] <= _NAMED:
            self._named.append((shown(name), reason))

    def all(self) -> list[tuple[str, str]]:
        more = [("", f"{count - _NAMED} more: {why}") for why, count in self._counts.items() if count > _NAMED]
        return self._named + more


class Unpacker:
    """Writes members below `root`, a directory that nobody else writes to. `packed` is the archive's size in bytes;
    `rename` gives each part of a path its name."""

    def __init__(self, root: Path, limits: Limits, packed: int, rename: Callable[[list[str]], list[str]] | None = None):
        self.root, self.refusals = root, Refusals()
        self._limits, self._rename = limits, rename
        self._most = max(limits.blob, packed * _RATIO)
        self._members = self._written = self._looked = 0
        self._parent: tuple[str, ...] = ()
        self._times: list[tuple[str, int]] = []

    def count(self) -> None:
        """Another member begins. Raises Full when it is one too many."""
        self._members += 1
        if self._members > self._limits.members:
            raise Full(f"more than {self._limits.members} members")

    def directory(self, name: str, mtime_ns: int | None) -> None:
        path = self._place(name, itself=True)
        if path is not None and mtime_ns is not None:
            self._times.append((path, mtime_ns))

    def link(self, name: str) -> None:
        """A link that leads nowhere, so that it is seen where it stands."""
        path = self._place(name)
        if path is not None:
            self._try(name, lambda: Path(path).symlink_to(_NOWHERE))
            self.refusals.say(name, "link, not followed")

    def same(self, name: str, target: str) -> None:
        """A hard link: the file of an earlier member under another name."""
        path, parts = self._place(name), self._parts(target)
        if path is None:
            return
        source = "/".join((str(self.root), *(parts or ("..",))))
        try:
            if parts is None or not stat.S_ISREG(os.lstat(source).st_mode) or not self._inside(parts[:-1]):
                raise FileNotFoundError
            os.link(source, path, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            self.refusals.say(name, "hard link to no earlier file of the archive")
        except (OSError, ValueError) as error:
            self.refusals.say(name, _reason(error))

    def file(self, name: str, data: Iterator[bytes], mtime_ns: int | None) -> None:
        """A file; what comes before a Cut stays. Raises Full when the archive holds more than it may."""

        def write(out: IO[bytes]) -> None:
            for chunk in data:
                self.room(len(chunk))
                out.write(chunk)

        self.written(name, write, mtime_ns)

    def written(self, name: str, write: Callable[[IO[bytes]], object], mtime_ns: int | None) -> None:
        """A file whose content `write` puts there."""
        path = self._place(name)
        if path is None:
            return
        try:
            with Path(path).open("xb") as out:
                try:
                    write(out)
                except Cut as cut:
                    self.refusals.say(name, f"{cut}; read up to there")
        except FileExistsError:
            self.refusals.say(name, "a second member of this name")
            return
        except (OSError, ValueError) as error:
            self.refusals.say(name, _reason(error))
            return
        if mtime_ns is not None:
            _set_time(path, mtime_ns)

    def finish(self) -> None:
        """Gives directories their times: last, since each file in them changes it."""
        for path, mtime_ns in reversed(self._times):
            _set_time(path, mtime_ns)

    def room(self, size: int) -> None:
        """Takes note of bytes about to be written. Raises Full."""
        self._written += size
        if self._written > self._most:
            raise Full(f"unpacks to over {self._most} bytes")
        if self._written - self._looked > _LOOK:
            self._looked = self._written
            if shutil.disk_usage(self.root).free < _SPARE:
                raise Full("no space left to unpack it")

    # ------------------------------------------------------------------------------------------------ names

    def _parts(self, name: str) -> list[str] | None:
        """The parts of a name below the root; None when it leads out."""
        parts = [part for part in name.split("/") if part not in ("", ".")]
        if not parts or ".." in parts or "\0" in name or _DRIVE.match(parts[0]):
            return None
        return self._rename(parts) if self._rename else parts

    def _place(self, name: str, itself: bool = False) -> str | None:
        """The absolute path of a member whose directories stand, `itself` too. None when it was refused."""
        parts = self._parts(name)
        if parts is None:
            if any(part not in ("", ".") for part in name.split("/")):
                self.refusals.say(name, "its name leads out of the archive")
            return None
        if name.startswith("/"):
            self.refusals.say(name, "absolute name, read below the archive's root")
        directories = parts if itself else parts[:-1]
        try:
            if not self._inside(directories, make=True):
                self.refusals.say(name, "lies below a member that is no directory")
                return None
        except (OSError, ValueError) as error:
            self.refusals.say(name, _reason(error))
            return None
        return "/".join((str(self.root), *parts))

    def _inside(self, directories: list[str], make: bool = False) -> bool:
        """Whether these are directories, one below the other, and no links; they are made where they don't exist."""
        # what was a directory stays one, and members of one directory stand together
        known = 0
        for one, other in zip(directories, self._parent, strict=False):
            if one != other:
                break
            known += 1
        path = "/".join((str(self.root), *directories[:known]))
        for name in directories[known:]:
            path = f"{path}/{name}"
            try:
                if not stat.S_ISDIR(os.lstat(path).st_mode):
                    return False
            except FileNotFoundError:
                if not make:
                    return True
                os.mkdir(path, 0o700)  # noqa: PTH102
        if make:
            self._parent = tuple(directories)
        return True

    def _try(self, name: str, action: Callable[[], object]) -> None:
        try:
            action()
        except FileExistsError:
            self.refusals.say(name, "a second member of this name")
        except (OSError, ValueError) as error:
            self.refusals.say(name, _reason(error))


def _reason(error: OSError | ValueError) -> str:
    return reason_of(error) if isinstance(error, OSError) else str(error)


def _set_time(path: str, mtime_ns: int) -> None:
    try:
        os.utime(path, ns=(mtime_ns, mtime_ns), follow_symlinks=False)
    except (OSError, OverflowError):
        return
