"""`engine detect`: what is there, and what of a collection is not as it was."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

CHAT = '{"cwd": "/nowhere"}\n'


def test_agents_stores_files_and_strangers_are_told(on_toy, toy_home):
    status, out, _ = on_toy("detect", toy_home.home)
    assert status == 0
    lines = out.splitlines()
    assert lines[0] == f"input      {toy_home.home}: taken for a home"
    assert lines[1] == f"home       {toy_home.home} (user alice)"
    assert lines[2].startswith("  toy          5 files, 45 bytes, 20")
    assert any(line.startswith("    chats                  2 files, 40 bytes") for line in lines)
    assert any("names" in line and "; no walk reads it" in line for line in lines)
    assert any(line.startswith("    (no store)             1 file, 1 bytes") for line in lines)
    assert "unknown    .strange of alice: messages of a model in .strange/sessions/1.jsonl" in lines
    assert "dull" not in out


def test_the_same_as_json_with_each_file(on_toy, toy_home):
    _, out, _ = on_toy("detect", toy_home.home, "--json", "--files")
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


def test_nothing_found_is_exit_status_1(on_toy, tmp_path):
    (tmp_path / "bare").mkdir()
    assert on_toy("detect", tmp_path / "bare")[0] == 1


def test_control_characters_of_names_reach_no_terminal(on_toy, toy_home):
    toy_home.put({".toy/\x1b[2J": "x"})
    assert "\x1b" not in on_toy("detect", toy_home.home, "--files")[1]


@pytest.fixture
def collection(toy_home, tmp_path):
    toy_home.collect("c")
    return tmp_path / "c"


def problems(on_toy, collection: Path, *options: str) -> dict[str, str]:
    told = json.loads(on_toy("detect", collection, "--json", *options)[1])
    return {item["path"].removeprefix(f"{collection}: "): item["reason"] for item in told["problems"]}


def test_a_whole_collection_has_no_fault(on_toy, collection):
    assert problems(on_toy, collection) == {}
    assert "a collection" in on_toy("detect", collection)[1]


def test_what_is_missing_changed_or_added_in_a_collection_is_said(on_toy, collection, toy_home):
    below = f"fs{toy_home.home}/.toy"
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
    assert problems(on_toy, collection) == faults
    del faults[f"{below}/chats/1.jsonl"]
    assert problems(on_toy, collection, "--no-hash") == faults


def test_a_run_says_it_too(on_toy, collection, toy_home):
    (collection / f"fs{toy_home.home}/.toy/else").unlink()
    assert f"fs{toy_home.home}/.toy/else: missing: the manifest lists it" in on_toy("run", collection)[2]


def test_an_archive_is_held_to_its_sidecar(on_toy, toy_home, tmp_path):
    toy_home.collect("c.tar.gz")
    archive = tmp_path / "c.tar.gz"
    assert "problem" not in on_toy("detect", archive)[1]
    (tmp_path / "c.tar.gz.sha256").write_text("0" * 64 + "  c.tar.gz\n")
    assert f"problem    {archive}: its SHA-256 is not that of c.tar.gz.sha256" in on_toy("detect", archive)[1]


def test_a_collection_without_a_manifest_is_said(on_toy, collection):
    (collection / "manifest.jsonl").unlink()
    assert "no manifest.jsonl: its files can't be verified" in on_toy("detect", collection)[1]


def test_nothing_found_is_said(on_toy, tmp_path):
    (tmp_path / "empty").mkdir()
    status, out, _ = on_toy("detect", tmp_path / "empty")
    assert status == 1
    assert out.splitlines()[1:] == ["nothing was found that these specs describe"]


def test_a_home_in_an_archive_is_named_by_the_archive(on_toy, toy_home, tmp_path):
    archive = tmp_path / "home.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        out.add(toy_home.home, "home/alice")
    _, out, _ = on_toy("detect", archive)
    assert f"home       {archive}:home/alice (user alice)" in out.splitlines()
    found = json.loads(on_toy("detect", archive, "--json")[1])["found"]
    assert {each["path"] for each in found} == {f"{archive}:home/alice"}
