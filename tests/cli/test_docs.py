"""`engine docs` as a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.spec.library import all_specs
from tests.cli.command import Engine


@pytest.fixture
def engine(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Engine:
    return Engine(tmp_path, capfdbinary)


def test_the_page_of_one_spec_goes_to_stdout(engine: Engine) -> None:
    ended = engine("docs", "zed")
    assert ended.status == 0 and ended.out.startswith(b"# Zed\n\nA code editor")


def test_all_specs_are_pages_with_an_index(engine: Engine, tmp_path: Path) -> None:
    ended = engine("docs", "-o", tmp_path / "pages")
    names = ["index.md", *(f"{path.stem}.md" for path in all_specs())]
    assert ended.out.decode().splitlines() == [str(tmp_path / "pages" / name) for name in names]
    assert (tmp_path / "pages/index.md").read_text().startswith("# Agents\n")


def test_a_site_is_html(engine: Engine, tmp_path: Path) -> None:
    ended = engine("docs", "zed", "-o", tmp_path / "site", "--site", "--json")
    assert json.loads(ended.out) == [str(tmp_path / "site" / name) for name in ("index.html", "zed.html")]
    assert (tmp_path / "site/zed.html").read_text().startswith("<!doctype html>")


def test_wrong_uses_are_one_line(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for arguments, message in (
        (["docs"], "need -o DIR"),
        (["docs", "zed", "--site"], "need -o DIR"),
        (["docs", "nosuch"], "no such spec: nosuch"),
        (["docs", "zed", "-o", tmp_path / "file"], "file"),
    ):
        ended = engine(*map(str, arguments))
        assert ended.status == 2 and message in ended.err and ended.err.count("\n") == 1, ended
