"""What a store gives its walk: finds, versions, documents with lists, folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.run.walking import lines, log_store, walk


def test_a_find_is_known_before_the_walk_begins(tmp_path: Path) -> None:
    body = (
        log_store("find: {model: {value: record.model}, opened: {value: {time: record.at, unit: iso}}}")
        + """
    walks:
      log:
        begin: [{emit: start, event: session_start, time: opened, text: {text: 'by {model}'}}]
        steps: [{emit: said, turn: user, text: record.t, model: model}]
    """
    )
    found = walk(
        tmp_path, body, {"toy/a.jsonl": lines({"t": "x"}, {"t": "y", "model": "m", "at": "2026-01-01T00:00Z"})}
    )
    assert found.texts == ["by m", "x", "y"]
    assert found.rows[0]["timestamp_utc"] == "2026-01-01T00:00:00.000Z"
    assert found.column("model") == ["", "m", "m"]


@pytest.mark.parametrize(("holds", "value"), [("late", "3"), ("gone", "")])
def test_a_find_reads_on_only_in_a_file_that_holds_its_text(tmp_path: Path, holds: str, value: str) -> None:
    body = (
        log_store(f"find: {{first: {{value: record.a}}, last: {{value: record.late, holds: {holds}}}}}")
        + """
    walks:
      log: {steps: [{emit: said, turn: user, text: record.t, model: last, tool_name: first}]}
    """
    )
    records = lines({"t": "x", "a": 1}, {"t": "y"}, {"t": "z", "late": 3})
    found = walk(tmp_path, body, {"toy/a.jsonl": records})
    assert (found.column("model"), found.column("tool_name")) == ([value] * 3, ["1"] * 3)


@pytest.mark.parametrize(
    ("find", "value"),
    [
        ("{value: record.v}", "1"),
        ("{value: record.v, when: 'record.ok'}", "3"),
        ("{value: record.w, until: 'record.v == `2`'}", ""),
        ("{value: record.v, when: 'record.ok', until: 'record.v == `3`'}", "3"),
        ("{value: record.w, within: 3}", ""),
        ("{value: record.w, within: 4}", "9"),
    ],
)
def test_a_find_stops_at_its_value_at_until_and_after_within(tmp_path: Path, find: str, value: str) -> None:
    body = (
        log_store(f"find: {{found: {find}}}")
        + """
    walks:
      log:
        begin: [{emit: start, event: session_start, text: {text: 'found {found}'}}]
        steps: [{ignore: nothing}]
    """
    )
    records = [{}, {"v": 1}, {"v": 2}, {"v": 3, "ok": True, "w": 9}]
    found = walk(tmp_path, body, {"toy/a.jsonl": "{broken\n" + lines(*records)})
    assert found.texts[0] == f"found {value}".strip()


def test_the_first_version_that_holds_names_the_unit_and_its_walk(tmp_path: Path) -> None:
    body = """
    stores:
      doc:
        cite: 'toy:doc.rs:1 #x'
        files: ['{data}/*.json']
        read: json
        walk: now
        versions:
          - {id: new, when: 'doc.version > `1`'}
          - {id: old, when: 'doc.version == `1`', walk: before}
          - {id: other}
    walks:
      now: {steps: [{emit: said, turn: user, text: {text: '{unit.version} {doc.t}'}}]}
      before: {steps: [{emit: told, turn: user, text: {text: '{unit.version} {doc.t}'}}]}
    """
    files: dict[str, str | bytes] = {
        "toy/a.json": '{"version": 2, "t": "a"}',
        "toy/b.json": '{"version": 1, "t": "b"}',
        "toy/c.json": '{"t": "c"}',
    }
    found = walk(tmp_path, body, files)
    assert [(row["text"], row["rule"]) for row in found.rows] == [
        ("new a", "toy/doc/said"),
        ("old b", "toy/doc/told"),
        ("other c", "toy/doc/said"),
    ]


CHAT = """
    stores:
      chat:
        cite: 'toy:chat.rs:1 #x'
        files: ['{data}/chat.json']
        read: json
        records: doc.items
        walk: chat
