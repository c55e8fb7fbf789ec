"""Folders of record files as one unit, and the sidecars of any unit."""

from __future__ import annotations

import hashlib
import os
from itertools import chain
from pathlib import Path

import pytest

from engine.errors import BadFile
from engine.read import folders, tree
from engine.read.discover import discover
from engine.read.limits import Limits
from engine.read.reader import open_units
from tests.read.reading import make, plan_of, read_all, read_source, store

FOLDER = """
events:
  cite: 'toy:store.rs:1 #x'
  role: primary
  folder: ['{data}/conversations/<id>']
  records: {files: 'events/event-<idx:int>-<eid:uuid>.json', order: path.idx}
  skip: ['{data}/conversations/old-*']
  read: json
  need: object
"""

UUID = "0000000{}-0000-4000-8000-000000000000"


def event(number: int, width: int = 5) -> str:
    return f"event-{number:0{width}}-{UUID.format(number % 10)}.json"


def case(base: Path, files: dict[str, str | bytes], limits: Limits | None = None):
    (seen,) = read_all(base, FOLDER, {f".toy/conversations/c1/{name}": text for name, text in files.items()}, limits)
    return seen


def test_a_folder_is_one_unit_and_each_of_its_files_a_record(tmp_path):
    seen = case(
        tmp_path, {"events/" + event(2): '{"n":2}', "events/" + event(0): '{"n":0}', "events/x": "", "meta.json": ""}
    )
    assert seen.source.folder and seen.source.source_file == ".toy/conversations/c1"
    assert seen.captures == [{"id": "c1"}]
    assert [(r.line, r.value, r.names, r.source_file) for r in seen.records] == [
        (1, {"n": 0}, {"idx": 0, "eid": UUID.format(0)}, f".toy/conversations/c1/events/{event(0)}"),
        (2, {"n": 2}, {"idx": 2, "eid": UUID.format(2)}, f".toy/conversations/c1/events/{event(2)}"),
    ]


def test_records_are_in_the_order_of_their_numbers_not_of_their_names(tmp_path):
    names = [event(10, 1), event(9, 1), event(2, 3)]
    seen = case(tmp_path, {f"events/{name}": f'{{"n":{name[6:8].rstrip("-")}}}'.replace(":00", ":") for name in names})
    assert [record.names["idx"] for record in seen.records] == [2, 9, 10]


def test_a_record_file_that_can_not_be_read_is_a_record_with_its_own_note(tmp_path):
    home = make(tmp_path / "home", {f".toy/conversations/c1/events/{event(n)}": f'{{"n":{n}}}' for n in range(6)})
    folder = home / ".toy/conversations/c1/events"
    (folder / event(1)).write_text('{"n":')
    (folder / event(2)).write_text("[]")
    (folder / event(3)).unlink()
    os.mkfifo(folder / event(3))
    (folder / event(4)).unlink()
    (folder / event(4)).symlink_to(folder / event(5))
    plan = plan_of(tmp_path / "spec", FOLDER)
    (source,) = discover([home], [plan])
    seen = read_source(source, plan)
    assert [value["n"] for value in seen.values] == [0, 5]
    notes = [(r.line, r.bad.text, r.names["idx"]) for r in seen.records if isinstance(r.bad, BadFile)]
    cut = "cut off: expecting value at character 6"
    assert notes == [
        (2, f"event file could not be decoded ({cut})", 1),
        (3, "event file could not be decoded (not a JSON object)", 2),
        (4, "event file could not be read (not a regular file)", 3),
        (5, "event file could not be read (a link, not followed)", 4),
    ]


def test_a_record_file_that_vanishes_is_a_record_with_a_note(tmp_path):
    from engine.read.reader import Opened

    home = make(tmp_path / "home", {f".toy/conversations/c1/events/{event(n)}": f'{{"n":{n}}}' for n in range(3)})
    plan = plan_of(tmp_path / "spec", FOLDER)
    (source,) = discover([home], [plan])
    for unit in Opened(source, plan, Limits()).units():
        (source.path / "events" / event(1)).unlink()
        records = list(unit.records())
    assert unit.count == 3
    assert [record.bad is None for record in records] == [True, False, True]
    assert isinstance(records[1].bad, BadFile) and records[1].bad.reason == "no such file or directory"


