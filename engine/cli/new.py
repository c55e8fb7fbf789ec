"""`engine new`: a first spec from sample files."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.errors import UsageError
from engine.review.scaffold import scaffold


@click.command("new", short_help="Write a first spec from sample files.")
@click.argument("agent")
@click.option("--from", "first", required=True, metavar="FILE...", help="Sample files; more may follow without --from.")
@click.argument("more", nargs=-1, metavar="")
@click.option("--home", metavar="DIR", help="The home that the files lie in.  [default: told from their paths]")
@click.option("-o", "--out", metavar="FILE", help="Where to write the spec; a file that exists is not replaced.")
@click.option("--json", "as_json", is_flag=True, help="Print {file, spec} as JSON.")
def command(agent: str, first: str, more: tuple[str, ...], home: str | None, out: str | None, as_json: bool) -> None:
    """Write a first spec for AGENT: how its files are read, the shapes of their records, what tells them apart, which
    members may be columns. It reads every record of the samples; citations say TODO, and `engine check` asks for them.

    Example: engine new notes --from ~/.notes/log/*.jsonl -o specs/notes.yaml
    """
    if out == "-":
        out = None
    paths = [Path(name) for name in (first, *more)]
    if home is not None and not all(path.absolute().is_relative_to(Path(home).absolute()) for path in paths):
        raise UsageError(f"--home {home}: not every sample file lies there")
    text = scaffold(agent, paths, Path(home) if home is not None else None)
    if out is not None:
        _write(Path(out), text)
    if as_json:
        click.echo(json.dumps({"file": out, "spec": text}, ensure_ascii=False))
    elif out is None:
        click.echo(text, nl=False)
    else:
        click.echo(f"{out}: {text.count('TODO')} times TODO; next: engine check {out}")


def _write(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} exists: name another file, or remove it first") from None
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error
