"""Where the projects of a home lie, when that is known from where the home stands."""

from __future__ import annotations

import contextlib
from pathlib import Path

from engine.read.disks import Disk


def is_own(path: Path) -> bool:
    """Whether a directory is the home of a user of this machine, where it stands."""
    homes = {Path.home()}
    with contextlib.suppress(ImportError):
        import pwd

        homes |= {Path(entry.pw_dir) for entry in pwd.getpwall()}
    return path in homes and path != Path("/")


def home_disks(path: Path, original: str | None) -> tuple[Disk, ...]:
    """The disks of a home. Of this machine's own homes projects may lie anywhere; of any other one, which may be a
    copy from another machine, only inside of it."""
    if original is None:
        return ()
    root = Path(path.anchor)
    return (Disk(root),) if is_own(path) else (Disk(root, within=path),)
