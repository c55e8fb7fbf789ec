"""Sources go one by one: nothing of one waits for the collector of circles, which may be far off."""

from __future__ import annotations

import gc
import shutil
from pathlib import Path
from types import ModuleType

import pytest

from engine.lang.load import load_plan
from engine.lang.plan import Plan
from engine.read.discover import DiscoverOptions, discover
from engine.run import generated, interpret
from engine.run.ledger import Ledger
from engine.run.passes import prepare
from engine.spec.library import all_specs

FIXTURES = Path(__file__).parents[2] / "fixtures"
AGENTS = [path.stem for path in all_specs() if (FIXTURES / path.stem).is_dir()]


def damaged(home: Path, copy: Path) -> Path:
    """A copy of a home in which every file is cut, every second one begins with bytes that are no text."""
    shutil.copytree(home, copy)
    for number, path in enumerate(sorted(found for found in copy.rglob("*") if found.is_file())):
        data = path.read_bytes()
        path.write_bytes(b"\0\xff" + data[: len(data) // 2] if number % 2 else data[: len(data) * 2 // 3])
    return copy


def circles(plan: Plan, home: Path, back_end: ModuleType) -> int:
    """How many objects only the collector finds once the sources of a home were read."""
    sources = discover([home], [plan], DiscoverOptions(as_="home"))
    context = prepare(plan, sources)

    def read() -> None:
        for source in sources:
            for _ in back_end.rows(source, context, Ledger()):
                pass

    # what is made once a run
    read()
    gc.collect()
    gc.disable()
    try:
        read()
        return gc.collect()
    finally:
        gc.enable()


@pytest.mark.parametrize("back_end", [interpret, generated], ids=["interpreted", "generated"])
@pytest.mark.parametrize("agent", AGENTS)
def test_sources_that_were_read_leave_no_circle(agent: str, back_end: ModuleType, tmp_path: Path) -> None:
    plan, homes = load_plan(agent), sorted((FIXTURES / agent).glob("**/home"))
    assert homes
    for number, home in enumerate(homes[:2]):
        assert circles(plan, home, back_end) == 0, home
        assert circles(plan, damaged(home, tmp_path / str(number)), back_end) == 0, home
