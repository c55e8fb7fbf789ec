"""Drift: what became of the cited lines between the pin of a spec and another revision of the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from engine.errors import UsageError
from engine.lang.plan import Citation
from engine.review.cites import BROKEN, SEEN, UNCHECKED, Cited, anchor_pattern, fault_of, short
from engine.review.cites_git import Repository
from engine.review.cites_sources import Lines, Source, Sources
from engine.review.drift_lines import (
    CHANGED,
    GONE,
    MOVED,
    SAME,
    Found,
    Pair,
    difference,
    is_telling,
    occurrences,
)  # fmt: skip

STATUSES = (SAME, MOVED, CHANGED, GONE, BROKEN, SEEN, UNCHECKED)
#: statuses that need a person
OPEN = frozenset({CHANGED, GONE, BROKEN})

#: files that are searched for lines that left theirs
_SEARCHED = 5000


class Drifted(NamedTuple):
    """One citation's fate.

    status  same, moved, changed, gone; broken (does not even hold at its pin), seen (exempt), unchecked (no source)
    at      the citation with the path and numbers proposed, None where there are none
    sure    whether `at` may be written without a person's look
    diff    of changed lines, a unified diff; of gone ones, the old lines
    note    what else there is to say
    """

    cited: Cited
    status: str
    at: Citation | None = None
    sure: bool = False
    diff: str = ""
    note: str = ""


class Target(NamedTuple):
    """Where an alias's source is looked at: its pin and the other revision, as full hashes."""

    source: Source
    pin: str
    to: str


def drift(cited: Sequence[Cited], sources: Sources, revisions: Mapping[str, str]) -> list[Drifted]:
    """Every citation's fate at `revisions`, alias → revision. Raises UsageError for a revision that is not there."""
    targets: dict[str, _Comparison] = {}
    found = []
    for each in cited:
        citation = each.citation
        if citation.seen:
            found.append(Drifted(each, SEEN, note="no public source: exempt from drift"))
            continue
        source = sources.get(citation.alias)
        if source is None:
            found.append(Drifted(each, UNCHECKED, note=f"no --source for {citation.alias}"))
            continue
        if citation.alias not in targets:
            targets[citation.alias] = _Comparison(target(source, revisions[citation.alias]))
        found.append(targets[citation.alias].drifted(each))
    return found


def target(source: Source, revision: str) -> Target:
    """The two commits that are compared. Raises UsageError when one is not there."""
    alias = source.evidence.alias
    if not isinstance(source.store, Repository):
        raise UsageError(
            f"--source of {alias}: drift needs a git repository, with the pin and the other revision in it"
        )
    pin, to = source.pinned(), source.store.commit(revision)
    if to is None:
        raise UsageError(f"--to {revision}: the source of {alias} has no such commit")
    return Target(source, pin, to)


