"""`collect`: what is taken, what is left out, and that everything seen has its row."""

from __future__ import annotations

import gc
import hashlib
import json
import os
import sqlite3
import tarfile
from pathlib import Path

import pytest

from engine.collect.claims import Claims
from engine.collect.targets import target_for
from engine.errors import UsageError
from engine.read import files as reading
from engine.read.integrity import verify
from tests.collect.collecting import Case

CHAT = '{"cwd": "/nowhere"}\n'


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


def test_a_row_stands_for_everything_that_was_seen_taken_or_not(case):
    case.put({
        ".toy/chats/1.jsonl": CHAT, ".toy/a.key": "k", ".toy/cache/big": "x" * 500, ".toy/cache/more/y": "y" * 20,
        ".toy/x.tmp": "t", ".toy/large": "z" * 3000, ".toyrc.local": "r", ".other/x": "o", ".toy-extra/no": "n",
        ".toy-extra/keep/k": "k",
    })  # fmt: skip
    (case.home / ".toy/link").symlink_to("../.other/x")
    case.collect(size=2000)
    assert case.statuses() == {
        ".toy/chats/1.jsonl": "collected", ".toy/a.key": "collected", ".toy/x.tmp": "skipped_excluded",
        ".toy/large": "skipped_size", ".toy/link": "symlink", ".toyrc.local": "collected",
        ".toy-extra/keep/k": "collected",
    }  # fmt: skip
    excluded = case.row(".toy/cache")
    assert (excluded["type"], excluded["status"], excluded["size"]) == ("dir", "skipped_excluded", 520)
    assert excluded["error"] == "downloads"
    assert case.row(".toy/link")["target"] == "../.other/x"
    assert case.row(".toy/a.key")["secret"] is True
    kept = {f"fs{case.home}/{path}" for path, status in case.statuses().items() if status == "collected"}
    assert case.names() == kept | {"manifest.jsonl", "collection.json", "collector.log"}


def test_a_row_has_the_facts_of_its_file(case):
    case.put({".toy/chats/1.jsonl": CHAT})
    path = case.home / ".toy/chats/1.jsonl"
    os.utime(path, ns=(1700000000000000001, 1700000000123456789))
    path.chmod(0o640)
    made = case.collect()
    row = case.row(".toy/chats/1.jsonl")
    assert (row["user"], row["home"], row["agent"], row["store"]) == ("alice", str(case.home), "toy", "chats")
    assert (row["size"], row["mode"], row["uid"]) == (len(CHAT), "0640", os.getuid())
    assert row["sha256"] == hashlib.sha256(CHAT.encode()).hexdigest()
    assert row["archive_path"] == f"fs{path}"
    assert row["spec"] == f"toy@{case.plan.sha256}"
    raw = next(line for line in case._manifest().splitlines() if "1.jsonl" in line)
    assert '"mtime":1700000000.123456789,"atime":1700000000.000000001' in raw
    with tarfile.open(case.out) as tar:
        member = tar.getmember(f"fs{path}")
    assert (member.mode, member.uid, member.pax_headers["mtime"]) == (0o640, os.getuid(), "1700000000.123456789")
    digest = hashlib.sha256(case.out.read_bytes()).hexdigest()
    assert made.sha256 == digest
    assert case.out.with_name("out.tar.gz.sha256").read_text() == f"{digest}  out.tar.gz\n"


def test_the_description_tells_what_was_collected(case):
    case.put({".toy/chats/1.jsonl": CHAT, ".toy/a.key": "k"})
    told = case.collect().told
    assert (told["tool"], told["hostname"], told["mode"]) == ("agentrows", "box", "image")
    assert told["homes"] == [{"path": str(case.home), "user": "alice", "original": None}]
    assert told["users_with_artifacts"] == ["alice"]
    assert told["counts"]["secrets"] == 1
    assert told["interrupted"] is False
    beside = json.loads(case.out.with_name("out.collection.json").read_text())
    assert beside == told


def test_secrets_can_be_left_out(case):
    case.put({".toy/a.key": "k", ".toy/chats/1.jsonl": CHAT})
    case.collect(secrets=False)
    assert case.statuses() == {".toy/a.key": "skipped_secret", ".toy/chats/1.jsonl": "collected"}
    assert not any(name.endswith("a.key") for name in case.names())


def test_an_exclusion_beats_a_secret(case):
    case.put({".toy/cache/x.key": "k"})
    case.collect(secrets=False)
    assert case.row(".toy/cache")["status"] == "skipped_excluded"


