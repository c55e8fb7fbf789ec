"""The strict YAML reader."""

from __future__ import annotations

import string
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.spec.yamlio import MAX_BYTES, Document, Mapping, Scalar, Sequence, read_document


def read(text: str) -> Document:
    return read_document(text.encode(), "a.yaml")


def scalar(text: str) -> Scalar:
    document = read(f"a: {text}\n")
    assert isinstance(document.root, Mapping) and document.problems == []
    node = document.root.items["a"]
    assert isinstance(node, Scalar)
    return node


def test_every_node_has_its_line_column_and_path() -> None:
    root = read("stores:\n  log:\n    files: [a, 'b']\n").root
    stores: Any = root.items["stores"]  # type: ignore[union-attr]
    files = stores.items["log"].items["files"]
    assert (files.line, files.column, files.path) == (3, 12, "stores.log.files")
    assert [(item.line, item.column, item.path) for item in files.items] == [
        (3, 13, "stores.log.files[0]"), (3, 16, "stores.log.files[1]"),
    ]  # fmt: skip
    assert (stores.keys["log"].line, stores.keys["log"].column) == (2, 3)


def test_a_key_that_is_no_word_stands_in_brackets_in_the_path() -> None:
    root = read("cases:\n  'a | b': {c: 1}\n").root
    assert root.items["cases"].items["a | b"].items["c"].path == "cases['a | b'].c"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "value"),
    [("null", None), ("", None), ("true", True), ("false", False), ("0", 0), ("-12", -12), ("'12'", "12"),
     ('"on"', "on"), ("'1.5'", "1.5"), ("a.b", "a.b"), ("n", "n"), ("~/notes", "~/notes"), ("-", None)],
)  # fmt: skip
def test_plain_scalars_are_null_booleans_integers_or_text(text: str, value: Any) -> None:
    if text == "-":
        assert isinstance(read("a:\n  -\n").root.items["a"], Sequence)  # type: ignore[union-attr]
    else:
        assert scalar(text).value == value and type(scalar(text).value) is type(value)


@pytest.mark.parametrize(
    ("text", "code"),
    [(word, "E108") for word in ("yes", "No", "on", "OFF", "True", "~", "NULL")]
    + [(word, "E109") for word in ("1.5", ".5", "1e3", "0x1F", "0o17", "017", "1_000", "+5", ".inf", "-.INF", ".nan")]
    + [(word, "E109") for word in ("1234567890123456789",)]
    + [(word, "E110") for word in ("2026-11-30", "2026-1-3 10:00:00", "12:30", "190:20:30", "1:30.5")],
)
def test_what_yaml_would_bend_must_be_quoted(text: str, code: str) -> None:
    document = read(f"a: {text}\n")
    assert [problem.code for problem in document.problems] == [code]
    assert "quote this" in document.problems[0].message or "write null" in document.problems[0].message
    assert scalar(f"'{text}'").value == text


def test_keys_are_held_to_the_same_rules_and_are_text() -> None:
    assert [problem.code for problem in read("on: 1\n").problems] == ["E108"]
    root = read("1: a\ntrue: b\nnull: c\n").root
    assert root is not None and root.plain() == {"1": "a", "true": "b", "null": "c"}


def test_a_byte_order_mark_is_skipped() -> None:
    root = read_document(b"\xef\xbb\xbfspec: 1\n", "a.yaml").root
    assert root is not None and root.plain() == {"spec": 1}


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    document = read_document(b"#" * (MAX_BYTES + 1), "a.yaml")
    assert document.root is None and [problem.code for problem in document.problems] == ["E111"]


@pytest.mark.parametrize("opened", ["[", "{a: ", "- "])
def test_nesting_is_bounded(opened: str) -> None:
    document = read(opened * 100_000)
    assert [problem.code for problem in document.problems] == ["E111"]


_TEXT = st.text(st.characters(codec="utf-8"), max_size=12) | st.text(string.printable, max_size=20)
_DATA = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18) + 1, 10**18 - 1) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXT, inner, max_size=4),
    max_leaves=12,
)


class _Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


@settings(max_examples=150, deadline=None)
@given(data=st.dictionaries(_TEXT, _DATA, max_size=4), flow=st.booleans())
def test_what_pyyaml_writes_is_read_back_as_it_was(data: dict[str, Any], flow: bool) -> None:
    text = yaml.dump(data, Dumper=_Plain, default_flow_style=flow)
    document = read(text)
    # texts such as 08 and 1e3 need no quotes for PyYAML; a bracket alone is good YAML, but no good expression
    assert {problem.code for problem in document.problems} <= ({"E103", "E109"} if flow else {"E109"})
    assert document.root is not None and document.root.plain() == data


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60) | st.text("{}[]:,-?&*!|>'\"# \nabc1", max_size=60))
def test_any_text_gives_nodes_or_problems(text: str) -> None:
    document = read_document(text.encode("utf-8", "surrogatepass"), "a.yaml")
    assert document.root is not None or document.problems
