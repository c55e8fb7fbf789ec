"""What an input is taken for: homes, trees, images, volumes, projects, agent directories, collections."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.read.discover import DiscoverOptions, find
from engine.read.places import Input
from tests.read.reading import empty, make, plan_of, read_source, store

ROOTS = """
roots:
  data: {home: ['.local/share/toy', 'AppData/Local/Toy'], volume: ['.'], project: ['.toy']}
  config: {home: ['.config/toy', '.toy']}
catalog: {home: ['.local/share/toy', '.config/toy'], project: [.toy, TOY.md], volume_names: ['*toy_usr', 'toy-*']}
"""
STORES = store("chats", "{data}/chats/<id>.json", "json") + store("settings", "{config}/settings.json", "json")
CHAT, CONFIG = ".local/share/toy/chats/1.json", ".config/toy/settings.json"


class Case:
    """A directory, and what is found in it: (kind, {(host, user, source_file)})."""

    def __init__(self, base: Path):
        self.root = base / "case"
        self.plan = plan_of(base / "spec", "stores:\n" + "".join(f"  {line}\n" for line in STORES.splitlines()), ROOTS)

    def look(self, path: str = "", **options: str):
        result = find([self.root / path], [self.plan], DiscoverOptions(**options))
        self.result = result
        assert not result.problems
        return result.inputs[0].kind, {(s.base.host, s.base.user, s.source_file) for s in result.sources}


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


def test_a_home_has_the_user_of_its_path(case):
    empty(case.root, f"home/alice/{CHAT}", f"odd/{CHAT}", f"root/{CHAT}")
    assert case.look("home/alice") == ("home", {("", "alice", CHAT)})
    assert case.look("odd", host="h") == ("home", {("h", "", CHAT)})
    assert case.look("odd", user="bob") == ("home", {("", "bob", CHAT)})
    assert case.look("root") == ("home", {("", "root", CHAT)})


def test_a_disk_image_has_all_its_homes_and_volumes(case):
    empty(
        case.root, f"home/alice/{CHAT}", f"home/bob/{CONFIG}", "home/nobody/x", f"root/{CHAT}", f"usr/home/eve/{CHAT}",
        f"export/home/kim/{CHAT}", f"var/root/{CHAT}", f"srv/elsewhere/{CHAT}", "etc/hostname",
        "var/lib/docker/volumes/x_toy_usr/_data/chats/7.json", "var/lib/docker/volumes/other/_data/chats/8.json",
        "var/lib/containers/storage/volumes/toy-1/_data/chats/9.json",
        "home/alice/.local/share/docker/volumes/toy-2/_data/chats/3.json",
    )  # fmt: skip
    assert case.look() == (
        "image",
        {
            ("", "alice", CHAT), ("", "bob", CONFIG), ("", "root", CHAT), ("", "eve", CHAT), ("", "kim", CHAT),
            ("", "docker", "volumes/x_toy_usr/chats/7.json"), ("", "docker", "volumes/toy-1/chats/9.json"),
            ("", "docker", "volumes/toy-2/chats/3.json"),
        },
    )  # fmt: skip
    assert {s.base.home for s in case.result.sources} >= {"/home/alice", "/root", "/usr/home/eve", None}
    roots = [s for s in case.result.sources if s.base.user == "root"]
    assert [str(s.base.path.relative_to(case.root)) for s in roots] == ["root", "var/root"]


def test_windows_and_mac_users_are_found(case):
    chat = "AppData/Local/Toy/chats/1.json"
    empty(case.root, f"Users/Ann Bee/{chat}", f"Users/Public/{CHAT}", "Windows/notepad.exe")
    assert case.look() == ("image", {("", "Ann Bee", chat), ("", "Public", CHAT)})
    assert {s.base.home for s in case.result.sources} == {"C:\\Users\\Ann Bee", "C:\\Users\\Public"}


def test_a_tree_of_homes_has_the_users_of_its_names(case):
    empty(case.root, f"alice/{CHAT}", f"group/bob/{CONFIG}", f"a/b/c/d/{CHAT}", "alice/x/y")
    assert case.look() == ("homes", {("", "alice", CHAT), ("", "bob", CONFIG)})


def test_homes_do_not_nest(case):
    empty(case.root, f"alice/{CHAT}", f"alice/copy/{CHAT}")
    assert case.look() == ("homes", {("", "alice", CHAT)})


def test_a_home_that_holds_a_directory_named_home_is_a_home(case):
    empty(case.root, CHAT, f"home/alice/{CHAT}")
    assert case.look() == ("home", {("", "", CHAT)})


def test_an_agents_directory_plays_its_root(case):
    empty(case.root, f"home/alice/{CHAT}", "toy/chats/2.json", "toy/settings.json", "Toy/chats/3.json", "x/y/z")
    kind, found = case.look("home/alice/.local/share/toy")
    assert (kind, found) == ("agent", {("", "alice", CHAT)})
    assert case.look("toy") == ("agent", {("", "", "chats/2.json"), ("", "", "settings.json")})
    assert case.look("Toy", user="u") == ("agent", {("", "u", "chats/3.json")})


def test_only_the_agents_directory_is_read_when_it_is_the_input(case):
    empty(case.root, f"home/alice/{CHAT}", f"home/alice/{CONFIG}")
    assert case.look("home/alice/.config/toy") == ("agent", {("", "alice", CONFIG)})


@pytest.mark.parametrize("path", ["vols", "vols/x_toy_usr", "vols/x_toy_usr/_data"])
def test_a_volume_its_directory_or_the_tree_of_volumes_is_an_input(case, path):
    empty(case.root, "vols/x_toy_usr/_data/chats/7.json", "vols/other/_data/chats/8.json")
    assert case.look(path) == ("volume", {("", "docker", "volumes/x_toy_usr/chats/7.json")})


def test_a_project_is_named_by_its_own_path(case):
    empty(case.root, "src/proj/.toy/chats/1.json", "src/proj/TOY.md")
    name = f"projects{case.root}/src/proj/.toy/chats/1.json"
    assert case.look("src/proj") == ("project", {("", "", name)})


def test_an_input_can_be_forced(case):
    empty(case.root, f"u/{CHAT}", "chats/5.json", f"home/a/{CHAT}", ".toy/chats/4.json")
    assert case.look(as_="homes")[1] == {("", "u", CHAT), ("", "a", CHAT)}
    assert case.look(as_="home")[1] == set()
    assert case.look(as_="volume") == ("volume", {("", "docker", "volumes/case/chats/5.json")})
    assert case.look(as_="image")[1] == {("", "a", CHAT)}
    assert {source for _, _, source in case.look(as_="project")[1]} == {f"projects{case.root}/.toy/chats/4.json"}
    with pytest.raises(UsageError, match="can't be taken for 'disk'"):
        case.look(as_="disk")


def test_an_input_that_is_no_directory_is_an_error_of_use(case):
    make(case.root, {"file": ""})
    for name, words in {"file": "is a file, not a directory", "gone": "does not exist"}.items():
        with pytest.raises(UsageError, match=words):
            case.look(name)


def test_an_empty_directory_is_a_home_without_sources(case):
    case.root.mkdir(parents=True)
    assert case.look() == ("home", set())


def test_several_inputs_each_have_their_host_and_a_file_is_read_once(case):
    empty(case.root, f"a/{CHAT}", f"b/{CHAT}")
    inputs = [Input(case.root / "b", host="two"), Input(case.root / "a", host="one", user="u"), case.root / "a"]
    result = find(inputs, [case.plan])
    bases = [source.base for source in result.sources]
    assert [(base.host, base.user, base.path.name) for base in bases] == [("one", "u", "a"), ("two", "", "b")]
    assert [taken.kind for taken in result.inputs] == ["home", "home", "home"]


# -------------------------------------------------------------------------------------------------- collections


def collection(root: Path, rows: list[dict], **told: object) -> None:
    make(root, {"collection.json": json.dumps({"hostname": "box", **told}), "collector.log": ""})
    full = [{"type": "file", "status": "collected", "mtime": 1772370000.25, **row} for row in rows]
    make(root, {"manifest.jsonl": "".join(json.dumps(row) + "\n" for row in full) + "no json\n"})


def test_a_collection_names_hosts_users_and_homes_and_only_what_was_collected_is_read(case):
    alice = {"user": "alice", "home": "/home/alice", "agent": "toy"}
    volume = "/var/lib/docker/volumes/x_toy_usr/_data"
    rows = [
        {**alice, "path": f"/home/alice/{CHAT}"},
        {**alice, "path": "/home/alice/.local/share/toy/chats/2.json", "status": "skipped_secret"},
        {**alice, "path": "/home/alice/.local/share/toy/chats/3.json", "type": "symlink", "status": "symlink"},
        {"user": "Ann", "home": "C:\\Users\\Ann", "path": "C:\\Users\\Ann\\AppData\\Local\\Toy\\chats\\4.json"},
        {"user": "docker", "home": volume, "path": f"{volume}/chats/5.json"},
        {**alice, "agent": "project", "path": "/srv/proj/.toy/chats/6.json", "home": "/home/alice"},
    ]
    collection(case.root, rows, projects=["/srv/proj"])
    empty(
        case.root / "fs", f"home/alice/{CHAT}", "home/alice/.local/share/toy/chats/2.json",
        "home/alice/.local/share/toy/chats/3.json", "home/alice/.local/share/toy/chats/unlisted.json",
        "C/Users/Ann/AppData/Local/Toy/chats/4.json", f"{volume[1:]}/chats/5.json", "srv/proj/.toy/chats/6.json",
    )  # fmt: skip
    assert case.look() == (
        "collection",
        {
            ("box", "alice", CHAT), ("box", "Ann", "AppData/Local/Toy/chats/4.json"),
            ("box", "docker", "volumes/x_toy_usr/chats/5.json"),
            ("box", "alice", "projects/srv/proj/.toy/chats/6.json"),
        },
    )  # fmt: skip
    homes = {s.base.user: s.base.home for s in case.result.sources if s.base.kind == "home"}
    assert homes == {"alice": "/home/alice", "Ann": "C:\\Users\\Ann"}


def test_the_times_of_a_manifest_are_the_times_of_its_files(case):
    collection(case.root, [{"user": "a", "home": "/home/a", "path": f"/home/a/{CHAT}"}])
    make(case.root / "fs", {f"home/a/{CHAT}": "{}"})
    case.look()
    seen = read_source(case.result.sources[0], case.plan)
    assert seen.files[0].mtime is not None and seen.files[0].mtime.raw == "1772370000.25"


def test_a_collection_without_a_manifest_is_read_as_an_image(case):
    make(case.root, {"collection.json": '{"hostname":"box"}', f"fs/home/alice/{CHAT}": "{}"})
    assert case.look() == ("collection", {("box", "alice", CHAT)})


@pytest.mark.parametrize("broken", ["", "[]", "{", '{"hostname": 5, "projects": 7}'])
def test_a_broken_description_is_no_fault(case, broken):
    make(case.root, {"collection.json": broken, f"fs/home/alice/{CHAT}": "{}"})
    assert {(user, source) for _, user, source in case.look(host="h")[1]} == {("alice", CHAT)}


def test_a_manifest_leads_to_nothing_outside_the_collection(case, tmp_path):
    make(tmp_path / "secret", {CHAT: "{}"})
    rows = [
        {"user": "x", "home": "/../../secret", "path": f"/../../secret/{CHAT}"},
        {"user": "y", "home": "/home/../../../secret", "path": f"/home/../../../secret/{CHAT}"},
        {"user": "z", "home": "/link", "path": f"/link/{CHAT}"},
    ]
    collection(case.root, rows)
    (case.root / "fs/home").mkdir(parents=True)
    (case.root / "fs/link").symlink_to(tmp_path / "secret")
    assert case.look() == ("collection", set())
