"""`engine census`: what it prints and how it ends."""

from __future__ import annotations

import json

import pytest

from tests.cli.command import Engine
from tests.review.test_census import SPEC, lines
from tests.run.walking import home_of, plan_of

RECORDS = ({"type": "user", "old": 1, "version": "1.2"}, {"type": "ping", "new": [1], "version": "1.2"})


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


@pytest.fixture
def toy(tmp_path):
    """The arguments that name the toy home and its spec."""
    base = tmp_path / "census"
    base.mkdir()
    plan_of(base, SPEC + "    unread: {log.old: 'a habit', log.version: 'of the agent'}\n")
    return home_of(base, {"toy/s.jsonl": lines(*RECORDS)}), "--spec", base / "toy.yaml"


def test_what_is_not_read_is_told_by_store_with_counts_and_a_place(engine, toy):
    ended = engine("census", *toy)
    assert ended.status == 1
    assert (
        ended.out.decode()
        == """toy: 1 file
  version  log  record.version: 1.2 (2)
  key      log  record.new (array)  1×  toy/s.jsonl:2
  value    log  record.type = ping  1×  toy/s.jsonl:2
  2 more that the spec names as left alone (--all)
"""
    )


def test_all_lists_what_is_left_alone_with_its_reason(engine, toy):
    assert (
        "  key      log  record.old (integer)  1×  toy/s.jsonl:1  [a habit]\n"
        in engine("census", *toy, "--all").out.decode()
    )


def test_as_json(engine, toy):
    found = json.loads(engine("census", *toy, "--json").out)
    (agent,) = found["agents"]
    assert (agent["agent"], agent["files"], agent["secret_files"]) == ("toy", 1, 0)
    assert agent["versions"] == [{"store": "log", "path": "record.version", "values": {"1.2": 2}}]
    assert found["entries"][0] == {
        "agent": "toy", "store": "log", "kind": "key", "path": "record.new", "detail": "", "count": 1,
        "types": {"array": 1}, "example": "toy/s.jsonl:2", "left": "",
    }  # fmt: skip


def test_data_that_is_read_whole_ends_with_0(engine, toy, tmp_path):
    home = home_of(tmp_path / "other", {"toy/s.jsonl": lines({"type": "user"})})
    ended = engine("census", home, *toy[1:])
    assert (ended.status, ended.out) == (0, b"toy: 1 file\n  nothing that the spec neither reads nor names\n")


def test_data_of_no_agent_is_said_so(engine, toy, tmp_path):
    ended = engine("census", home_of(tmp_path / "other", {"x": "1"}), *toy[1:])
    assert (ended.status, ended.out) == (0, b"nothing was found that these specs describe\n")


@pytest.mark.parametrize(("arguments", "message"), [
    (["/no/such"], "/no/such: does not exist"),
    (["--spec", "nosuch"], "no such spec: nosuch"),
    (["--spec", "zed", "--spec", "zed"], "is about zed too"),
    (["--as", "nosuch"], "Invalid value for '--as'"),
])  # fmt: skip
def test_each_wrong_use_is_one_clear_line(engine, arguments, message):
    ended = engine("census", *arguments)
    assert (ended.status, ended.out, ended.err.count("\n")) == (2, b"", 1) and message in ended.err