def test_large_record_files_are_read_whole_up_to_the_limit(tmp_path):
    files = {
        "events/" + event(0): '{"t":"' + "x" * 200_000 + '"}',
        "events/" + event(1): '{"t":"' + "y" * 900_000 + '"}',
    }
    seen = case(tmp_path, files, Limits(blob=300_000))
    assert [len(value["t"]) for value in seen.values] == [200_000]
    assert seen.records[1].bad.reason == "over the limit of 300000 bytes"


def test_a_record_file_may_be_nested_as_deep_as_the_limit_and_no_deeper(tmp_path):
    files = {f"events/{event(n)}": "[" * deep + " " * 2000 + "]" * deep for n, deep in enumerate((7, 8, 9))}
    files = {name: f'{{"n":{text}}}' for name, text in files.items()}
    seen = case(tmp_path, files, Limits(nesting=9))
    assert [record.bad is None for record in seen.records] == [True, True, False]
    assert seen.records[2].bad.reason == "nested deeper than 9"


def test_what_was_listed_for_a_look_is_not_listed_again_and_little_is_kept(monkeypatch):
    monkeypatch.setattr(folders, "_KEPT", 3)
    listings, listed = folders.Listings(), []

    def files(*names):
        return lambda: listed.append(names) or [folders.Member(name, "file", {}) for name in names]

    for _ in range(2):
        assert [member.path for member in listings.of("a", "s", files("1", "2"))] == ["1", "2"]
        assert len(listings.of("b", "s", files("3", "4"))) == 2
    assert listed == [("1", "2"), ("3", "4"), ("3", "4")]
    listings.close()
    for _ in range(2):
        listings.of("c", "s", files("5"))
    assert listed[3:] == [("5",), ("5",)]


def test_every_record_file_has_its_size_and_hash(tmp_path):
    seen = case(tmp_path, {"events/" + event(0): '{"n":0}', "events/" + event(1): "{"})
    assert [(f.what, f.size, f.sha256) for f in seen.files] == [
        ("file", 0, ""),
        ("record", 7, hashlib.sha256(b'{"n":0}').hexdigest()),
        ("record", 1, hashlib.sha256(b"{").hexdigest()),
    ]


def test_the_files_behind_the_heads_that_were_read_before_have_their_hash_too(tmp_path):
    from engine.read.reader import Opened

    home = make(tmp_path / "home", {f".toy/conversations/c1/events/{event(n)}": f'{{"n":{n}}}' for n in range(3)})
    plan = plan_of(tmp_path / "spec", FOLDER)
    (source,) = discover([home], [plan])
    opened = Opened(source, plan, Limits())
    for unit in opened.units():
        next(unit.records())
        list(unit.records())
    hashes = [hashlib.sha256(f'{{"n":{n}}}'.encode()).hexdigest() for n in range(3)]
    assert [file.sha256 for file in opened.files] == ["", *hashes]


@pytest.mark.parametrize("size", [0, 20, 10**6])
def test_the_records_are_the_same_however_many_are_read_at_a_time(tmp_path, size):
    texts = ['{"n":0}', "", '{"n":' + " " * 2000 + "2}", "[]", '{"n":"\xff"}', '{"n":4}']
    texts = [text.encode("latin-1") for text in texts]
    seen = case(tmp_path, {f"events/{event(n)}": text for n, text in enumerate(texts)})
    names = [folders.Member(f"events/{event(n)}", "file", {"idx": n, "eid": UUID.format(n)}) for n in range(6)]
    files = folders.RecordFiles(str(seen.source.path), seen.source.source_file, names, "object", Limits())
    blocks = list(files.blocks(size))
    assert (len(blocks) == 6, len(blocks) == 1) == (size == 0, size > 20)
    told = [(r.line, r.value, r.names, r.source_file, str(r.bad), r.flags) for r in seen.records]
    assert [(r.line, r.value, r.names, r.source_file, str(r.bad), r.flags) for r in chain(*blocks)] == told
    assert [record.line for record in seen.records if record.bad is None and not record.flags] == [1, 3, 6]


def test_a_folder_without_record_files_is_a_unit_without_records(tmp_path):
    seen = case(tmp_path, {"meta.json": "{}"})
    assert [records for _, _, records in seen.units] == [[]]


