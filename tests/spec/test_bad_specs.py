"""Every kind of mistake in a spec, each in a file that says at its head what must be found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.lang.load import check
from engine.spec.problems import CODES

BAD_SPECS = sorted((Path(__file__).parent.parent / "bad_specs").glob("*.yaml"))
ENGINE = Path(__file__).parent.parent.parent / "engine"


def expected(path: Path) -> list[str]:
    """The comment lines at the head: each problem without the file's name."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [line[2:] for line in lines if re.match(r"# \d+:\d+: (error|warning) ", line)]


@pytest.mark.parametrize("path", BAD_SPECS, ids=lambda path: path.stem)
def test_a_bad_spec_gives_exactly_the_problems_at_its_head(path: Path) -> None:
    plan, problems = check(path)
    assert plan is None
    assert [str(problem).removeprefix(f"{path}:") for problem in problems] == expected(path)
    assert path.stem[:4] in {problem.code for problem in problems}


def test_every_code_has_a_bad_spec() -> None:
    assert {path.stem[:4] for path in BAD_SPECS} == set(CODES)


def test_every_code_that_is_reported_is_declared() -> None:
    sources = [*ENGINE.glob("lang/compile*.py"), *ENGINE.glob("spec/*.py")]
    named = {code for path in sources for code in re.findall(r'"(E\d{3})"', path.read_text(encoding="utf-8"))}
    assert named == set(CODES)
