"""What discovery finds below a home: roots, globs, stores that share files, and all that is no plain file."""

from __future__ import annotations

import os
import pickle
import socket
import textwrap
from pathlib import Path

import pytest

from engine.read.discover import DiscoverOptions, discover, find
from tests.read.reading import empty, make, plan_of, read_all, read_source, store


def found(home: Path, body: str, roots: str | None = None, base: Path | None = None) -> list[str]:
    where = base or home.parent / "spec"
    plan = plan_of(where, body, roots) if roots else plan_of(where, body)
    return [source.source_file for source in discover([home], [plan])]


def test_sources_are_sorted_as_code_points(tmp_path):
    home = tmp_path / "home"
    empty(home / ".toy", "b", "a", "Z", "ä", "a.b", "c/b", "a-b", "ﬀ", "😀")
    names = found(home, store("s", "{data}/**", "jsonl"))
    assert names == sorted(names) and names[0] == ".toy/Z" and len(names) == 9


def test_every_form_of_a_root_is_tried_and_each_wildcard_match_is_a_root(tmp_path):
    mac = "Library/Application Support/Toy"
    roots = f"roots: {{data: {{home: ['.toy', '.toy-*', '{mac}']}}}}\n"
    home = empty(tmp_path / "home", *(f"{place}/x" for place in (".toy", ".toy-work", mac, ".toyx", "x/.toy")))
    assert found(home, store("s", "{data}/x", "jsonl"), roots) == [".toy-work/x", ".toy/x", f"{mac}/x"]


def test_a_glob_without_a_root_starts_at_the_base(tmp_path):
    home = make(tmp_path / "home", {".toy.json": "{}", ".toy/.toy.json": "{}"})
    assert found(home, store("s", ".toy.json", "json")) == [".toy.json"]


def test_a_file_that_several_stores_read_is_one_source(tmp_path):
    body = store("s", "{data}/db-<n>.json", "json") + store("t", "{data}/*.json", "json")
    (seen,) = read_all(tmp_path, body, {".toy/db-7.json": "{}"})
    assert seen.source.stores == (("s", {"n": "7"}), ("t", {}))
    assert [name for name, _, _ in seen.units] == ["s", "t"]
    assert len(seen.files) == 1


def test_captures_are_typed_in_the_unit_and_text_in_the_source(tmp_path):
    (seen,) = read_all(tmp_path, store("s", "{data}/<id:uuid>/<n:int>.json", "json"),
                       {".toy/00000003-0000-4000-8000-00000000000a/007.json": "{}"})  # fmt: skip
    assert seen.captures == [{"id": "00000003-0000-4000-8000-00000000000a", "n": 7}]
    assert seen.source.stores[0][1]["n"] == "007"


def test_skipped_files_and_what_the_catalog_excludes_are_no_sources(tmp_path):
    home = tmp_path / "home"
    empty(home / ".toy", "a.jsonl", "old-1/a.jsonl", "cache/x/a.jsonl", "keep/a.jsonl")
    stores = textwrap.indent(store("s", "{data}/**/a.jsonl", "jsonl", skip="['{data}/old-*']"), "  ")
    body = f"catalog: {{home: [.toy], exclude: [{{glob: '*/cache', why: x}}]}}\nstores:\n{stores}"
    assert found(home, body) == [".toy/a.jsonl", ".toy/keep/a.jsonl"]


def test_a_store_is_secondary_where_a_file_with_its_captures_stands_beside(tmp_path):
    body = store("s", "{data}/<d>/<stem>.jsonl.zst", "jsonl", "{secondary_if: '{data}/<d>/<stem>.jsonl'}")
    home = tmp_path / "home"
    empty(home / ".toy", "1/a.jsonl.zst", "1/a.jsonl", "2/a.jsonl.zst", "1/b*.jsonl.zst", "1/bc.jsonl")
    plan = plan_of(tmp_path / "spec", body)
    secondary = {s.source_file: bool(s.secondary) for s in discover([home], [plan])}
    assert secondary == {".toy/1/a.jsonl.zst": True, ".toy/1/b*.jsonl.zst": False, ".toy/2/a.jsonl.zst": False}


def test_the_root_that_a_file_was_found_under_is_where_its_neighbours_are_looked_for(tmp_path):
    roots = "roots: {data: {home: ['.toy-*']}}\n"
    home = empty(tmp_path / "home", ".toy-a/x.json", ".toy-b/x.json", ".toy-b/flag")
    plan = plan_of(tmp_path / "spec", store("s", "{data}/x.json", "json", "{secondary_if: '{data}/flag'}"), roots)
    assert [bool(s.secondary) for s in discover([home], [plan])] == [False, True]


