"""SQLite databases: what a copy shows, in every state that a crash or a running program leaves."""

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
import zstandard

from engine.read.limits import Limits
from tests.read.reading import Seen, plan_of, read_source
from tests.read.reading import store as store_of

SIMPLE = "{sqlite: t, need: [a], want: [b]}"


def store(how: str = SIMPLE, name: str = "s", **more: str) -> str:
    return store_of(name, "{data}/d.db", how, **more)


def place(base: Path) -> Path:
    path = base / "case" / "home" / ".toy" / "d.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def database(base: Path, script: str) -> Path:
    path = place(base)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


def state(directory: Path) -> dict[str, tuple[int, int, str]]:
    return {
        item.name: (item.stat().st_size, item.stat().st_mtime_ns, hashlib.sha256(item.read_bytes()).hexdigest())
        for item in directory.iterdir()
    }


def seen_in(base: Path, body: str, limits: Limits | None = None) -> Seen:
    """Reads the database of a case; nothing beside it may change."""
    from engine.read.discover import find

    plan = plan_of(base / "spec", body)
    before = state(place(base).parent)
    (source,) = find([base / "case" / "home"], [plan]).sources
    seen = read_source(source, plan, limits)
    assert state(place(base).parent) == before
    return seen


ROWS = "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL), (3, x'00ff');"


def test_each_row_is_a_unit_and_its_one_record(tmp_path):
    database(tmp_path, ROWS)
    seen = seen_in(tmp_path, store())
    assert [(r.line, r.value) for r in seen.records] == [
        (1, {"a": 1, "b": "x", "rowid": 1}),
        (2, {"a": 2, "b": None, "rowid": 2}),
        (3, {"a": 3, "b": b"\x00\xff", "rowid": 3}),
    ]
    assert len(seen.units) == 3 and seen.units[0][1]["row"] == {"a": 1, "b": "x", "rowid": 1}


def test_a_wanted_column_that_is_missing_is_null_and_a_needed_one_is_a_note(tmp_path):
    database(tmp_path, "CREATE TABLE t(a); INSERT INTO t VALUES (1); CREATE TABLE u(b); INSERT INTO u VALUES (2);")
    body = store() + store("{sqlite: u, need: [gone, b]}", "other") + store("{sqlite: u, need: [b]}", "third")
    seen = seen_in(tmp_path, body)
    assert seen.values == [{"a": 1, "b": None, "rowid": 1}, {"b": 2, "rowid": 1}]
    assert seen.bad == [(0, "SQLite error: no such column: u.gone", "")]


def test_a_missing_table_is_no_rows(tmp_path):
    database(tmp_path, "CREATE TABLE u(a);")
    seen = seen_in(tmp_path, store())
    assert (seen.units, seen.note) == ([], "")


@pytest.mark.parametrize(
    ("content", "note"),
    [(b"", ""), (b"no database", "not a SQLite database"), (b"SQLite", "not a SQLite database")],
)
def test_what_is_no_database_is_one_note_and_an_empty_file_is_an_empty_database(tmp_path, content, note):
    place(tmp_path).write_bytes(content)
    seen = seen_in(tmp_path, store() + store(name="second"))
    assert (seen.units, seen.note) == ([], note)
    assert seen.files[0].sha256 == hashlib.sha256(content).hexdigest()


def test_a_header_with_junk_behind_it_is_a_sqlite_error(tmp_path):
    place(tmp_path).write_bytes(b"SQLite format 3\0" + b"junk" * 500)
    assert seen_in(tmp_path, store()).note.startswith("SQLite error: ")


def test_rows_come_in_the_order_of_the_columns_then_of_their_rowids(tmp_path):
    database(tmp_path, "CREATE TABLE t(a, b); INSERT INTO t VALUES (2,'b'),(1,'z'),(2,'a'),(NULL,'n'),(2,'a');")
    seen = seen_in(tmp_path, store("{sqlite: t, need: [a, b], order: [a, b]}"))
    assert [r.line for r in seen.records] == [4, 2, 3, 5, 1]
    seen = seen_in(tmp_path, store("{sqlite: t, need: [a], order: gone}"))
    assert [r.line for r in seen.records] == [1, 2, 3, 4, 5]


