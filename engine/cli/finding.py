"""The inputs of a command, found: archives unpacked, projects that records name among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.errors import UsageError
from engine.lang.plan import Plan
from engine.read.archives import Workspace
from engine.read.discover import DiscoverOptions, Discovery, find
from engine.read.integrity import verify, verify_archive
from engine.read.limits import Limits
from engine.read.places import Input, Taken
from engine.read.projects import mapped, project_places
from engine.read.sources import Problem
from engine.run.projects import named_projects


def discovered(
    inputs: Sequence[str],
    plans: Sequence[Plan],
    workspace: Workspace,
    *,
    as_: str | None = None,
    hosts: Sequence[str] = (),
    user: str = "",
    limits: Limits | None = None,
    hashing: bool = True,
) -> Discovery:
    """What the inputs hold. Without inputs: the current user's home. `hosts`: one for all inputs, or one for each.

    What archives don't give and what is wrong with collections stands in `problems`; without `hashing` files are
    not compared with their hashes. The workspace is closed when
    this raises UsageError.
    """
    try:
        found = find(_given(inputs, as_, hosts, user), plans, DiscoverOptions(as_, "".join(hosts[:1]), user), workspace)
        add_projects(found, plans, limits)
        for taken in found.inputs:
            found.problems += _faults(taken, hashing)
        return found
    except BaseException:
        workspace.close()
        raise


def _faults(taken: Taken, hashing: bool) -> Iterator[Problem]:
    """What is wrong with an archive or a collection."""
    archive = Path(taken.label)
    if hashing and archive.is_file() and (fault := verify_archive(archive)):
        yield Problem(taken.label, fault)
    for wrong in verify(taken.collection, hashing) if taken.collection is not None else ():
        yield Problem(f"{taken.label}: {wrong.path}" if wrong.path else taken.label, wrong.what)


def add_projects(found: Discovery, plans: Sequence[Plan], limits: Limits | None = None) -> None:
    """The sources of projects that the records name join those that were found."""
    bases = mapped(found)
    if bases:
        named = named_projects(plans, found.sources, bases, limits)
        found.add_projects((place for place, _ in project_places(found, named)), plans)


def _given(inputs: Sequence[str], as_: str | None, hosts: Sequence[str], user: str) -> list[Input]:
    if len(hosts) > 1 and len(hosts) != len(inputs):
        raise UsageError(f"--host: {len(hosts)} hosts for {len(inputs)} inputs: give one for all, or one for each")
    if "" in inputs:
        raise UsageError("an input without a name: '.' is the current directory")
    each = hosts if len(hosts) > 1 else ["".join(hosts)] * len(inputs)
    return [Input(Path(path), as_, host, user) for path, host in zip(inputs, each, strict=True)]
