"""`engine inventory`: a line for each host, user and agent."""

from __future__ import annotations

import csv
from pathlib import Path

CHAT = '{"cwd": "/nowhere"}\n'


def test_a_fleet_has_a_line_for_each_host_user_and_agent(on_toy, toy_home, tmp_path):
    toy_home.collect("c.zip")
    toy_home.put({"=cmd/.toy/chats/1.jsonl": CHAT, "bob/.toy/chats/1.jsonl": CHAT}, "tree")
    out = tmp_path / "fleet.csv"
    status, _, _ = on_toy("inventory", tmp_path / "c.zip", tmp_path / "disk/tree", "-o", out)
    assert status == 0
    rows = list(csv.DictReader(out.open()))
    assert [(row["host"], row["user"], row["agent"], row["files"]) for row in rows] == [
        ("", "'=cmd", "toy", "1"), ("", "bob", "toy", "1"), ("box", "alice", "toy", "5"),
    ]  # fmt: skip
    assert rows[2]["stores"] == "chats events names" and rows[2]["unread_files"] == "1"


def test_a_dash_is_stdout(on_toy, toy_home, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert on_toy("inventory", toy_home.home, "-o", "-") == on_toy("inventory", toy_home.home)
    assert not Path("-").exists()


def test_an_input_that_cant_be_used_is_said_and_the_others_are_listed(on_toy, toy_home, tmp_path):
    status, out, err = on_toy("inventory", tmp_path / "gone", toy_home.home)
    assert status == 2
    assert "gone: does not exist" in err
    assert len(out.splitlines()) == 2
