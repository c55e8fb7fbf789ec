"""Sidecars: the files that a store names `beside` its own, loaded with the unit's captures filled in."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from engine.errors import BadUnit
from engine.lang.plan import Beside, Glob, Plan
from engine.read.documents import bytes_of, decode_document
from engine.read.files import Stream, sha256_of
from engine.read.globs import Segment, compile_glob, path_regex
from engine.read.keys import keep
from engine.read.limits import Limits
from engine.read.names import last, shown
from engine.read.sources import Base, FileInfo, mtime_stamp
from engine.read.tree import FILE, Tree


def matches(
    tree: Tree, base: Base, plan: Plan, glob: Glob, captures: Mapping[str, str], root: tuple[str, str]
) -> Iterator[str]:
    """Paths below the base of the files that a filled glob names. `root` is the (name, place) of the root that the
    source was found under; other roots are looked for in all their places."""
    pattern = compile_glob(glob.pattern, captures)
    for place in _places(tree, base, plan, glob.root, root):
        for found in tree.glob(pattern, place):
            if found.kind == FILE:
                yield found.path


def _places(tree: Tree, base: Base, plan: Plan, name: str, root: tuple[str, str]) -> Iterator[str]:
    if not name:
        yield ""
    elif name == root[0]:
        yield root[1]
    else:
        for item in plan.roots:
            for kind, pattern in item.bases if item.name == name else ():
                if kind == base.kind:
                    yield from (found.path for found in tree.glob(compile_glob(pattern)))


def _secret_keys(plan: Plan, path: str) -> tuple[str, ...] | None:
    """The key paths that may be kept of a file below a base, or below a root alone; None of one that no store reads as
    a secret one."""
    names = path.split("/")
    for store in plan.stores:
        for glob in store.files if store.keys else ():
            # most are told by a name; a regular expression of the whole costs more than many files
            if not any(_fits(compile_glob(glob.pattern)[-1], name) for name in names):
                continue
            places = [pattern for root in plan.roots if root.name == glob.root for _, pattern in root.bases]
            if any(path_regex(f"{place}/{glob.pattern}").fullmatch(path) for place in (".", *places)):
                return store.keys
    return None


def _fits(segment: Segment | str, name: str) -> bool:
    return isinstance(segment, str) or segment.match(name) is not None


class LazyFiles(Mapping[str, Any]):
    """File name → document (`.json`) or text, each read when it is asked for and not kept; null when unreadable."""

    def __init__(self, files: dict[str, str], load: Any):
        self._files, self._load = files, load

    def __getitem__(self, name: str) -> Any:
        return self._load(self._files[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)


class Sidecars:
    """Loads the sidecars of one source's unit and keeps their facts. Of a file that a store with `keys` reads, only
    those keys are kept here too; as text it is null."""

    def __init__(self, tree: Tree, base: Base, plan: Plan, limits: Limits, hashing: bool):
        self._tree, self._base, self._plan, self._limits, self._hashing = tree, base, plan, limits, hashing
        self.infos: dict[str, FileInfo] = {}
        self._known: dict[tuple[Any, ...], list[str]] = {}

    def load(self, beside: Beside, captures: Mapping[str, str], root: tuple[str, str]) -> Any:
        """The value that the sidecar's name has in the scope."""
        found = self._found(beside.glob, captures, root)
        if beside.kind == "list":
            return [shown(name) for name in sorted(map(last, found))]
        if beside.kind == "all":
            return LazyFiles({shown(last(path)): path for path in sorted(found)}, self._either)
        if not found:
            return None
        if beside.kind == "facts":
            return self._facts(found[0])
        return self._document(found[0]) if beside.kind == "json" else self._text(found[0])

    def _found(self, glob: Glob, captures: Mapping[str, str], root: tuple[str, str]) -> list[str]:
        """What the filled glob names; each store's unit of a file, and those of its lookups, ask for the same."""
        key = (glob.root, glob.pattern, root, *captures.items())
        if key not in self._known:
            found = matches(self._tree, self._base, self._plan, glob, captures, root)
            self._known[key] = list(dict.fromkeys(found))
        return self._known[key]

    def _facts(self, path: str) -> dict[str, Any]:
        """What is known of a file."""
        with contextlib.suppress(BadUnit):
            self._bytes(path)
        info = self.infos.get(path, FileInfo(self._base.prefix + shown(path)))
        return {"name": shown(last(path)), "path": info.source_file, "size": info.size, "mtime": info.mtime}

    def _either(self, path: str) -> Any:
        return self._document(path) if path.endswith(".json") else self._text(path)

    def _document(self, path: str) -> Any:
        try:
            document = decode_document(path, self._bytes(path), "json", self._limits)[0]
        except BadUnit:
            return None
        keys = _secret_keys(self._plan, path)
        return document if keys is None else keep(document, keys)

    def _text(self, path: str) -> str | None:
        if _secret_keys(self._plan, path) is not None:
            return None
        try:
            return self._bytes(path).decode("utf-8", "replace")
        except BadUnit:
            return None

    def _bytes(self, path: str) -> bytes:
        full = f"{self._tree.root}/{path}"
        known = self.infos.get(path)
        with Stream(full, known.size if known is not None else None) as stream:
            if known is None:
                digest = sha256_of(full, stream.size) if self._hashing else ""
                mtime = mtime_stamp(stream.mtime_ns)
                self.infos[path] = FileInfo(self._base.prefix + shown(path), stream.size, mtime, digest, "sidecar")
            return bytes_of(stream, self._limits)