def test_a_file_without_the_captures_of_the_other_glob_is_primary(tmp_path):
    role = "{secondary_if: '{data}/<copy>/a.json'}"
    body = store("s", "{data}/<id>/a.json', '{data}/<copy>.json", "json", role)
    home = empty(tmp_path / "home", ".toy/x/a.json", ".toy/x.json", ".toy/y.json")
    sources = discover([home], [plan_of(tmp_path / "spec", body)])
    assert {s.source_file: bool(s.secondary) for s in sources} == {
        ".toy/x.json": True,
        ".toy/x/a.json": False,
        ".toy/y.json": False,
    }


def test_sources_can_be_pickled(tmp_path):
    home = make(tmp_path / "home", {".toy/a.jsonl": ""})
    sources = discover([home], [plan_of(tmp_path / "spec", store("s", "{data}/a.jsonl", "jsonl"))])
    assert pickle.loads(pickle.dumps(sources)) == sources


# ------------------------------------------------------------------------------------------------------ odd names

ODD = [b"with space", b"new\nline", b"50%25 off", b"-n", "Кои\u0306".encode(), b"raw-\xff-byte", b"q\"'\\"]
ODD += [b"\x01\x1b[2J", b"n" * 240, b"con", b"a:b", b"*?[x]"]


def test_files_with_any_name_are_found_and_named_in_valid_text(tmp_path):
    home = tmp_path / "home"
    for number, name in enumerate(ODD):
        path = home / ".toy" / os.fsdecode(name)
        path.mkdir(parents=True)
        (path / "a.jsonl").write_text(f'{{"n":{number}}}\n')
    plan = plan_of(tmp_path / "spec", store("s", "{data}/<dir>/a.jsonl", "jsonl"))
    sources = discover([home], [plan])
    seen = [read_source(source, plan) for source in sources]
    assert sorted(value["n"] for one in seen for value in one.values) == list(range(len(ODD)))
    names = {source.source_file for source in sources}
    assert ".toy/raw-\\xff-byte/a.jsonl" in names and ".toy/new\nline/a.jsonl" in names
    for one in seen:
        one.source.source_file.encode("utf-8")
        one.captures[0]["dir"].encode("utf-8")


def test_paths_longer_than_any_usual_limit_are_found(tmp_path):
    deep = "/".join(["d" * 60] * 8)
    home = make(tmp_path / "home", {f".toy/{deep}/a.jsonl": ""})
    assert found(home, store("s", "{data}/**/a.jsonl", "jsonl")) == [f".toy/{deep}/a.jsonl"]


def test_a_tree_too_deep_for_recursion_is_walked(tmp_path):
    home, depth = empty(tmp_path / "home", ".toy/a.jsonl"), 1200
    here = Path.cwd()
    os.chdir(home / ".toy")
    try:
        for _ in range(depth):
            Path("d").mkdir()
            os.chdir("d")
        assert ".toy/a.jsonl" in found(home, store("s", "{data}/**/a.jsonl", "jsonl"))
    finally:
        # taken away by hand: what clears temporary directories recurses
        for _ in range(depth):
            os.chdir("..")
            Path("d").rmdir()
        os.chdir(here)


# --------------------------------------------------------------------------------------------- no plain files


