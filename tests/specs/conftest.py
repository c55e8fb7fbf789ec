"""What tests of specs get: a place for a home, and how it is run, with the spec whose id the test's module bears."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_run import Runner

from engine.spec.library import all_specs


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Not there yet: whoever fills it makes it."""
    return tmp_path / "home"


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runner:
    module = request.path.stem.removeprefix("test_").replace("_", "-")
    (agent,) = (path.stem for path in all_specs() if f"{module}-".startswith(f"{path.stem}-"))
    return Runner(agent, tmp_path, capsys)
