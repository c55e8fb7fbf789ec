"""The rows of a collection are the rows of what was collected: same times, same paths."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from engine.cli.main import status_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture
def rows(capsysbinary):
    """Gives the rows of a run, as printed."""

    def run(*arguments: str | Path) -> bytes:
        capsysbinary.readouterr()
        assert status_of(["run", *map(str, arguments), "-q", "--no-cache"]) == 0
        return capsysbinary.readouterr().out

    return run


def homes_of_all_agents(base: Path) -> Path:
    """A tree with a home for each home among the fixtures, its files with times of their own, to the nanosecond."""
    tree = base / "homes"
    for number, home in enumerate(sorted(FIXTURES.glob("*/**/home"))):
        shutil.copytree(home, tree / f"user{number}", symlinks=True)
    for number, path in enumerate(sorted(tree.rglob("*"))):
        moment = 1_700_000_000_000_000_000 + number * 1_000_000_007
        os.utime(path, ns=(moment, moment), follow_symlinks=False)
    return tree


@pytest.mark.parametrize("out", ["all.tar.gz", "all.zip", "all"])
def test_a_collection_of_all_agents_gives_the_rows_of_their_homes(tmp_path, rows, out):
    tree = homes_of_all_agents(tmp_path)
    wanted = rows(tree)
    assert status_of(["collect", str(tree), "-o", str(tmp_path / out), "-q"]) == 0
    found = rows(tmp_path / out)
    assert found == wanted
    by_mtime = [row for line in found.splitlines() if (row := json.loads(line))["time_basis"] == "file_mtime"]
    assert any(len(row["time_raw"].partition(".")[2]) == 9 for row in by_mtime)
    assert len({row["agent"] for row in map(json.loads, found.splitlines())}) >= 3


def test_an_image_with_projects_and_its_collection_give_the_same_rows(tmp_path, rows):
    disk = tmp_path / "disk"
    (disk / "home").mkdir(parents=True)
    (disk / "etc").mkdir()
    (disk / "etc/hostname").write_text("box1\n")
    shutil.copytree(FIXTURES / "claude-code/home", disk / "home/alice")
    project = disk / "home/alice/proj/.claude"
    project.mkdir(parents=True)
    (project / "settings.json").write_text('{"permissions": {"allow": ["Bash(ls:*)"]}}')
    wanted = rows(disk, "--host", "box1")
    assert b"projects/home/alice/proj/.claude/settings.json" in wanted
    assert status_of(["collect", str(disk), "-o", str(tmp_path / "box1.tar.gz"), "-q"]) == 0
    assert rows(tmp_path / "box1.tar.gz") == wanted


@pytest.mark.parametrize("kind", ["kape", "uac", "velociraptor"])
def test_the_trees_of_other_collectors_give_rows_with_the_projects_that_they_name(tmp_path, rows, kind):
    shown = [json.loads(line) for line in rows(FIXTURES / "collectors" / kind, "--spec", "claude-code").splitlines()]
    assert [row["text"].split(":")[0] for row in shown if row["turn_type"] == "user"] in (
        ["hello from ann"], ["hello from bob"], ["hello from Ann Bee"],
    )  # fmt: skip
    assert any(
        row["source_file"].startswith("projects/") and row["source_file"].endswith("settings.json") for row in shown
    )
