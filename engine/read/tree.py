"""A directory tree as discovery sees it: each directory is listed once, links are never followed, nothing is opened."""

from __future__ import annotations

import os
import stat
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from itertools import islice

from msgspec import Struct, field

from engine.read.globs import Pattern, Segment

FILE, DIRECTORY, LINK, OTHER = "file", "directory", "link", "other"


class Listing(Struct, frozen=True, dict=True):
    """The names in one directory → what they are, in code point order of the names. `error` when it can't be read."""

    kinds: dict[str, str]
    error: str = ""

    @cached_property
    def _names(self) -> list[str]:
        return list(self.kinds)

    def begin_with(self, text: str) -> Iterator[tuple[str, str]]:
        """The names that begin with a text, and what they are."""
        if not text:
            yield from self.kinds.items()
            return
        for name in islice(self._names, bisect_left(self._names, text), None):
            if not name.startswith(text):
                return
            yield name, self.kinds[name]


_ABSENT = Listing({})

_KEPT = 20_000


class Recent:
    """The listings that were asked for last, `_KEPT` names in all: sources of one directory follow each other."""

    def __init__(self) -> None:
        self._known: dict[str, Listing] = {}
        self._names = 0

    def of(self, directory: str, read: Callable[[], Listing]) -> Listing:
        """What is known of a directory, else what `read` gives."""
        found = self._known.pop(directory, None)
        if found is None:
            found = read()
            self._names += 1 + len(found.kinds)
        self._known[directory] = found
        while self._names > _KEPT and len(self._known) > 1:
            oldest = next(iter(self._known))
            self._names -= 1 + len(self._known.pop(oldest).kinds)
        return found


class Found(Struct, frozen=True):
    """One path that a pattern matched: relative to the base with `/`, what it is, and the captures as text."""

    path: str
    kind: str
    captures: dict[str, str]


def _kind(entry: os.DirEntry[str]) -> str:
    """What an entry is that is no regular file."""
    if entry.is_symlink():
        return LINK
    return DIRECTORY if entry.is_dir(follow_symlinks=False) else OTHER


def join(path: str, name: str) -> str:
    """A path below a base; the base itself is ''."""
    return f"{path}/{name}" if path else name


