"""Names in what Velociraptor uploads: bytes that some file system would not take are written as `%` and hexadecimal
(`C%3A`, `%2Eclaude`), and `_` follows a name that ends like its own files (`state.db_`).

Source: Velocidex/velociraptor utils/sanitize.go, at 0340759: SanitizeString, UnsanitizeComponent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from engine.errors import BadUnit
from engine.read.files import Stream
from engine.read.globs import path_regex
from engine.read.tree import DIRECTORY, FILE, Tree, join

#: the directory of uploaded files, below which each accessor has one
UPLOADS = "uploads"
ACCESSORS = ("auto", "ntfs", "file", "lazy_ntfs", "mft", "ext4", "raw_ext4", "lazy_ext4", "zip")

_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")


def original_name(name: str) -> str:
    """A name as it was on the machine; unchanged where it would not be a name."""
    stored = os.fsencode(name)
    plain = _ESCAPED.sub(lambda found: bytes((int(found[1], 16),)), stored)
    if plain.endswith(b".db_"):
        plain = plain[:-1]
    if plain in (b"", b".", b"..") or b"/" in plain or b"\0" in plain:
        return name
    return os.fsdecode(plain)


def original_names(parts: list[str]) -> list[str]:
    """The parts of a member's path; those below `uploads/<accessor>` with their original names."""
    for at, part in enumerate(parts[:3]):
        if part == UPLOADS and len(parts) > at + 1 and parts[at + 1] in ACCESSORS:
            return parts[: at + 2] + [original_name(name) for name in parts[at + 2 :]]
    return parts


def _uploaded(tree: Tree) -> Iterator[tuple[str, str, str]]:
    """Every path in a tree of uploads: as it stands, as it was, and what it is."""
    for directory in tree.directories(""):
        for name, kind in tree.listing(directory).kinds.items():
            path = join(directory, name)
            yield path, "/".join(original_names(path.split("/"))), kind


def escaped(tree: Tree) -> bool:
    """Whether a tree has names that are not the original ones, drives apart."""
    return any(path.rpartition("/")[2] != original.rpartition("/")[2] and not original.endswith(":")
               for path, original, _ in _uploaded(tree))  # fmt: skip


def copied(tree: Tree, target: Path, patterns: Sequence[str]) -> Path:
    """A private copy of the files at or below what one of the patterns matches anywhere, under their original names
    and with their times. Files that can't be read are not in it."""
    wanted = [path_regex(f"**/{pattern}") for pattern in patterns]
    times: list[tuple[Path, str]] = []
    for path, original, kind in _uploaded(tree):
        if not any(regex.fullmatch(original) for regex in wanted) or ".." in original.split("/"):
            continue
        place = target / original
        with suppress(OSError, BadUnit):
            if kind == DIRECTORY:
                place.mkdir(parents=True, exist_ok=True)
                times.append((place, path))
            elif kind == FILE:
                place.parent.mkdir(parents=True, exist_ok=True)
                with Stream(f"{tree.root}/{path}") as stream, place.open("xb") as out:
                    for data in stream.chunks():
                        out.write(data)
                times.append((place, path))
    for place, path in reversed(times):
        with suppress(OSError):
            status = os.lstat(f"{tree.root}/{path}")
            os.utime(place, ns=(status.st_mtime_ns, status.st_mtime_ns))
    return target
