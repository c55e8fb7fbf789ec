"""A small spec with tests, for those who try the workbench on it."""

from __future__ import annotations

from pathlib import Path

from engine.review.spectext import SpecText, read_spec

HEAD = """
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: fixture}
evidence:
  toy:
    repo: 'https://github.com/toy/toy'
    commit: '0123456789abcdef0123456789abcdef01234567'
    license: MIT
    reviewed: '2026-01-01'
roots: {data: {cite: 'toy:paths.rs:1 #x', home: [.toy, AppData/Local/Toy], env: TOY_HOME}}
catalog: {home: [.toy, AppData/Local/Toy], secrets: ['.toy/auth.json'], exclude: [{glob: '.toy/cache', why: a cache}]}
stores:
  log: {cite: 'toy:log.rs:1-9 #x', files: ['{data}/<session>.jsonl'], read: jsonl, shape: line, walk: log}
  packed: {cite: 'toy:log.rs:1-9 #x', files: ['{data}/<session>.jsonl.zst'], read: jsonl, walk: log}
  boards:
    cite: 'toy:boards.rs:1 #x'
    files: ['{data}/boards.db']
    read: {sqlite: boards, need: [id, kind, data], json: [tags], order: rowid}
    decode: {data: {by: row.kind, packed: [zstd, json], plain: [json]}}
    walk: board
  settings: {cite: 'seen:toy:config page #mode', files: ['{data}/config.toml'], read: toml, walk: settings}
shapes:
  line:
    description: One line of a log.
    type: object
    required: [kind]
    properties: {kind: {enum: [user, note]}, text: {type: string}, at: {type: [string, 'null']}, data: {}}
walks:
  log:
    columns: {session_id: path.session, time: {time: record.at, unit: iso}}
    steps:
      - switch: record.kind
        cases:
          user: {emit: prompt, turn: user, text: record.text}
          note: {emit: note, event: notice, text: {text: 'note: {record.text}'}}
        otherwise: keep_json
  board:
    steps:
      - {emit: board, event: task, text: {text: '{row.id} {row.data.title} {row.tags}'}, time: file.mtime}
  settings:
    steps:
      - {emit: mode, event: permission_setting, text: {text: 'permission setting: mode={doc.mode}'}}
unread: {cache: 'nothing | of interest'}
"""

TESTS = """
tests:
  - name: a prompt is a row
    given: {'.toy/s.jsonl': [{kind: user, text: hi, at: '2026-01-02T03:04:05Z'}]}
    expect:
      - {turn_type: user, text: hi, session_id: s, timestamp_utc: '2026-01-02T03:04:05.000Z'}
"""


def toy(folder: Path, tests: str = TESTS) -> SpecText:
    """The spec with these tests, as a file of a folder."""
    path = folder / "toy.yaml"
    path.write_text(HEAD.lstrip() + tests, encoding="utf-8")
    return read_spec(path)
