"""Where the rows of a command go: which files, in which format."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from engine.cli.terminal import TerminalOutput
from engine.errors import UsageError
from engine.write.csv import Csv
from engine.write.files import OutputFile, StandardOutput, Target
from engine.write.jsonl import JsonLines
from engine.write.sink import Sink

FORMATS = ("jsonl", "csv")


@dataclass(frozen=True, slots=True)
class Place:
    """`rows` is a file or None (standard output); `folder` the directory that also gets sessions and `run.json`."""

    format: str
    rows: Path | None
    folder: Path | None


def place(out: str | None, format_: str | None) -> Place:
    """What `--out` and `--format` say. Raises UsageError when the format can't be told."""
    if out is None or out == "-":
        return Place(format_ or "jsonl", None, None)
    path = Path(out)
    suffix = path.suffix.lower().removeprefix(".")
    if out.endswith("/") or path.is_dir() or not suffix:
        chosen = format_ or "jsonl"
        return Place(chosen, path / f"timeline.{chosen}", path)
    if format_ is None and suffix not in FORMATS:
        known = ", ".join(FORMATS)
        raise UsageError(f"--out {out}: unknown format '{suffix}' (known: {known}; a folder ends with '/')")
    return Place(format_ or suffix, path, None)


def refuse_inside(out: Place, inputs: list[Path]) -> None:
    """Nothing is ever written into evidence. Raises UsageError when an output would be below an input."""
    target = out.folder or out.rows
    if target is None:
        return
    real = target.resolve()
    for given in inputs:
        if real.is_relative_to(given.resolve()):
            raise UsageError(f"--out {target} is inside the input {given}: nothing is written into what is read")


def sink_for(out: Place) -> Sink:
    target = OutputFile(out.rows) if out.rows else _standard_output()
    return Csv(target) if out.format == "csv" else JsonLines(target)


def on_terminal(out: Place) -> bool:
    """Whether the rows go to a terminal."""
    return out.rows is None and sys.stdout.isatty()


def _standard_output() -> Target:
    return TerminalOutput() if sys.stdout.isatty() else StandardOutput()
