"""What a census counts, what it passes over, and that it shows nothing of what people wrote."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from engine.lang.load import load_plan
from engine.lang.plan import Plan
from engine.read.discover import DiscoverOptions, find
from engine.review import census_counts
from engine.review.census import Census, entries, unknowns
from engine.review.census_counts import Counts, name_of, value_of, version_of
from engine.review.census_files import count_files
from engine.review.census_reads import reads_of
from tests.run.walking import home_of, plan_of

STORE = """
    stores:
      log: {cite: 'toy:a:1 #x', files: ['{data}/<id>.jsonl'], read: jsonl, walk: log%s}
"""
WALK = """
    walks:
      log:
        cite: 'toy:a:1 #x'
        let: {body: record.body, tools: 'body.tools'}
        columns: {session_id: path.id, time: {time: record.t, unit: iso}}
        steps:
          - switch: record.type
            cases:
              'user | human': {emit: prompt, turn: user, text: body.text}
              call:
                - each: {tool: tools}
                  use: tool
                  with: {called: tool}
              'null': {ignore: nothing}
            otherwise: keep_json
      tool:
        cite: 'toy:a:1 #x'
        params: [called]
        steps:
          - {emit: call, turn: tool_use, tool_name: called.name, text: json_text(called.input)}
"""
SPEC = STORE % "" + WALK


def census(base: Path, spec: str, files: dict[str, str | bytes]) -> tuple[Counts, Plan, Census]:
    plan = plan_of(base, spec)
    found = find([str(home_of(base, files))], [plan], DiscoverOptions(as_="home"))
    taken = Census(plan)
    for source in found.sources:
        taken.source(source)
    bases = [place.base for each in found.inputs for place in each.places]
    count_files(plan, bases, found.sources, taken.counts)
    return taken.counts, plan, taken


def brief(base: Path, spec: str, files: dict[str, str | bytes]) -> list[tuple[Any, ...]]:
    counts, plan, _ = census(base, spec, files)
    return [(e.kind, e.path, e.detail, e.count, e.example) for e in entries(counts, [plan])]


def lines(*records: Any) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_members_that_no_rule_reads_are_counted_by_path_with_the_first_place(tmp_path):
    found = brief(tmp_path, SPEC, {"toy/s.jsonl": lines(
        {"type": "user", "t": "", "body": {"text": "hi", "mood": "good"}},
        {"type": "call", "new": 1, "body": {"tools": [{"name": "sh", "input": {"any": 1}, "cost": 3}], "mood": None}},
    )})  # fmt: skip
    assert found == [
        ("key", "record.body.mood", "", 2, "toy/s.jsonl:1"),
        ("key", "record.body.tools[].cost", "", 1, "toy/s.jsonl:2"),
        ("key", "record.new", "", 1, "toy/s.jsonl:2"),
    ]


def test_values_without_a_case_are_counted(tmp_path):
    found = brief(tmp_path, SPEC, {"toy/s.jsonl": lines({"type": "human"}, {"type": "ping"}, {"type": "ping"}, {})})
    assert found == [("value", "record.type", "ping", 2, "toy/s.jsonl:2")]


def test_a_renamed_member_is_both_missing_and_new_where_a_shape_tells(tmp_path):
    shape = """
    shapes:
      line:
        type: object
        required: [type, body]
        properties:
          type: {enum: [user, call]}
          body: {type: object, properties: {text: {type: string}}}
    """
    found = brief(tmp_path, STORE % ", shape: line" + WALK + shape, {"toy/s.jsonl": lines(
        {"type": "user", "body": {"text": "hi"}}, {"type": "user", "content": {"text": "hi"}},
        {"type": "user", "body": {"text": ["hi"]}}, {"type": "answer", "body": {}},
    )})  # fmt: skip
    assert sorted(found) == [
        ("key", "record.content", "", 1, "toy/s.jsonl:2"),
        ("missing", "record.body", "", 1, "toy/s.jsonl:2"),
        ("type", "record.body.text", "array", 1, "toy/s.jsonl:3"),
        ("value", "record.type", "answer", 1, "toy/s.jsonl:4"),
    ]


def test_alternatives_are_told_apart_by_their_constants(tmp_path):
    shape = """
    shapes:
      line: {anyOf: [{$ref: '#/shapes/user'}, {$ref: '#/shapes/call'}]}
      user: {type: object, properties: {type: {const: user}, text: {type: string}}}
      call: {type: object, properties: {type: {const: call}, tools: {type: array, items: {$ref: '#/shapes/tool'}},
             more: {type: object}, by_name: {type: object, additionalProperties: {$ref: '#/shapes/tool'}}}}
      tool: {type: object, properties: {name: {type: string}}}
    """
    found = brief(tmp_path, STORE % ", shape: line" + WALK + shape, {"toy/s.jsonl": lines(
        {"type": "user", "tools": []},
        {"type": "call", "tools": [{"name": "sh", "id": 1}], "more": {"x": 1}, "by_name": {"/home/x": {"id": 1}}},
    )})  # fmt: skip
    assert [each[:2] for each in found] == [
        ("key", "record.by_name.*.id"), ("key", "record.tools"), ("key", "record.tools[].id"),
    ]  # fmt: skip


def test_versions_are_counted(tmp_path):
    more = ", versions: [{id: new, when: 'record.cli_version == `\"2.0.1\"`'}, {id: old}]"
    files = {"toy/a.jsonl": lines({"cli_version": "2.0.1"}), "toy/b.jsonl": lines({"schemaVersion": 7, "type": "user"})}
    counts, _, _ = census(tmp_path, STORE % more + WALK, files)
    assert {(store, path): dict(values) for (_, store, path), values in counts.versions.items()} == {
        ("log", ""): {"new": 1, "old": 1},
        ("log", "record.cli_version"): {"2.0.1": 1},
        ("log", "record.schemaVersion"): {"7": 1},
    }


def test_what_the_spec_names_as_unread_has_its_reason_and_stands_last(tmp_path):
    spec = SPEC + "    unread: {log.body.mood: 'a feeling', other.new: 'not of this store'}\n"
    counts, plan, _ = census(
        tmp_path, spec, {"toy/s.jsonl": lines({"body": {"mood": 1}}, {"body": {"mood": 1}, "new": 1})}
    )
    assert [(e.path, e.left) for e in entries(counts, [plan])] == [
        ("record.new", ""),
        ("record.body.mood", "a feeling"),
    ]


def test_tables_and_columns_that_no_store_reads_are_counted_by_their_rows(tmp_path):
    base = tmp_path / "made.db"
    with sqlite3.connect(base) as database:
        database.executescript(
            "CREATE TABLE chats (id, title, mood); CREATE TABLE empty (a); CREATE TABLE moods (a);"
            "INSERT INTO chats VALUES (1, 'x', 'good'), (2, 'y', 'bad'); INSERT INTO moods VALUES (1)"
        )
    database.close()
    spec = """
    stores:
      chats: {cite: 'toy:a:1 #x', files: ['{data}/<id>.db'], as: row, walk: chats,
              read: {sqlite: chats, need: [id], want: [title]}}
    walks:
      chats: {cite: 'toy:a:1 #x', steps: [{emit: chat, event: notice, text: row.title}]}
    """
    assert sorted(brief(tmp_path, spec, {"toy/s.db": base.read_bytes()})) == [
        ("column", "chats.mood", "", 2, "toy/s.db:0"),
        ("table", "s.db/empty", "", 1, "toy/s.db:0"),
        ("table", "s.db/moods", "", 1, "toy/s.db:0"),
    ]


def test_the_records_of_a_document_are_looked_at_once_and_what_is_around_them_too(tmp_path):
    spec = """
    stores:
      chat: {cite: 'toy:a:1 #x', files: ['{data}/<id>.json'], read: json, records: doc.log.items, walk: chat}
    walks:
      chat: {cite: 'toy:a:1 #x', columns: {session_id: doc.id}, steps: [{emit: say, turn: user, text: record.text}]}
    """
    document = {"id": 1, "log": {"items": [{"text": "a"}, {"text": "b", "mood": 1}], "size": 2}, "name": "x"}
    assert brief(tmp_path, spec, {"toy/s.json": json.dumps(document)}) == [
        ("key", "doc.log.size", "", 1, "toy/s.json:0"),
        ("key", "doc.name", "", 1, "toy/s.json:0"),
        ("key", "record.mood", "", 1, "toy/s.json:2"),
    ]


def test_files_below_the_roots_that_no_store_reads_are_counted_with_ids_as_stars(tmp_path):
    spec = SPEC + "    catalog: {home: [toy], exclude: [{glob: toy/cache, why: a cache}], secrets: [toy/auth.json]}\n"
    found = brief(tmp_path, spec, {
        "toy/s.jsonl": "", "toy/cache/x/y": "1", "toy/auth.json": "{}", "elsewhere": "1",
        "toy/new/20260101-0f0e0d0c.log": "1", "toy/new/20260102-1f1e1d1c.log": "1",
    })  # fmt: skip
    assert found == [("file", "toy/new/*-*.log", "", 2, "toy/new/20260101-0f0e0d0c.log")]


SECRET = "sk-live-0123456789abcdef"


def test_nothing_of_a_secret_file_is_looked_at(tmp_path):
    spec = SPEC + "    catalog: {home: [toy], secrets: [toy/s.jsonl]}\n"
    keys = "      keys: {cite: 'toy:a:1 #x', files: ['{data}/k.json'], read: json, keys: [mode], walk: log}\n"
    spec = spec.replace("    walks:", keys + "    walks:")
    counts, _, taken = census(tmp_path, spec, {"toy/s.jsonl": lines({SECRET: 1}), "toy/k.json": '{"token": 1}'})
    assert (counts.entries, counts.versions, taken.secret) == ({}, {}, 2)


def test_no_text_of_evidence_is_shown(tmp_path):
    record = {
        "type": "what a person wrote", "body": {SECRET: 1, "/home/alice/x": 2, "a b": 3, "2026-01-01": 4},
        "version": SECRET, "note": "secret words",
    }  # fmt: skip
    counts, plan, _ = census(tmp_path, SPEC, {"toy/s.jsonl": lines(record, record | {"type": SECRET})})
    shown = json.dumps([entry.as_dict() for entry in entries(counts, [plan])]) + repr(counts.versions)
    for word in ("wrote", "alice", "2026-01-01", "a b", "sk-live", "secret words"):
        assert word not in shown
    assert "(text of 19 characters)" in shown and "record.body.*" in shown


@pytest.mark.parametrize(("shown", "expected"), [
    (name_of("tool_use_id"), "tool_use_id"), (name_of("a/b"), "*"), (name_of("x12345"), "*"), (name_of(""), "*"),
    (name_of("a@example.org"), "*"), (name_of("0f0e"), "*"), (name_of("$schema"), "$schema"),
    (value_of("event_msg"), "event_msg"), (value_of("0.4.0"), "0.4.0"), (value_of(True), "true"), (value_of(7), "7"),
    (value_of(10**9), "(int)"), (value_of("/etc"), "(text of 4 characters)"), (value_of(None), "null"),
    (version_of("2.1.245-beta.1"), "2.1.245-beta.1"), (version_of(12), "12"),
    (version_of("a b"), "(text of 3 characters)"),
])  # fmt: skip
def test_names_values_and_versions_are_shown_when_they_look_like_such(shown, expected):
    assert shown == expected


def test_memory_is_bounded_whatever_the_data_holds(tmp_path, monkeypatch):
    monkeypatch.setattr(census_counts, "MOST", 50)
    names = ["".join(chr(97 + (n // 26**i) % 26) for i in range(3)) for n in range(500)]
    counts, _, _ = census(tmp_path, SPEC, {"toy/s.jsonl": lines({"type": "user", **dict.fromkeys(names, 1)})})
    assert len(counts.entries) == 50 and counts.beyond == 450


def test_bad_files_are_passed_over(tmp_path):
    assert brief(tmp_path, SPEC, {"toy/s.jsonl": b"\xff{\n[1]\n{\"new\": 1}\nnull\n"}) == [
        ("key", "record.new", "", 1, "toy/s.jsonl:3"),
    ]  # fmt: skip


def test_the_short_form_has_the_most_frequent_members_and_values_only(tmp_path):
    plan = plan_of(tmp_path, SPEC + "    unread: {old: 'known'}\n")
    records = [{"type": "ping", "old": 1}, {"type": "ping", "new": {"a": 1}}, {"type": "pong"}]
    found = find([str(home_of(tmp_path, {"toy/s.jsonl": lines(*records)}))], [plan], DiscoverOptions(as_="home"))
    assert [tuple(each.values()) for each in unknowns(plan, found.sources, most=2)] == [
        ("log", "value", "record.type", "ping", 2, "toy/s.jsonl:1"),
        ("log", "key", "record.new", "", 1, "toy/s.jsonl:2"),
    ]  # fmt: skip


def test_what_rules_read_is_found_through_lets_elements_parameters_and_tables(tmp_path):
    plan = plan_of(tmp_path, SPEC)
    record = reads_of(plan, plan.stores[0]).below["record"]
    tool = record.below["body"].below["tools"].below["[]"]
    assert set(record.below) == {"body", "t", "type"} and not record.whole
    assert set(tool.below) == {"name", "input"} and tool.below["input"].whole
    assert record.below["type"].kinds == {"user", "human", "call", "null"} and record.below["type"].switched


CASES = """
    walks:
      log:
        cite: 'toy:a:1 #x'
        let: {body: record.body}
        steps:
          - switch: body.kind
            cases:
              any: {emit: any, event: notice, text: json_text(body)}
              plain: {emit: plain, event: notice, text: body.text}
            otherwise: keep_json
