"""`engine collect`: its options and how it ends."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engine.cli.main import status_of
from tests.collect.collecting import Case

ENGINE = (sys.executable, "-c", "from engine.cli.main import main; main()")
CHAT = '{"cwd": "/nowhere"}\n'


@pytest.fixture
def case(tmp_path):
    found = Case(tmp_path)
    found.put({".toy/chats/1.jsonl": CHAT, ".toy/a.key": "k", ".toy/cache/x": "c"})
    return found


@pytest.fixture
def collect(case, capsys):
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        status = status_of(["collect", str(case.home), "--spec", str(case.spec), *map(str, arguments)])
        return (status, *capsys.readouterr())

    return run


def test_a_collection_is_summed_up(collect, tmp_path):
    status, out, err = collect("-o", tmp_path / "c.tar.gz", "--host", "box")
    assert (status, out) == (0, "")
    assert f"collection {tmp_path}/c.tar.gz sha256 " in err
    assert "taken for  home, image, host box" in err
    assert "skipped_excluded" in err
    assert sorted(path.name for path in tmp_path.glob("c.*")) == [
        "c.collection.json", "c.manifest.jsonl", "c.tar.gz", "c.tar.gz.sha256",
    ]  # fmt: skip


def test_a_dry_run_lists_and_writes_nothing(collect, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    status, out, _ = collect("--dry-run")
    assert status == 0
    assert f"collected secret\tfile\t1\t{tmp_path}/disk/home/alice/.toy/a.key" in out.splitlines()
    assert f"skipped_excluded\tdir\t1\t{tmp_path}/disk/home/alice/.toy/cache" in out.splitlines()
    assert sorted(tmp_path.rglob("*")) == before


def test_without_a_place_for_it_nothing_is_collected(collect):
    status, _, err = collect()
    assert status == 2 and "collect needs -o" in err


@pytest.mark.parametrize("name", ["c.tar", "c.tar.zst", "c.RAR", "c.7z"])
def test_the_name_of_another_archive_is_refused(collect, tmp_path, name):
    status, _, err = collect("-o", tmp_path / name)
    assert status == 2 and err == f"engine: {tmp_path / name}: a collection is a .tar.gz, a .zip or a directory\n"
    assert not (tmp_path / name).exists()


def test_a_home_without_agents_is_exit_status_1(tmp_path, case, capsys):
    (tmp_path / "empty").mkdir()
    assert status_of(["collect", str(tmp_path / "empty"), "--spec", str(case.spec), "-o", str(tmp_path / "e.zip")]) == 1


def test_secrets_and_sizes_are_options(collect, tmp_path):
    assert collect("-o", tmp_path / "c", "--no-secrets", "--max-size", "1K", "-q") == (0, "", "")
    rows = [json.loads(line) for line in (tmp_path / "c/manifest.jsonl").read_text().splitlines()]
    assert "skipped_secret" in {row["status"] for row in rows}
    told = json.loads((tmp_path / "c/collection.json").read_text())
    assert told["options"]["max_size"] == 1024 and told["options"]["secrets"] is False


def test_the_current_users_own_home_is_the_default(case, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(case.home))
    monkeypatch.setenv("USER", "me")
    assert status_of(["collect", "--spec", str(case.spec), "-o", str(tmp_path / "own.zip"), "-q"]) == 0
    told = json.loads((tmp_path / "own.collection.json").read_text())
    assert told["mode"] == "live"
    assert told["homes"] == [{"path": str(case.home), "user": "me", "original": str(case.home)}]


@pytest.mark.slow
def test_ctrl_c_leaves_a_collection_that_can_be_resumed(case, tmp_path):
    case.put({f".toy/f{n}": str(n) * 2000 for n in range(6000)})
    out = tmp_path / "c.tar.gz"
    command = [*ENGINE, "collect", str(case.home), "--spec", str(case.spec), "-o", str(out), "-q"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 30
    while not list(tmp_path.glob(".c.tar.gz.*.part")) and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads((tmp_path / "c.collection.json").read_text())["interrupted"] is True
    assert subprocess.run([*command, "--resume"], check=False).returncode == 0
    assert json.loads((tmp_path / "c.collection.json").read_text())["counts"]["collected"] > 6000
