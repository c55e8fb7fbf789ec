"""Temporary files and folders, in `TMPDIR`. What makes them is imported when the first is needed: few runs need one."""

from __future__ import annotations

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
    """Removes a folder with all that is in it, as far as that can be done."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
