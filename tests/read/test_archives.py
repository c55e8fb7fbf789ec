"""Archives: whatever they say, nothing is written outside, limits hold, each refusal is said, the rest is read."""

from __future__ import annotations

import gzip
import io
import os
import random
import struct
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from engine.errors import UsageError
from engine.read.archives import Unpacked, Workspace
from engine.read.limits import Limits

Make = Callable[..., Path]


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "", size: int = 0) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, target, size
    return info


def tar_bytes(*members: tuple[str, bytes] | tarfile.TarInfo, **options: object) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", errors="surrogateescape", **options) as tar:  # type: ignore[call-overload]
        for each in members:
            if isinstance(each, tarfile.TarInfo):
                tar.addfile(each)
            else:
                info = member(each[0], size=len(each[1]))
                info.pax_headers = {"mtime": "1700000000.123456789"}
                tar.addfile(info, io.BytesIO(each[1]))
    return out.getvalue()


def zip_bytes(*members: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


class Case:
    """Archives below a directory, unpacked in a workspace that is a sibling of `outside`."""

    def __init__(self, base: Path):
        self._base = base
        (base / "work").mkdir()
        self.workspace = Workspace(inside=base / "work")

    def unpack(self, name: str, data: bytes, limits: Limits | None = None) -> Unpacked:
        archive = self._base / name
        archive.write_bytes(data)
        if limits is not None:
            self.workspace = Workspace(limits, self._base / "work")
        return self.workspace.unpack(archive)

    def everything(self) -> set[str]:
        return {str(path.relative_to(self._base)) for path in self._base.rglob("*")}


def files(found: Unpacked) -> dict[str, bytes]:
    return {
        os.fsencode(path.relative_to(found.root)).decode("utf-8", "backslashreplace"): path.read_bytes()
        for path in sorted(found.root.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


@pytest.fixture
def case(tmp_path):
    found = Case(tmp_path)
    yield found
    found.workspace.close()


PLAIN = (("home/a/x.txt", b"x" * 1000), ("home/a/y.txt", b"y"))
PACKERS = {
    "a.tar": lambda data: data,
    "a.tar.gz": gzip.compress,
    "a.tgz": gzip.compress,
    "a.tar.zst": zstandard.compress,
}


@pytest.mark.parametrize("name", [*PACKERS, "a.zip", "no-suffix"])
def test_every_form_of_archive_is_unpacked_by_what_it_holds(case, name):
    data = zip_bytes(*PLAIN) if name == "a.zip" else PACKERS.get(name, gzip.compress)(tar_bytes(*PLAIN))
    found = case.unpack(name, data)
    assert files(found) == dict(PLAIN)
    assert found.refused == []


def test_the_times_of_members_are_exact(case):
    found = case.unpack("a.tar", tar_bytes(("home/x", b"1")))
    assert (found.root / "home/x").stat().st_mtime_ns == 1700000000123456789


def test_a_directorys_time_outlives_what_is_written_into_it(case):
    directory = member("d", tarfile.DIRTYPE)
    directory.mtime = 1600000000
    found = case.unpack("a.tar", tar_bytes(directory, ("d/x", b"1")))
    assert (found.root / "d").stat().st_mtime == 1600000000


LEADS_OUT = "its name leads out of the archive"


@pytest.mark.parametrize("name", ["../evil", "a/../../evil", "C:/evil", "c:evil", "..", "a/.."])
@pytest.mark.parametrize("form", ["tar", "zip"])
def test_a_name_that_leads_out_is_refused_and_the_rest_is_read(case, name, form):
    before = case.everything()
    pack = tar_bytes if form == "tar" else zip_bytes
    found = case.unpack(f"a.{form}", pack((name, b"evil"), ("good", b"1")))
    assert files(found) == {"good": b"1"}
    assert (name, LEADS_OUT) in found.refused
    assert all(path.startswith(("work/", f"a.{form}")) for path in case.everything() - before)


def test_an_absolute_name_is_read_below_the_root_and_said(case):
    found = case.unpack("a.tar", tar_bytes(("/home/a/x", b"1"), ("//home/a/y", b"2")))
    assert files(found) == {"home/a/x": b"1", "home/a/y": b"2"}
    assert [reason for _, reason in found.refused] == ["absolute name, read below the archive's root"] * 2


def test_nothing_is_written_through_a_link_nor_does_one_lead_anywhere(case, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    found = case.unpack(
        "a.tar",
        tar_bytes(
            member("link", tarfile.SYMTYPE, str(outside)), ("link/evil", b"evil"),
            member("later", tarfile.SYMTYPE, "good"), member("hard", tarfile.LNKTYPE, "../../outside/secret"),
            member("through", tarfile.LNKTYPE, "link/secret"), member("forward", tarfile.LNKTYPE, "good"),
            ("good", b"1"), member("again", tarfile.LNKTYPE, "good"),
        ),
    )  # fmt: skip
    assert files(found) == {"good": b"1", "again": b"1"}
    assert [path.name for path in outside.iterdir()] == ["secret"]
    assert not (found.root / "link").exists() and (found.root / "link").is_symlink()
    said = dict(found.refused)
    assert said["link"] == said["later"] == "link, not followed"
    assert said["link/evil"] == "lies below a member that is no directory"
    assert said["hard"] == said["through"] == said["forward"] == "hard link to no earlier file of the archive"


def test_devices_and_pipes_are_said(case):
    kinds = {"chr": tarfile.CHRTYPE, "blk": tarfile.BLKTYPE, "fifo": tarfile.FIFOTYPE}
    found = case.unpack("a.tar", tar_bytes(*(member(name, kind) for name, kind in kinds.items()), ("x", b"1")))
    assert files(found) == {"x": b"1"}
    assert dict(found.refused) == {"chr": "a device", "blk": "a device", "fifo": "a named pipe"}


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_of_members_with_one_name_the_first_is_read(case, form):
    pack = tar_bytes if form == "tar" else zip_bytes
    with pytest.warns(UserWarning) if form == "zip" else _quiet():
        data = pack(("x", b"first"), ("x", b"second"))
    found = case.unpack(f"a.{form}", data)
    assert files(found) == {"x": b"first"}
    assert found.refused == [("x", "a second member of this name")]


class _quiet:
    def __enter__(self) -> None: ...
    def __exit__(self, *_: object) -> None: ...


@pytest.mark.parametrize("form", ["tar", "zip"])
def test_there_are_no_more_members_than_the_limit(case, form):
    pack = tar_bytes if form == "tar" else zip_bytes
    data = pack(*((f"f{n}", b"") for n in range(30)))
    found = case.unpack(f"a.{form}", data, Limits(members=10))
    assert len(files(found)) == 10
    assert found.refused == [("", "more than 10 members; the rest of the archive is not read")]


def test_many_refusals_of_one_kind_are_counted(case):
    found = case.unpack("a.tar", tar_bytes(*((f"../{n}", b"") for n in range(120))))
    assert len(found.refused) == 51
    assert found.refused[-1] == ("", f"70 more: {LEADS_OUT}")


BOMB = Limits(blob=1 << 20)


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tar.zst", "a.zip"])
def test_a_bomb_is_cut_and_said(case, name):
    content = ("bomb", bytes(300 << 20)) if name.endswith("zst") else ("bomb", bytes(40 << 20))
    data = zip_bytes(content) if name == "a.zip" else PACKERS[name](tar_bytes(content))
    found = case.unpack(name, data, BOMB)
    held = sum(path.stat().st_size for path in found.root.rglob("*"))
    assert held <= max(1 << 20, 200 * len(data)) + (1 << 20)
    assert any("unpacks to over" in reason for _, reason in found.refused)


def test_an_archive_in_an_archive_stays_packed(case):
    inner = gzip.compress(tar_bytes(("evil", b"1")))
    assert files(case.unpack("a.tar", tar_bytes(("inner.tar.gz", inner)))) == {"inner.tar.gz": inner}


def _entries(data: bytes) -> list[int]:
    found, at = [], data.find(b"PK\1\2")
    while at >= 0:
        found.append(at)
        at = data.find(b"PK\1\2", at + 1)
    return found


def test_members_of_a_zip_that_overlap_are_refused(case):
    data = bytearray(zip_bytes(("one", os.urandom(5000)), ("two", os.urandom(5000)), ("three", b"3")))
    for entry in _entries(bytes(data))[1:2]:
        struct.pack_into("<L", data, entry + 42, 10)
    found = case.unpack("a.zip", bytes(data))
    assert sorted(files(found)) == ["one", "three"]
    assert ("two", "overlaps another member") in found.refused


@pytest.mark.parametrize(("said", "words"), [(10, "more than the 10 bytes"), (5000, "off after 2000 of 5000")])
def test_a_size_that_lies_is_said_and_what_is_there_is_read(case, said, words):
    data = bytearray(zip_bytes(("x", b"a" * 2000), ("y", b"1")))
    struct.pack_into("<L", data, _entries(bytes(data))[0] + 24, said)
    found = case.unpack("a.zip", bytes(data))
    assert files(found)["x"] == b"a" * min(said, 2000)
    assert files(found)["y"] == b"1"
    assert any(words in reason for _, reason in found.refused)


@pytest.mark.parametrize("size", [b"77777777777\0", b"\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff", b"\xff" * 12])
def test_a_size_of_a_tar_member_that_lies_is_said(case, size):
    data = bytearray(tar_bytes(("x", b"abc"), ("y", b"1")))
    data[124:136] = size
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    found = case.unpack("a.tar", bytes(data))
    assert found.refused


def test_names_that_are_no_utf8_keep_their_bytes(case):
    found = case.unpack("a.tar", tar_bytes(("b\udcfc", b"1"), format=tarfile.GNU_FORMAT))
    assert files(found) == {"b\\xfc": b"1"}
    raw = zip_bytes(("aQ", b"2")).replace(b"aQ", b"a\xfc")
    assert files(case.unpack("unix.zip", raw)) == {"a\\xfc": b"2"}


def test_a_name_of_a_zip_that_lies_about_utf8_stops_nothing(case):
    raw = zip_bytes(("ä1", b"1"), ("plain", b"2")).replace("ä".encode(), b"\xff\xfe")
    assert files(case.unpack("a.zip", raw)) == {"\\xff\\xfe1": b"1", "plain": b"2"}


def test_encrypted_members_are_said(case):
    data = bytearray(zip_bytes(("locked", b"1"), ("open", b"2")))
    entry = _entries(bytes(data))[0]
    struct.pack_into("<H", data, entry + 8, 1)
    found = case.unpack("a.zip", bytes(data))
    assert files(found) == {"open": b"2"}
    assert found.refused == [("locked", "encrypted")]


def test_a_name_that_is_too_long_is_said(case):
    found = case.unpack("a.tar", tar_bytes(("q" * 300, b"1"), ("q" * 255, b"2")))
    assert files(found) == {"q" * 255: b"2"}
    assert [reason for _, reason in found.refused] == ["file name too long"]


def test_odd_names_are_kept(case):
    names = ["with space", "line\nbreak", "ünï", "CON", "nul.txt", "trailing.", "d/a:b", "/".join(["deep" * 10] * 40)]
    for form, pack in (("tar", tar_bytes), ("zip", zip_bytes)):
        found = case.unpack(f"a.{form}", pack(*((name, b"1") for name in names)))
        assert sorted(files(found)) == sorted(names)
        assert found.refused == []


def test_windows_separators_part_directories_where_windows_wrote_them(case):
    info = zipfile.ZipInfo("x")
    info.filename, info.create_system = "C\\Users\\ann\\x", 0
    assert files(case.unpack("a.zip", zip_bytes((info, b"1")))) == {"C/Users/ann/x": b"1"}


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tar.zst", "a.zip"])
def test_an_archive_cut_at_any_byte_gives_what_is_before_the_cut(case, name):
    members = (("one", b"first"), ("two", os.urandom(300_000 if "zst" in name else 600)), ("three", b"3"))
    data = zip_bytes(*members) if name == "a.zip" else PACKERS[name](tar_bytes(*members))
    best = 0
    for end in range(0, len(data), {"a.zip": 1, "a.tar": 61, "a.tar.gz": 7, "a.tar.zst": 4001}[name]):
        found = case.unpack(name, data[:end])
        held = files(found)
        for known, content in members:
            assert content.startswith(held.get(known, b""))
        if len(held) < len(members):
            assert found.refused or not end
        best = max(best, sum(held.get(known) == content for known, content in members))
        case.workspace.close()
    # a zstd frame gives its data block by block
    assert best >= (1 if name == "a.tar.zst" else 2)


def test_damage_of_any_kind_raises_nothing_and_writes_nothing_outside(case, tmp_path):
    source = random.Random(20260301)
    base = tar_bytes(("home/x", b"abc" * 300), member("l", tarfile.SYMTYPE, "x"), ("p" * 200, b"y"))
    sources = {"a.tar": base, "a.tar.gz": gzip.compress(base), "a.zip": zip_bytes(("home/x", b"q" * 900), ("y", b""))}
    for name, data in sources.items():
        for _ in range(120):
            broken = bytearray(data)
            for _ in range(source.randint(1, 12)):
                broken[source.randrange(len(broken))] = source.randrange(256)
            try:
                case.unpack(name, bytes(broken))
            except UsageError as error:
                assert "no archive" in str(error)
    case.workspace.close()
    assert {path.name for path in tmp_path.iterdir()} == {"work", *sources}
    assert not any((tmp_path / "work").iterdir())


def test_after_a_damaged_header_the_next_whole_one_is_found(case):
    data = bytearray(tar_bytes(("one", b"1"), ("two", b"2"), ("three", b"3"), format=tarfile.USTAR_FORMAT))
    data[1024 + 3] ^= 0xFF
    found = case.unpack("a.tar", bytes(data))
    assert files(found) == {"one": b"1", "three": b"3"}
    assert found.refused == [("at byte 1024", "a damaged header; passed over to the next that is whole")]


def test_headers_that_claim_to_be_huge_are_not_read_into_memory(case):
    huge = member("x", tarfile.XHDTYPE, size=1 << 40).tobuf() + b"1" * 512
    endless = member("y", tarfile.GNUTYPE_LONGNAME, size=512).tobuf() + b"n" * 512
    found = case.unpack("a.tar", huge + endless * 600 + tar_bytes(("good", b"1")))
    assert "good" in files(found) or found.refused


def test_a_sparse_member_takes_no_space(case):
    info = tarfile.TarInfo("holes")
    info.size = 1
    info.pax_headers = {"GNU.sparse.map": "1000000000000,1", "GNU.sparse.size": "1000000000001",
                        "GNU.sparse.name": "holes"}  # fmt: skip
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(info, io.BytesIO(b"1"))
    found = case.unpack("a.tar", out.getvalue())
    status = (found.root / "holes").stat()
    assert status.st_size == 10**12 + 1 and status.st_blocks * 512 < 1 << 20


def test_a_file_that_is_no_archive_is_an_error_of_use(case):
    with pytest.raises(UsageError, match="no archive"):
        case.unpack("notes.txt", b"hello")


def test_the_workspace_is_private_and_goes_away(case, tmp_path):
    found = case.unpack("a.tar", tar_bytes(("x", b"1")))
    assert found.root.stat().st_mode & 0o077 == 0
    case.workspace.close()
    assert not any((tmp_path / "work").iterdir())


def test_an_archive_may_be_very_deep_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    (tmp_path / "temporary").mkdir()
    with tarfile.open(tmp_path / "deep.tar", "w") as out:
        for depth in range(100, 1900, 100):
            out.addfile(tarfile.TarInfo("d/" * depth + "file"))
    with Workspace() as workspace:
        assert workspace.unpack(tmp_path / "deep.tar").refused == []
    assert list((tmp_path / "temporary").iterdir()) == []
