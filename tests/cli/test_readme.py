"""What the README says is so."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from engine.cli.main import command
from engine.rows import COLUMNS

ROOT = Path(__file__).resolve().parent.parent.parent
README = (ROOT / "README.md").read_text()


def test_every_command_stands_in_the_readme():
    for name in command.list_commands(click.Context(command)):
        assert f"| `engine {name} " in README or f"| `engine {name}` |" in README, name


def test_every_column_stands_in_the_readme_in_order():
    named = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]*`) \|", README.split("## Columns")[1], re.M)))
    assert tuple(name for name in named if name in COLUMNS)[: len(COLUMNS)] == COLUMNS


def test_every_file_that_the_readme_points_to_is_there():
    table = README.split("## To change X, open Y")[1]
    for name in re.findall(r"`([a-z.]+/[^`<]*)`", table):
        assert any(ROOT.glob(name.rstrip("/"))), name


def consoles() -> list[str]:
    """The console blocks of the README, one after the other: later ones see what earlier ones left."""
    return re.findall(r"^```console\n(.*?)^```$", README, re.M | re.S)


def commands(block: str) -> list[tuple[str, list[str]]]:
    """Each command of a block, and the lines that it is said to print."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line[2:]}", [])
        else:
            found[-1][1].append(line)
    return found


def as_said(printed: list[str], said: list[str]) -> bool:
    """Whether a command printed what is said: `…` as a line stands for any lines, at a line's end for any rest."""
    if not said:
        return not printed
    if said[0] == "…":
        return any(as_said(printed[skipped:], said[1:]) for skipped in range(len(printed) + 1))
    if not printed:
        return False
    head = said[0].removesuffix("…")
    return (printed[0].startswith(head) if head != said[0] else printed[0] == head) and as_said(printed[1:], said[1:])


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """Runs a command in a copy of the checkout, `/tmp` a folder of its own; gives the lines that it printed."""
    base = tmp_path_factory.mktemp("readme")
    for name in ("specs", "schemas", "fixtures"):
        shutil.copytree(ROOT / name, base / "checkout" / name)
    for name in ("bin", "tmp"):
        (base / name).mkdir()
    engine = base / "bin" / "engine"
    start = "from engine.cli.main import main; main()"
    engine.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -c "{start}" "$@"\n')
    engine.chmod(0o755)
    environment = {**os.environ, "PATH": f"{base / 'bin'}:{os.environ['PATH']}"}

    def run(command: str) -> list[str]:
        command = command.replace("/tmp/", f"{base}/tmp/")
        done = subprocess.run(
            ["bash", "-c", command], cwd=base / "checkout", env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        return done.stdout.replace(f"{base}/tmp/", "/tmp/").splitlines()

    return run


def test_every_command_of_a_console_block_prints_what_the_readme_shows(shell: Callable[[str], list[str]]) -> None:
    blocks = consoles()
    assert len(blocks) >= 5
    for block in blocks:
        for line, said in commands(block):
            printed = shell(line)
            assert as_said(printed, said), (line, printed)