class Tree(Struct):
    """The directories below `root`, an absolute path. `problems` holds path → reason of directories that could not be
    listed and of links in the way of a pattern.

    A `direct` tree looks for the literal names of a pattern one by one, for a few questions in large directories; else
    each directory is listed, so that a name counts only as it is spelt, whatever the file system folds together.
    `recent` has listings for several trees.
    """

    root: str
    direct: bool = False
    recent: Recent | None = None
    problems: dict[str, str] = field(default_factory=dict)
    _listings: dict[str, Listing] = field(default_factory=dict)

    def listing(self, path: str) -> Listing:
        """The entries of a directory; no entries when it is none."""
        known = self._listings.get(path)
        if known is None:
            read = partial(self._read, path)
            known = read() if self.recent is None else self.recent.of(f"{self.root}/{path}", read)
            self._listings[path] = known
        return known

    def _read(self, path: str) -> Listing:
        kinds: dict[str, str] = {}
        try:
            with os.scandir(f"{self.root}/{path}" if path else self.root) as entries:
                for entry in entries:
                    try:
                        kinds[entry.name] = FILE if entry.is_file(follow_symlinks=False) else _kind(entry)
                    except OSError:
                        kinds[entry.name] = OTHER
        except FileNotFoundError:
            return _ABSENT
        except NotADirectoryError:
            return _ABSENT
        except OSError as error:
            reason = reason_of(error)
            self.problems[path] = f"directory could not be read ({reason})"
            return Listing(kinds, reason)
        return Listing({name: kinds[name] for name in sorted(kinds)})

    def kind(self, path: str) -> str | None:
        """What a path below the root is, None when it is not there or lies behind a link."""
        if not path:
            return DIRECTORY
        at = ""
        *directories, name = path.split("/")
        for directory in directories:
            if self.listing(at).kinds.get(directory) != DIRECTORY:
                return None
            at = join(at, directory)
        return self.listing(at).kinds.get(name)

    def glob(self, pattern: Pattern, start: str = "") -> Iterator[Found]:
        """Everything below `start` that the pattern matches, each path once, in code point order of the walk."""
        *directories, last = pattern or ("",)
        literal = [segment for segment in directories if isinstance(segment, Segment) and segment.literal]
        if isinstance(last, Segment) and len(literal) == len(directories):
            yield from self._in_one(literal, last, start)
            return
        seen: set[str] = set()
        for found in self._glob(pattern, 0, start, {}):
            if found.path not in seen:
                seen.add(found.path)
                yield found

    def _in_one(self, directories: list[Segment], last: Segment, start: str) -> Iterator[Found]:
        """The common case: all matches lie in one directory."""
        path = start
        for directory in directories:
            for name, kind, _ in self._matches(directory, path):
                path = join(path, name)
                if kind == LINK:
                    self.problems.setdefault(path, "link, not followed")
                if kind != DIRECTORY:
                    return
                break
            else:
                return
        above = join(path, "")
        for name, kind, groups in self._matches(last, path):
            yield Found(above + name, kind, groups)

    def _glob(self, pattern: Pattern, at: int, path: str, captures: dict[str, str]) -> Iterator[Found]:
        if at == len(pattern):
            yield Found(path, DIRECTORY, captures)
            return
        segment = pattern[at]
        if isinstance(segment, str):
            yield from self._any_depth(pattern, at, path, captures)
            return
        last = at + 1 == len(pattern)
        for name, kind, groups in self._matches(segment, path):
            merged = captures | groups if groups else captures
            if groups and captures and any(captures.get(key, text) != text for key, text in groups.items()):
                continue
            below = join(path, name)
            if last:
                yield Found(below, kind, merged)
            elif kind == DIRECTORY:
                yield from self._glob(pattern, at + 1, below, merged)
            elif kind == LINK:
                self.problems.setdefault(below, "link, not followed")

    def _any_depth(self, pattern: Pattern, at: int, path: str, captures: dict[str, str]) -> Iterator[Found]:
        last = at + 1 == len(pattern)
        for directory in self.directories(path):
            if not last:
                yield from self._glob(pattern, at + 1, directory, captures)
                continue
            for name, kind in self.listing(directory).kinds.items():
                yield Found(join(directory, name), kind, captures)

    def directories(self, path: str) -> Iterator[str]:
        """A directory and all that lie below it, parents first; a stack, since a tree may be deep."""
        stack = [path]
        while stack:
            directory = stack.pop()
            yield directory
            below = [name for name, kind in self.listing(directory).kinds.items() if kind == DIRECTORY]
            stack.extend(join(directory, name) for name in reversed(below))

    def _matches(self, segment: Segment, path: str) -> Iterator[tuple[str, str, dict[str, str]]]:
        if segment.literal is not None:
            name = segment.literal
            known = self._status(path, name) if self.direct else self.listing(path).kinds.get(name)
            if known is not None:
                yield name, known, {}
            return
        assert segment.regex is not None
        fits = segment.regex.fullmatch
        for name, kind in self.listing(path).begin_with(segment.prefix):
            if found := fits(name):
                yield name, kind, found.groupdict()

    def _status(self, path: str, name: str) -> str | None:
        try:
            mode = os.lstat(f"{self.root}/{join(path, name)}").st_mode
        except (OSError, ValueError):
            return None
        if stat.S_ISREG(mode):
            return FILE
        return DIRECTORY if stat.S_ISDIR(mode) else LINK if stat.S_ISLNK(mode) else OTHER


def reason_of(error: OSError) -> str:
    """Why the system refused, in its own words, lower case: `permission denied`."""
    text = error.strerror or str(error) or type(error).__name__
    return text[:1].lower() + text[1:]