def test_a_file_that_a_store_reads_is_never_left_out_by_its_size(case):
    case.put(
        {".toy/chats/1.jsonl": CHAT * 50, ".toy/events/e1/1.json": "[" + "1," * 300 + "1]", ".toy/other": "z" * 900}
    )
    case.collect(size=100)
    assert case.statuses() == {
        ".toy/chats/1.jsonl": "collected", ".toy/events/e1/1.json": "collected", ".toy/other": "skipped_size",
    }  # fmt: skip
    assert case.row(".toy/events/e1/1.json")["store"] == "events"


def database(path: Path, wal: bool = True) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(f"PRAGMA journal_mode = {'WAL' if wal else 'DELETE'}")
    connection.execute("CREATE TABLE t (x)")
    connection.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(100)])
    return connection


def test_a_database_in_use_is_one_set_with_its_wal(case, tmp_path):
    connection = database(case.home / ".toy/state.db")
    case.collect("out")
    connection.close()
    assert {name for name in case.statuses() if "state.db" in name} == {
        ".toy/state.db", ".toy/state.db-wal", ".toy/state.db-shm",
    }  # fmt: skip
    copy = case.out / f"fs{case.home}/.toy/state.db"
    assert sqlite3.connect(copy).execute("SELECT count(*) FROM t").fetchone() == (100,)
    assert all(case.row(f".toy/state.db{end}")["secret"] for end in ("", "-wal", "-shm"))


def test_a_database_that_is_written_meanwhile_is_copied_again(case, monkeypatch):
    connection = database(case.home / ".toy/state.db", wal=False)
    changes = iter(range(2))
    plain = reading.Stream.chunks

    def chunks(self, size=1 << 18):
        yield from plain(self, size)
        if self.path.endswith("state.db") and next(changes, None) is not None:
            connection.executemany("INSERT INTO t VALUES (?)", [("y" * 4000,)] * 5)

    monkeypatch.setattr(reading.Stream, "chunks", chunks)
    case.collect("out")
    copy = case.out / f"fs{case.home}/.toy/state.db"
    assert sqlite3.connect(copy).execute("SELECT count(*) FROM t").fetchone() == (110,)
    assert case.row(".toy/state.db")["error"] is None


def test_every_file_is_read_once(case, monkeypatch, tmp_path):
    opened: list[str] = []
    plain = reading._open
    monkeypatch.setattr(reading, "_open", lambda path: opened.append(path) or plain(path))
    disk = tmp_path / "disk"
    case.put({".toy/chats/1.jsonl": json.dumps({"cwd": "/src/p"}), ".toy/other": "x"})
    case.put({"src/p/TOY.md": "t", "etc/hostname": "h"}, "")
    case.collect(root=disk)
    assert case.row("/src/p/TOY.md")["status"] == "collected"
    mine = [path for path in opened if path.startswith(str(disk))]
    assert len(mine) == len(set(mine)) == 3


def test_reading_leaves_no_access_time(case):
    case.put({".toy/chats/1.jsonl": CHAT})
    path = case.home / ".toy/chats/1.jsonl"
    os.utime(path, ns=(1000, 2000))
    case.collect()
    assert path.stat().st_atime_ns == 1000


def test_nothing_is_written_under_what_is_collected(case, tmp_path):
    case.put({".toy/chats/1.jsonl": CHAT})
    for out in ("disk/home/alice/out.tar.gz", "disk/home/alice/sub/out"):
        with pytest.raises(UsageError, match="nothing is written there"):
            case.collect(out)
    (tmp_path / "elsewhere").symlink_to(case.home)
    with pytest.raises(UsageError, match="nothing is written there"):
        case.collect("elsewhere/out.zip")

    def tree() -> list[tuple[str, int]]:
        return [(str(path), path.lstat().st_mtime_ns) for path in sorted((tmp_path / "disk").rglob("*"))]

    before = tree()
    case.collect()
    assert tree() == before


def test_projects_that_records_name_are_collected_for_who_named_them(case, tmp_path):
    case.put({".toy/chats/1.jsonl": '{"cwd": "/src/p"}\n{"cwd": "/home/alice"}\n{"cwd": "/gone"}\n'})
    case.put({"src/p/.toy/settings.json": "{}", "src/p/TOY.md": "t", "src/p/main.c": "", "src/q/TOY.md": ""}, "")
    told = case.collect(root=tmp_path / "disk", as_="image").told
    assert told["projects"] == ["/src/p"]
    row = case.row("/src/p/.toy/settings.json")
    assert (row["agent"], row["user"], row["home"], row["store"]) == ("project", "alice", "/home/alice", "local")
    projects = {row["path"] for row in case.rows if row["agent"] == "project" and row["type"] == "file"}
    assert projects == {"/src/p/.toy/settings.json", "/src/p/TOY.md"}