def test_rows_are_chosen_by_constants_and_null(tmp_path):
    database(
        tmp_path, "CREATE TABLE t(a, b, k); INSERT INTO t VALUES (1,'x','u'),(2,NULL,'u'),(3,'x','v'),(4,'x',NULL);"
    )
    assert [v["a"] for v in seen_in(tmp_path, store("{sqlite: t, need: [a], where: {b: x, k: u}}")).values] == [1]
    assert [v["a"] for v in seen_in(tmp_path, store("{sqlite: t, need: [a], where: {k: null}}")).values] == [4]
    assert [v["a"] for v in seen_in(tmp_path, store("{sqlite: t, need: [a], where: {gone: null}}")).values] == [
        1,
        2,
        3,
        4,
    ]
    assert seen_in(tmp_path, store("{sqlite: t, need: [a], where: {gone: x}}")).values == []


def test_json_columns_are_parsed_and_text_that_is_none_is_a_bad_record(tmp_path):
    database(
        tmp_path, """CREATE TABLE t(a, b); INSERT INTO t VALUES (1,'{"x":[1,2]}'),(2,'{"x'),(3,NULL),(4,x'7b7d');"""
    )
    seen = seen_in(tmp_path, store("{sqlite: t, need: [a, b], json: [b]}"))
    assert [v["b"] for v in seen.values] == [{"x": [1, 2]}, None, {}]
    ((line, reason, stored),) = seen.bad
    assert (line, stored) == (2, '{"x') and reason.startswith("cut off")


def test_names_that_need_quoting_are_quoted(tmp_path):
    table, column = 'sel"ect', "or; der"
    database(tmp_path, f'CREATE TABLE "sel""ect"("{column}", "group"); INSERT INTO "sel""ect" VALUES (2, 1), (1, 2);')
    body = store(f"{{sqlite: '{table}', need: ['{column}', group], order: '{column}', where: {{group: 2}}}}")
    assert seen_in(tmp_path, body).values == [{column: 1, "group": 2, "rowid": 2}]


def test_a_table_without_rowids_is_read_in_its_order(tmp_path):
    database(tmp_path, "CREATE TABLE t(a PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO t VALUES ('q', 1), ('p', 2);")
    assert seen_in(tmp_path, store()).values == [{"a": "p", "b": 2, "rowid": 0}, {"a": "q", "b": 1, "rowid": 0}]
    assert [v["b"] for v in seen_in(tmp_path, store("{sqlite: t, need: [a, b], order: b}")).values] == [1, 2]


def test_a_column_called_rowid_is_a_column(tmp_path):
    database(tmp_path, "CREATE TABLE t(a, rowid TEXT); INSERT INTO t VALUES (1, 'r'); INSERT INTO t VALUES (2, 's');")
    assert [(r.line, r.value["a"]) for r in seen_in(tmp_path, store()).records] == [(1, 1), (2, 2)]


def test_text_that_is_no_utf8_is_shown_as_replacement_characters(tmp_path):
    database(tmp_path, "CREATE TABLE t(a, b); INSERT INTO t VALUES (CAST(x'61ff62' AS TEXT), 'ok');")
    assert seen_in(tmp_path, store()).values == [{"a": "a\ufffdb", "b": "ok", "rowid": 1}]


# --------------------------------------------------------------------------------------- journals, locks, damage


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


# ------------------------------------------------------------------------------------------ decoding, children


