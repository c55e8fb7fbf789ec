"""The rows of a collection are the rows of what was collected: same times, same paths."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path

import pytest

from engine.cli.main import status_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Where compiled specs are kept while these tests run."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def rows(capsysbinary, monkeypatch, cache):
    """Gives the rows of a run, as printed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))

    def run(*arguments: str | Path) -> bytes:
        capsysbinary.readouterr()
        assert status_of(["run", *map(str, arguments), "-q"]) == 0
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


@pytest.mark.parametrize(
    "out", ["all.tar.gz", pytest.param("all.zip", marks=pytest.mark.slow), pytest.param("all", marks=pytest.mark.slow)]
)
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
    spec = ("--spec", "claude-code")
    wanted = rows(disk, "--host", "box1", *spec)
    assert b"projects/home/alice/proj/.claude/settings.json" in wanted
    assert status_of(["collect", str(disk), *spec, "-o", str(tmp_path / "box1.tar.gz"), "-q"]) == 0
    assert rows(tmp_path / "box1.tar.gz", *spec) == wanted


@pytest.mark.parametrize("link", ["etc", "etc/hostname"])
def test_what_an_image_is_called_is_not_read_through_a_link(tmp_path, link):
    disk, mine = tmp_path / "disk", tmp_path / "mine"
    shutil.copytree(FIXTURES / "claude-code/home", disk / "home/alice")
    (disk / "etc").mkdir()
    (disk / "etc/hostname").write_text("box1\n")
    assert _hostname(disk, tmp_path / "named.zip") == "box1"
    (disk / "etc").rename(mine)
    (disk / link).parent.mkdir(exist_ok=True)
    (disk / link).symlink_to(mine if link == "etc" else mine / "hostname")
    assert _hostname(disk, tmp_path / "linked.zip") == ""


def _hostname(disk: Path, out: Path) -> str:
    assert status_of(["collect", str(disk), "--as", "image", "--spec", "claude-code", "-o", str(out), "-q"]) == 0
    with zipfile.ZipFile(out) as collection:
        return json.loads(collection.read("collection.json"))["hostname"]


@pytest.mark.parametrize("kind", ["kape", "uac", "velociraptor"])
def test_the_trees_of_other_collectors_give_rows_with_the_projects_that_they_name(tmp_path, rows, kind):
    shown = [json.loads(line) for line in rows(FIXTURES / "collectors" / kind, "--spec", "claude-code").splitlines()]
    assert [row["text"].split(":")[0] for row in shown if row["turn_type"] == "user"] in (
        ["hello from ann"], ["hello from bob"], ["hello from Ann Bee"],
    )  # fmt: skip
    assert any(
        row["source_file"].startswith("projects/") and row["source_file"].endswith("settings.json") for row in shown
    )


@pytest.mark.parametrize("kind", ["kape", "uac", "velociraptor"])
def test_a_collection_of_such_a_tree_gives_its_rows(tmp_path, rows, kind):
    tree = FIXTURES / "collectors" / kind
    spec = ("--spec", "claude-code")
    assert status_of(["collect", str(tree), *spec, "-o", str(tmp_path / "c.zip"), "-q"]) == 0
    assert rows(tmp_path / "c.zip", *spec) == rows(tree, *spec)


def test_a_root_that_a_variable_moved_is_collected_and_read_again(tmp_path, rows, monkeypatch):
    home, moved = tmp_path / "home", tmp_path / "elsewhere/codex"
    session = {"timestamp": "2026-03-01T09:00:00.000Z", "type": "session_meta", "payload": {"id": "x", "cwd": "/w"}}
    content = [{"type": "output_text", "text": "hi"}]
    payload = {"type": "message", "role": "assistant", "content": content}
    said = {"timestamp": "2026-03-01T09:00:01.000Z", "type": "response_item", "payload": payload}
    day = moved / "sessions/2026/03/01"
    day.mkdir(parents=True)
    home.mkdir()
    name = "rollout-2026-03-01T09-00-00-0a000000-0000-4000-8000-0000000000cc.jsonl"
    (day / name).write_text(json.dumps(session) + "\n" + json.dumps(said) + "\n")
    (moved / "auth.json").write_text("{}")
    for variable, value in (("HOME", home), ("USER", "me"), ("CODEX_HOME", moved)):
        monkeypatch.setenv(variable, str(value))
    wanted = rows("--spec", "codex-cli", "--host", "h")
    assert b'"text":"hi"' in wanted
    out = tmp_path / "c.tar.gz"
    assert status_of(["collect", "--spec", "codex-cli", "--host", "h", "-o", str(out), "-q", "--no-secrets"]) == 0
    assert '"status":"skipped_secret"' in (tmp_path / "c.manifest.jsonl").read_text().replace(": ", ":")
    assert rows(out, "--spec", "codex-cli") == wanted
