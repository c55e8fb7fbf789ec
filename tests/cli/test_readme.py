"""What the README says is so."""

from __future__ import annotations

import re
from pathlib import Path

import click

from engine.cli.main import command, status_of
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


def test_the_first_run_prints_what_the_readme_shows(capsysbinary, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert status_of(["run", "fixtures/zed/home", "--spec", "zed"]) == 0
    out, err = capsysbinary.readouterr()
    shown = README.split("## A first run")[1].split("```")[1]
    said, _, row = shown.partition("…\n")
    assert err.decode().startswith(said.split("\n", 2)[2])
    assert out.startswith(row.split("\n")[1].removesuffix("…").encode())
