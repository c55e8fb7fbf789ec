"""The secrets that stand in files which specs name as secret: no row is made of them, and no row may repeat them.

Of a document the values are taken whose own name says that they are secret, of any other file the values of such
`NAME=value` lines, or the file's one line. The rest of these files (paths, models, flags) is not secret by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from engine.errors import BadUnit
from engine.lang.plan import Plan
from engine.read.files import Stream
from engine.read.globs import compile_glob, crossing_regex
from engine.read.places import Trees
from engine.read.sources import HOME, PROJECT, Base, Source
from engine.read.tree import DIRECTORY, FILE, Tree, join
from engine.run.secrets import random_looking, stated

#: bytes of a file that is looked into, entries of a catalog that are looked at, values that are kept
_SIZE, _ENTRIES, _VALUES = 1 << 20, 50_000, 5_000
#: a shorter value is a word that rows may say by chance
_SHORTEST = 8

_NAME = re.compile(r"(?i).*(?:token|secret|passw(?:or)?d|passphrase|credential|cookie|(?:api|private)[_-]?key)s?")
_KEY = re.compile(r"(?i).*key")
_LINE = re.compile(r"(?:export )?([A-Za-z_][\w.-]*)\s*[=:]\s*[\"']?([^\s\"']+)[\"']?\s*")


def known_secrets(sources: Iterable[Source], plans: Iterable[Plan], trees: Trees) -> set[str]:
    """The secret values below the bases of some sources, by the catalogs of the sources' specs."""
    catalogs = {plan.agent: plan.catalog for plan in plans}
    found: set[str] = set()
    for base, agent in dict.fromkeys((source.base, source.agent) for source in sources):
        catalog = catalogs[agent]
        entries = {HOME: catalog.home, PROJECT: catalog.project}.get(base.kind, catalog.volume)
        left = [crossing_regex(glob) for glob, _ in catalog.exclude]
        wanted = [crossing_regex(glob) for glob in catalog.secrets]
        tree = trees.at(base.path)
        starts = dict.fromkeys(entry.path for glob in (*entries, *catalog.secrets) for entry in _starts(tree, glob))
        paths = (path for start in starts for path in _files(tree, start, left))
        for path in islice(paths, _ENTRIES):
            if any(regex.fullmatch(path) for regex in wanted):
                found.update(islice(_values(base, path), _VALUES - len(found)))
    return found


def _starts(tree: Tree, glob: str) -> Iterator[Any]:
    return tree.glob(compile_glob(glob)) if glob != "." else iter(())


def _files(tree: Tree, path: str, left: list[re.Pattern[str]]) -> Iterator[str]:
    kind = tree.kind(path)
    if kind == FILE:
        yield path
    elif kind == DIRECTORY and not any(regex.fullmatch(path) for regex in left):
        for name in tree.listing(path).kinds:
            yield from _files(tree, join(path, name), left)


def _values(base: Base, path: str) -> Iterator[str]:
    try:
        with Stream(str(Path(base.path, path)), _SIZE) as stream:
            data = stream.whole()
    except BadUnit:
        return
    text = data.decode("utf-8", "replace")
    try:
        pairs = list(_leaves("", json.loads(text)))
    except (ValueError, RecursionError):
        pairs = [(found[1], found[2]) for line in text.splitlines() if (found := _LINE.fullmatch(line))]
        if len(lines := text.split()) == 1 and not pairs:
            pairs = [("secret", lines[0])]
    for name, value in pairs:
        telling = _NAME.fullmatch(name) or (_KEY.fullmatch(name) and random_looking(value))
        if telling and len(value) >= _SHORTEST and stated(value):
            yield value


def _leaves(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(name, inner)
