"""Typed decoding: what a walk does not read is not decoded, and that is not to be seen in any row."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

from engine.lang.load import load_plan
from engine.lang.plan import Plan
from engine.read import blocks
from engine.read.blocks import LineBlock
from engine.run.reads import Reads, TypedLines
from tests.codegen.both import Found, assert_one_result, by, rules_of
from tests.codegen.test_generate import SPEC

WALKS = """
walks:
  log:
    columns: {session_id: path.session}
    steps:
      - switch: record.type
        cases:
          said: [{emit: said, turn: user, text: {text: '{record.m.a} {next.record.m.a}'}}]
          all: [{emit: all, event: notice, text: 'json_text(record)'}]
          each: [{each: {part: record.parts}, count: true, steps: [{emit: part, turn: user, text: part.a}]}]
          none: [{ignore: nothing in it}]
        otherwise: [{keep_json: true, type: record.type, rest: 'omit(record, `"type"`)'}]
"""
SAID = b'{"type": "said", "unread": [1, {"a": "b"}], "m": {"a": "x", "unread": "y"}}\n'
FILES = {
    "objects": SAID * 3,
    "numbers out of range": b'{"type": "all", "b": 1e999, "c": ' + b"9" * 5000 + b"}\n" + SAID,
    "bytes that are no UTF-8": SAID + b'{"type": "said", "m": {"a": "x"}, "unread": "\xff"}\n' + SAID,
    "half of a pair": SAID + b'{"type": "said", "m": {"a": "x"}, "unread": "\\ud800"}\n' + SAID,
    "broken where nothing is read": SAID + b'{"type": "said", "m": {"a": "x"}, "unread": [1,]}\n' + SAID,
    "deep where nothing is read": SAID + b'{"type": "said", "unread": ' + b"[" * 600 + b"]" * 600 + b"}\n" + SAID,
    "one name twice": b'{"type": "all", "m": {"a": "z"}, "m": {"a": "x"}, "unread": 1}\n' + SAID,
    "an object that is none": SAID + b'{"type": "said", "m": ["a"]}\n' + SAID,
    "whole records": SAID + b'{"type": "all", "unread": 1}\n{"type": "new", "unread": 1}\n' + SAID,
    "a record by itself": b'{"type": "none", "unread": 1}\n{"unread": 2}\n{"type": "each", "unread": 3}\n' + SAID,
    "elements": b'{"type": "each", "unread": 1, "parts": [{"a": "x", "b": 1}, {"b": 2}, 3]}\n' + SAID,
    "a last line that is whole": SAID + b'{"type": "all", "unread": 1}',
}


def given(base: Path, content: bytes) -> tuple[Plan, Path]:
    (base / "home" / "toy").mkdir(parents=True)
    (base / "home" / "toy" / "s1.jsonl").write_bytes(content)
    spec = base / "toy.yaml"
    spec.write_text(SPEC[: SPEC.index("walks:")] + WALKS, encoding="utf-8")
    return load_plan(spec), base / "home"


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
@pytest.mark.parametrize("size", [40, 100, blocks.BLOCK])
def test_what_is_not_decoded_is_not_missed(
    content: bytes, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", size)
    assert_one_result(*given(tmp_path, content))


def rows_and_reads(plan: Plan, home: Path) -> tuple[Found, Reads]:
    rules = rules_of(plan)
    return by(plan, home, rules.rows), rules.reads_of("log", "log")


def test_objects_are_decoded_in_part_where_much_of_them_is_not_read(tmp_path: Path) -> None:
    long = b'{"type": "none", "unread": "' + b"x" * 2000 + b'"}\n'
    with mock.patch("engine.run.feed.TypedLines", wraps=TypedLines) as used:
        _, reads = rows_and_reads(*given(tmp_path / "long", long * 200))
    assert reads.worth and used.called
    _, reads = rows_and_reads(*given(tmp_path / "short", b'{"type": "said", "m": {"a": "x"}}\n' * 20000))
    assert reads.worth is False


def test_records_that_are_often_asked_for_whole_are_decoded_whole(tmp_path: Path) -> None:
    whole = b'{"type": "all", "unread": "' + b"x" * 2000 + b'"}\n'
    _, reads = rows_and_reads(*given(tmp_path, whole * 400))
    assert reads.worth is False


def test_long_texts_are_decoded_whole() -> None:
    reads = Reads({"type": None})
    reads.worth = True
    data = b'{"type": "none", "unread": "' + b"x" * (1 << 20) + b'"}\n'
    values, typed = reads.decoded(LineBlock(0, data, 1, True), 512)
    assert values is not None and "unread" in values[0] and not typed
