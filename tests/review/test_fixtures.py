"""What is given in a test becomes the files that an agent would have left."""

from __future__ import annotations

import gzip
import json
import sqlite3
import tomllib
from pathlib import Path
from typing import Any

import pytest
import zstandard

from engine.errors import UsageError
from engine.review.fixtures import MTIME, Builder
from tests.review.toy import toy


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def build(home: Path, given: Any) -> Path:
    (home.parent / "spec").mkdir(exist_ok=True)
    Builder(toy(home.parent / "spec").plan, home.parent / "spec").build(given, home)
    return home


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(path) as database:
        return database.execute(query).fetchall()


def test_text_is_a_file_as_it_stands(home: Path) -> None:
    assert (build(home, {"a/b.json": '{"a": 1} // by hand'}) / "a/b.json").read_bytes() == b'{"a": 1} // by hand'


@pytest.mark.parametrize(
    ("name", "value", "stored"),
    [
        ("a.json", {"b": [1, None, "é"]}, '{"b":[1,null,"é"]}'.encode()),
        ("a.json", [1], b"[1]"),
        ("a.jsonl", [{"a": 1}, "no JSON", {"b": 2}], b'{"a":1}\nno JSON\n{"b":2}\n'),
        (".env", {"A": "b", "C": "d e"}, b'A=b\nC="d e"\n'),
        ("a.json", {"hex": "00ff"}, b"\x00\xff"),
        ("a.txt", {"jsonl": [{"a": 1}]}, b'{"a":1}\n'),
        ("a.json", {"json": {"text": "hi"}}, b'{"text":"hi"}'),
        ("a.jsonl", {"text": "a line"}, b"a line"),
    ],
)
def test_content_takes_the_form_that_its_name_or_itself_says(home: Path, name: str, value: Any, stored: bytes) -> None:
    assert (build(home, {name: value}) / name).read_bytes() == stored


def test_toml_is_read_back_as_it_was_given(home: Path) -> None:
    document = {"a": "x\ny", "b": [1, {"c": True}], "d": {"e f": {"g": 2}}, "h": {}}
    assert tomllib.loads((build(home, {"a.toml": document}) / "a.toml").read_text()) == document


def test_packed_files_hold_what_their_inner_name_says(home: Path) -> None:
    build(home, {"a.jsonl.zst": [{"a": 1}], "b.json.gz": {"c": 2}, "d": {"zstd": "text"}})
    assert zstandard.ZstdDecompressor().decompress((home / "a.jsonl.zst").read_bytes()) == b'{"a":1}\n'
    assert json.loads(gzip.decompress((home / "b.json.gz").read_bytes())) == {"c": 2}
    assert zstandard.ZstdDecompressor().decompress((home / "d").read_bytes()) == b"text"


def test_rows_become_a_table_whose_columns_they_name(home: Path) -> None:
    build(home, {"a.db": {"t": [{"rowid": 7, "x": 1, "y": "b"}, {"x": None, "z": True}]}})
    assert rows(home / "a.db", "SELECT rowid, x, y, z FROM t") == [(7, 1, "b", None), (8, None, None, 1)]


def test_a_column_goes_through_its_codecs_the_other_way(home: Path) -> None:
    build(home, {"boards.db": {"boards": [
        {"id": 1, "kind": "packed", "data": {"title": "a"}, "tags": ["x"]},
        {"id": 2, "kind": "plain", "data": {"title": "b"}},
        {"id": 3, "kind": "packed", "data": {"hex": "00"}},
    ]}})  # fmt: skip
    (packed, tags), (plain, _), (broken, _) = rows(home / "boards.db", "SELECT data, tags FROM boards")
    assert zstandard.ZstdDecompressor().decompress(packed) == b'{"title":"a"}' and tags == '["x"]'
    assert (plain, broken) == ('{"title":"b"}', b"\x00")


def test_an_empty_table_has_the_columns_that_the_spec_reads(home: Path) -> None:
    build(home, {"boards.db": {"boards": [], "of_another": []}})
    assert rows(home / "boards.db", "SELECT id, kind, data, tags FROM boards") == []
    assert rows(home / "boards.db", "SELECT * FROM of_another") == []


def test_folders_nest_and_may_be_empty(home: Path) -> None:
    build(home, {"a/": {"b.json": {}, "c/": None}})
    assert (home / "a/b.json").read_bytes() == b"{}" and list((home / "a/c").iterdir()) == []


def test_files_have_one_time_unless_they_name_another(home: Path) -> None:
    build(home, {"a": "x", "b": {"text": "y", "mtime": "2026-05-06T07:08:09Z"}})
    assert ((home / "a").stat().st_mtime, (home / "b").stat().st_mtime) == (MTIME, 1778051289)


def test_a_fixture_is_copied_from_beside_the_spec(home: Path) -> None:
    (home.parent / "fixture/x").mkdir(parents=True)
    (home.parent / "fixture/x/a.txt").write_text("a")
    build(home, {".": {"copy": "../fixture"}, "b.txt": {"copy": "../fixture/x/a.txt"}})
    assert (home / "x/a.txt").read_text() == (home / "b.txt").read_text() == "a"
    assert (build(home.parent / "again", "../fixture") / "x/a.txt").read_text() == "a"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"/a": "x"}, "/a: a given file lies below the home"),
        ({"../a": "x"}, "../a: a given file lies below the home"),
        ({"a": 5}, "a: a file is text, a list or an object, not 5"),
        ({"a": {"hex": "0g"}}, "a: `hex` is pairs of hexadecimal digits"),
        ({"a": {"jsonl": {}}}, "a: `jsonl` takes a list of records"),
        ({"a.db": {"t": {}}}, "a.db: table `t` is a list of rows"),
        ({"a.toml": {"b": None}}, "TOML has no null"),
        ({"a": {"text": "x", "mtime": "noon"}}, "mtime `noon` is no time"),
        ("../nothing", "../nothing: no such file beside the spec"),
    ],
)
def test_what_can_not_be_built_is_told_in_a_line(home: Path, given: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        build(home, given)
    assert message in str(error.value)
