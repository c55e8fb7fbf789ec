"""`lookups`: values found in other stores."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from engine.read.beside import Sidecars
from engine.read.discover import DiscoverOptions, discover
from engine.read.limits import Limits
from engine.read.sources import Base
from engine.run.interpret import rows
from engine.run.ledger import Ledger
from engine.run.lookups import Home, Lookups, Table
from engine.run.passes import prepare
from tests.run.walking import home_of, plan_of, walk

SPEC = """
    lookups:
      titles: {from: [meta], key: doc.ids, value: doc.title}
      models: {from: [log], key: path.id, value: model}
    stores:
      meta: {cite: 'toy:meta.rs:1 #x', files: ['{data}/*.meta'], read: json}
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{data}/<id>.jsonl']
        read: jsonl
        find: {model: {value: record.model}}
        walk: log
    walks:
      log:
        columns: {session_id: 'lookup(`"titles"`, path.id)', model: 'lookup(`"models"`, record.of)'}
        steps: [{emit: said, turn: user, text: record.t}]
"""


def test_a_lookup_takes_the_heads_of_the_units_of_other_stores(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "toy/1.meta": '{"ids": ["a", null, 7], "title": "A"}',
        "toy/2.meta": '{"ids": "a", "title": "late"}',
        "toy/3.meta": '{"ids": "b", "title": null}',
        "toy/4.meta": '{"ids": "b", "title": "B"}',
        "toy/5.meta": "{broken",
        "toy/a.jsonl": '{"t": "x", "of": "b"}\n{"t": "y", "of": "none"}\n{"t": "z"}\n',
        "toy/b.jsonl": '{"t": "x", "of": "a"}\n{"t": "y", "model": "m", "of": "b"}\n',
    }
    found = walk(tmp_path, SPEC, files)
    assert [(row["session_id"], row["model"]) for row in found.rows if row["event"] == "message"] == [
        ("A", "m"),
        ("A", ""),
        ("A", ""),
        ("B", ""),
        ("B", "m"),
    ]


def test_of_the_files_beside_a_store_those_are_read_that_its_lookups_need(tmp_path: Path, monkeypatch: Any) -> None:
    spec = """
    lookups:
      plain: {from: [log], key: path.id, value: record.t}
      WANTED
    stores:
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{data}/<id>.jsonl']
        read: jsonl
        beside: {own: {json: '{data}/<id>.own'}, found: {json: '{data}/<id>.found'}}
        find: {model: {value: 'found.model'}}
        walk: log
    walks:
      log:
        columns: {session_id: 'lookup(`"plain"`, path.id)', model: 'lookup(`"asked"`, path.id)'}
        steps: [{emit: said, turn: user, text: record.t}]
    """
    files: dict[str, str | bytes] = {
        "toy/a.jsonl": '{"t": "x"}\n', "toy/a.own": '{"model": "o"}', "toy/a.found": '{"model": "f"}'
    }  # fmt: skip
    read: list[str] = []
    plain = Sidecars.load
    monkeypatch.setattr(
        Sidecars, "load", lambda of, beside, *more: read.append(beside.name) or plain(of, beside, *more)
    )
    asked = {"own.model": ("o", ["own"]), "model": ("f", ["own", "found"]), "record.t": ("x", [])}
    for number, (value, (model, needed)) in enumerate(asked.items()):
        read.clear()
        base = tmp_path / str(number)
        base.mkdir()
        found = walk(base, spec.replace("WANTED", f"asked: {{from: [log], key: path.id, value: {value}}}"), files)
        assert [(row["session_id"], row["model"]) for row in found.rows] == [("x", model)]
        # the walk, which asks for the lookups, has read both
        assert read == ["own", "found", *needed]


def test_a_store_without_a_walk_has_no_rows_and_its_broken_files_still_have_a_note(tmp_path: Path) -> None:
    found = walk(tmp_path, SPEC, {"toy/1.meta": '{"ids": "a", "title": "A"}', "toy/2.meta": "{broken"})
    assert [(row["event"], row["source_file"]) for row in found.rows] == [("note", "toy/2.meta")]


def test_each_home_has_its_own_lookups(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SPEC)
    homes = [
        home_of(tmp_path / name, {"toy/1.meta": f'{{"ids": "a", "title": "{name}"}}', "toy/a.jsonl": '{"t": "x"}\n'})
        for name in ("x", "y")
    ]
    sources = discover(homes, [plan], DiscoverOptions(as_="home"))
    context = prepare(plan, sources)
    walked = {source.base.path: rows(source, context, Ledger()) for source in sources if source.path.suffix == ".jsonl"}
    assert sorted(row[4] for row in [row for found in walked.values() for row in found]) == ["x", "y"]


def test_rows_of_two_sources_may_be_taken_in_turns(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, SPEC)
    homes = [
        home_of(
            tmp_path / name, {"toy/1.meta": f'{{"ids": "a", "title": "{name}"}}', "toy/a.jsonl": '{"t": "1"}\n' * 3}
        )
        for name in ("x", "y")
    ]
    sources = discover(homes, [plan], DiscoverOptions(as_="home"))
    context = prepare(plan, sources)
    first, second = (rows(source, context, Ledger()) for source in sources if source.path.suffix == ".jsonl")
    taken = [row[4] for pair in zip(first, second, strict=True) for row in pair]
    assert taken == [taken[0], taken[1]] * 3
    assert set(taken) == {"x", "y"}


def test_per_file_covers_every_row_of_the_stores_that_read_the_same_file(tmp_path: Path) -> None:
    body = """
    lookups: {names: {from: [names], key: row.id, value: row.name, per: file}}
    stores:
      names: {cite: 'toy:db.rs:1 #x', files: ['{data}/*.db'], read: {sqlite: names, need: [id, name], order: rowid}}
      said:
        cite: 'toy:db.rs:1 #x'
        files: ['{data}/*.db']
        read: {sqlite: said, need: [who, t], order: rowid}
        walk: said
    walks:
      said: {steps: [{emit: said, turn: user, text: row.t, session_id: 'lookup(`"names"`, row.who)'}]}
    """
    files: dict[str, str | bytes] = {}
    for name in ("a", "b"):
        path = tmp_path / f"{name}.made"
        with sqlite3.connect(path) as made:
            made.executescript(
                f"""
                CREATE TABLE names (id INT, name TEXT); INSERT INTO names VALUES (1, '{name}1'), (2, '{name}2');
                CREATE TABLE said (who INT, t TEXT); INSERT INTO said VALUES (2, 'x'), (3, 'y');
                """
            )
        made.close()
        files[f"toy/{name}.db"] = path.read_bytes()
    found = walk(tmp_path, body, files)
    assert found.column("session_id") == ["a2", "", "b2", ""]


ONE_FILE = """
    lookups:
      words: {from: [items], key: record.id, value: record.said, per: file}
      places: {from: [items], key: unit.count, value: record, per: file}
      before: {from: [items], key: 'if(next.record.id == `"c"`, record.id, `null`)', value: next.record, per: file}
      unasked: {from: [heads], key: doc.id, value: doc.id}
    stores:
      heads: {cite: 'toy:a.rs:1 #x', files: ['{data}/<id>.json'], read: json, walk: head}
      items: {cite: 'toy:a.rs:1 #x', files: ['{data}/<id>.json'], read: json, records: doc.list}
    walks:
      head:
        steps:
          - {emit: word, turn: user, text: 'lookup(`"words"`, `"b"`)'}
          - {emit: place, turn: user, text: 'lookup(`"places"`, `2`).said'}
          - {emit: before, turn: user, text: 'lookup(`"before"`, `"b"`).said'}
