"""Glob patterns, held against a naive reference over all paths."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.read.globs import capture_kinds, compile_glob, crossing_regex, path_regex, typed
from engine.read.tree import DIRECTORY, FILE, Listing, Tree

NAMES = ("a", "b", "ab", "a.b", ".a", "7")
SEGMENTS = (*NAMES, "*", "?", "a*", "*b", ".*", "**", "<x>", "<x:int>", "a<x>")


def tree_of(paths: set[tuple[str, ...]]) -> Tree:
    """A tree of directories in memory; a path that nothing lies below is a file."""
    tree = Tree("/nowhere")
    directories = {path[:at] for path in paths for at in range(len(path))} | {()}
    for directory in directories:
        names = sorted(
            {path[len(directory)] for path in paths if path[: len(directory)] == directory and path != directory}
        )
        kinds = {name: DIRECTORY if (*directory, name) in directories else FILE for name in names}
        tree._listings["/".join(directory)] = Listing(kinds)
    return tree


def naive(pattern: str, path: tuple[str, ...]) -> bool:
    """The meaning of a pattern, by trying everything."""

    def fits(segments: list[str], names: tuple[str, ...]) -> bool:
        if not segments:
            return not names
        if segments[0] == "**":
            if len(segments) == 1:
                return bool(names)
            return fits(segments[1:], names) or (bool(names) and fits(segments, names[1:]))
        return bool(names) and fits_name(segments[0], names[0]) and fits(segments[1:], names[1:])

    def fits_name(segment: str, name: str) -> bool:
        regex = re.escape(segment).replace(r"<x:int>", "[0-9]+").replace("<x>", ".+").replace(r"\*", ".*")
        return re.fullmatch(regex.replace(r"\?", "."), name) is not None

    return fits(pattern.split("/"), path)


def one_capture(pattern: str) -> bool:
    return pattern.count("<x") < 2


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=4).map("/".join).filter(one_capture),
    st.sets(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4).map(tuple), max_size=8),
)
def test_a_walk_finds_exactly_the_paths_that_the_pattern_means(pattern, paths):
    tree = tree_of(paths)
    every = {path[:at] for path in paths for at in range(1, len(path) + 1)}
    found = [item.path for item in tree.glob(compile_glob(pattern))]
    assert len(found) == len(set(found))
    assert {tuple(path.split("/")) for path in found} == {path for path in every if naive(pattern, path)}


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(SEGMENTS), min_size=1, max_size=4).map("/".join).filter(one_capture),
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=5).map(tuple),
)
def test_a_skip_pattern_takes_out_what_it_matches_and_what_lies_below(pattern, path):
    wanted = any(naive(pattern, path[:at]) for at in range(1, len(path) + 1))
    assert (path_regex(pattern).fullmatch("/".join(path)) is not None) == wanted


@pytest.mark.parametrize(
    ("pattern", "name", "captures"),
    [
        ("0-<channel>", "0-stable", {"channel": "stable"}),
        ("event-<n:int>-<id:uuid>.json", "event-00012-00000003-0000-4000-8000-00000000000A.json",
         {"n": "00012", "id": "00000003-0000-4000-8000-00000000000A"}),
        ("event-<n:int>.json", "event-x.json", None),
        ("<id:hex>", "00ffAB", {"id": "00ffAB"}),
        ("<id:hex>", "00gg", None),
        ("a[1]", "a[1]", {}),
        ("a[1]", "a1", None),
        ("{a,b}", "a", None),
        ("*", ".hidden", {}),
        ("<name>.jsonl", "new\nline.jsonl", {"name": "new\nline"}),
        ("<name>", "raw-\udcff", {"name": "raw-\udcff"}),
        ("<name>.json", ".json", None),
    ],
)  # fmt: skip
def test_a_segment_captures_what_its_kind_allows(pattern, name, captures):
    (segment,) = compile_glob(pattern)
    assert segment.match(name) == captures


def test_filled_captures_are_literal_whatever_they_hold():
    (segment,) = compile_glob("<stem>.jsonl", {"stem": "a*[x]?"})
    assert segment.literal == "a*[x]?.jsonl"
    (segment,) = compile_glob("<stem>-*.jsonl", {"stem": "a.b*"})
    assert segment.match("a.b*-1.jsonl") == {}
    assert segment.match("aXbc-1.jsonl") is None


def test_integers_are_typed_and_keep_their_text_for_filling():
    assert capture_kinds("a/<idx:int>-<id:uuid>-<rest>") == {"idx": "int", "id": "uuid", "rest": ""}
    assert typed({"idx": "007", "rest": "007"}, {"idx": "int", "rest": ""}) == {"idx": 7, "rest": "007"}


def test_in_exclusions_a_star_crosses_directories():
    regex = crossing_regex("*/zed/node")
    assert regex.fullmatch(".local/share/zed/node/bin/npm")
    assert regex.fullmatch(".local/share/zed/node")
    assert not regex.fullmatch(".local/share/zed/node2")
    assert crossing_regex("a[1]").fullmatch("a[1]/b")
