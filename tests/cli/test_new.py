"""`engine new` as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import Engine
from tests.review.test_scaffold import log


@pytest.fixture
def engine(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Engine:
    return Engine(tmp_path, capfdbinary)


def test_a_spec_goes_to_stdout_or_to_a_new_file(engine: Engine, tmp_path: Path) -> None:
    sample, out = log(tmp_path), tmp_path / "made.yaml"
    printed = engine("new", "toy", "--from", sample)
    assert printed.status == 0 and printed.out.startswith(b"# yaml-language-server: $schema=")
    said = engine("new", "toy", "--from", sample, "-o", out)
    assert said.out.decode() == f"{out}: {out.read_text().count('TODO')} times TODO; next: engine check {out}\n"
    assert out.read_bytes() == printed.out
    assert json.loads(engine("new", "toy", "--from", sample, "--json").out)["spec"] == out.read_text()


def test_several_samples_follow_one_from(engine: Engine, tmp_path: Path) -> None:
    samples = [log(tmp_path, f"2026-01-0{day}.jsonl") for day in (1, 2)]
    assert b"from 2 sample files" in engine("new", "toy", "--from", *samples).out


def test_wrong_uses_are_one_line(engine: Engine, tmp_path: Path) -> None:
    sample, out = log(tmp_path), tmp_path / "made.yaml"
    out.write_text("mine")
    for arguments, message in (
        (["new", "toy"], "Missing option '--from'"),
        (["new", "a b", "--from", sample], "`a b` is no id of an agent"),
        (["new", "toy", "--from", tmp_path / "no"], "No such file or directory"),
        (["new", "toy", "--from", sample, "-o", out], f"{out} exists"),
        (["new", "toy", "--from", sample, "--home", tmp_path / "x"], "not every sample file lies there"),
    ):
        ended = engine(*map(str, arguments))
        assert ended.status == 2 and message in ended.err and ended.err.count("\n") == 1, ended
    assert out.read_text() == "mine"
