"""Generated code gives the interpreter's rows and ledgers, on everything that fixtures hold."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.module import generate
from engine.cli.main import status_of
from engine.lang.load import load_plan
from engine.run import interpret
from engine.run.cache import compiled
from engine.run.runtime import Run
from engine.spec.library import all_specs
from tests.codegen.both import assert_one_result, by, rules_of

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


@pytest.mark.parametrize(("agent", "home"), HOMES)
def test_a_module_by_itself_gives_the_rows_of_a_run(agent: str, home: Path, tmp_path: Path) -> None:
    plan = load_plan(SPECS[agent])
    out = tmp_path / "rows.jsonl"
    status_of(["run", str(home), "--spec", agent, "--as", "home", "-q", "--out", str(out)])
    alone = compiled(generate(plan), f"{agent}_alone").rows(str(home))
    assert [row._asdict() for row in alone] == [json.loads(line) for line in out.read_text("utf-8").split("\n") if line]


CUT = """
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: fixture}
evidence: {toy: {repo: 'https://example.org/toy', commit: abc1234, license: MIT, reviewed: '2026-01-01'}}
stores:
  notes: {cite: 'toy:a.rs:1 #x', files: ['*.json'], read: json, records: doc.items, salvage: doc.items, walk: note}
walks:
  note:
    steps:
      - {emit: said, turn: user, text: {text: '{record.a}'}}
"""


def test_the_note_on_a_cut_document_stands_at_no_line(tmp_path: Path) -> None:
    spec, home = tmp_path / "toy.yaml", tmp_path / "home"
    spec.write_text(CUT, encoding="utf-8")
    home.mkdir()
    (home / "a.json").write_text('{"items": [{"a": 1}, {"a": 2}, {"a"', encoding="utf-8")
    rows, _ = assert_one_result(load_plan(spec), home)["a.json"]
    assert [(row[11], row[13]) for row in rows] == [
        ("1", 1), ("2", 2), ("parser: a.json could not be decoded (cut off at byte 35)", 0),
    ]  # fmt: skip


def test_a_unit_goes_with_the_end_of_its_walk() -> None:
    plan = load_plan(SPECS["zed"])
    gc.disable()
    try:
        rows = by(plan, homes_of("zed")[0], rules_of(plan).rows)
        assert rows
        assert not [found for found in gc.get_objects() if type(found) is Run]
    finally:
        gc.enable()
