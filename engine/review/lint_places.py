"""Checks of where files lie: secrets, and what the catalog takes and leaves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.lang.paths import accesses
from engine.lang.plan import OWN_FOLDER, Emit, Glob, Mark, Store
from engine.lang.traversal import expressions
from engine.read.globs import crossing_regex, path_regex
from engine.review.lint_subject import NOTE, Check, Finding, Subject

_KINDS = ("home", "project", "volume")
_ANY = re.compile(r"<\w+:(\w+)>|<\w+>|\*\*|\*|\?")
_SAMPLES = {"int": "1", "hex": "a1", "uuid": "00000000-0000-4000-8000-000000000000"}
_SECRET_NAME = re.compile(
    r"(\w*_)?(api_?keys?|passwords?|passwd|secrets?|private_key|credentials?|(access|refresh|auth|bearer)_?token)", re.I
)


class Place(NamedTuple):
    """A pattern below a base of a kind, in which captures stand for any name."""

    kind: str
    pattern: str

    @property
    def sample(self) -> str:
        """A path that the pattern matches."""
        return _ANY.sub(lambda found: _SAMPLES.get(found[1] or "", "x"), self.pattern)

    def meets(self, glob: str) -> bool:
        """Whether something matches both this pattern and a glob of the catalog, whose `*` crosses `/`."""
        other = Place(self.kind, glob.lstrip("*/") if glob.startswith("*/") else glob).sample
        return bool(crossing_regex(glob).fullmatch(self.sample) or path_regex(self.pattern).fullmatch(other))


def places(spec: Subject, glob: Glob, store: Store) -> Iterator[Place]:
    """Where a glob looks."""
    if glob.root == OWN_FOLDER and glob.source.startswith("{folder}"):
        for own in store.folder or store.files:
            for place in places(spec, own, store):
                folder = place.pattern if store.folder else place.pattern.rpartition("/")[0]
                yield Place(place.kind, f"{folder}/{glob.pattern}".lstrip("/"))
    elif glob.root:
        for root in (root for root in spec.plan.roots if root.name == glob.root):
            for kind, base in root.bases:
                yield Place(kind, glob.pattern if base == "." else f"{base}/{glob.pattern}")
    else:
        yield from (Place(kind, glob.pattern) for kind in _KINDS)


def store_globs(store: Store) -> Iterator[Glob]:
    """The globs of a store's own files; of a folder with its record files."""
    yield from store.files
    yield from store.folder


class SecretStore(Check):
    code = "W401"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for store in spec.plan.stores:
            if store.keys or (store.read == "mark"):
                continue
            for glob in store_globs(store):
                secret = _secret(spec, glob, store)
                if secret:
                    message = f"`{glob.source}` is secret by `{secret}`: name in `keys` what may be kept of it"
                    yield Finding(glob.mark, message)


class SecretSidecar(Check):
    code = "W402"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for store in spec.plan.stores:
            for beside in store.beside:
                secret = _secret(spec, beside.glob, store) if beside.kind in ("json", "text", "all") else None
                if secret:
                    yield Finding(beside.glob.mark, f"`{beside.glob.source}` is secret by `{secret}`")


class SecretMember(Check):
    code = "W403"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for steps in spec.steps.values():
            for step in (step for step in steps if isinstance(step, Emit)):
                for expr in expressions(step.columns):
                    for access in accesses(expr.ast):
                        name = next((name for name in access.path[1:] if _SECRET_NAME.fullmatch(_snake(name))), None)
                        if access.whole and name:
                            yield Finding(expr.mark, f"`{name}` goes into a row, and has the name of a secret")


class UncoveredRoot(Check):
    code = "W501"

    def find(self, spec: Subject) -> Iterator[Finding]:
        for store in spec.plan.stores:
            for glob in store_globs(store):
                for place in places(spec, glob, store) if glob.root else ():
                    taken = getattr(spec.plan.catalog, place.kind)
                    if taken and not any(_takes(entry, place.sample) for entry in taken):
                        yield Finding(glob.mark, f"`catalog.{place.kind}` does not take {place.pattern}")


class UnreadPath(Check):
    code, severity = "W502", NOTE

    def find(self, spec: Subject) -> Iterator[Finding]:
        catalog, looked = spec.plan.catalog, list(_looked_at(spec))
        for kind in _KINDS:
            for number, entry in enumerate(getattr(catalog, kind)):
                below = [place.sample for place in looked if place.kind == kind]
                if any(_takes(entry, sample) for sample in below) or _named(entry, spec.plan.unread):
                    continue
                node = spec.text.nodes[f"catalog.{kind}[{number}]"]
                mark = Mark(node.line, node.column, node.path)
                yield Finding(mark, f"nothing reads below `{entry}`, and `unread` does not name it")


class ExcludedStore(Check):
    code = "W503"

    def find(self, spec: Subject) -> Iterator[Finding]:
        excluded = [(glob, crossing_regex(glob)) for glob, _ in spec.plan.catalog.exclude]
        for store in spec.plan.stores:
            for glob in store_globs(store):
                samples = [place.sample for place in places(spec, glob, store)]
                for text, regex in excluded:
                    if samples and all(regex.fullmatch(sample) for sample in samples):
                        yield Finding(glob.mark, f"`exclude` leaves out `{glob.source}`: {text}")


def _secret(spec: Subject, glob: Glob, store: Store) -> str | None:
    """The secret glob of the catalog that something of this glob matches."""
    found = list(places(spec, glob, store))
    return next((secret for secret in spec.plan.catalog.secrets if any(p.meets(secret) for p in found)), None)


def _looked_at(spec: Subject) -> Iterator[Place]:
    for store in spec.plan.stores:
        for glob in (*store_globs(store), *(beside.glob for beside in store.beside)):
            yield from places(spec, glob, store)


def _takes(entry: str, path: str) -> bool:
    return entry == "." or path_regex(entry).fullmatch(path) is not None


def _named(entry: str, unread: Iterable[tuple[str, str]]) -> bool:
    """Whether `unread` names a path of the catalog, or something below it."""
    return any(name == entry or name.startswith(f"{entry}/") or entry.endswith(f"/{name}") for name, _ in unread)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).lower()
