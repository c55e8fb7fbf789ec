"""`engine detect`: what is there, and what of a collection is not as it was."""

from __future__ import annotations

import json
import tarfile
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


def test_agents_stores_files_and_strangers_are_told(engine, case):
    status, out, _ = engine("detect", case.home)
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == f"input      {case.home}: taken for a home"
    assert lines[1] == f"home       {case.home} (user alice)"
    assert lines[2].startswith("  toy          5 files, 45 bytes, 20")
    assert any(line.startswith("    chats                  2 files, 40 bytes") for line in lines)
    assert any("names" in line and "; no walk reads it" in line for line in lines)
    assert any(line.startswith("    (no store)             1 file, 1 bytes") for line in lines)
    assert "unknown    .strange of alice: messages of a model in .strange/sessions/1.jsonl" in lines
    assert "dull" not in out


def test_the_same_as_json_with_each_file(engine, case):
    _, out, _ = engine("detect", case.home, "--json", "--files")
    told = json.loads(out)
    (toy,) = told["found"]
    assert (toy["agent"], toy["user"], toy["files"], toy["unread"]["files"]) == ("toy", "alice", 5, 1)
    assert {store["store"]: store["walked"] for store in toy["stores"]} == {
        "chats": True,
        "events": True,
        "names": False,
    }
    assert {"source_file": ".toy/events/e/1.json", "size": 2, "stores": ["events"]} in toy["source_files"]
    assert [odd["path"] for odd in told["unknown"]] == [".strange"]


def test_nothing_found_is_exit_status_1(engine, tmp_path):
    (tmp_path / "bare").mkdir()
    assert engine("detect", tmp_path / "bare")[0] == 1


def test_control_characters_of_names_reach_no_terminal(engine, case):
    case.put({".toy/\x1b[2J": "x"})
    assert "\x1b" not in engine("detect", case.home, "--files")[1]


@pytest.fixture
def collection(case, tmp_path):
    case.collect("c")
    return tmp_path / "c"


def problems(engine, collection: Path, *options: str) -> dict[str, str]:
    told = json.loads(engine("detect", collection, "--json", *options)[1])
    return {item["path"].removeprefix(f"{collection}: "): item["reason"] for item in told["problems"]}


def test_a_whole_collection_has_no_fault(engine, collection):
    assert problems(engine, collection) == {}
    assert "a collection" in engine("detect", collection)[1]


def test_what_is_missing_changed_or_added_in_a_collection_is_said(engine, collection, case):
    below = f"fs{case.home}/.toy"
    (collection / below / "chats/1.jsonl").write_text(CHAT.replace("/nowhere", "/NOWHERE"))
    (collection / below / "else").write_text("longer")
    (collection / below / "names.json").unlink()
    (collection / below / "chats/9.jsonl").write_text(CHAT)
    (collection / "collector.log").unlink()
    faults = {
        f"{below}/chats/1.jsonl": "changed: its SHA-256 is not that of the manifest",
        f"{below}/else": "changed: 6 bytes, 1 in the manifest",
        f"{below}/names.json": "missing: the manifest lists it",
        f"{below}/chats/9.jsonl": "added: the manifest does not list it",
        "collector.log": "missing",
    }
    assert problems(engine, collection) == faults
    del faults[f"{below}/chats/1.jsonl"]
    assert problems(engine, collection, "--no-hash") == faults


def test_a_run_says_it_too(engine, collection, case):
    (collection / f"fs{case.home}/.toy/else").unlink()
    assert f"fs{case.home}/.toy/else: missing: the manifest lists it" in engine("run", collection)[2]


def test_an_archive_is_held_to_its_sidecar(engine, case, tmp_path):
    case.collect("c.tar.gz")
    archive = tmp_path / "c.tar.gz"
    assert "problem" not in engine("detect", archive)[1]
    (tmp_path / "c.tar.gz.sha256").write_text("0" * 64 + "  c.tar.gz\n")
    assert f"problem    {archive}: its SHA-256 is not that of c.tar.gz.sha256" in engine("detect", archive)[1]


def test_a_collection_without_a_manifest_is_said(engine, collection):
    (collection / "manifest.jsonl").unlink()
    assert "no manifest.jsonl: its files can't be verified" in engine("detect", collection)[1]


def test_nothing_found_is_said(engine, tmp_path):
    (tmp_path / "empty").mkdir()
    status, out, _ = engine("detect", tmp_path / "empty")
    assert status == 1
    assert out.splitlines()[1:] == ["nothing was found that these specs describe"]


def test_a_home_in_an_archive_is_named_by_the_archive(engine, case, tmp_path):
    archive = tmp_path / "home.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        out.add(case.home, "home/alice")
    _, out, _ = engine("detect", archive)
    assert f"home       {archive}:home/alice (user alice)" in out.splitlines()
    found = json.loads(engine("detect", archive, "--json")[1])["found"]
    assert {each["path"] for each in found} == {f"{archive}:home/alice"}
