"""Whole documents: what they hold, and the one note of one that can't be read."""

from __future__ import annotations

import gzip

import pytest

from engine.read.limits import Limits
from tests.read.reading import read, read_all, store


def document(base, name, content, how, limits=None, **more):
    return read(base, store("s", f"{{data}}/{name}", how, **more), {f".toy/{name}": content}, limits)


def test_a_document_is_one_record_without_a_line(tmp_path):
    seen = document(tmp_path, "a.json", '\ufeff{"b":1,"a":[12345678901234567890123]}', "json")
    ((_, names, (record,)),) = seen.units
    assert record.line == 0
    assert record.value == names["doc"] == {"b": 1, "a": [12345678901234567890123]}


def test_a_list_inside_gives_numbered_records(tmp_path):
    seen = document(tmp_path, "a.json", '{"x":{"y":["one",null,{"z":2}]}}', "json", records="doc.x.y")
    assert [(record.line, record.value) for record in seen.records] == [(1, "one"), (2, None), (3, {"z": 2})]
    assert seen.units[0][1]["doc"]["x"]["y"] == ["one", None, {"z": 2}]


def test_an_expression_makes_the_records(tmp_path):
    seen = document(tmp_path, "a.json", '{"b":{"n":1},"a":{"n":2}}', "json", records="'entries(doc)'")
    assert [record.value["key"] for record in seen.records] == ["b", "a"]


@pytest.mark.parametrize("content", ["{}", '{"x":null}', '{"x":"text"}', '{"x":{}}'])
def test_what_is_no_list_gives_no_records(tmp_path, content):
    assert document(tmp_path, "a.json", content, "json", records="doc.x").records == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ('{"a":1', "cut off: "),
        ('{"a":1}{', "text after the JSON value"),
        ("{'a':1}", ""),
    ],
)
def test_json_that_is_none_is_one_note_an_empty_file_too(tmp_path, content, reason):
    note = document(tmp_path, "a.json", content, "json").note
    assert note.startswith(f"a.json could not be decoded ({reason}")


@pytest.mark.parametrize("how", ["jsonc", "toml", "yaml", "env"])
@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_an_empty_file_of_another_kind_is_nothing(tmp_path, how, content):
    seen = document(tmp_path, "a", content, how, need="object")
    assert (seen.units, seen.note) == ([], "")


def test_json_with_comments_and_trailing_commas_is_read(tmp_path):
    text = '// head\n{"a": 1, /* "b": 2, */ "c": ["x // y", "/* z */",],}\n'
    assert document(tmp_path, "s.json", text, "jsonc").values == [{"a": 1, "c": ["x // y", "/* z */"]}]


def test_strict_json_keeps_its_numbers_where_comments_are_allowed(tmp_path):
    seen = document(tmp_path, "s.json", '{"a":12345678901234567890.5,"b":"\\ud83d"}', "jsonc")
    assert seen.values == [{"a": 12345678901234567890.5, "b": "\ud83d"}]


def test_comments_alone_are_nothing(tmp_path):
    seen = document(tmp_path, "s.json", "// nothing yet\n", "jsonc", need="object")
    assert (seen.units, seen.note) == ([], "")


@pytest.mark.parametrize("content", ['{"a": {"b":', "[1]", "text", "[" * 1000 + "]" * 1000])
def test_settings_that_are_no_object_are_one_note(tmp_path, content):
    seen = document(tmp_path, "settings.json", content, "jsonc", need="object")
    assert seen.note == "settings.json is not a JSON object"


def test_a_note_on_a_broken_document_quotes_nothing_of_it(tmp_path):
    for how, text in {
        "jsonc": '{"key": "SECRET" SECRET}',
        "json": '{"key": SECRET}',
        "toml": 'key = "SECRET\nSECRET = [SECRET',
        "yaml": "key: [SECRET\nSECRET: '",
    }.items():
        note = document(tmp_path / how, "a.conf", text, how).note
        assert note.startswith("a.conf could not be decoded (")
        assert "SECRET" not in note


def test_toml_has_its_times_as_text(tmp_path):
    text = 'a = 1979-05-27T07:32:00Z\nd = 1979-05-27\nt = 07:32:00\n[b."c.d"]\nx = [1, {y = "z"}]\n'
    assert document(tmp_path, "c.toml", text, "toml").values == [
        {"a": "1979-05-27T07:32:00+00:00", "d": "1979-05-27", "t": "07:32:00", "b": {"c.d": {"x": [1, {"y": "z"}]}}}
    ]


