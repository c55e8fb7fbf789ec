"""Temporary files and folders, in `TMPDIR`. What makes them is imported when the first is needed: few runs need one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import IO


def unnamed_file(buffering: int = -1) -> IO[bytes]:
    """A file without a name, gone when it is closed."""
    import tempfile

    return tempfile.TemporaryFile(buffering=buffering)


def private_folder(prefix: str, inside: Path | None = None) -> str:
    """A new folder that nobody else can read."""
    import tempfile

    return tempfile.mkdtemp(prefix=prefix, dir=inside)


def remove_folder(folder: str | Path) -> None:
    """Removes a folder with all that is in it, as far as that can be done, however deep it is."""
    open_folders, found = [str(folder)], []
    while open_folders:
        found.append(path := open_folders.pop())
        with suppress(OSError), os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    open_folders.append(entry.path)
                else:
                    with suppress(OSError):
                        os.unlink(entry.path)  # noqa: PTH108
    for path in reversed(found):
        with suppress(OSError):
            os.rmdir(path)  # noqa: PTH106
