"""What lies in a folder of records besides them, the folder's own sidecars, and an order by what the records hold."""

from __future__ import annotations

from pathlib import Path

from engine.errors import BadFile
from tests.read.reading import Seen, read_all

STORE = """
events:
  cite: 'toy:store.rs:1 #x'
  role: primary
  folder: ['{{data}}/**/<id:hex>']
  records: {{files: '{files}', order: {order}, others: {others}}}
  read: json
  need: object
  beside:
    meta: {{json: '{{folder}}/meta.json'}}
    about: {{facts: '{{folder}}/meta.json'}}
    none: {{facts: '{{folder}}/none.json'}}
"""


def case(base: Path, files: dict[str, str], pattern: str = "events/e-<n:int>.json", **more: str) -> list[Seen]:
    text = STORE.format(
        files=pattern, order=more.get("order", "path.n"), others=more.get("others", "['events/*.lock']")
    )
    return read_all(base, text, {f".toy/{name}": content for name, content in files.items()})


def test_a_file_among_the_records_that_is_none_and_is_not_named_is_a_note_after_them(tmp_path: Path) -> None:
    names = ["events/e-1.json", "events/a.txt", "events/x.lock", "events/e-0.json", "events/below/b.txt", "meta.json"]
    (seen,) = case(tmp_path, {f"a/{name}": "{}" for name in names})
    assert [record.names for record in seen.records] == [{"n": 0}, {"n": 1}, {}]
    fault = seen.records[2].bad
    assert isinstance(fault, BadFile) and fault.text == "a.txt is no event file"


def test_without_a_word_on_others_nothing_is_said_of_them(tmp_path: Path) -> None:
    (seen,) = case(tmp_path, {"a/events/e-1.json": "{}", "a/events/a.txt": ""}, others="[]")
    assert [record.bad for record in seen.records] == [None]


def test_the_sidecars_of_each_folder_are_its_own_however_deep_it_lies(tmp_path: Path) -> None:
    files = {f"{place}/events/e-0.json": "{}" for place in ("a", "x/y/d")}
    files |= {"a/meta.json": '{"of":"a"}', "x/y/d/meta.json": '{"of":"d"}', "meta.json": '{"of":"none"}'}
    found = [names for seen in case(tmp_path, files) for _, names, _ in seen.units]
    assert [names["meta"] for names in found] == [{"of": "a"}, {"of": "d"}]
    assert [names["about"]["path"] for names in found] == [".toy/a/meta.json", ".toy/x/y/d/meta.json"]
    assert found[0]["about"]["size"] == 10 and found[0]["about"]["name"] == "meta.json"
    assert found[0]["about"]["mtime"].basis == "file_mtime"
    assert [names["none"] for names in found] == [None, None]


def test_records_can_be_ordered_by_what_they_hold_and_those_without_a_place_come_last(tmp_path: Path) -> None:
    files = {"a/1": '{"at":"b"}', "a/2": '{"at":', "a/3": '{"at":"a"}', "a/4": "{}"}
    (seen,) = case(tmp_path, files, "<n:int>", order="record.at", others="[]")
    assert [record.names["n"] for record in seen.records if record.names] == [3, 1, 2, 4]
    assert isinstance(seen.records[2].bad, BadFile)
