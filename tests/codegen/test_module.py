"""Generated modules read like written code: formatted, cited, the same everywhere."""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from codegen import layout
from codegen.module import generate
from engine.lang.load import load_plan
from engine.lang.plan import Emit
from engine.lang.traversal import walk_steps
from engine.spec.library import all_specs

ROOT = Path(__file__).parent.parent.parent
SPECS = {path.stem: path for path in all_specs()}
GOLDEN = ROOT / "tests" / "golden" / "zed_rows.py"


@cache
def text_of(agent: str) -> str:
    return generate(load_plan(SPECS[agent]))


@pytest.mark.parametrize("agent", SPECS)
def test_the_formatter_and_the_linter_find_nothing(agent: str) -> None:
    for task in (["format", "--diff"], ["check"]):
        line = [
            sys.executable,
            "-m",
            "ruff",
            *task,
            "--config",
            str(ROOT / "pyproject.toml"),
            "--stdin-filename",
            "x.py",
            "-",
        ]
        done = subprocess.run(line, input=text_of(agent), capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[:2000]


@pytest.mark.parametrize("agent", SPECS)
def test_no_line_is_wider_than_the_page(agent: str) -> None:
    assert max(map(len, text_of(agent).splitlines())) <= 120


@pytest.mark.parametrize("agent", SPECS)
def test_every_emit_stands_in_a_comment_above_its_citation(agent: str) -> None:
    lines = [line.strip() for line in text_of(agent).splitlines()]
    heads = {line for line in lines if line.startswith("# ") and ", line " in line}
    emits = [step for walk in load_plan(SPECS[agent]).walks for step in walk_steps(walk) if isinstance(step, Emit)]
    assert heads == {f"# {step.name}, line {step.mark.line}" for step in emits}
    for step in emits:
        below = lines[lines.index(f"# {step.name}, line {step.mark.line}") + 1]
        assert below.startswith(f"#   {step.cites[0].text[:20].strip()}")


def test_the_text_is_the_same_in_every_hash_seed() -> None:
    program = "from engine.lang.load import load_plan; from codegen.module import generate; import hashlib;"
    program += f"print(hashlib.sha256(generate(load_plan({str(SPECS['zed'])!r})).encode()).hexdigest())"
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": s},
        ).stdout
        for s in ("0", "1", "77")
    }
    assert len(digests) == 1
    assert len(digests.pop()) == 65


def test_the_head_names_the_spec_its_hash_and_its_pins() -> None:
    plan, head = load_plan(SPECS["zed"]), text_of("zed").split('"""')[1]
    assert plan.sha256 in head
    assert all(evidence.commit in head for evidence in plan.evidence)
    assert str(ROOT) not in text_of("zed")


def test_a_module_holds_no_name_that_it_does_not_use() -> None:
    tokens = tokenize.generate_tokens(io.StringIO(text_of("zed")).readline)
    names = Counter(token.string for token in tokens if token.type == tokenize.NAME)
    assert [name for name, count in names.items() if count == 1 and name.startswith(("walk_", "TABLE_"))] == []


def test_the_golden_module_is_what_the_spec_gives() -> None:
    """Written by `engine generate --spec zed -o tests/golden/zed_rows.py`."""
    assert GOLDEN.read_text(encoding="utf-8") == text_of("zed")


def test_a_loop_far_to_the_right_is_broken_where_python_allows_it() -> None:
    margin = " " * 90
    broken = layout.broken(f"{margin}for element in some_function(first_argument, second_argument):")
    assert len(broken) > 1
    ast.parse("\n".join(["if True:", *broken, f"{margin}    pass"]))
