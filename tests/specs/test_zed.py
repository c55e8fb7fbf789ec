"""The Zed spec on homes: every shape, every store, and what is broken in them."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zed_home
import zstandard
from agent_run import Result, Runner, differences, emits, read_rows

FIXTURES = Path(__file__).parents[2] / "fixtures" / "zed"
CASES = sorted(case.name for case in (FIXTURES / "cases").iterdir())

THREADS = ".local/share/zed/threads/threads.db"
STABLE = ".local/share/zed/db/0-stable/db.sqlite"


def thread(number: int = 1, **more: Any) -> dict[str, Any]:
    """A described thread with one prompt; `more` replaces columns, `messages` those of the blob."""
    messages = more.pop("messages", [{"User": {"id": "u", "content": [{"Text": f"ask {number}"}]}}])
    blob = {"title": f"t{number}", "messages": messages, "updated_at": "2026-03-01T09:00:00Z", "version": "0.3.0"}
    row = {
        "id": f"6f1c0b2e-1111-4bbb-8ccc-{number:012d}", "summary": f"t{number}", "data_type": "zstd",
        "updated_at": "2026-03-01T09:00:00+00:00", "folder_paths": "/home/alice/proj", "folder_paths_order": "0",
    }  # fmt: skip
    return {**row, "blob": blob, **more}


@pytest.fixture
def run(tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner("zed", tmp_path_factory.mktemp("out"), capsys)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """The runs of all cases, by name."""
    made, run = {}, Runner("zed", tmp_path_factory.mktemp("out"))
    for name in CASES:
        home = zed_home.build(FIXTURES / "cases" / name, tmp_path_factory.mktemp(name) / "home")
        made[name] = run(home)
    return made


@pytest.mark.parametrize("name", CASES)
def test_each_case_gives_its_rows(name: str, results: dict[str, Result]) -> None:
    expected = read_rows(FIXTURES / "cases" / name / "rows.jsonl")
    assert differences(expected, results[name].rows) == []


def test_every_emit_of_the_spec_writes_a_row_of_some_case(results: dict[str, Result]) -> None:
    written = {row["rule"] for result in results.values() for row in result.rows}
    assert emits("zed") - written == set()


def test_the_seed_home_gives_the_rows_of_its_description(
    tmp_path: Path, results: dict[str, Result], run: Runner
) -> None:
    home = Path(shutil.copytree(FIXTURES / "home", tmp_path / "home"))
    assert run(home).rows == results["seed"].rows


def test_rows_of_a_thread_stand_in_the_order_of_its_blob(tmp_path: Path, run: Runner) -> None:
    home = zed_home.build(FIXTURES / "cases" / "current_full", tmp_path)
    rows = run(home, "--order", "file").rows
    wanted = read_rows(FIXTURES / "cases" / "current_full" / "rows.jsonl")
    assert [row["text"] for row in rows] == [row["text"] for row in wanted]


def test_no_value_of_a_connection_or_a_provider_is_in_the_output(tmp_path: Path, run: Runner) -> None:
    connection = {"Ssh": {"host": "192.0.2.5", "username": "al", "password": "SECRET-1", "args": ["SECRET-2"]}}
    row = {
        "thread_id": "hex:" + "00" * 16, "session_id": "s", "title": "Remote",
        "updated_at": "2026-03-01T09:00:00+00:00", "remote_connection": json.dumps(connection),
    }  # fmt: skip
    zed_home.write_database(tmp_path, {"sidebar_threads": [row]})
    zed_home.write_config(tmp_path, "settings.json", '\ufeff{"agent_servers": {"x": {"env": {"K": "SECRET-3"}}}}')
    zed_home.write_config(tmp_path, "development_credentials", '{"k": "SECRET-4"}')
    result = run(tmp_path)
    assert result.texts() == ["sidebar thread: title=Remote archived=false interacted_at=- main_worktree=-"]
    assert "SECRET" not in json.dumps(result.rows) + json.dumps(result.stores) + result.said


# ---------------------------------------------------------------------------------------------- journals, old tables


def test_rows_that_are_only_in_the_write_ahead_log_are_read(tmp_path: Path, run: Runner) -> None:
    home = tmp_path / "home"
    path = zed_home.write_database(tmp_path / "live", {})
    writer = sqlite3.connect(path)
    try:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("PRAGMA wal_autocheckpoint=0")
        zed_home.insert(writer, "sidebar_threads", [
            {"thread_id": "hex:" + "07" * 16, "session_id": "s7", "title": "In the log", "archived": 1,
             "updated_at": "2026-03-01T12:00:00+00:00"},
        ])  # fmt: skip
        writer.commit()
        (home / STABLE).parent.mkdir(parents=True)
        for suffix in ("", "-wal"):
            shutil.copy(f"{path}{suffix}", f"{home / STABLE}{suffix}")
    finally:
        writer.close()
    assert run(home).texts() == ["sidebar thread: title=In the log archived=true interacted_at=- main_worktree=-"]


def test_an_open_transaction_in_a_hot_journal_is_rolled_back(tmp_path: Path, run: Runner) -> None:
    home = tmp_path / "home"
    path = zed_home.write_threads(tmp_path / "live", [thread()])
    writer = sqlite3.connect(path, isolation_level=None)
    try:
        writer.execute("PRAGMA cache_size=1")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE threads SET summary = 'uncommitted', data = randomblob(20000)")
        writer.execute("PRAGMA cache_spill=1")
        writer.execute("UPDATE threads SET data = randomblob(90000)")
        (home / THREADS).parent.mkdir(parents=True)
        for suffix in ("", "-journal"):
            shutil.copy(f"{path}{suffix}", f"{home / THREADS}{suffix}")
        writer.execute("ROLLBACK")
    finally:
        writer.close()
    assert Path(f"{home / THREADS}-journal").stat().st_size > 0
    result = run(home)
    assert result.texts(turn_type="user") == ["ask 1"]
    assert result.notes == []


def test_an_old_sidebar_without_thread_ids_is_read(tmp_path: Path, run: Runner) -> None:
    old = {"session_id": "s", "title": "Old", "updated_at": "2026-03-01T09:00:00+00:00", "folder_paths": "/p"}
    rows: dict[str, list[dict[str, Any]]] = {
        "sidebar_threads": [old],
        "archived_git_worktrees": [{"id": 3, "worktree_path": "/w", "main_repo_path": "/p", "branch_name": "b"}],
        "thread_archived_worktrees": [{"session_id": "s", "archived_worktree_id": 3}],
    }
    zed_home.write_database(tmp_path, rows, tables=zed_home.OLD_TABLES)
    found = run(tmp_path).rows
    assert [(row["session_id"], row["project_path"], row["text"]) for row in found] == [
        ("s", "/p", "sidebar thread: title=Old archived=false interacted_at=- main_worktree=-"),
        ("s", "/p", "archived worktree: /w of /p branch=b ref=refs/archived-worktrees/3 "
                    "(from db.sqlite archived_git_worktrees, file mtime)"),
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------- what is broken


def test_a_file_that_is_no_database_is_one_note_and_the_rest_is_read(tmp_path: Path, run: Runner) -> None:
    zed_home.write_threads(tmp_path, [thread()])
    zed_home.write_database(tmp_path, {}).write_bytes(b"no database at all")
    result = run(tmp_path)
    assert result.texts(turn_type="user") == ["ask 1"]
    assert result.notes == ["parser: not a SQLite database"]


def test_an_empty_database_file_gives_no_row(tmp_path: Path, run: Runner) -> None:
    zed_home.write_database(tmp_path, {}).write_bytes(b"")
    result = run(tmp_path)
    assert (result.code, result.rows) == (1, [])


BLOBS: dict[str, tuple[Callable[[dict[str, Any]], dict[str, Any]], str]] = {
    "cut": (
        lambda row: {**row, "hex": zed_home.blob_of(row)[:40].hex()},
        "zstd frame cut off; stored zstd blob as hex",
    ),
    "garbage": (lambda row: {**row, "hex": "20676172"}, "unknown frame descriptor; stored zstd blob as hex"),
    "a list": (lambda row: {**row, "blob": [1, 2]}, "not a JSON object; stored zstd blob as hex"),
    "no JSON": (lambda row: {**row, "hex": zed_home.frame(b'{"a":').hex()}, "stored zstd blob as hex"),
    "an unknown type": (
        lambda row: {**row, "data_type": "lzma", "hex": "00"},
        "unknown data_type lzma; stored blob as hex",
    ),
    "JSON cut": (lambda row: {**row, "data_type": "json", "text": '{"title":'}, "parser: unparseable record 1 ("),
}


@pytest.mark.parametrize("kind", BLOBS)
def test_a_bad_blob_is_one_note_with_its_rowid_and_the_next_thread_is_read(
    kind: str, tmp_path: Path, run: Runner
) -> None:
    spoil, reason = BLOBS[kind]
    zed_home.write_threads(tmp_path, [spoil(thread(1)), thread(2)])
    result = run(tmp_path)
    (note,) = [row for row in result.rows if row["event"] == "note"]
    assert note["text"].startswith("parser: unparseable record 1 (") and reason in note["text"]
    assert (note["session_id"], note["project_path"], note["source_line"], note["timestamp_utc"]) == (
        thread(1)["id"], "/home/alice/proj", 1, "",
    )  # fmt: skip
    assert result.texts(turn_type="user") == ["ask 2"]
    assert result.stores[THREADS]["threads"]["bad"] == 1


def test_a_cut_json_row_is_quoted_as_text(tmp_path: Path, run: Runner) -> None:
    zed_home.write_threads(tmp_path, [thread(data_type="json", text='{"title":')])
    assert run(tmp_path).notes[0].endswith('): {"title":')


def test_a_decompression_bomb_is_one_note_in_bounded_time_and_size(tmp_path: Path, run: Runner) -> None:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    zeros = bytes(1 << 20)
    bomb = b"".join([packer.compress(b'{"title":"'), *(packer.compress(zeros) for _ in range(300)), packer.flush()])
    zed_home.write_threads(tmp_path, [thread(1, hex=bomb.hex()), thread(2)])
    result = run(tmp_path)
    assert len(result.notes) == 1 and "unpacks to over 268435456 bytes" in result.notes[0]
    assert len(result.notes[0]) < 70_000
    assert result.texts(turn_type="user") == ["ask 2"]


def test_an_unknown_version_keeps_head_and_grants_and_shows_the_blob(tmp_path: Path, run: Runner) -> None:
    row = thread()
    row["blob"] |= {"version": "9.9", "profile": "ask", "sandbox_grants": {"unsandboxed": True}}
    zed_home.write_threads(tmp_path, [row])
    result = run(tmp_path)
    assert result.texts() == [
        "thread start: t1 version=9.9",
        "permission setting: profile=ask (thread blob, as of updated_at)",
        "permission setting: sandbox_grants.unsandboxed=true (thread blob, as of updated_at)",
        "parser: unparseable record 1 (unknown thread version 9.9; stored zstd blob as hex): "
        + zed_home.blob_of(row).hex(),
    ]


def test_half_a_settings_file_is_one_note(tmp_path: Path, run: Runner) -> None:
    zed_home.write_config(tmp_path, "settings.json", '{"agent": {"tool_permissions": {"default": "al')
    zed_home.write_config(tmp_path, "global_settings.json", '{"session": {"trust_all_worktrees": true}}')
    result = run(tmp_path)
    assert result.texts() == [
        "permission setting: session.trust_all_worktrees=true (from global_settings.json, file mtime)",
        "parser: settings.json is not a JSON object",
    ]


@pytest.mark.parametrize("text", ["", "[]", "7", '{"theme": "One"}'])
def test_settings_without_permissions_give_no_setting(text: str, tmp_path: Path, run: Runner) -> None:
    zed_home.write_config(tmp_path, "settings.json", text)
    result = run(tmp_path)
    is_object = text in ("", '{"theme": "One"}')
    assert result.texts() == ([] if is_object else ["parser: settings.json is not a JSON object"])


def test_settings_of_a_profile_without_a_base_are_read(tmp_path: Path, run: Runner) -> None:
    permissions = {"agent": {"tool_permissions": {"default": "deny"}}}
    zed_home.write_config(tmp_path, "settings.json", json.dumps({"profiles": {"Old": permissions}}))
    assert run(tmp_path).texts() == [
        "permission setting: Old.agent.tool_permissions.default=deny (from settings.json, file mtime)"
    ]


def test_an_unreadable_file_is_one_note_and_the_rest_is_read(tmp_path: Path) -> None:
    zed_home.write_threads(tmp_path, [thread()]).chmod(0)
    zed_home.write_config(tmp_path, "settings.json", '{"session": {"trust_all_worktrees": true}}')
    start = "from engine.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", start, "run", str(tmp_path), "--spec", "zed", "-q"],
        capture_output=True,
        text=True,
        preexec_fn=_keep_to_modes if os.getuid() == 0 else None,
    )
    setting, note = (json.loads(line) for line in done.stdout.splitlines())
    assert (setting["event"], note["event"]) == ("permission_setting", "note")
    assert note["text"].startswith("parser: threads.db")


def _keep_to_modes() -> None:
    """Takes from root the capabilities to pass over file modes (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)."""
    for capability in (1, 2):
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


def test_the_input_is_as_it_was_after_a_run(tmp_path: Path, run: Runner) -> None:
    home = Path(shutil.copytree(FIXTURES / "home", tmp_path / "home"))
    run(home)

    def state() -> dict[str, tuple[int, bytes]]:
        return {str(p): (p.stat().st_mtime_ns, p.read_bytes()) for p in home.rglob("*") if p.is_file()}

    before = state()
    run(home)
    assert state() == before


def test_the_stores_of_every_system_are_found_below_one_home(tmp_path: Path, run: Runner) -> None:
    data = [
        str(zed_home.DATA),
        "Library/Application Support/Zed",
        "AppData/Local/Zed",
        ".var/app/dev.zed.ZedPreview/data/zed",
    ]
    config = [str(zed_home.CONFIG), "AppData/Roaming/Zed", ".var/app/dev.zed.Zed/config/zed"]
    for number, root in enumerate(data, 1):
        made = zed_home.write_threads(tmp_path / "made" / str(number), [thread(number)])
        target = tmp_path / "home" / root / "threads" / made.name
        target.parent.mkdir(parents=True)
        shutil.move(made, target)
    for root in config:
        (tmp_path / "home" / root).mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / root / "settings.json").write_text('{"session": {"trust_all_worktrees": true}}')
    rows = run(tmp_path / "home").rows
    found = {(row["source_file"], row["text"]) for row in rows if row["event"] in ("message", "permission_setting")}
    trusted = "permission setting: session.trust_all_worktrees=true (from settings.json, file mtime)"
    assert found == {
        *((f"{root}/threads/threads.db", f"ask {number}") for number, root in enumerate(data, 1)),
        *((f"{root}/settings.json", trusted) for root in config),
    }


def test_a_data_directory_alone_is_read(tmp_path: Path, run: Runner) -> None:
    zed_home.write_threads(tmp_path, [thread()])
    assert run(tmp_path / zed_home.DATA).texts(turn_type="user") == ["ask 1"]
