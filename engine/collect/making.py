"""Making a collection: its target, its spool, and what stands beside an archive."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.collect.claims import Rules
from engine.collect.collector import Collector, Progress, Settings
from engine.collect.earlier import Earlier
from engine.collect.report import Report
from engine.collect.scope import Scope
from engine.collect.targets import Target, is_archive_name, target_for
from engine.errors import UsageError
from engine.read.archives import Workspace
from engine.read.collected import DESCRIPTION, LOG, MANIFEST
from engine.read.files import Stream
from engine.read.limits import MIB
from engine.read.places import lies_in


@dataclass(frozen=True, slots=True)
class Made:
    """What was made: the content of `collection.json`, and an archive's SHA-256, '' for a directory."""

    told: dict[str, Any]
    sha256: str

    @property
    def interrupted(self) -> bool:
        return bool(self.told["interrupted"])


def refuse_inside(out: Path, scope: Scope) -> None:
    """Nothing is written under what is collected. Raises UsageError."""
    bases = [place.base.path for place in scope.places]
    if scope.root != Path("/"):
        bases.append(scope.root)
    for base in bases:
        if base.is_dir() and lies_in(out, base):
            raise UsageError(f"{out} is inside {base}, which is collected: nothing is written there")


def collect(
    scope: Scope, out: Path, hostname: str, rules: Rules, options: dict[str, Any], *,
    progress: Progress, stop: Callable[[], bool], resume: bool = False,
) -> Made:  # fmt: skip
    """Makes a collection. When `stop` says so it ends early, whole in itself and marked as interrupted; `resume` goes
    on with such a one. Raises UsageError; then nothing new stands under the name of an archive."""
    refuse_inside(out, scope)
    exists = out.exists() and not (out.is_dir() and not any(out.iterdir()))
    if exists and not resume:
        raise UsageError(
            f"{out} exists" + ("" if out.is_dir() else " (--resume goes on with an interrupted collection)")
        )
    with ExitStack() as stack:
        out.parent.mkdir(parents=True, exist_ok=True)
        spool = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent)))
        workspace = stack.enter_context(Workspace(inside=spool))
        earlier = Earlier(out, workspace) if exists else None
        target = target_for(out)
        report = Report(spool, scope, hostname, options)
        stack.callback(report.close)
        try:
            if earlier is not None:
                report.notes.append(f"goes on with the collection that was begun at {earlier.started}")
            collector = Collector(scope, target, report, Settings(rules, progress, stop), spool, earlier)
            interrupted = not collector.run()
            told = report.end(interrupted, out.name if is_archive_name(out) else "")
            made = Made(told, _finish(target, report, told, out))
        except BaseException:
            target.abort()
            raise
        if earlier is not None:
            earlier.close()
        return made


def preview(scope: Scope, rules: Rules, progress: Progress) -> None:
    """Shows `progress` each item that would be collected; writes nothing."""
    with tempfile.TemporaryDirectory(prefix="engine-collect-") as spool:
        report = Report(Path(spool), scope, "", {})
        Collector(scope, None, report, Settings(rules, progress, lambda: False), Path(spool)).run()
        report.close()


def _finish(target: Target, report: Report, told: dict[str, Any], out: Path) -> str:
    """Manifest, description and log into the collection, copies of the first two and the hash beside an archive."""
    text = json.dumps(told, indent=2).encode() + b"\n"
    for name, path in ((MANIFEST, report.manifest_path), (LOG, report.log_path)):
        with Stream(str(path)) as stream:
            target.file(name, stream.size, None, stream.chunks(MIB))
    target.file(DESCRIPTION, len(text), None, iter((text,)))
    sha256 = target.close()
    if sha256:
        stem = next(out.name.removesuffix(end) for end in (".tar.gz", ".tgz", ".zip") if out.name.endswith(end))
        shutil.copyfile(report.manifest_path, out.with_name(f"{stem}.{MANIFEST}"))
        out.with_name(f"{stem}.{DESCRIPTION}").write_bytes(text)
        out.with_name(f"{out.name}.sha256").write_text(f"{sha256}  {out.name}\n")
    return sha256
