"""Where the sources that a spec cites are at hand: a folder or git repository for each alias of its evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from engine.errors import UsageError
from engine.lang.plan import Evidence, Plan
from engine.read.places import lies_in
from engine.review.cites_git import Repository, git_dir
from engine.spec.problems import nearest_name

#: a cited file above this size is not looked at
_LARGEST = 32 << 20

Lines = list[str]


class Folder:
    """A source without history: files as they stand, whatever commit is asked for."""

    def __init__(self, path: Path):
        self.path = path

    def commit(self, revision: str) -> str | None:
        return revision

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's content; None where there is none, or where a link leads out of the folder."""
        try:
            place = self.path / path
            if not lies_in(place, self.path) or not place.is_file():
                return None
            return place.read_bytes() if place.stat().st_size <= _LARGEST else None
        except (OSError, ValueError):
            return None

    def close(self) -> None:
        pass


class Source(NamedTuple):
    """One alias's source: where it is, and the commit that the evidence pins."""

    evidence: Evidence
    store: Folder | Repository

    @property
    def has_history(self) -> bool:
        return isinstance(self.store, Repository)

    def pinned(self) -> str:
        """The commit of the pin, as a full hash. Raises UsageError when the source has none such."""
        commit = self.store.commit(self.evidence.commit)
        if commit is None:
            pin, alias = self.evidence.commit, self.evidence.alias
            raise UsageError(f"--source of {alias}: its pin {pin} is not in this repository")
        return commit

    def lines(self, commit: str, path: str) -> Lines | None:
        """The lines of a file, split at LF as editors and code hosts count them; bytes that are no UTF-8 survive."""
        data = self.store.read(commit, path)
        if data is None or len(data) > _LARGEST:
            return None
        return lines_of(data)


def lines_of(data: bytes) -> Lines:
    lines = data.decode("utf-8", "surrogateescape").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


class Sources:
    """The sources given on the command line as `ALIAS=PATH`, or `PATH` when the spec cites one repository only. A
    source serves every alias of the same repository whose pin is in it."""

    def __init__(self, plan: Plan, given: Iterable[str], cited: Sequence[str]):
        self._stores: dict[str, Folder | Repository] = {}
        self._evidence = {evidence.alias: evidence for evidence in plan.evidence}
        paths = dict(_assigned(text, self._evidence, cited) for text in given)
        by_repo = {_repo(self._evidence[alias]): alias for alias in paths}
        for alias, path in paths.items():
            self._stores[alias] = _opened(path)
        for alias, evidence in self._evidence.items():
            near = by_repo.get(_repo(evidence))
            if alias not in paths and near is not None and self._serves(near, evidence.commit):
                self._stores[alias] = self._stores[near]

    def _serves(self, alias: str, commit: str) -> bool:
        """Whether the source of an alias also holds another pin of its repository."""
        store = self._stores[alias]
        return self._evidence[alias].commit == commit if isinstance(store, Folder) else store.commit(commit) is not None

    def get(self, alias: str) -> Source | None:
        """The source of an alias, None when none was given."""
        store = self._stores.get(alias)
        return None if store is None else Source(self._evidence[alias], store)

    def __bool__(self) -> bool:
        return bool(self._stores)

    def __enter__(self) -> Sources:
        return self

    def __exit__(self, *_: object) -> None:
        for store in self._stores.values():
            store.close()


def by_alias(text: str, aliases: Iterable[str]) -> tuple[str | None, str]:
    """`ALIAS=REST` as its parts when the alias is known, else None and the whole text."""
    alias, sign, rest = text.partition("=")
    return (alias, rest) if sign and alias in set(aliases) else (None, text)


def _assigned(text: str, evidence: dict[str, Evidence], cited: Sequence[str]) -> tuple[str, Path]:
    alias, rest = by_alias(text, evidence)
    if alias is not None:
        return alias, Path(rest).expanduser()
    named, sign, _ = text.partition("=")
    if sign and not Path(text).exists():
        near = nearest_name(named, evidence)
        hint = f" (did you mean '{near}'?)" if near else f" (known: {', '.join(evidence)})"
        raise UsageError(f"--source {text}: the spec has no evidence alias '{named}'{hint}")
    repos = {_repo(evidence[name]) for name in cited}
    if len(repos) != 1:
        raise UsageError(f"--source {text}: say whose source it is, as ALIAS={text} (aliases: {', '.join(cited)})")
    return cited[0], Path(text)


def _repo(evidence: Evidence) -> str:
    return evidence.repo.lower().rstrip("/").removesuffix(".git")


def _opened(path: Path) -> Folder | Repository:
    if not path.is_dir():
        raise UsageError(f"--source {path}: no such directory")
    directory = git_dir(path)
    return Folder(path) if directory is None else Repository(directory)
