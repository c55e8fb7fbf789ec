"""`engine collect`: everything that agents left, as a collection."""

from __future__ import annotations

import signal
import socket
import sys
from pathlib import Path
from typing import Any

import click

from engine.cli.sizes import Size, short
from engine.cli.terminal import one_line
from engine.errors import UsageError
from engine.lang.load import load_plan
from engine.read.inputs import KINDS
from engine.read.limits import MIB
from engine.spec.library import all_specs

_LARGEST = 256 * MIB
INTERRUPTED = 130


@click.command("collect", short_help="Collect what agents left.")
@click.argument("root", required=False)
@click.option("-o", "--out", metavar="PATH", help="FILE.tar.gz, FILE.zip, or a directory.")
@click.option("--spec", "specs", multiple=True, metavar="SPEC", help="A known spec or a file; default: all known.")
@click.option("--as", "as_", type=click.Choice(KINDS), help="What ROOT is taken for.")
@click.option("--host", default=None, help="The host's name.  [default: this machine's, or the image's]")
@click.option("--user", default="", help="The user of a home whose path does not tell.")
@click.option("--max-size", type=Size(), default=short(_LARGEST), show_default=True,
              help="Files over this size are left out, but for those that a spec reads.")  # fmt: skip
@click.option("--no-secrets", is_flag=True, help="Leave out files that hold credentials.")
@click.option("--resume", is_flag=True, help="Go on with the interrupted collection at PATH.")
@click.option("--dry-run", is_flag=True, help="List what would be collected; write nothing.")
@click.option("-q", "--quiet", is_flag=True, help="No summary, no progress.")
def command(root: str | None, out: str | None, specs: tuple[str, ...], as_: str | None, host: str | None, user: str,
            max_size: int, no_secrets: bool, resume: bool, dry_run: bool, quiet: bool) -> int:  # fmt: skip
    """Collect what agents left below ROOT: the current user's home by default, a home, a tree of homes, the root of
    this machine or of a disk image. What is taken and left out stands in the catalogs of the specs; every path that
    is seen gets a row of the manifest. Nothing is written below what is collected.

    Ctrl-C ends it early: what was collected by then is whole, and --resume goes on. Exit status: 0 when files were
    collected, 1 when there were none, 2 for an error, 130 when it was ended early.

    Example: engine collect / -o /mnt/usb/host1.tar.gz
    """
    from engine.collect.claims import Rules
    from engine.collect.making import collect, preview
    from engine.collect.scope import LIVE, Scope
    from engine.read.archives import Workspace

    if (out is None or out == "-") and not dry_run:
        raise UsageError("collect needs -o FILE.tar.gz, -o FILE.zip or -o DIRECTORY (or --dry-run)")
    plans = [load_plan(spec) for spec in specs or all_specs()]
    rules = Rules(max_size, not no_secrets)
    with Workspace() as workspace:
        scope = Scope(root, plans, as_, user, workspace)
        lines = _Lines(dry_run, quiet)
        if dry_run:
            preview(scope, rules, lines.item)
            return 0 if lines.files else 1
        hostname = host if host is not None else socket.gethostname() if scope.mode == LIVE else scope.hostname()
        options = {"as": as_, "user": user, "max_size": max_size, "secrets": not no_secrets, "resumed": resume}
        with _Stop() as stop:
            made = collect(
                scope, Path(out or ""), hostname, rules, options, progress=lines.item, stop=stop.asked, resume=resume
            )
        lines.end()
    if not quiet:
        print(_summary(made.told, out or "", made.sha256), file=sys.stderr)
    if made.interrupted:
        return INTERRUPTED
    return 0 if made.told["counts"].get("collected") and lines.files else 1


class _Stop:
    """While it is entered, the first Ctrl-C only asks for an end; a second one ends at once."""

    def __init__(self) -> None:
        self._asked = False
        self._before: Any = None

    def asked(self) -> bool:
        return self._asked

    def _ask(self, *_: object) -> None:
        if self._asked:
            raise KeyboardInterrupt
        self._asked = True

    def __enter__(self) -> _Stop:
        self._before = signal.signal(signal.SIGINT, self._ask)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)


class _Lines:
    """Tells of items: each one on stdout in a dry run, else how many on a terminal."""

    def __init__(self, listing: bool, quiet: bool):
        self._listing = listing
        self._live = not quiet and not listing and sys.stderr.isatty()
        self.files = 0

    def item(self, item: Any, count: int) -> None:
        self.files += item.type == "file" and item.status == "collected"
        if self._listing:
            size = "" if item.size is None else str(item.size)
            secret = " secret" if item.secret else ""
            click.echo(one_line(f"{item.status}{secret}\t{item.type}\t{size}\t{item.original}").replace("\\t", "\t", 3))
        elif self._live and self.files % 25 == 0:
            print(f"\r{self.files} files, {count // MIB} MiB", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._live:
            print("\r\x1b[K", end="", file=sys.stderr)


def _summary(told: dict[str, Any], out: str, sha256: str) -> str:
    counts = told["counts"]
    lines = [f"collection {one_line(out)}" + (f" sha256 {sha256}" if sha256 else "")]
    lines.append(f"taken for  {told['taken_for']}, {told['mode']}, host {one_line(told['hostname']) or 'unknown'}")
    lines.append(f"homes      {', '.join(one_line(str(home['path'])) for home in told['homes']) or 'none'}")
    lines.append(f"projects   {len(told['projects'])}")
    lines.append(f"files      {counts['bytes']} bytes, {counts['secrets']} with secrets")
    lines += [f"           {count} {name}" for name, count in counts.items() if name not in ("bytes", "secrets")]
    if told["interrupted"]:
        lines.append("ended early: --resume goes on with it")
    return "\n".join(lines)
