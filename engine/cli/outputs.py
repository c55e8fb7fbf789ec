"""Where the rows of a command go: which files, in which format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from engine.cli.terminal import TerminalOutput
from engine.errors import UsageError
from engine.lang.plan import Plan
from engine.read.places import lies_in
from engine.write.files import OutputFile, StandardOutput, Target, is_device
from engine.write.jsonl import JsonLines
from engine.write.sink import Sink

#: format → what a file of it is called in a folder
_NAMES = {
    "jsonl": "timeline.jsonl",
    "csv": "timeline.csv",
    "parquet": "timeline.parquet",
    "sqlite": "timeline.sqlite",
    "duckdb": "timeline.duckdb",
    "timesketch": "timesketch.jsonl",
    "timesketch-csv": "timesketch.csv",
    "md": "timeline.md",
    "html": "report.html",
}
FORMATS = tuple(_NAMES)
_SUFFIXES = {"jsonl": "jsonl", "csv": "csv", "parquet": "parquet", "sqlite": "sqlite", "sqlite3": "sqlite",
             "db": "sqlite", "duckdb": "duckdb", "md": "md", "markdown": "md", "html": "html"}  # fmt: skip
_BINARY = ("parquet", "sqlite", "duckdb")
_CSV = ("csv", "timesketch-csv")
_TIMESKETCH = ("timesketch", "timesketch-csv")
#: what can't say of itself which run it is of
_WITHOUT_RUN = ("jsonl", *_CSV, *_TIMESKETCH)


class Place(Struct, frozen=True):
    """`rows` is a file or None (standard output); `folder` the directory that also gets sessions and `run.json`.
    `partition`, `safe` and `bom` are options of a format."""

    format: str
    rows: Path | None
    folder: Path | None
    partition: bool = False
    safe: bool = False
    bom: bool = False

    @property
    def beside(self) -> list[Path]:
        """The files that stand beside the rows: sessions, and last the run."""
        if self.folder:
            return [self.folder / "sessions.jsonl", self.folder / "run.json"]
        if self.rows and self.format in _WITHOUT_RUN and not is_device(self.rows):
            return [self.rows.with_name(f"{self.rows.name}.run.json")]
        return []


def place(
    out: str | None, format_: str | None, *, partition: bool = False, safe: bool = False, bom: bool = False
) -> Place:
    """What `--out`, `--format` and the options of formats say. Raises UsageError when they don't fit together."""
    found = _place(out, format_)
    if found.rows is None and found.format in _BINARY:
        raise UsageError(f"--format {found.format} needs --out: it is no text for standard output")
    if partition and found.format != "parquet":
        raise UsageError(f"--partition is for parquet, not {found.format}")
    if (safe or bom) and found.format not in _CSV:
        raise UsageError(f"{'--csv-safe' if safe else '--csv-bom'} is for csv, not {found.format}")
    return Place(found.format, found.rows, found.folder, partition, safe, bom)


def _place(out: str | None, format_: str | None) -> Place:
    if out is None or out == "-":
        return Place(format_ or "jsonl", None, None)
    path = Path(out)
    if is_device(path):
        return Place(format_ or "jsonl", path, None)
    suffix = path.suffix.lower().removeprefix(".")
    known = suffix in _SUFFIXES
    if out.endswith("/") or (path.is_dir() and not known) or not suffix:
        chosen = format_ or "jsonl"
        return Place(chosen, path / _NAMES[chosen], path)
    if format_ is None and not known:
        names = ", ".join(_SUFFIXES)
        raise UsageError(f"--out {out}: unknown format '{suffix}' (known: {names}; a folder ends with '/')")
    chosen = format_ or _SUFFIXES[suffix]
    if known and chosen != _SUFFIXES[suffix] and {chosen, _SUFFIXES[suffix]} & set(_BINARY):
        raise UsageError(f"--out {out} has the name of a {_SUFFIXES[suffix]} file: --format {chosen} does not fit")
    return Place(chosen, path, None)


def refuse_inside(out: Place, inputs: list[Path]) -> None:
    """Nothing is ever written into evidence. Raises UsageError when an output would be below an input."""
    target = out.folder or out.rows
    if target is None:
        return
    for given in inputs:
        if lies_in(target, given):
            raise UsageError(f"--out {target} is inside the input {given}: nothing is written into what is read")


def sink_for(out: Place, plans: list[Plan]) -> Sink:
    """The sink; a report shows what the plans say of each rule."""
    if out.format == "html":
        from engine.report.page import ReportPage

        return ReportPage(OutputFile(out.rows) if out.rows else _standard_output(), plans)
    if out.format in _BINARY:
        assert out.rows is not None
        return _binary(out, out.rows)
    return _text(out.format)(OutputFile(out.rows) if out.rows else _standard_output(), **_options(out))


def _options(out: Place) -> dict[str, Any]:
    return {"cells_safe": out.safe, "bom": out.bom} if out.format in _CSV else {}


def _text(format_: str) -> Callable[..., Sink]:
    """The sink of a format that is text; what few runs need is imported when they do."""
    if format_ in _TIMESKETCH:
        from engine.write.timesketch import TimesketchCsv, TimesketchJsonLines

        return TimesketchCsv if format_ in _CSV else TimesketchJsonLines
    if format_ == "md":
        from engine.write.markdown import Markdown

        return Markdown
    if format_ == "csv":
        from engine.write.csv import Csv

        return Csv
    return JsonLines


def _binary(out: Place, path: Path) -> Sink:
    if out.format == "sqlite":
        from engine.write.sqlite import Sqlite

        return Sqlite(path)
    if out.format == "duckdb":
        from engine.write.duckdb import DuckDb

        return DuckDb(path)
    from engine.write.parquet import Parquet, PartitionedParquet

    return PartitionedParquet(path) if out.partition else Parquet(path)


def on_terminal(out: Place) -> bool:
    """Whether the rows go to a terminal."""
    return out.rows is None and sys.stdout.isatty()


def _standard_output() -> Target:
    return TerminalOutput() if sys.stdout.isatty() else StandardOutput()