def test_skipped_folders_are_left_out(tmp_path):
    home = make(tmp_path / "home", {f".toy/conversations/{c}/events/{event(0)}": "{}" for c in ("old-1", "c1")})
    plan = plan_of(tmp_path / "spec", FOLDER)
    assert [source.path.name for source in discover([home], [plan])] == ["c1"]


# ------------------------------------------------------------------------------------------------------ sidecars

BESIDE = store(
    "s", "{data}/<dir>/<stem>.jsonl", "jsonl",
    beside="{meta: {json: '{data}/<dir>/<stem>.meta.json'}, note: {text: '{data}/<dir>/note.txt'}, "
    "names: {list: '{data}/<dir>/out/*'}, files: {all: '{data}/<dir>/out/*'}}",
)  # fmt: skip


def test_sidecars_are_loaded_with_the_captures_filled_in(tmp_path):
    files = {"d/a[*].jsonl": "", "d/a[*].meta.json": '{"m":1}', "d/ab.meta.json": '{"m":2}', "d/note.txt": b"n\xff",
             "d/out/2.json": "[2]", "d/out/1.txt": "one", "d/out/3.json": "{", "e/out/9.txt": ""}  # fmt: skip
    (seen,) = read_all(tmp_path, BESIDE, {f".toy/{name}": text for name, text in files.items()})
    ((_, names, _),) = seen.units
    assert (names["meta"], names["note"], names["names"]) == ({"m": 1}, "n\ufffd", ["1.txt", "2.json", "3.json"])
    assert list(names["files"]) == ["1.txt", "2.json", "3.json"]
    assert [names["files"].get(name) for name in ("1.txt", "2.json", "3.json", "9.txt")] == ["one", [2], None, None]
    told = {f.source_file: (f.what, f.sha256) for f in seen.files}
    assert told[".toy/d/a[*].meta.json"] == ("sidecar", hashlib.sha256(b'{"m":1}').hexdigest())
    assert ".toy/d/ab.meta.json" not in told


def test_a_directory_of_sidecars_is_listed_once_for_the_sources_that_share_it(tmp_path, monkeypatch):
    names = [f".toy/d/{number}.jsonl" for number in range(5)]
    home = make(tmp_path / "home", {**dict.fromkeys(names, ""), ".toy/d/out/b.txt": "", ".toy/d/out/a.txt": ""})
    plan = plan_of(tmp_path / "spec", BESIDE)
    sources = discover([home], [plan])
    listed, scandir = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: listed.append(path) or scandir(path))
    listings = folders.Listings()
    found = [unit.names["names"] for source in sources for unit in open_units(source, plan, Limits(), True, listings)]
    assert found == [["a.txt", "b.txt"]] * 5
    assert listed == [f"{home}/.toy/d/out"]


def test_of_the_directories_that_were_listed_those_asked_for_last_are_kept(monkeypatch):
    monkeypatch.setattr(tree, "_KEPT", 6)
    recent, listed = tree.Recent(), []

    def ask(directory):
        return recent.of(directory, lambda: listed.append(directory) or tree.Listing({"a": "file", "b": "file"}))

    for directory in "ababcabc":
        assert list(ask(directory).kinds) == ["a", "b"]
    assert listed == ["a", "b", "c", "a", "b", "c"]


def test_missing_and_broken_sidecars_are_null_or_empty(tmp_path):
    (seen,) = read_all(tmp_path, BESIDE, {".toy/d/a.jsonl": "", ".toy/d/a.meta.json": "{", ".toy/d/note.txt/x": ""})
    ((_, names, _),) = seen.units
    assert (names["meta"], names["note"], names["names"], dict(names["files"])) == (None, None, [], {})


def test_a_sidecar_that_is_a_link_or_a_pipe_is_not_there(tmp_path):
    home = make(tmp_path / "home", {".toy/d/a.jsonl": "", "secret.json": '{"s":1}'})
    (home / ".toy/d/a.meta.json").symlink_to(home / "secret.json")
    os.mkfifo(home / ".toy/d/note.txt")
    plan = plan_of(tmp_path / "spec", BESIDE)
    (source,) = discover([home], [plan])
    ((_, names, _),) = read_source(source, plan).units
    assert (names["meta"], names["note"]) == (None, None)
