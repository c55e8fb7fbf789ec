"""Hooks: the only Python that a spec can name."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from engine.errors import RowFault, UsageError
from engine.lang.plan import HookSpec
from engine.run import hooks
from tests.run.walking import log


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("engine.hooks.toy")

    def grown(text: str | None, state: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yields what was said so far, joined."""
        state["all"] = state.get("all", "") + (text or "")
        yield {"joined": state["all"], "size": len(state["all"])}

    for name, called in {"grown": grown, "nothing": lambda text: None, "broken": lambda text: [{"other": 1}]}.items():
        called.__module__ = module.__name__
        setattr(module, name, called)
    monkeypatch.setitem(sys.modules, "engine.hooks.toy", module)
    return module


def run(tmp_path: Path, function: str, state: str = "unit") -> Any:
    return log(
        tmp_path,
        """
        columns: {session_id: path.session}
        steps:
          - hook: grow
            with: {text: record.t}
            as: h
            steps: [{emit: said, turn: user, text: {text: '{h.joined} {h.size}'}}]
          - ignore: nothing grew
        """,
        '{"t": "a"}',
        '{"t": "b"}',
        more=f"""
hooks:
  grow: {{call: 'engine.hooks.toy:{function}', inputs: [text], gives: [joined, size], state: {state}, why: it grows}}
""",
    )


def test_a_hook_yields_values_and_the_yaml_writes_the_rows(tmp_path: Path, toy: ModuleType) -> None:
    found = run(tmp_path, "grown")
    assert found.texts == ["a 1", "ab 2"]
    assert found.column("rule") == ["toy/log/said"] * 2


def test_a_hook_may_yield_nothing(tmp_path: Path, toy: ModuleType) -> None:
    found = run(tmp_path, "nothing", "none")
    assert found.ledger.store("log").ignored == {"nothing grew": 2}


def test_a_hook_that_gives_what_it_did_not_declare_is_a_fault_with_the_steps_line(
    tmp_path: Path, toy: ModuleType
) -> None:
    with pytest.raises(RowFault, match=r"toy\.yaml:\d+: internal fault at walks\.log\.steps\[0\].*joined, size"):
        run(tmp_path, "broken", "none")


@pytest.mark.parametrize(
    "call", ["os:system", "engine.hooks.toy:missing", "engine.hooks.none:grown", "engine.run.hooks:load", "toy_entry"]
)
def test_nothing_else_can_be_reached(call: str, toy: ModuleType) -> None:
    with pytest.raises(UsageError, match="hook grow"):
        hooks.load(HookSpec(name="grow", call=call, inputs=(), gives=(), state="none", why="x"))


def test_an_entry_point_of_an_installed_package_gives_a_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    point = metadata.EntryPoint("toy_entry", "json:dumps", hooks.GROUP)
    asked: list[dict[str, str]] = []

    def entry_points(**wanted: str) -> list[metadata.EntryPoint]:
        asked.append(wanted)
        return [point]

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    called = hooks.load(HookSpec(name="grow", call="toy_entry", inputs=(), gives=(), state="none", why="x"))
    assert called([1]) == "[1]"
    assert asked == [{"group": "agentrows.hooks", "name": "toy_entry"}]
