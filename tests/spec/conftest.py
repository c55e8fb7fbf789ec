"""Hooks of the made-up agent stand beside the engine's while these tests run."""

from __future__ import annotations

from pathlib import Path

import pytest

import engine.hooks


@pytest.fixture(autouse=True)
def hooks_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine.hooks, "__path__", [*engine.hooks.__path__, str(Path(__file__).parent / "hooks")])