"""


def test_a_lookup_over_the_records_of_one_file_is_the_same_in_memory_and_in_a_file(tmp_path: Path) -> None:
    """A document over the limit passes by as a stream; its tables lie in a temporary file."""
    long = "x" * 300 + "\ud800"
    second = {"id": "x", "said": "second", "n": 12345678901234567890123}
    document = {"id": "d", "list": [{"id": "a"}, second, {"id": "b", "said": long}, {"id": "c", "said": 12}]}
    home = home_of(tmp_path, {"toy/d.json": json.dumps(document)})
    plan = plan_of(tmp_path, ONE_FILE)
    (source,) = discover([home], [plan])
    for limits in (Limits(), Limits(stream=0)):
        context = prepare(plan, [source], limits)
        assert [row[11] for row in rows(source, context, Ledger())] == [long, "second", "12"]


def test_a_lookup_is_gathered_once_and_only_when_it_is_asked_for() -> None:
    asked: list[str] = []

    def gather(name: str) -> dict[Home, Table]:
        asked.append(name)
        return {("", "", "/home/alice"): {"key": name}}

    lookups, base = Lookups(gather), Base("home", Path("/home/alice"))
    assert asked == []
    assert [lookups.of("one", base), lookups.of("two", base), lookups.of("one", base)] == [
        [{"key": "one"}],
        [{"key": "two"}],
        [{"key": "one"}],
    ]
    assert asked == ["one", "two"]
