"""SQLite databases as crashes and running programs leave them: journals, locks, damage, schemas that want to run."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from engine.read.limits import Limits
from tests.read.database_cases import database, place, seen_in, store

ROWS = "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL), (3, x'00ff');"


def test_rows_that_stand_only_in_the_wal_are_read(tmp_path):
    path = place(tmp_path)
    other = tmp_path / "live.db"
    connection = sqlite3.connect(other)
    connection.executescript("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; CREATE TABLE t(a, b);")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO t VALUES (1, 'wal only')")
    connection.commit()
    shutil.copy(other, path)
    shutil.copy(f"{other}-wal", f"{path}-wal")
    connection.close()
    for item in path.parent.iterdir():
        item.chmod(0o444)
    seen = seen_in(tmp_path, store())
    assert [v["b"] for v in seen.values] == ["wal only"]
    assert [(f.source_file, f.what) for f in seen.files] == [(".toy/d.db", "file"), (".toy/d.db-wal", "sidecar")]
    assert seen.files[1].sha256 == hashlib.sha256(Path(f"{path}-wal").read_bytes()).hexdigest()


def test_a_wal_that_can_not_be_read_is_one_note_and_the_database_is_read(tmp_path):
    path = database(tmp_path, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x')")
    Path(f"{path}-wal").symlink_to(path)
    seen = seen_in(tmp_path, store() + store(name="again"))
    assert [v["b"] for v in seen.values] == ["x", "x"]
    assert [bad[:2] for bad in seen.bad] == [(0, "d.db-wal could not be read (a link, not followed)")]


def interrupted(path: Path, script: str) -> None:
    """Runs a transaction in a process that dies with its pages written and its journal hot."""
    code = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size=1'); c.execute('PRAGMA cache_spill=1'); c.execute('BEGIN IMMEDIATE')\n"
        "for statement in sys.argv[2].split(';'): c.execute(statement)\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path), script], check=True)


def test_a_hot_journal_is_rolled_back_in_the_copy(tmp_path):
    path = database(tmp_path, "CREATE TABLE t(a, b);" + "INSERT INTO t VALUES (1, hex(randomblob(3000)));" * 30)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    interrupted(path, "UPDATE t SET a = 2, b = hex(randomblob(3000)); DELETE FROM t WHERE rowid > 5")
    assert Path(f"{path}-journal").stat().st_size > 512
    assert hashlib.sha256(path.read_bytes()).hexdigest() != before
    seen = seen_in(tmp_path, store())
    assert [v["a"] for v in seen.values] == [1] * 30
    assert [f.what for f in seen.files] == ["file", "sidecar"]


@pytest.mark.parametrize("named_file_exists", [False, True])
def test_a_journal_never_makes_sqlite_delete_the_file_that_it_names(tmp_path, named_file_exists):
    path = database(tmp_path, "CREATE TABLE t(a, b);" + "INSERT INTO t VALUES (1, hex(randomblob(3000)));" * 30)
    interrupted(path, "UPDATE t SET a = 2, b = hex(randomblob(3000))")
    journal = Path(f"{path}-journal")
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    if named_file_exists:
        victim = path.parent / "victim"
        victim.write_bytes(b"precious")
    name = os.fsencode(victim)
    with journal.open("ab") as file:
        file.write(struct.pack(">I", 0xFFFFFFFF) + name + struct.pack(">II", len(name), sum(name)))
        file.write(bytes.fromhex("d9d505f920a163d7"))
    seen = seen_in(tmp_path, store())
    assert victim.read_bytes() == b"precious"
    # the transaction over several databases is open while its super-journal stands beside them
    assert (seen.values[0]["a"] == 1) == named_file_exists


def test_a_lock_held_by_another_program_does_not_matter(tmp_path):
    path = database(tmp_path, ROWS)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute("DELETE FROM t")
    assert [v["a"] for v in seen_in(tmp_path, store()).values] == [1, 2, 3]
    holder.execute("ROLLBACK")
    holder.close()


def test_a_damaged_page_ends_a_table_with_one_note_after_the_rows_before_it(tmp_path):
    path = database(
        tmp_path, "PRAGMA page_size=1024; CREATE TABLE t(a, b);" + "INSERT INTO t VALUES (1, hex(zeroblob(150)));" * 90
    )
    data = bytearray(path.read_bytes())
    at = len(data) // 1024 // 2 * 1024
    data[at : at + 1024] = b"\xff" * 1024
    path.write_bytes(data)
    seen = seen_in(tmp_path, store() + store(name="again"))
    counts = [sum(record.bad is None for _, _, records in seen.units for record in records)]
    assert 20 < counts[0] / 2 < 90
    assert [bad[:2] for bad in seen.bad] == [(0, "SQLite error: database disk image is malformed")]


def test_a_truncated_database_gives_what_it_still_holds(tmp_path):
    path = database(
        tmp_path, "PRAGMA page_size=1024; CREATE TABLE t(a, b);" + "INSERT INTO t VALUES (1, hex(zeroblob(150)));" * 90
    )
    whole = path.read_bytes()
    for share in (0.3, 0.6, 0.95):
        path.write_bytes(whole[: int(len(whole) * share)])
        seen = seen_in(tmp_path, store())
        assert seen.note or (seen.bad and seen.bad[-1][1].startswith("SQLite error: "))


def test_a_name_that_is_no_utf8_is_a_sqlite_error(tmp_path):
    path = database(tmp_path, "CREATE TABLE t(a, b, cc); INSERT INTO t VALUES (1, 2, 3);")
    data = path.read_bytes()
    assert data.count(b"cc") == 1
    path.write_bytes(data.replace(b"cc", b"\xa0c"))
    (bad,) = seen_in(tmp_path, store()).bad
    assert bad[1].startswith("SQLite error: ")


def test_a_row_with_a_damaged_blob_is_one_bad_record(tmp_path):
    path = database(tmp_path, "PRAGMA page_size=1024; CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x');"
                    "INSERT INTO t VALUES (2, zeroblob(9000)); INSERT INTO t VALUES (3, 'z');")  # fmt: skip
    data = bytearray(path.read_bytes())
    pages = [data[at : at + 4] for at in range(0, len(data), 1024)]
    broken = next(number for number, head in enumerate(pages) if number > 3 and head[:3] == b"\0\0\0")
    data[broken * 1024 : broken * 1024 + 4] = struct.pack(">I", 0x7FFFFFFF)
    path.write_bytes(data)
    seen = seen_in(tmp_path, store())
    assert [v["a"] for v in seen.values] == [1, 3]
    assert [bad[:2] for bad in seen.bad] == [(2, "SQLite error: database disk image is malformed")]


def test_a_value_over_the_limit_is_one_bad_record(tmp_path):
    database(tmp_path, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, zeroblob(5000)), (3, 'z');")
    seen = seen_in(tmp_path, store(), Limits(blob=4000))
    assert [v["a"] for v in seen.values] == [1, 3]
    assert seen.bad == [(2, "SQLite error: string or blob too big", "")]


def test_a_limit_beyond_what_sqlite_knows_is_none(tmp_path):
    database(tmp_path, ROWS)
    assert len(seen_in(tmp_path, store(), Limits(blob=1 << 40)).values) == 3


def test_pages_that_point_in_circles_come_to_an_end(tmp_path):
    path = database(tmp_path, "PRAGMA page_size=512; CREATE TABLE t(a, b);" + "INSERT INTO t VALUES (1, 'x');" * 2000)
    data = bytearray(path.read_bytes())
    # every cell of every inner page leads to the same child
    for at in range(512, len(data), 512):
        if data[at] == 5:
            cells = struct.unpack(">H", data[at + 3 : at + 5])[0]
            child = data[at + 8 : at + 12]
            for cell in range(cells):
                where = at + struct.unpack(">H", data[at + 12 + 2 * cell : at + 14 + 2 * cell])[0]
                data[where : where + 4] = child
    path.write_bytes(data)
    assert len(seen_in(tmp_path, store()).units) < len(data)


# ------------------------------------------------------------------------------------- schemas that want to run


@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("CREATE TABLE x(a, b); INSERT INTO x VALUES (1, 2); CREATE VIEW t AS SELECT a, b FROM x;", "view"),
        ("CREATE VIRTUAL TABLE t USING fts5(a, b);", "virtual table"),
    ],
)
def test_views_and_virtual_tables_are_not_read(tmp_path, script, kind):
    database(tmp_path, script)
    assert seen_in(tmp_path, store()).bad == [(0, f"SQLite error: t is a {kind}, which is not read", "")]


def test_nothing_is_attached_written_or_called_by_a_query(tmp_path):
    from engine.read.databases import Database

    path = database(tmp_path, ROWS + "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM t; END;")
    with Database(str(path), Limits()) as opened:
        for sql in (
            f"ATTACH '{tmp_path}/x.db' AS x",
            "INSERT INTO t VALUES (4, 5)",
            "PRAGMA journal_mode",
            "CREATE TABLE z(a)",
            "SELECT load_extension('x')",
            "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        ):
            with pytest.raises(sqlite3.Error):
                list(opened.query(sql))
        assert opened.columns("t") == ["a", "b"]
    assert not (tmp_path / "x.db").exists()
