"""What a store gives its walk: table rows, sidecars, what of a secret file is kept."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from tests.run.walking import HEAD, walk


def database(path: Path) -> bytes:
    with sqlite3.connect(path) as made:
        made.executescript(
            """
            CREATE TABLE threads (id TEXT, kind TEXT, data BLOB);
            INSERT INTO threads VALUES ('t1', 'json', '{"t": "one"}'), ('t2', 'json', '{broken'), ('t3', 'xz', X'00ff');
            CREATE TABLE parts (thread TEXT, n INT, t TEXT);
            INSERT INTO parts VALUES ('t1', 2, 'b'), ('t1', 1, 'a'), ('t3', 1, 'c');
            """
        )
    made.close()
    return path.read_bytes()


def test_each_table_row_is_a_unit_and_a_row_that_cannot_be_decoded_one_bad_record(tmp_path: Path) -> None:
    body = """
    stores:
      threads:
        cite: 'toy:db.rs:1 #x'
        files: ['{data}/t.db']
        read: {sqlite: threads, need: [id, kind, data], order: rowid}
        decode: {data: {by: row.kind, json: [json]}}
        walk: thread
    walks:
      thread:
        columns: {session_id: row.id}
        begin: [{emit: start, event: session_start, text: {text: 'start {row.id}'}}]
        steps: [{emit: said, turn: user, text: row.data.t}]
        end: [{emit: stop, event: session_end, text: {const: end}}]
    """
    found = walk(tmp_path, body, {"toy/t.db": database(tmp_path / "made.db")})
    assert [(row["text"][:28], row["session_id"], row["source_line"], row["seq"]) for row in found.rows] == [
        ("start t1", "t1", 1, 1),
        ("one", "t1", 1, 2),
        ("end", "t1", 1, 3),
        ("parser: unparseable record 2", "t2", 2, 5),
        ("parser: unparseable record 3", "t3", 3, 7),
    ]
    assert found.texts[3].endswith("): {broken")
    assert found.texts[4].endswith("blob as hex): 00ff")
    count = found.ledger.store("threads")
    assert (count.read, count.rows, count.bad, count.units) == (3, 1, 2, 3)


def test_child_rows_are_records_of_their_parents_unit(tmp_path: Path) -> None:
    body = """
    stores:
      threads:
        cite: 'toy:db.rs:1 #x'
        files: ['{data}/t.db']
        read:
          sqlite: threads
          need: [id]
          order: rowid
          children: {parts: {table: parts, match: {thread: id}, order: n, need: [t]}}
        records: parts
        walk: thread
    walks:
      thread:
        columns: {session_id: row.id}
        steps: [{emit: said, turn: user, text: record.t}]
        end: [{emit: start, event: session_start, text: {text: '{row.id} has {unit.count}'}}]
    """
    found = walk(tmp_path, body, {"toy/t.db": database(tmp_path / "made.db")})
    assert [(row["text"], row["source_line"], row["seq"]) for row in found.rows] == [
        ("a", 2, 1),
        ("b", 1, 2),
        ("t1 has 2", 1, 0),
        ("c", 3, 5),
        ("t3 has 1", 3, 4),
    ]


def test_several_stores_may_read_one_file_and_its_note_stands_once(tmp_path: Path) -> None:
    body = """
    stores:
      good: {cite: 'toy:log.rs:1 #x', files: ['{data}/*.jsonl'], read: jsonl, walk: good}
      more: {cite: 'toy:log.rs:1 #x', files: ['{data}/*.jsonl'], read: jsonl, walk: more}
    walks:
      good: {steps: [{emit: said, turn: user, text: record.t}]}
      more: {steps: [{emit: again, event: notice, text: record.t}]}
    """
    found = walk(tmp_path, body, {"toy/a.jsonl": '{"t": "x"}\n{broken\n'})
    assert [row["rule"] for row in found.rows] == ["toy/good/said", "toy/good/unparseable", "toy/more/again"]
    assert found.by_file["toy/a.jsonl"].store("more").read == 1


def test_a_store_is_secondary_when_a_file_beside_it_says_so(tmp_path: Path) -> None:
    body = """
    stores:
      chat:
        cite: 'toy:chat.rs:1 #x'
        role: {secondary_if: '{data}/<id>/chat.json'}
        files: ['{data}/<id>.json']
        read: json
        walk: chat
    walks: {chat: {steps: [{emit: said, turn: user, text: doc.t}]}}
    """
    files: dict[str, str | bytes] = {"toy/a.json": '{"t": "a"}', "toy/b.json": '{"t": "b"}', "toy/a/chat.json": "{}"}
    found = walk(tmp_path, body, files)
    assert [(row["text"], row["role"]) for row in found.rows] == [("a", "secondary"), ("b", "primary")]


def test_sidecars_are_in_scope_under_their_names(tmp_path: Path) -> None:
    body = """
    stores:
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{data}/<id>.jsonl']
        read: jsonl
        beside:
          meta: {json: '{data}/<id>.meta.json'}
          title: {text: '{data}/<id>.title'}
          names: {list: '{data}/<id>/*'}
          texts: {all: '{data}/<id>/*'}
        walk: log
    walks:
      log:
        columns: {session_id: meta.id}
        steps:
          - emit: said
            turn: user
            text: {text: '{title} {names} {get(texts, record.file)}'}
    """
    files: dict[str, str | bytes] = {
        "toy/a.jsonl": '{"file": "1.txt"}\n{"file": "2.json"}\n{"file": "3.txt"}\n',
        "toy/a.meta.json": '{"id": "meta-a"}',
        "toy/a.title": "T",
        "toy/a/1.txt": "long text",
        "toy/a/2.json": '{"x": 1}',
        "toy/b.jsonl": "{}\n",
    }
    found = walk(tmp_path, body, files)
    assert found.texts == [
        'T ["1.txt","2.json"] long text',
        'T ["1.txt","2.json"] {"x":1}',
        'T ["1.txt","2.json"]',
        "[]",
    ]
    assert found.column("session_id") == ["meta-a"] * 3 + [""]


def test_of_a_secret_file_only_the_named_keys_ever_reach_a_row(tmp_path: Path) -> None:
    body = """
    stores:
      config: {cite: 'toy:config.rs:1 #x', files: ['{data}/*.json'], read: json, keys: [mode, model.name], walk: config}
    walks:
      config:
        steps:
          - {emit: setting, event: permission_setting, text: {text: 'doc {doc}'}}
          - {unparsed: on purpose}
          - {when: doc.none, ignore: never}
    """
    secret = "sk-secret"
    document = {"mode": "auto", "token": secret, "model": {"name": "m", "key": secret}}
    files: dict[str, str | bytes] = {"toy/a.json": json.dumps(document), "toy/b.json": f'{{"token": "{secret}" broken'}
    found = walk(tmp_path, body, files)
    assert found.texts[0] == 'doc {"mode":"auto","model":{"name":"m"}}'
    assert found.texts[1] == "parser: unparseable record 0 (on purpose)"
    assert not any(secret in text for text in found.texts)


def test_file_tells_its_name_place_size_and_time(tmp_path: Path) -> None:
    body = """
    stores: {log: {cite: 'toy:log.rs:1 #x', files: ['{data}/**/*.jsonl.gz'], read: jsonl, walk: log}}
    walks:
      log:
        columns: {time: file.mtime}
        steps:
          - emit: said
            turn: user
            text: {text: '{file.name} {file.stem} {file.path} {file.dir} {file.size}'}
    """
    import gzip

    packed = gzip.compress(b"{}\n", mtime=0)
    found = walk(tmp_path, body, {"toy/x/a.b.jsonl.gz": packed}, HEAD)
    assert found.texts == [f"a.b.jsonl.gz a.b toy/x/a.b.jsonl.gz toy/x {len(packed)}"]
    assert found.rows[0]["time_basis"] == "file_mtime"


def test_a_sidecar_that_is_a_secret_file_gives_only_its_named_keys(tmp_path: Path) -> None:
    body = """
    stores:
      config: {cite: 'toy:config.rs:1 #x', files: ['{data}/config.json'], read: json, keys: [mode], walk: config}
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{data}/a.jsonl']
        read: jsonl
        beside: {parsed: {json: '{data}/config.json'}, plain: {text: '{data}/config.json'}, all: {all: '{data}/*.json'}}
        walk: log
    walks:
      config: {steps: [{ignore: settings}]}
      log:
        steps: [{emit: said, turn: user, text: {text: '{parsed} {plain} {get(all, `"config.json"`)}'}}]
    """
    files: dict[str, str | bytes] = {"toy/config.json": '{"mode": "a", "token": "sk-secret"}', "toy/a.jsonl": "{}\n"}
    assert walk(tmp_path, body, files).texts == ['{"mode":"a"}  {"mode":"a"}']