"""


def test_what_one_case_takes_whole_is_still_looked_at_in_the_others(tmp_path):
    records = [{"body": {"kind": kind, "text": "a", "mood": 1}, "new": 2} for kind in ("any", "plain", "any")]
    found = brief(tmp_path, STORE % "" + CASES, {"toy/s.jsonl": lines(*records)})
    assert [each[1:4] for each in found] == [("record.new", "", 3), ("record.body.mood", "", 1)]


ONCE = """,
        find: {head: {value: record.body}},
        once: {key: 'json_text(record.body)', prefer: [record.t], why: a copy}"""
HEAD = """
    walks:
      log: {cite: 'toy:a:1 #x', steps: [{emit: line, event: notice, text: head.text}]}
"""


def test_of_a_find_and_of_what_tells_copies_apart_only_members_that_are_asked_for_are_read(tmp_path):
    record = {"t": "", "body": {"text": "a", "mood": 1}, "new": 2}
    found = brief(tmp_path, STORE % ONCE + HEAD, {"toy/s.jsonl": lines(record)})
    assert [each[1] for each in found] == ["record.body.mood", "record.new"]


def test_a_table_of_key_paths_is_read_and_no_more(tmp_path):
    spec = """
    tables: {kept: ['mode', 'servers.*.name', 'rules.**', 'list[].id']}
    stores:
      settings: {cite: 'toy:a:1 #x', files: ['{data}/settings.json'], read: json, walk: settings}
    walks:
      settings: {cite: 'toy:a:1 #x', steps: [{each: {found: 'pick(doc, `"kept"`)'}, emit: set, event: notice,
                 text: found.key}]}
    """
    document = {
        "mode": 1,
        "servers": {"s": {"name": 1, "url": 2}},
        "rules": {"a": {"b": 1}},
        "list": [{"id": 1, "x": 2}],
    }
    assert [each[1] for each in brief(tmp_path, spec, {"toy/settings.json": json.dumps(document | {"theme": 1})})] == [
        "doc.list[].x", "doc.servers.*.url", "doc.theme",
    ]  # fmt: skip


def test_the_fixtures_of_zed_hold_what_its_spec_reads_or_names():
    plan = load_plan("zed")
    found = find(["fixtures/zed/home"], [plan], DiscoverOptions())
    taken = Census(plan)
    for source in found.sources:
        taken.source(source)
    assert {e.kind for e in entries(taken.counts, [plan])} <= {"column", "table", "key"}
    assert not [e for e in entries(taken.counts, [plan]) if e.store == "threads"]
