"""Running the command inside the test's process, and a small home for it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import status_of
from tests.run.test_pipeline import FILES, SPEC
from tests.run.walking import HEAD, home_of, plan_of


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit status, stdout, stderr."""

    status: int
    out: bytes
    err: str

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.decode().split("\n") if line]


class Engine:
    """`engine(…)` runs the command with these arguments; the toy spec and its home are at hand."""

    def __init__(self, base: Path, capture: pytest.CaptureFixture[bytes]):
        self._capture = capture
        plan_of(base, SPEC, HEAD)
        self.spec = str(base / "toy.yaml")
        self.home = str(home_of(base, FILES))

    def __call__(self, *arguments: str | Path) -> Ended:
        self._capture.readouterr()
        status = status_of([str(argument) for argument in arguments])
        out, err = self._capture.readouterr()
        return Ended(status, out, err.decode())

    def run(self, *arguments: str | Path) -> Ended:
        return self("run", self.home, "--spec", self.spec, *arguments)