def test_columns_are_decoded_by_the_value_of_an_expression(tmp_path):
    path = database(tmp_path, "CREATE TABLE t(kind, data);")
    connection = sqlite3.connect(path)
    packer = zstandard.ZstdCompressor(write_content_size=False)
    whole = packer.compress(b'{"n":1}')
    listed = packer.compress(b"[1]")
    rows = [("zstd", whole), ("json", '{"n":2}'), ("json", b'{"n":3}'), ("zstd", whole[:-3]), ("zstd", listed)]
    rows += [("lzma", b"\x01\x02"), ("json", "{"), ("json", None)]
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.commit()
    connection.close()
    body = store(
        "{sqlite: t, need: [kind, data]}", need="object",
        decode="{data: {by: row.kind, zstd: [zstd, json], json: [json]}}",
    )  # fmt: skip
    seen = seen_in(tmp_path, body)
    assert [v["data"] for v in seen.values] == [{"n": 1}, {"n": 2}, {"n": 3}, None]
    assert seen.bad[:3] == [
        (4, "zstd frame cut off; stored zstd blob as hex", whole[:-3].hex()),
        (5, "not a JSON object; stored zstd blob as hex", listed.hex()),
        (6, "unknown kind lzma; stored blob as hex", "0102"),
    ]
    assert seen.bad[3][0] == 7 and seen.bad[3][2] == "{"


CHILDREN = """
CREATE TABLE s(id TEXT PRIMARY KEY, at);
CREATE TABLE m(sid, pos, rec);
INSERT INTO s VALUES ('b', 1), ('a', 2), ('c', 3), (NULL, 4);
INSERT INTO m VALUES ('a', 2, '{"n":2}'), ('b', 0, '{"n":9}'), ('a', 1, '{"n":1}'), ('gone', 0, '{}'), (NULL, 0, '{}'),
  ('a', 10, '[1,2'), ('a', 3, '{"n":3}');
"""
CHILD = "{m: {table: m, match: {sid: id}, order: pos, need: [pos, rec], json: [rec]}}"


def test_child_rows_are_lists_beside_their_parent(tmp_path):
    database(tmp_path, CHILDREN)
    seen = seen_in(tmp_path, store(f"{{sqlite: s, need: [id], order: at, children: {CHILD}}}"))
    lists = [(names["row"]["id"], [row["pos"] for row in names["m"]]) for _, names, _ in seen.units]
    assert lists == [("b", [0]), ("a", [1, 2, 3, 10]), ("c", []), (None, [])]
    # text that is no JSON stays text in a list
    assert [row["rec"] for row in seen.units[1][1]["m"]] == [{"n": 1}, {"n": 2}, {"n": 3}, "[1,2"]


def test_child_rows_can_be_the_records(tmp_path):
    database(tmp_path, CHILDREN)
    seen = seen_in(tmp_path, store(f"{{sqlite: s, need: [id], order: at, children: {CHILD}}}", records="m"))
    assert [[r.line for r in records] for _, _, records in seen.units] == [[2], [3, 1, 7, 6], [], []]
    assert seen.bad[0][0] == 6 and seen.bad[0][2] == "[1,2"
    assert "m" not in seen.units[0][1]


def test_a_missing_child_table_is_an_empty_list_and_a_note_when_its_columns_are_needed(tmp_path):
    database(tmp_path, "CREATE TABLE s(id, at); INSERT INTO s VALUES ('a', 1);")
    seen = seen_in(tmp_path, store(f"{{sqlite: s, need: [id], children: {CHILD}}}"))
    assert seen.bad == [(0, "SQLite error: no such table: m", "")]
    assert seen.units[-1][1]["m"] == [] and seen.units[-1][1]["row"]["id"] == "a"
    wanted = CHILD.replace("need:", "want:")
    seen = seen_in(tmp_path, store(f"{{sqlite: s, need: [id], children: {wanted}}}"))
    assert (seen.units[0][1]["m"], seen.bad) == ([], [])


def test_child_rows_are_found_without_reading_their_table_for_each_parent(tmp_path):
    path = database(tmp_path, "CREATE TABLE s(id); CREATE TABLE m(sid, pos, rec);")
    connection = sqlite3.connect(path)
    connection.executemany("INSERT INTO s VALUES (?)", [(n,) for n in range(2000)])
    connection.executemany("INSERT INTO m VALUES (?, ?, ?)", [(n % 2000, -n, "{}") for n in range(6000)])
    connection.commit()
    connection.close()
    seen = seen_in(tmp_path, store(f"{{sqlite: s, need: [id], children: {CHILD}}}"))
    assert len(seen.units) == 2000 and all(len(names["m"]) == 3 for _, names, _ in seen.units)
    assert [row["pos"] for row in seen.units[5][1]["m"]] == [-4005, -2005, -5]
