"""What the report says of a rule: the spec's file and line, and what these rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from engine.lang.plan import Citation, Plan
from engine.lang.traversal import reached, walk_steps, walks_of


def rules(plans: Iterable[Plan]) -> dict[str, dict[str, Any]]:
    """Rule → `{spec, line, cites: [{text, link}]}` for every step of every store."""
    return dict(entry for plan in plans for entry in _rules(plan))


def _rules(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    steps = {walk.name: tuple(walk_steps(walk)) for walk in plan.walks}
    pins = {evidence.alias: (evidence.repo, evidence.commit) for evidence in plan.evidence}
    name = PurePath(plan.file).name
    for store in plan.stores:
        for walk in reached(steps, walks_of(store)):
            for step in steps[walk]:
                rule = f"{plan.agent}/{store.name}/{getattr(step, 'name', step.id)}"
                cites = [{"text": cite.text, "link": _link(cite, pins)} for cite in step.cites or store.cites]
                yield rule, {"spec": name, "line": step.mark.line, "cites": cites}


def _link(cite: Citation, pins: dict[str, tuple[str, str]]) -> str:
    """The cited lines on the web, where the source is a public repository; else ''."""
    repo, commit = pins.get(cite.alias, ("", ""))
    repo = f"https://github.com/{repo.removeprefix('github:')}" if repo.startswith("github:") else repo
    if cite.seen or not repo.startswith("https://github.com/"):
        return ""
    lines = f"#L{cite.first}-L{cite.last}" if cite.first else ""
    return f"{repo}/blob/{commit}/{cite.path}{lines}"