"""


def test_the_elements_of_a_documents_list_are_its_records(tmp_path: Path) -> None:
    body = (
        CHAT
        + """
    walks:
      chat:
        columns: {session_id: doc.id}
        begin:
          - {emit: start, event: session_start, text: {text: 'first {record.t}'}}
          - each: {item: records}
            set: {seen: item.t}
            at: item.n
        steps: [{emit: said, turn: user, text: {text: '{record.t} {unit.line} of [{next.record.t}]'}}]
        end: [{emit: stop, event: session_end, text: {text: '{unit.count} {get(state.seen, `"2"`)}'}}]
    """
    )
    document = {"id": "c1", "items": [{"t": "a", "n": 1}, {"t": "b", "n": 2}]}
    found = walk(tmp_path, body, {"toy/chat.json": json.dumps(document)})
    assert found.texts == ["first a", "a 1 of b", "b 2 of", "2 b"]
    assert found.column("source_line") == [1, 1, 2, 0]
    assert set(found.column("session_id")) == {"c1"}


def test_each_over_records_follows_their_lines(tmp_path: Path) -> None:
    body = (
        CHAT
        + """
    walks:
      chat:
        begin:
          - each: {item: records}
            emit: listed
            event: notice
            text: {text: '{pos.item} {item} {next.item} {unit.line}'}
        steps: [{ignore: listed}]
    """
    )
    found = walk(tmp_path, body, {"toy/chat.json": '{"items": ["a", "b"]}'})
    assert found.texts == ["0 a b 1", "1 b  2"]
    assert found.column("source_line") == [1, 2]


def test_counted_elements_are_the_records_of_the_ledger(tmp_path: Path) -> None:
    body = """
    stores: {chat: {cite: 'toy:chat.rs:1 #x', files: ['{data}/*.json'], read: json, walk: chat}}
    walks:
      chat:
        steps:
          - {emit: start, event: session_start, text: {text: 'start {doc.title}'}}
          - each: {m: doc.items}
            count: true
            switch: m.kind
            cases:
              said: {emit: said, turn: user, text: m.t}
              skip: {ignore: skipped}
            otherwise: keep_json
          - each: {d: doc.drafts}
            count: true
            when: d.t
            steps: [{emit: draft, event: draft, text: d.t}]
    """
    items = [{"kind": "said", "t": "a"}, {"kind": "said", "t": ""}, {"kind": "skip"}, {"kind": "new", "z": 1}, {"z": 2}]
    document = {"title": "T", "items": items, "drafts": [{"t": "d"}, {"type": "x"}]}
    found = walk(tmp_path, body, {"toy/a.json": json.dumps(document), "toy/b.json": '{"title": "empty", "items": []}'})
    assert found.texts == [
        "start T",
        "a",
        'new: {"z":1}',
        'parser: unparseable record 0 (no type): {"z":2}',
        "d",
        "x",
        "start empty",
    ]
    count = found.ledger.store("chat")
    assert (count.read, count.rows, count.bad, count.unknown) == (7, 4, 1, 2)
    assert count.ignored == {"no text: said": 1, "skipped": 1}
    assert found.by_file["toy/b.json"].store("chat").read == 0


def test_a_document_whose_list_is_missing_is_counted_itself(tmp_path: Path) -> None:
    body = """
    stores: {chat: {cite: 'toy:chat.rs:1 #x', files: ['{data}/*.json'], read: json, walk: chat}}
    walks:
      chat:
        steps:
          - each: {m: doc.items}
            count: true
            emit: said
            turn: user
            text: m
          - {when: 'type(doc.items) != `"array"`', unparsed: no items}
    """
    found = walk(tmp_path, body, {"toy/a.json": '{"items": 5}', "toy/b.json": '{"items": ["x"]}'})
    assert found.texts == ['parser: unparseable record 0 (no items): {"items":5}', "x"]
    count = found.ledger.store("chat")
    assert (count.read, count.rows, count.bad) == (2, 1, 1)


def test_a_folder_is_one_unit_and_each_file_a_record(tmp_path: Path) -> None:
    body = """
    stores:
      events:
        cite: 'toy:events.rs:1 #x'
        folder: ['{data}/<id>/events']
        records: {files: 'event-<n:int>.json', order: path.n}
        read: json
        walk: events
    walks:
      events:
        columns: {session_id: path.id, source_line: 'add(path.n, `1`)'}
        begin: [{emit: start, event: session_start, text: {text: '{unit.files} files in {file.name}'}}]
        steps: [{emit: said, turn: user, text: {text: '{path.n} {record.t}'}}]
        end: [{emit: stop, event: session_end, text: {const: end}}]
    """
    files: dict[str, str | bytes] = {
        f"toy/c/events/event-{n}.json": json.dumps({"t": t}) for n, t in [(10, "b"), (9, "a"), (11, "d")]
    }
    files["toy/c/events/event-12.json"] = "{broken"
    found = walk(tmp_path, body, files)
    assert [(row["text"][:28], row["source_file"], row["source_line"]) for row in found.rows] == [
        ("4 files in events", "toy/c/events", 10),
        ("9 a", "toy/c/events/event-9.json", 10),
        ("10 b", "toy/c/events/event-10.json", 11),
        ("11 d", "toy/c/events/event-11.json", 12),
        ("parser: event file could not", "toy/c/events/event-12.json", 13),
        ("end", "toy/c/events", 0),
    ]
    assert set(found.column("session_id")) == {"c"}
