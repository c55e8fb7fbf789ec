"""A first spec from sample files: it reads them, and `check` asks for what only the source can tell."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import zstandard

from engine.errors import UsageError
from engine.lang import jsontext
from engine.lang.load import check, load_plan
from engine.read.discover import DiscoverOptions, discover
from engine.review.scaffold import scaffold
from engine.review.scaffold_places import lying
from engine.review.scaffold_samples import read_sample
from engine.review.scaffold_shapes import Candidate, candidates, discriminator, seen_of, shape_of
from engine.run.interpret import rows
from engine.run.ledger import Ledger
from engine.run.passes import prepare
from engine.spec.yamlio import read_document

FIXTURES = Path(__file__).parents[2] / "fixtures"
LOG = [
    {"type": "user", "sessionId": "s", "cwd": "/p", "timestamp": "2026-01-02T03:04:05Z", "message": {"content": "hi"}},
    {
        "type": "assistant",
        "sessionId": "s",
        "timestamp": "2026-01-02T03:04:06Z",
        "message": {"content": [], "model": "m"},
    },
    {"type": "tool_use", "tool_name": "ls", "call_id": "c", "timestamp": "2026-01-02T03:04:07Z", "input": {"a": 1}},
    {
        "type": "assistant",
        "sessionId": "s",
        "timestamp": "2026-01-02T03:04:08Z",
        "message": {"content": "bye", "model": "m"},
    },
]


def log(folder: Path, name: str = "2026-01-02.jsonl", records: list[Any] = LOG) -> Path:
    path = folder / ".toy/log" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(jsontext.dumps(record) + "\n" for record in records))
    return path


def answered(text: str) -> str:
    """The spec with what TODO asks for."""
    text = text.replace("cite: TODO", "cite: 'seen:src:page #x'")
    return text.replace("reviewed: TODO", "reviewed: '2026-01-01'").replace(": TODO", ": known")


def run(text: str, home: Path, folder: Path) -> tuple[list[dict[str, Any]], Ledger]:
    """The rows that the answered spec gives of a home, and the ledger of all."""
    path = folder / "new.yaml"
    path.write_text(answered(text))
    plan = load_plan(path)
    sources = discover([home], [plan], DiscoverOptions("home"))
    context, total, found = prepare(plan, sources), Ledger(), []
    for source in sources:
        ledger = Ledger()
        found += [
            {"turn": row[7], "text": row[11], "time": row[0], "session": row[4]}
            for row in rows(source, context, ledger)
        ]
        total.add(ledger)
    return found, total


def test_check_asks_for_each_citation_and_for_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "new.yaml"
    path.write_text(scaffold("toy", [log(tmp_path)]))
    plan, problems = check(path)
    assert plan is None and [(p.code, p.path) for p in problems] == [
        ("E208", "evidence.src.reviewed"), ("E414", "roots.data.cite"), ("E414", "stores.log.cite"),
    ]  # fmt: skip


def test_lines_are_told_apart_and_have_columns(tmp_path: Path) -> None:
    found, ledger = run(scaffold("toy", [log(tmp_path)]), tmp_path, tmp_path)
    assert [row["turn"] for row in found] == ["user", "assistant", "tool_use", "assistant"]
    assert [row["text"] for row in found][::3] == ["hi", "bye"]
    assert found[0]["time"] == "2026-01-02T03:04:05.000Z" and found[0]["session"] == "s"
    assert ledger.adds_up


def test_every_record_of_real_samples_becomes_a_row(tmp_path: Path) -> None:
    homes = [FIXTURES / "claude-code/home/.claude", FIXTURES / "zed/home/.local/share/zed"]
    names = ["projects/*/*.jsonl", "history.jsonl", "settings.json", "threads/threads.db", "db/0-stable/db.sqlite"]
    files = [path for home in homes for name in names for path in sorted(home.glob(name))]
    text = scaffold("toy", files)
    for home in ("claude-code", "zed"):
        found, ledger = run(text, FIXTURES / home / "home", tmp_path)
        counts = ledger.as_dict()
        assert found and all(count["read"] == count["rows"] for count in counts.values()), counts
        assert not any(row["text"].startswith("parser:") for row in found)


def test_a_database_is_a_store_a_table_with_its_codecs(tmp_path: Path) -> None:
    path = tmp_path / ".toy/a.db"
    path.parent.mkdir()
    packed = zstandard.ZstdCompressor().compress(b'{"title":"t"}')
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE threads(id, data, note, tags)")
        database.execute("CREATE TABLE empty(id)")
        database.execute("INSERT INTO threads VALUES ('1', ?, NULL, '[\"a\"]')", (packed,))
    stores = read_document(answered(scaffold("toy", [path])).encode(), "x").root.plain()["stores"]  # type: ignore[union-attr]
    assert list(stores) == ["threads"]
    assert stores["threads"]["read"] == {
        "sqlite": "threads",
        "need": ["id", "data", "tags"],
        "order": "rowid",
        "want": ["note"],
    }
    assert stores["threads"]["decode"] == {"data": ["zstd", "json"], "tags": ["json"]}


def test_a_document_gives_its_longest_list_as_records(tmp_path: Path) -> None:
    path = tmp_path / ".toy/chat.json"
    path.parent.mkdir()
    path.write_text(
        '{"id": "c", "few": [{"a": 1}], "messages": [{"role": "user", "text": "a"}, {"role": "agent", "text": "b"}]}'
    )
    found, _ = run(scaffold("toy", [path]), tmp_path, tmp_path)
    assert [(row["turn"], row["text"]) for row in found] == [("user", "a"), ("assistant", "b")]


def test_ids_in_paths_are_captures_and_like_files_are_one_store(tmp_path: Path) -> None:
    folder = tmp_path / "alice"
    paths = [folder / ".local/share/toy/log/2026" / name for name in ("one.jsonl", "two.jsonl")]
    paths += [folder / ".config/toy/settings.json", folder / ".toy/0a0b0c0d-0000-4000-8000-00000000000a/x.json"]
    assert [(lie.root, lie.glob) for lie in lying(paths, None)] == [
        (".local/share/toy", "log/<folder>/<name>.jsonl"), (".local/share/toy", "log/<folder>/<name>.jsonl"),
        (".config/toy", "settings.json"), (".toy", "<folder>/x.json"),
    ]  # fmt: skip
    assert [lie.root for lie in lying([folder / "toy/a.json"], folder)] == ["toy"]
    assert [(lie.root, lie.glob) for lie in lying([folder / "a.json"], folder)] == [(".", "a.json")]


def test_a_file_with_the_name_of_a_secret_is_named_and_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / ".toy/.credentials.json"
    secret.parent.mkdir()
    secret.write_text('{"password_is": "hunter2"}')
    text = scaffold("toy", [secret, log(tmp_path)])
    assert ".toy/.credentials.json" in text and "password_is" not in text and "hunter2" not in text


def test_texts_of_records_do_not_get_into_the_spec(tmp_path: Path) -> None:
    text = scaffold("toy", [log(tmp_path)])
    assert "bye" not in text and "/p" not in text.replace("/path", "")


def test_what_was_seen_becomes_a_shape() -> None:
    seen = seen_of([{"a": 1, "b": {"c": "x"}}, {"a": None, "d": [{"e": True}]}])
    assert shape_of(seen) == {
        "type": "object", "required": ["a"],
        "properties": {
            "a": {"type": ["integer", "null"]},
            "b": {"type": "object", "required": ["c"], "properties": {"c": {"type": "string"}}},
            "d": {
                "type": "array",
                "items": {"type": "object", "required": ["e"], "properties": {"e": {"type": "boolean"}}},
            },
        },
    }  # fmt: skip
    paths = seen_of([{"/a": {"x": 1}, "/b": {"x": "y"}}])
    assert shape_of(paths)["additionalProperties"]["properties"] == {"x": {"type": ["integer", "string"]}}


def test_kinds_are_told_by_a_member_with_few_words() -> None:
    assert discriminator(seen_of(LOG)) == "type"
    assert discriminator(seen_of([{"type": f"kind {n}"} for n in range(9)])) is None
    assert discriminator(seen_of([{"x": "a"}, {"x": "b"}])) is None


def test_stamps_are_candidates_with_their_unit() -> None:
    seen = seen_of(
        [{"created_at": 1790000000, "at": 1790000000123, "note_at": "soon", "x-time": "2026-01-02T00:00:00Z"}]
    )
    assert candidates(seen, "record")["time"] == [
        Candidate("record.at", 1, "ms"), Candidate('record."x-time"', 1, "iso"), Candidate("record.created_at", 1, "s"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.jsonl", b'{"a":1}\nbroken\n{"a":2}\n{"a":3}\n', "jsonl"), ("a.log", b'{"a":1}\n{"a":2}\n', "jsonl"),
        ("a.json", b'{"a":1}\n', "json"), ("a.json", b'{"a":1} // x\n', "jsonc"), ("a.toml", b"a = 1\n", "toml"),
        ("a.yml", b"a: 1\n", "yaml"), ("a.md", b"# a\nb\n", "lines"), ("b.env", b"A=1\n", "env"),
    ],
)  # fmt: skip
def test_a_sample_is_known_by_what_it_holds(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / f"{name}.zst").write_bytes(zstandard.ZstdCompressor().compress(data))
    assert [read_sample(tmp_path / each).kind for each in (name, f"{name}.zst")] == [kind, kind]


def test_wrong_uses_are_told_in_a_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no id of an agent"):
        scaffold("a b", [log(tmp_path)])
    with pytest.raises(UsageError, match="No such file"):
        scaffold("toy", [tmp_path / "nothing.json"])
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\0 and no more")
    with pytest.raises(UsageError, match=r"x\.db"):
        scaffold("toy", [tmp_path / "x.db"])
