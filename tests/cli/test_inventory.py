"""`engine inventory`: a line for each host, user and agent."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from engine.cli.main import status_of
from tests.collect.collecting import Case

CHAT = '{"cwd": "/nowhere"}\n'


@pytest.fixture
def case(tmp_path):
    found = Case(tmp_path)
    found.put({
        ".toy/chats/1.jsonl": CHAT, ".toy/chats/2.jsonl": CHAT, ".toy/events/e/1.json": "{}", ".toy/names.json": "{}",
        ".toy/else": "x", ".strange/sessions/1.jsonl": '{"role": "assistant"}', ".config/dull/x.json": "{}",
    })  # fmt: skip
    return found


@pytest.fixture
def engine(case, capsys):
    def run(command: str, *arguments: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        status = status_of([command, *map(str, arguments), "--spec", str(case.spec)])
        return (status, *capsys.readouterr())

    return run


def test_a_fleet_has_a_line_for_each_host_user_and_agent(engine, case, tmp_path):
    case.collect("c.zip")
    case.put({"=cmd/.toy/chats/1.jsonl": CHAT, "bob/.toy/chats/1.jsonl": CHAT}, "tree")
    out = tmp_path / "fleet.csv"
    status, _, _ = engine("inventory", tmp_path / "c.zip", tmp_path / "disk/tree", "-o", out)
    assert status == 0
    rows = list(csv.DictReader(out.open()))
    assert [(row["host"], row["user"], row["agent"], row["files"]) for row in rows] == [
        ("", "'=cmd", "toy", "1"), ("", "bob", "toy", "1"), ("box", "alice", "toy", "5"),
    ]  # fmt: skip
    assert rows[2]["stores"] == "chats events names" and rows[2]["unread_files"] == "1"


def test_a_dash_is_stdout(engine, case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert engine("inventory", case.home, "-o", "-") == engine("inventory", case.home)
    assert not Path("-").exists()


def test_an_input_that_cant_be_used_is_said_and_the_others_are_listed(engine, case, tmp_path):
    status, out, err = engine("inventory", tmp_path / "gone", case.home)
    assert status == 2
    assert "gone: does not exist" in err
    assert len(out.splitlines()) == 2
