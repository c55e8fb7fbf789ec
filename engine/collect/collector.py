"""The collector: everything that the catalogs name, read once, with a manifest of all that was seen."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from engine.collect.claims import Claims, Rules
from engine.collect.copying import Copier
from engine.collect.earlier import Earlier
from engine.collect.items import COLLECTED, COPY_FAULT, DIR, FILE, UNMATCHED, Item
from engine.collect.report import Report
from engine.collect.scope import Naming, Scope
from engine.collect.targets import Target
from engine.errors import UsageError
from engine.read.databases import MAGIC
from engine.read.places import Place
from engine.read.projects import mapped, project_places
from engine.read.sources import HOME, Base
from engine.run.projects import named_projects

#: what makes it useless to go on writing
_FATAL = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)

Progress = Callable[[Item, int], None]

#: what of a place is also copied privately, and where to
Tee = tuple[Naming, Path]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a collection leaves out (`rules`), what it tells of its progress, and when it is to stop."""

    rules: Rules
    progress: Progress
    stop: Callable[[], bool]


class Collector:
    """Collects a scope into a target. `spool`: a private directory for copies that live no longer than this."""

    def __init__(self, scope: Scope, target: Target | None, report: Report, settings: Settings, spool: Path,
                 earlier: Earlier | None = None):  # fmt: skip
        self._scope, self._target, self._report, self._settings = scope, target, report, settings
        self._copier = Copier(target, spool) if target is not None else None
        self._spool, self._earlier = spool, earlier
        self._seen: set[str] = set()
        self._teed: list[tuple[Base, Base, Naming]] = []

    def run(self) -> bool:
        """Collects; False when it was stopped before the end."""
        for path, where in self._scope.unmatched():
            item = Item(str(path), where.original, where.place, where.user, where.home, "", DIR, UNMATCHED)
            self._done(item)
        for number, place in enumerate(self._scope.places):
            if not self._place(place, None, number):
                return False
        for place, named_by in list(project_places(self._scope.found, self._named())):
            self._report.project(self._scope.original(place.base.path))
            if not self._place(place, named_by, None):
                return False
        return True

    def _place(self, place: Place, named_by: Base | None, number: int | None) -> bool:
        where = self._scope.where(place, named_by)
        claims = self._scope.claims(place, where, self._settings.rules)
        tee = self._tee(place, claims, number)
        for item in claims.items():
            if self._settings.stop():
                return False
            if item.path not in self._seen:
                self._item(item, claims, place, tee)
        return True

    def _item(self, item: Item, claims: Claims, place: Place, tee: Tee | None) -> None:
        self._seen.add(item.path)
        if self._target is not None and self._copier is not None and item.status == COLLECTED:
            item.place = self._target.named(item.place)
            if item.type == DIR and item.facts is not None:
                self._writing(item, lambda: self._directory(item))
            elif item.type == FILE:
                for path in self._writing(item, lambda: self._file(item, self._tee_path(item, place, tee))) or ():
                    self._sidecar(path, item, claims, place, tee)
        self._done(item)

    def _directory(self, item: Item) -> None:
        assert self._target is not None and item.facts is not None
        self._target.directory(item.archive_path, item.facts)

    def _file(self, item: Item, tee: Path | None) -> list[str]:
        assert self._copier is not None and self._target is not None
        copy = self._earlier.has(item) if self._earlier is not None else None
        # a database is read anew, so that it fits its sidecars
        if copy is None or self._is_database(copy):
            return self._copier.copy(item, tee)
        self._copier.again(item, copy, tee)
        return []

    @staticmethod
    def _is_database(copy: Path) -> bool:
        with copy.open("rb") as stream:
            return stream.read(len(MAGIC)) == MAGIC

    def _sidecar(self, path: str, database: Item, claims: Claims, place: Place, tee: Tee | None) -> None:
        below = Path(path).relative_to(place.base.path).as_posix()
        item = claims.item(below, database)
        if item is None or item.path in self._seen:
            return
        self._seen.add(item.path)
        assert self._target is not None and self._copier is not None
        copier, target = self._copier, self._target
        item.place = target.named(item.place)
        self._writing(item, lambda: copier.sidecar(item, self._tee_path(item, place, tee)))
        self._done(item)

    def _writing(self, item: Item, action: Callable[[], Any]) -> Any:
        """Does it; what the target can't take of one item stands in the item."""
        try:
            return action()
        except OSError as error:
            if error.errno in _FATAL:
                raise UsageError(f"can't write the collection: {error.strerror}") from None
            item.status, item.error = COPY_FAULT, error.strerror or str(error)
            return None

    def _done(self, item: Item) -> None:
        self._report.item(item)
        self._settings.progress(item, self._copier.bytes if self._copier else 0)

    # ------------------------------------------------------------------------------------------------- projects

    def _tee(self, place: Place, claims: Claims, number: int | None) -> Tee | None:
        """Where private copies go of the files of a place whose records name projects: evidence is read once."""
        if number is None or not place.disks or place.base.kind != HOME:
            return None
        naming = Naming(self._scope.plans, claims.sources)
        root = self._spool / f"place{number}"
        self._teed.append((place.base, replace(place.base, path=root), naming))
        return naming, root

    @staticmethod
    def _tee_path(item: Item, place: Place, tee: Tee | None) -> Path | None:
        if tee is None:
            return None
        below = Path(item.path).relative_to(place.base.path).as_posix()
        return tee[1] / below if tee[0].needs(below) else None

    def _named(self) -> Iterator[tuple[Base, str]]:
        """What the records of all homes name, read from the private copies; of a dry run from the evidence."""
        bases = mapped(self._scope.found)
        if self._target is None:
            yield from named_projects(self._scope.plans, self._scope.found.sources, bases)
            return
        for base, teed, naming in self._teed:
            sources = [replace(source, base=teed, path=teed.path / source.below) for source in naming.sources]
            for _, path in named_projects(self._scope.plans, sources, {teed}):
                yield base, path
