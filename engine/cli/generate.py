"""`engine generate`: the Python module of a spec."""

from __future__ import annotations

import difflib
from pathlib import Path

import click

from engine.errors import UsageError
from engine.lang.load import load_plan
from engine.write.files import write_text


@click.command("generate", short_help="Write a spec as a Python module.")
@click.option("--spec", required=True, metavar="SPEC", help="A known spec or a file.")
@click.option("-o", "--out", metavar="FILE", help="Where to write it.  [default: stdout]")
@click.option("--check", is_flag=True, help="Write nothing; say whether FILE is what the spec gives, with a diff.")
def command(spec: str, out: str | None, check: bool) -> int:
    """Write the Python module that gives a spec's rows: what `engine run` compiles in memory.

    With this package's Python, the module is a program: python FILE HOME prints the rows of a home as JSONL. With
    --check the exit status is 0 when FILE is up to date, else 1.

    Example: engine generate --spec zed -o zed_rows.py
    """
    from codegen.module import generate

    if out == "-":
        out = None
    if check and out is None:
        raise UsageError("--check needs -o FILE")
    text = generate(load_plan(spec))
    if out is None:
        click.echo(text, nl=False)
    elif check:
        return _compared(Path(out), text)
    else:
        write_text(Path(out), text)
    return 0


def _compared(path: Path, text: str) -> int:
    """Prints how a file differs from the text it should have; 0 when it does not."""
    try:
        found = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        found = ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    if found == text:
        return 0
    lines = difflib.unified_diff(
        found.splitlines(keepends=True), text.splitlines(keepends=True), str(path), f"{path} (from the spec)"
    )
    click.echo("".join(lines), nl=False)
    return 1