def test_yaml_has_its_times_as_written_and_keys_as_text(tmp_path):
    text = "when: 2026-01-02T03:04:05Z\n1: one\ntrue: yes\nb: !!binary aGk=\nempty:\nlist: &l [1]\nagain: *l\n"
    assert document(tmp_path, "t.yaml", text, "yaml").values == [
        {
            "when": "2026-01-02T03:04:05Z",
            "1": "one",
            "true": True,
            "b": "6869",
            "empty": None,
            "list": [1],
            "again": [1],
        }
    ]


def test_yaml_that_names_python_objects_makes_none(tmp_path):
    text = "!!python/object/apply:os.system ['touch /tmp/never']\n"
    assert "could not be decoded" in document(tmp_path, "t.yaml", text, "yaml").note


def test_yaml_aliases_that_stand_for_too_much_are_one_note(tmp_path):
    text = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    assert document(tmp_path, "t.yaml", text, "yaml").note == "t.yaml could not be decoded (over 1000000 values)"


@pytest.mark.parametrize("how", ["yaml", "toml", "json", "jsonc"])
def test_depth_beyond_all_measure_is_one_note(tmp_path, how):
    text = "[" * 20_000 + "]" * 20_000
    assert document(tmp_path, "t", f"a = {text}" if how == "toml" else text, how).note.startswith(
        "t could not be decoded"
    )


def test_environment_files_give_names_and_values(tmp_path):
    text = "# A=no\nA=1\nexport B='two words'\r\nC=\"x=y\"\nnothing\n=none\nD=\nA=2\nE='open\n"
    assert document(tmp_path, ".env", text, "env").values == [
        {"A": "2", "B": "two words", "C": "x=y", "D": "", "E": "'open"}
    ]


def test_of_a_secret_file_only_the_named_keys_are_kept(tmp_path):
    text = (
        '{"a":{"b":1,"secret":"S"},"list":[{"k":1,"s":"S"},{"s":"S"}],'
        '"all":{"x":{"y":["S2"]}},"any":{"p":{"q":3},"r":{"s":"S"}}}'
    )
    seen = document(tmp_path, "a.json", text, "json", keys="[a.b, 'list[].k', 'all.**', any.*.q, gone.x]")
    assert seen.values == [{"a": {"b": 1}, "list": [{"k": 1}], "all": {"x": {"y": ["S2"]}}, "any": {"p": {"q": 3}}}]
    seen = document(tmp_path / "b", "a.json", '{"other":"S"}', "json", keys="[a.b]")
    assert seen.values == [None]


def test_a_document_over_the_limit_is_one_note(tmp_path):
    note = document(tmp_path, "a.json", '{"a":"' + "x" * 200 + '"}', "json", Limits(blob=100)).note
    assert note == "a.json could not be decoded (over the limit of 100 bytes)"
    packed = gzip.compress(b'{"a":"' + b"x" * 100_000 + b'"}')
    note = document(tmp_path / "b", "a.json.gz", packed, "json", Limits(blob=1000)).note
    assert note == "a.json.gz could not be decoded (unpacks to over 1000 bytes)"


def test_a_compressed_document_is_unpacked(tmp_path):
    assert document(tmp_path, "a.json.gz", gzip.compress(b'{"a":1}'), "json").values == [{"a": 1}]


def test_bytes_that_are_no_utf8_are_said_once(tmp_path):
    seen = document(tmp_path, "a.json", b'{"x":["\xff","b"]}', "json", records="doc.x")
    assert [(record.value, record.flags) for record in seen.records] == [("\ufffd", ("invalid UTF-8",)), ("b", ())]


def test_two_stores_of_one_broken_file_give_one_source_and_the_same_note(tmp_path):
    body = store("s", "{data}/a.json", "json") + store("t", "{data}/*.json", "json", need="object")
    (seen,) = read_all(tmp_path, body, {".toy/a.json": "{"})
    assert [name for name, _, _ in seen.units] == ["s", "t"]
    assert {bad[1] for bad in seen.bad} == {
        "a.json could not be decoded (cut off: expecting property name enclosed in double quotes at character 2)"
    }


def test_a_store_that_needs_something_else_does_not_stop_the_other(tmp_path):
    body = store("s", "{data}/a.json", "json", need="array") + store("t", "{data}/*.json", "json", need="object")
    (seen,) = read_all(tmp_path, body, {".toy/a.json": "{}"})
    assert seen.bad == [(0, "a.json is not a JSON array", "")]
    assert seen.values == [{}]


def test_a_file_whose_being_there_says_it_all_is_one_record_whatever_it_holds(tmp_path):
    for name, content in (("a", ""), ("b", b"\xff{not json")):
        seen = read(tmp_path / name, store("s", "{data}/.toggle-<on:int>", "mark"), {".toy/.toggle-1": content})
        assert (seen.values, seen.captures, seen.note) == ([{}], [{"on": 1}], "")
