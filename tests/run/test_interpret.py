"""Whatever a file holds: no record ends a run, and every record is accounted for."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.read.discover import DiscoverOptions, discover
from engine.rows import COLUMNS, EVENTS, TURN_TYPES
from engine.run.interpret import rows
from engine.run.ledger import Ledger
from engine.run.passes import prepare
from tests.run.walking import plan_of

SPEC = """
    tables: {labels: {'<a>': 'label a'}, paths: [a.b, 'list[].**']}
    stores:
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{data}/*.jsonl']
        read: jsonl
        find: {first: {value: record.id, until: 'record.type == `"b"`'}, opened: {value: {time: record.at, unit: s}}}
        once: {key: record.id, prefer: [record.a, '!(record.b)'], why: copies}
        versions: [{id: odd, when: 'first > `1`'}, {id: even}]
        walk: log
    walks:
      log:
        let: {v: variant(record.a), seen: state.n}
        columns:
          session_id: first
          project_path: record.a.b
          time: {earliest: [{time: record.at, unit: s, nanos: record.b}, {time: record.a, unit: iso, offset: record.x}]}
        begin: [{emit: start, event: session_start, time: opened, text: {text: 'start[ {record.id}][ {unit.version}]'}}]
        steps:
          - set: {n: record.a}
            at: record.id
            changed: [{emit: change, event: notice, text: {text: '{was} {seen} {get(state.n, record.id)}'}}]
          - switch: record.type
            cases:
              'a | 1': {emit: said, turn: user, text: 'lines(record.a, content_text(record.list))'}
              'true': {ignore: a flag}
              'null':
                - each: {x: record.list}
                  count: true
                  choose: {'x > `1`': {emit: call, turn: tool_use, tool_use_id: x, tool_name: record.b, arguments: x}}
                  otherwise: {emit: result, turn: tool_result, tool_use_id: x, text: '[label(x, `"labels"`), next.x]'}
              b: keep_json
            otherwise:
              - switch: v.tag
                cases: {id: {use: part, with: {it: v.body}}}
                otherwise: keep_json
              - each: {p: 'pick(record, `"paths"`)'}
                unparsed: {text: '{p.key}'}
                number: p.value
                text: p
        end: [{emit: stop, event: session_end, time: {previous: true}, text: {text: '{unit.count} {unit.copies}'}}]
      part:
        cite: 'toy:part.rs:1 #x'
        params: [it]
        let: {t: 'trim(it) || json_text(it)'}
        steps: [{emit: part, event: context, text: {text: '{t}[ {utc(it, `"s"`)}]'}}]
"""

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=True)
    | st.text(max_size=6)
    | st.sampled_from(["a", "b", "<a> x", "2026-01-01T00:00:00Z", 1767225600, 1767225600000])
)
names = st.sampled_from(["type", "id", "a", "b", "list", "at", "x"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4), max_leaves=8
)
records = st.dictionaries(names, values, max_size=6) | values
files = st.lists(st.lists(records.map(json.dumps) | st.text(max_size=8), max_size=5), min_size=1, max_size=3)


@settings(max_examples=60, deadline=None)
@given(files)
def test_every_record_of_any_file_is_a_row_a_copy_ignored_or_bad(contents: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        base = Path(directory)
        plan = plan_of(base, SPEC)
        folder = base / "home" / "toy"
        folder.mkdir(parents=True)
        for number, lines in enumerate(contents):
            (folder / f"{number}.jsonl").write_text("\n".join(lines), encoding="utf-8")
        sources = discover([base / "home"], [plan], DiscoverOptions(as_="home"))
        context = prepare(plan, sources)
        for source in sources:
            ledger = Ledger()
            found = [list(row) for row in rows(source, context, ledger)]
            assert ledger.adds_up
            check_rows(found)
            assert sum(count.rows_written for _, count in ledger) == len(found)
            again = [list(row) for row in rows(source, context, Ledger())]
            assert again == found


def check_rows(found: list[list[Any]]) -> None:
    for row in found:
        named = dict(zip((*COLUMNS, "pair_key", "seq"), row, strict=True))
        assert all(isinstance(value, str) for name, value in named.items() if name not in ("source_line", "seq"))
        assert type(named["source_line"]) is int
        assert named["event"] in EVENTS
        assert named["turn_type"] in TURN_TYPES
    places = [row[-1] for row in found]
    assert len(set(places)) == len(places)
