"""What the report says of a rule: the spec's file and line, and what these rest on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from engine.lang.links import link
from engine.lang.plan import Plan
from engine.lang.traversal import steps_by_store


def rules(plans: Iterable[Plan]) -> dict[str, dict[str, Any]]:
    """Rule → `{spec, line, cites: [{text, link}]}` for every step of every store."""
    return dict(entry for plan in plans for entry in _rules(plan))


def _rules(plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    evidence = {each.alias: each for each in plan.evidence}
    name = PurePath(plan.file).name
    for store, step in steps_by_store(plan):
        rule = f"{plan.agent}/{store.name}/{getattr(step, 'name', step.id)}"
        cites = [
            {"text": cite.text, "link": link(cite, evidence[cite.alias]) or ""} for cite in step.cites or store.cites
        ]
        yield rule, {"spec": name, "line": step.mark.line, "cites": cites}
