"""Where sample files lie: the home, the root below it, and globs in which ids are captures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

#: how many names below a home make a root, by its first one
_ROOTS = {"Library": 3, "AppData": 3, ".config": 2, ".local": 3, ".cache": 2, ".var": 3}
_ID = re.compile(
    r"[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|[0-9a-fA-F]{12,}|[\d._-]+|\d{4}-\d\d-\d\d.*|.*[_-][0-9a-fA-F-]{8,}|-.*"
)
_SECRET = re.compile(r"auth.*|.*(credential|secret|token|password|apikey|api_key).*|\.env.*|.*\.pem", re.I)


class Lying(NamedTuple):
    """A file's root below the home, and its glob below the root."""

    path: Path
    root: str
    glob: str


def lying(paths: Sequence[Path], home: Path | None) -> list[Lying]:
    """Where each file lies. Without a home, it is what stands before the first name that agents hide in."""
    found = [_lying(path, home) for path in paths]
    return [each._replace(glob=_with_captures(each, found)) for each in found]


def is_secret(path: Path) -> bool:
    """Whether a file's name says that it holds secrets."""
    return _SECRET.fullmatch(path.name) is not None


def _lying(path: Path, home: Path | None) -> Lying:
    whole = path.absolute()
    parts = whole.parts
    if home is not None:
        start = len(home.absolute().parts)
    else:
        hidden = (at for at, part in enumerate(parts[:-1]) if part in _ROOTS or (part[:1] == "." and part.strip(".")))
        start = next(hidden, len(parts) - 1)
    below = parts[start:]
    depth = min(_ROOTS.get(below[0], 1), len(below) - 1)
    return Lying(path, "/".join(below[:depth]) or ".", "/".join(below[depth:]))


def _with_captures(lie: Lying, all_lying: Sequence[Lying]) -> str:
    """The glob of a file: ids of folders and of the file are captures, and a name that differs from its like."""
    *folders, name = lie.glob.split("/")
    ids = [at for at, folder in enumerate(folders) if _ID.fullmatch(folder)]
    named = [f"<folder{ids.index(at) or ''}>" if at in ids else folder for at, folder in enumerate(folders)]
    stem, dot, suffix = name.partition(".") if not name.startswith(".") else (name, "", "")
    like = [
        other
        for other in all_lying
        if other.root == lie.root
        and len(other.glob.split("/")) == len(folders) + 1
        and other.glob != lie.glob
        and other.glob.rpartition("/")[2].partition(".")[2] == suffix
        and _same_folder(other.glob.split("/")[:-1], folders)
    ]
    if stem and (_ID.fullmatch(stem) or (like and suffix == "jsonl")):
        name = f"<name>{dot}{suffix}"
    return "/".join((*named, name))


def _same_folder(one: Sequence[str], other: Sequence[str]) -> bool:
    return all(a == b or (_ID.fullmatch(a) and _ID.fullmatch(b)) for a, b in zip(one, other, strict=True))
