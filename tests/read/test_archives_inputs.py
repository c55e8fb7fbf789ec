"""Archives and trees of other collectors as inputs: what they are taken for, and whose files they hold."""

from __future__ import annotations

import shutil
import tarfile
import textwrap
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.read.archives import Workspace
from engine.read.discover import DiscoverOptions, find
from engine.read.velociraptor import original_name
from tests.read.reading import empty, make, plan_of, store

ROOTS = """
roots:
  data: {home: ['.local/share/toy', 'AppData/Local/Toy'], volume: ['.'], project: ['.toy']}
catalog: {home: ['.local/share/toy', 'AppData/Local/Toy'], project: [.toy], volume_names: ['*toy_usr']}
"""
CHAT, WINDOWS = ".local/share/toy/chats/1.json", "AppData/Local/Toy/chats/1.json"


class Case:
    def __init__(self, base: Path):
        self.root, self.base, self.workspace = base / "case", base, Workspace()
        stores = textwrap.indent(store("chats", "{data}/chats/<id>.json", "json"), "  ")
        self.plan = plan_of(base / "spec", f"stores:\n{stores}", ROOTS)

    def look(self, path: Path | None = None, **options: str):
        self.found = find([path or self.root], [self.plan], DiscoverOptions(**options), self.workspace)
        kind = self.found.inputs[0].kind
        return kind, {(s.base.user, s.base.home, s.source_file) for s in self.found.sources}

    def packed(self) -> Path:
        archive = self.base / "case.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            for path in sorted(self.root.iterdir()):
                tar.add(path, path.name)
        shutil.rmtree(self.root)
        return archive


@pytest.fixture
def case(tmp_path):
    found = Case(tmp_path)
    yield found
    found.workspace.close()


@pytest.fixture(params=["directory", "archive"])
def form(request):
    """Gives what a case's tree is looked at as."""
    return (lambda case: case.root) if request.param == "directory" else (lambda case: case.packed())


def test_kape_has_a_directory_for_each_drive(case, form):
    empty(case.root, f"C/Users/ann/{WINDOWS}", "D/x")
    assert case.look(form(case)) == ("kape", {("ann", "C:\\Users\\ann", WINDOWS)})


def test_uac_has_the_root_of_the_disk_in_brackets(case, form):
    empty(case.root, f"[root]/home/bob/{CHAT}", "live_response/x", "uac.log",
          "[root]/var/lib/docker/volumes/x_toy_usr/_data/chats/7.json")  # fmt: skip
    assert case.look(form(case)) == (
        "uac", {("bob", "/home/bob", CHAT), ("docker", None, "volumes/x_toy_usr/chats/7.json")}
    )  # fmt: skip


def test_velociraptor_has_escaped_names(case, form):
    empty(case.root, f"uploads/auto/C%3A/Users/Ann%40x/{WINDOWS}", "uploads/ntfs/%5C%5C.%5CC%3A/$MFT")
    assert case.look(form(case)) == ("velociraptor", {("Ann@x", "C:\\Users\\Ann@x", WINDOWS)})


def test_velociraptor_on_linux_escapes_the_dots_of_hidden_names(case, form):
    empty(case.root, "uploads/auto/home/bob/%2Elocal/share/toy/chats/1.json")
    assert case.look(form(case)) == ("velociraptor", {("bob", "/home/bob", CHAT)})


@pytest.mark.parametrize(
    ("stored", "name"),
    [("C%3A", "C:"), ("%2Eclaude", ".claude"), ("state.db_", "state.db"), ("a%2Fb", "a%2Fb"), ("%2E%2E", "%2E%2E"),
     ("%00", "%00"), ("50%", "50%"), ("%5C%5C.%5CC%3A", "\\\\.\\C:")],
)  # fmt: skip
def test_an_escaped_name_never_becomes_a_path(stored, name):
    assert original_name(stored) == name


def test_a_tree_of_a_collector_may_lie_in_a_further_directory(case):
    empty(case.root, f"HOST-2026/C/Users/ann/{WINDOWS}")
    assert case.look()[0] == "kape"


def test_linux_systems_inside_a_windows_home_have_homes_of_their_own(case):
    state = "AppData/Local/Packages/Distro_1/LocalState"
    empty(case.root, f"Users/ann/{WINDOWS}", "Windows/x", f"Users/ann/{state}/rootfs/home/lin/{CHAT}",
          f"Users/ann/{state}/rootfs/etc/passwd", f"Users/ann/{state}/rootfs/root/{CHAT}")  # fmt: skip
    assert case.look() == (
        "image",
        {("ann", "C:\\Users\\ann", WINDOWS), ("lin", "/home/lin", CHAT), ("root", "/root", CHAT)},
    )


@pytest.mark.parametrize(
    ("files", "kind", "users"),
    [
        ([CHAT], "home", {""}),
        ([f"home/alice/{CHAT}", "etc/x"], "image", {"alice"}),
        ([f"alice/{CHAT}", f"bob/{CHAT}"], "homes", {"alice", "bob"}),
        (["x_toy_usr/_data/chats/7.json"], "volume", {"docker"}),
        (["top/collection.json", f"top/fs/home/alice/{CHAT}"], "collection", {"alice"}),
    ],
)
def test_an_archive_is_taken_for_what_it_holds(case, files, kind, users):
    empty(case.root, *files)
    found, sources = case.look(case.packed())
    assert (found, {user for user, _, _ in sources}) == (kind, users)


def test_an_archive_can_be_forced_and_is_called_by_its_name(case):
    empty(case.root, ".toy/chats/1.json")
    archive = case.packed()
    kind, sources = case.look(archive, as_="project")
    assert (kind, case.found.inputs[0].label) == ("project", str(archive))
    assert {source for _, _, source in sources} == {f"projects{archive}/.toy/chats/1.json"}


def test_what_an_archive_does_not_give_is_a_problem(case):
    make(case.root, {CHAT: "{}"})
    (case.root / "link").symlink_to("/etc")
    archive = case.packed()
    case.look(archive)
    assert [(p.source_file, p.reason) for p in case.found.problems] == [(f"{archive}: link", "link, not followed")]


def test_without_a_workspace_an_archive_is_no_input(case):
    empty(case.root, CHAT)
    with pytest.raises(UsageError, match="is a file, not a directory"):
        find([case.packed()], [case.plan])
