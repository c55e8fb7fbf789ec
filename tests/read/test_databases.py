"""SQLite databases: which rows a store reads, in which order, how they are decoded."""

from __future__ import annotations

import hashlib
import sqlite3

import pytest
import zstandard

from tests.read.database_cases import database, place, seen_in, store

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