def test_volumes_are_collected_and_those_of_nobody_have_a_row(case, tmp_path):
    case.put({
        "var/lib/docker/volumes/x_toy_usr/_data/chats/1.jsonl": CHAT, "var/lib/docker/volumes/db/_data/x": "",
        "etc/x": "", "home/alice/.toy/chats/2.jsonl": CHAT,
    }, "")  # fmt: skip
    told = case.collect(root=tmp_path / "disk").told
    volume = "/var/lib/docker/volumes"
    assert case.row(f"{volume}/x_toy_usr/_data/chats/1.jsonl")["user"] == "docker"
    assert case.row(f"{volume}/db/_data")["status"] == "skipped_unmatched_volume"
    assert told["docker"] == {"volumes": [f"{volume}/x_toy_usr/_data"], "unmatched": [f"{volume}/db/_data"]}


def test_links_and_loops_pipes_and_sockets_are_said(case):
    import socket

    case.put({".toy/chats/1.jsonl": CHAT})
    (case.home / ".toy/loop").symlink_to(case.home / ".toy")
    (case.home / ".toy-extra").symlink_to("/etc")
    os.mkfifo(case.home / ".toy/pipe")
    server = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(case.home / ".toy")
    server.bind("s")
    os.chdir(here)
    case.collect()
    server.close()
    assert case.statuses() == {
        ".toy/chats/1.jsonl": "collected", ".toy/loop": "symlink", ".toy/pipe": "error_read", ".toy/s": "error_read",
    }  # fmt: skip
    assert case.row(".toy/pipe")["error"] == "a named pipe"
    assert case.row(".toy/s")["error"] == "a socket"


def test_a_directory_without_permission_is_said(case, monkeypatch):
    case.put({".toy/closed/x": "1", ".toy/open": "2"})
    plain = os.scandir

    def scandir(path):
        if str(path).endswith("/closed"):
            raise PermissionError(13, "Permission denied")
        return plain(path)

    monkeypatch.setattr(os, "scandir", scandir)
    case.collect()
    row = case.row(".toy/closed")
    assert (row["status"], row["error"]) == ("error_read", "directory could not be read (permission denied)")
    assert case.row(".toy/open")["status"] == "collected"


def test_a_sparse_file_of_a_terabyte_is_said(case):
    case.put({".toy/chats/1.jsonl": "", ".toy/chats/2.jsonl": CHAT})
    with (case.home / ".toy/chats/1.jsonl").open("wb") as out:
        out.truncate(1 << 40)
    case.collect()
    row = case.row(".toy/chats/1.jsonl")
    assert (row["status"], row["error"]) == ("error_read", f"a sparse file of {1 << 40} bytes")
    assert case.row(".toy/chats/2.jsonl")["status"] == "collected"


def test_a_file_that_grows_is_read_up_to_where_it_was(case, monkeypatch):
    case.put({".toy/chats/1.jsonl": CHAT})
    path = case.home / ".toy/chats/1.jsonl"
    original = reading.Stream.__init__

    def opened(self, name, size=None):
        original(self, name, size)
        if name == str(path):
            with path.open("a") as out:
                out.write("more\n" * 1000)

    monkeypatch.setattr(reading.Stream, "__init__", opened)
    case.collect()
    assert case.content(".toy/chats/1.jsonl") == CHAT.encode()
    assert case.row(".toy/chats/1.jsonl")["size"] == len(CHAT)


@pytest.mark.parametrize("out", ["out.tar.gz", "out.zip", "out"])
def test_a_file_that_shrinks_is_said_and_the_collection_stays_whole(case, monkeypatch, out):
    case.put({".toy/big": os.urandom(9 << 20), ".toy/chats/1.jsonl": CHAT})
    path = case.home / ".toy/big"
    original = reading.Stream.__init__

    def opened(self, name, size=None):
        original(self, name, size)
        if name == str(path):
            os.truncate(path, 5 << 20)

    monkeypatch.setattr(reading.Stream, "__init__", opened)
    case.collect(out)
    row = case.row(".toy/big")
    assert "shrank to 5242880 of 9437184 bytes" in row["error"]
    assert row["status"] == ("error_copy" if out.endswith("gz") else "collected")
    assert any(name.endswith("1.jsonl") for name in (case.names() if out != "out" else {"1.jsonl"}))


