"""The command itself: version, help."""

from __future__ import annotations

import click
import pytest

from engine import __version__
from engine.cli.main import command
from tests.cli.command import Engine


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


def test_version(engine):
    assert engine("--version").out == f"engine {__version__}\n".encode()


def test_every_command_and_option_has_help_and_an_example(engine):
    context = click.Context(command)
    for name in command.list_commands(context):
        sub = command.get_command(context, name)
        assert sub is not None and sub.help and "Example: engine" in sub.help, name
        for option in sub.params:
            if isinstance(option, click.Option):
                assert option.help, f"{name} {option.opts}"
        assert engine(name, "--help").status == 0


def test_without_a_command_there_is_help_and_status_2(engine):
    ended = engine()
    assert (ended.status, ended.out.startswith(b"Usage: engine")) == (2, True)


def test_help_lists_every_command(engine):
    out = engine("--help").out.decode()
    assert all(f"\n  {name} " in out for name in ("run", "check", "specs"))
