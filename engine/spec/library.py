"""Where specs and schemas are: the repository's folders in a checkout, `engine/_data` in an installed package."""

from __future__ import annotations

from pathlib import Path

from engine.errors import UsageError
from engine.spec.problems import nearest_name

_PACKAGE = Path(__file__).resolve().parent.parent


def data_folder(name: str) -> Path:
    """The folder `specs` or `schemas` that belongs to this engine."""
    packed = _PACKAGE / "_data" / name
    return packed if packed.is_dir() else _PACKAGE.parent / name


def all_specs() -> list[Path]:
    """Every spec of the library, sorted by name."""
    return sorted(data_folder("specs").glob("*.yaml"))


def is_in_library(path: Path) -> bool:
    """Whether a file is one of the library's specs."""
    return path.resolve().parent == data_folder("specs").resolve()


def find_spec(name_or_path: str | Path) -> Path:
    """The file of a spec: a path that exists, else a spec of the library by id or file name.

    Raises UsageError when there is none.
    """
    path = Path(name_or_path)
    if path.is_file():
        return path
    text = str(name_or_path)
    known = {spec.stem: spec for spec in all_specs()}
    stem = path.stem if path.suffix in (".yaml", ".yml") else text
    if path.name == text and stem in known:
        return known[stem]
    if path.is_dir():
        raise UsageError(f"{text} is a directory: name a spec's file")
    near = nearest_name(stem, known)
    hint = f" (did you mean '{near}'?)" if near else f" (known: {', '.join(known)})" if known else ""
    raise UsageError(f"no such spec: {text}{hint}")
