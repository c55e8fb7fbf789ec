"""A home of a toy agent with files of every kind, and the command run on what became of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.cli.main import status_of
from tests.collect.collecting import Case

CHAT = '{"cwd": "/nowhere"}\n'


@pytest.fixture
def toy_home(tmp_path: Path) -> Case:
    found = Case(tmp_path)
    found.put({
        ".toy/chats/1.jsonl": CHAT, ".toy/chats/2.jsonl": CHAT, ".toy/events/e/1.json": "{}", ".toy/names.json": "{}",
        ".toy/else": "x", ".strange/sessions/1.jsonl": '{"role": "assistant"}', ".config/dull/x.json": "{}",
    })  # fmt: skip
    return found


@pytest.fixture
def on_toy(toy_home: Case, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command with the toy's spec: status, stdout, stderr."""

    def run(command: str, *arguments: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        status = status_of([command, *map(str, arguments), "--spec", str(toy_home.spec)])
        return (status, *capsys.readouterr())

    return run
