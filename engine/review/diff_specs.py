"""The two sides of a comparison: specs by name, file, or `REV:path` of the git repository around here."""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import UsageError
from engine.review.cites_git import Repository, git_dir
from engine.review.spectext import SpecText, read_spec, spec_of
from engine.spec.library import find_spec


def read_side(name: str, here: Path | None = None) -> SpecText:
    """A spec by its name or path, else by `REV:path` as git knows it: the path from the repository's top, or with
    `./` from here. Raises UsageError, and SpecError for a spec that can't be used."""
    revision, colon, path = name.partition(":")
    if Path(name).is_file() or not colon or not revision:
        return read_spec(name)
    try:
        find_spec(name)
    except UsageError:
        pass
    else:
        return read_spec(name)
    here = (here or Path.cwd()).resolve()
    top = next((folder for folder in (here, *here.parents) if git_dir(folder) is not None), None)
    directory = git_dir(top) if top is not None else None
    if top is None or directory is None:
        raise UsageError(f"{name}: no such file, and {here} is in no git repository")
    if path.startswith(("./", "../")):
        path = _below(name, here / path, top)
    repository = Repository(directory)
    try:
        commit = repository.commit(revision)
        if commit is None:
            raise UsageError(f"{name}: no such file, and {top} has no revision '{revision}'")
        data = repository.read(commit, path)
    finally:
        repository.close()
    if data is None:
        raise UsageError(f"{name}: no file '{path}' at {revision} in {top}")
    return spec_of(data, name)


def _below(name: str, path: Path, top: Path) -> str:
    try:
        return Path(os.path.realpath(path)).relative_to(top).as_posix()
    except ValueError:
        raise UsageError(f"{name}: outside the repository {top}") from None