class _Comparison:
    """One source at two commits."""

    def __init__(self, target: Target):
        self._source, self._pin, self._to = target
        self._pairs: dict[str, tuple[str, Pair | None]] = {}
        self._lines: dict[tuple[str, str], Lines | None] = {}

    def lines(self, commit: str, path: str) -> Lines | None:
        if (commit, path) not in self._lines:
            self._lines[commit, path] = self._source.lines(commit, path)
        return self._lines[commit, path]

    def drifted(self, cited: Cited) -> Drifted:
        citation = cited.citation
        old = self.lines(self._pin, citation.path)
        if fault := fault_of(citation, old, short(self._pin)):
            return Drifted(cited, BROKEN, note=f"does not hold at its pin: {fault}")
        assert old is not None
        block = old[citation.first - 1 : citation.last]
        now, pair = self._pair(citation.path, old)
        found = pair.find(citation.first, citation.last) if pair else Found(GONE)
        if found.status in (SAME, MOVED):
            status = found.status if now == citation.path else MOVED
            several = "" if found.sure else "several places hold these lines"
            return Drifted(cited, status, _at(citation, found, now), found.sure, note=several)
        places = list(self._elsewhere(now, block))
        if len(places) == 1:
            path, start = places[0]
            return Drifted(cited, MOVED, _at(citation, Found(MOVED, start, start + len(block) - 1), path), True)
        return self._changed(cited, block, now, pair, found)

    def _changed(self, cited: Cited, block: Lines, now: str, pair: Pair | None, found: Found) -> Drifted:
        citation = cited.citation
        new = pair.new[found.first - 1 : found.last] if pair and found.status == CHANGED else []
        diff = difference(block, new, citation.first, found.first)
        if found.status == GONE:
            note = "" if pair else f"no file {citation.path} in {short(self._to)}"
            return Drifted(cited, GONE, diff=diff, note=note)
        note = ""
        if [line.split() for line in block] == [line.split() for line in new]:
            note = "white space only"
        elif not any(map(anchor_pattern(citation.anchor).search, new)):
            note = f"`{citation.anchor}` no longer stands there"
        return Drifted(cited, CHANGED, _at(citation, found, now), False, diff, note)

    def _pair(self, path: str, old: Lines) -> tuple[str, Pair | None]:
        """The file's path now, and its lines then and now; None when it is gone."""
        if path not in self._pairs:
            new = self._now(path)
            if new is not None:
                self._pairs[path] = (path, Pair(old, new))
            else:
                self._pairs[path] = self._renamed(path, old) or (path, None)
        return self._pairs[path]

    def _now(self, path: str) -> Lines | None:
        new = self.lines(self._to, path)
        if new is None and path in self._files()[1]:
            raise UsageError(
                f"{path} of {short(self._to)} can't be read: its content is not in the repository, or huge"
            )
        return new

    def _files(self) -> tuple[dict[str, str], dict[str, str]]:
        """Path → content's hash, at the pin and at the other revision."""
        store = self._source.store
        assert isinstance(store, Repository)
        return store.files(self._pin), store.files(self._to)

    def _renamed(self, path: str, old: Lines) -> tuple[str, Pair] | None:
        """Where a file is now that is no longer under its path: a new file of the same content, else the new file of
        the same name that keeps at least half of its lines."""
        before, after = self._files()
        new = [other for other in after if other not in before]
        name = PurePosixPath(path).name
        found = [other for other in new if after[other] == before.get(path)]
        found = found or [other for other in new if PurePosixPath(other).name == name]
        if len(found) != 1:
            return None
        pair = Pair(old, self._now(found[0]) or [])
        return (found[0], pair) if pair.kept * 2 >= len(old) else None

    def _elsewhere(self, path: str, block: Lines) -> Iterator[tuple[str, int]]:
        """(path, first line) of every other file that holds the lines now and did not before; files that are neither
        new nor changed can't."""
        store = self._source.store
        if not is_telling(block) or not isinstance(store, Repository):
            return
        before, after = self._files()
        suffix, name = PurePosixPath(path).suffix, PurePosixPath(path).name
        others = [
            other for other, content in after.items()
            if other != path and before.get(other) != content and PurePosixPath(other).suffix == suffix
        ]  # fmt: skip
        others.sort(key=lambda other: (PurePosixPath(other).name != name, other))
        wanted = "\n".join(block).encode("utf-8", "surrogateescape")
        for other in others[:_SEARCHED]:
            if wanted not in (store.read(self._to, other) or b""):
                continue
            now = occurrences(block, self._source.lines(self._to, other) or [])
            if not occurrences(block, self._source.lines(self._pin, other) or []):
                yield from ((other, place + 1) for place in now)


def _at(citation: Citation, found: Found, path: str) -> Citation:
    return citation_at(citation, path, found.first, found.last)


def citation_at(citation: Citation, path: str, first: int, last: int, alias: str = "") -> Citation:
    """The same citation at another place."""
    alias = alias or citation.alias
    lines = str(first) if first == last else f"{first}-{last}"
    return Citation(
        alias=alias, path=path, first=first, last=last, anchor=citation.anchor, seen=False,
        text=f"{alias}:{path}:{lines} #{citation.anchor}",
    )  # fmt: skip
