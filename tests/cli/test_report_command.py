"""`engine report` on a home."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cli.main import status_of

HOME = Path(__file__).parents[2] / "fixtures" / "zed" / "home"


def test_it_writes_one_page(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert status_of(["report", str(HOME), "-o", str(page), "-q"]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and text.endswith("</html>\n")
    assert "default-src 'none'" in text and 'class="facts"' in text
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_run_writes_it_when_the_name_says_so(tmp_path: Path) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    assert status_of(["report", str(HOME), "--spec", "zed", "-o", str(pages[0]), "-q"]) == 0
    assert status_of(["run", str(HOME), "--spec", "zed", "--out", str(pages[1]), "-q"]) == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_options_of_other_formats_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["report", str(HOME), "--csv-safe"]) == 2
    assert "No such option" in capsys.readouterr().err
    assert status_of(["report", str(HOME / "none"), "-o", str(tmp_path / "r.html")]) == 2
    assert not (tmp_path / "r.html").exists()
