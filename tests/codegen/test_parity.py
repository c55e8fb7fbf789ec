"""Generated code gives the interpreter's rows and ledgers, on everything that fixtures hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codegen.module import generate
from engine.lang.load import load_plan
from engine.run import interpret
from engine.spec.library import all_specs
from tests.codegen.both import assert_one_result, by

ROOT = Path(__file__).parent.parent.parent
SPECS = {path.stem: path for path in all_specs()}


def homes_of(agent: str) -> list[Path]:
    """The homes among an agent's fixtures."""
    below = ROOT / "fixtures" / agent
    return sorted(
        path for path in below.rglob("home") if path.is_dir() and "home" not in path.relative_to(below).parts[:-1]
    )


HOMES = [pytest.param(agent, home, id=str(home.relative_to(ROOT))) for agent in SPECS for home in homes_of(agent)]


@pytest.mark.parametrize(("agent", "home"), HOMES)
def test_every_way_gives_the_same_rows_and_ledger(agent: str, home: Path) -> None:
    assert_one_result(load_plan(SPECS[agent]), home)


@pytest.mark.parametrize("agent", SPECS)
def test_a_module_on_disk_prints_the_rows_by_itself(agent: str, tmp_path: Path) -> None:
    plan = load_plan(SPECS[agent])
    home = homes_of(agent)[0]
    module = tmp_path / "module.py"
    module.write_text(generate(plan), encoding="utf-8")
    done = subprocess.run([sys.executable, module, home], capture_output=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT)})
    assert done.stderr == b""
    rows = sum(len(rows) for rows, _ in by(plan, home, interpret.rows).values())
    assert 0 < len(done.stdout.splitlines()) <= rows