def test_a_file_that_vanishes_is_said(case, monkeypatch):
    case.put({".toy/a": "1", ".toy/b": "2"})
    plain = Claims.items

    def items(self):
        for item in plain(self):
            if item.path.endswith("/a"):
                Path(item.path).unlink()
            yield item

    monkeypatch.setattr(Claims, "items", items)
    case.collect()
    assert case.row(".toy/a")["status"] == "error_read"
    assert case.row(".toy/a")["error"] == "no such file or directory"
    assert case.row(".toy/b")["status"] == "collected"


NAMES = [
    "with space",
    "line\nbreak",
    "ünï",
    "CON",
    "nul.txt",
    "q" * 255,
    "b\udcfcd",
    "back\\slash",
    "/".join(["d" * 90] * 8),
]


@pytest.mark.parametrize("out", ["out.tar.gz", "out.zip", "out"])
def test_odd_names_survive_and_the_collection_verifies(case, out, tmp_path):
    from engine.read.archives import Workspace

    case.put({f".toy/{name}": name.encode("utf-8", "surrogateescape") for name in NAMES})
    case.collect(out)
    assert sorted(case.statuses()) == sorted(f".toy/{name}" for name in NAMES)
    assert set(case.statuses().values()) == {"collected"}
    with Workspace() as workspace:
        root = case.out if case.out.is_dir() else workspace.unpack(case.out).root
        assert list(verify(root)) == []


def test_a_collection_that_exists_is_not_written_over(case):
    case.put({".toy/a": "1"})
    case.collect()
    with pytest.raises(UsageError, match="exists"):
        case.collect()


# --------------------------------------------------------------------------------------------------- interruption


@pytest.mark.parametrize("out", ["out.tar.gz", "out.zip", "out"])
def test_an_interrupted_collection_is_whole_marked_and_goes_on(case, out):
    from engine.read.archives import Workspace

    case.put({f".toy/f{n}": str(n) * 100 for n in range(8)})
    case.put({".toy/chats/1.jsonl": CHAT})
    seen: list[str] = []
    made = case.collect(out, stop=lambda: len(seen) >= 5, progress=lambda item, _: seen.append(item.path))
    assert made.interrupted and made.told["interrupted"]
    assert 0 < len(case.rows) < 10
    with Workspace() as workspace:
        root = case.out if case.out.is_dir() else workspace.unpack(case.out).root
        assert list(verify(root)) == []
    first = {row["path"] for row in case.rows if row["type"] == "file"}
    changed = sorted(first)[0]
    Path(changed).write_text("changed since")
    made = case.collect(out, resume=True)
    assert not made.interrupted
    assert len([row for row in case.rows if row["status"] == "collected" and row["type"] == "file"]) == 9
    assert case.row(changed)["size"] == len("changed since")
    assert made.told["notes"] and "goes on with" in made.told["notes"][0]
    left = {path.name for path in case.base.iterdir() if path.name.startswith(".")}
    assert left == set()


def test_what_is_resumed_is_not_read_again(case, monkeypatch):
    case.put({f".toy/f{n}": str(n) for n in range(6)})
    seen: list[str] = []
    case.collect(stop=lambda: len(seen) >= 4, progress=lambda item, _: seen.append(item.path))
    before = {row["path"] for row in case.rows if row["type"] == "file"}
    opened: list[str] = []
    plain = reading._open
    monkeypatch.setattr(reading, "_open", lambda path: opened.append(path) or plain(path))
    case.collect(resume=True)
    assert before and not before & set(opened)


def test_a_whole_collection_is_not_resumed(case):
    case.put({".toy/a": "1"})
    case.collect()
    with pytest.raises(UsageError, match="no interrupted collection"):
        case.collect(resume=True)


def test_a_full_disk_leaves_nothing_under_the_name(case, monkeypatch):
    case.put({".toy/a": "1"})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("engine.collect.targets.TarGz.file", full)
    with pytest.raises(UsageError, match="No space left"):
        case.collect()
    assert not case.out.exists()
    assert {path.name for path in case.base.iterdir()} == {"disk", "spec"}


@pytest.mark.parametrize("name", ["c.zip", "c.tar.gz"])
def test_an_archive_that_is_thrown_away_says_nothing(tmp_path, name, monkeypatch):
    said = []
    monkeypatch.setattr("sys.unraisablehook", said.append)
    target = target_for(tmp_path / name)
    target.file("a", 1, None, iter([b"x"]))
    target.abort()
    del target
    gc.collect()
    assert said == [] and list(tmp_path.iterdir()) == []