def special(home: Path) -> None:
    make(home, {".toy/a.jsonl": '{"a":1}\n', "elsewhere/b.jsonl": '{"b":1}\n', "dir/c.jsonl": ""})
    data = home / ".toy"
    (data / "link.jsonl").symlink_to(home / "elsewhere/b.jsonl")
    (data / "gone.jsonl").symlink_to(home / "nowhere")
    (data / "loop").symlink_to(data)
    (data / "out").symlink_to("/")
    (data / "folder.jsonl").mkdir()
    os.mkfifo(data / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(data)
        try:
            server.bind("sock.jsonl")
        finally:
            os.chdir(here)


def test_links_pipes_and_sockets_are_told_and_never_opened(tmp_path):
    home = tmp_path / "home"
    special(home)
    plan = plan_of(tmp_path / "spec", store("s", "{data}/*.jsonl", "jsonl") + store("t", "{data}/*/c.jsonl", "jsonl"))
    result = find([home], [plan])
    notes = {source.path.name: read_source(source, plan).note for source in result.sources}
    assert notes == {
        "a.jsonl": "",
        "gone.jsonl": "gone.jsonl could not be read (a link, not followed)",
        "link.jsonl": "link.jsonl could not be read (a link, not followed)",
        "pipe.jsonl": "pipe.jsonl could not be read (not a regular file)",
        "sock.jsonl": "sock.jsonl could not be read (not a regular file)",
    }
    assert {(p.source_file, p.reason) for p in result.problems} >= {
        (".toy/loop", "link, not followed"), (".toy/out", "link, not followed"),
    }  # fmt: skip


def test_a_file_that_becomes_a_pipe_or_a_link_or_vanishes_is_a_note(tmp_path):
    home = make(tmp_path / "home", {f".toy/{n}.jsonl": '{"a":1}\n' for n in "abcd"})
    plan = plan_of(tmp_path / "spec", store("s", "{data}/*.jsonl", "jsonl"))
    sources = discover([home], [plan])
    for source in sources:
        source.path.unlink()
    os.mkfifo(sources[0].path)
    sources[1].path.symlink_to("/etc/hostname")
    sources[2].path.mkdir()
    assert [read_source(source, plan).note for source in sources] == [
        "a.jsonl could not be read (a named pipe)",
        "b.jsonl could not be read (a link, not followed)",
        "c.jsonl could not be read (a directory)",
        "d.jsonl could not be read (no such file or directory)",
    ]


def test_a_sparse_file_of_a_terabyte_is_a_note(tmp_path):
    home = make(tmp_path / "home", {".toy/a.jsonl": "", ".toy/b.jsonl": '{"b":1}\n'})
    with (home / ".toy/a.jsonl").open("wb") as file:
        file.truncate(1 << 40)
    plan = plan_of(tmp_path / "spec", store("s", "{data}/*.jsonl", "jsonl"))
    seen = [read_source(source, plan) for source in discover([home], [plan])]
    assert [one.note for one in seen] == ["a.jsonl could not be read (a sparse file of 1099511627776 bytes)", ""]


def test_links_above_the_input_are_followed_and_its_own_path_names_the_user(tmp_path):
    real = make(tmp_path / "real", {".toy/a.jsonl": ""})
    (tmp_path / "home").mkdir()
    (tmp_path / "home/alice").symlink_to(real)
    plan = plan_of(tmp_path / "spec", store("s", "{data}/a.jsonl", "jsonl"))
    (source,) = discover([tmp_path / "home/alice"], [plan])
    assert source.base.user == "alice"


@pytest.mark.root
def test_what_may_not_be_read_is_told_and_the_rest_is_read(tmp_path):
    home = make(tmp_path / "home", {".toy/a.jsonl": '{"a":1}\n', ".toy/b.jsonl": "", ".toy/closed/c.jsonl": ""})
    plan = plan_of(tmp_path / "spec", store("s", "{data}/**/*.jsonl", "jsonl"))
    (home / ".toy/b.jsonl").chmod(0)
    (home / ".toy/closed").chmod(0)
    for path in (tmp_path, *tmp_path.parents):
        if not path.stat().st_mode & 0o001:
            path.chmod(0o755)
    os.seteuid(65534)
    try:
        result = find([home], [plan])
        notes = [read_source(source, plan).note for source in result.sources]
    finally:
        os.seteuid(os.getuid())
        (home / ".toy/closed").chmod(0o755)
    assert notes == ["", "b.jsonl could not be read (permission denied)"]
    assert [(p.source_file, p.reason) for p in result.problems] == [
        (".toy/closed", "directory could not be read (permission denied)")
    ]


# ------------------------------------------------------------------------------------------- the user's own home


def test_without_an_input_the_own_home_is_read_with_the_roots_that_the_environment_moves(tmp_path):
    roots = "roots: {data: {home: [.toy], env: TOY_HOME}, other: {home: [.other], env: OTHER_HOME}}\n"
    body = store("s", "{data}/a.jsonl", "jsonl") + store("t", "{other}/a.jsonl", "jsonl")
    plan = plan_of(tmp_path / "spec", body, roots)
    home = make(tmp_path / "me", {".toy/a.jsonl": "", ".other/a.jsonl": "", "moved/a.jsonl": ""})
    make(tmp_path / "far", {"a.jsonl": ""})

    def files(**env: str) -> list[str]:
        sources = discover([], [plan], DiscoverOptions(home=home, env={"USER": "me", **env}))
        assert {(s.base.user, s.base.home) for s in sources} == {("me", str(home))}
        return [source.source_file for source in sources]

    assert files() == [".other/a.jsonl", ".toy/a.jsonl"]
    assert files(TOY_HOME=str(home / "moved")) == [".other/a.jsonl", "moved/a.jsonl"]
    assert files(TOY_HOME=str(tmp_path / "far")) == [".other/a.jsonl", f"{tmp_path}/far/a.jsonl"]
    assert files(TOY_HOME="relative") == [".other/a.jsonl", ".toy/a.jsonl"]


def test_the_environment_moves_nothing_of_a_home_that_is_named(tmp_path, monkeypatch):
    roots = "roots: {data: {home: [.toy], env: TOY_HOME}}\n"
    home = make(tmp_path / "home", {".toy/a.jsonl": "", "moved/a.jsonl": ""})
    monkeypatch.setenv("TOY_HOME", str(home / "moved"))
    assert found(home, store("s", "{data}/a.jsonl", "jsonl"), roots) == [".toy/a.jsonl"]
