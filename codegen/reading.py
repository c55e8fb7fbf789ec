"""The part of a plan that a generated module carries for discovery, the readers and pairing."""

from __future__ import annotations

import msgspec

from codegen.code import quoted
from codegen.layout import WIDTH
from engine.lang.plan import AnyStep, Emit, Mark, Plan, Use, Walk
from engine.lang.traversal import all_steps
from engine.lang.trees import without_trees


def reading_part(plan: Plan) -> Plan:
    """The plan without what generated code says in its place; syntax trees are left out, their sources tell them."""
    walks = tuple(
        Walk(name=walk.name, mark=_NOWHERE, begin=_emits(walk.begin), steps=_emits(walk.steps), end=_emits(walk.end))
        for walk in plan.walks
    )
    catalog = msgspec.structs.replace(plan.catalog, projects=(), scratch=())
    bare = msgspec.structs.replace(
        plan, file=file_name(plan), walks=walks, shapes={}, tests=(), catalog=catalog, unread=(), lint=()
    )
    return without_trees(bare)


def file_name(plan: Plan) -> str:
    return plan.file.replace("\\", "/").rpartition("/")[2]


_NOWHERE = Mark(0, 0, "")


def _emits(steps: tuple[AnyStep, ...]) -> tuple[AnyStep, ...]:
    """Steps as pairing sees them: emits without what they write, and the walks in use."""
    found: list[AnyStep] = []
    for step in all_steps(steps):
        if isinstance(step, Emit):
            found.append(Emit(mark=_NOWHERE, id="", name=step.name, turn=step.turn, event=step.event, role=step.role))
        elif isinstance(step, Use):
            found.append(Use(mark=_NOWHERE, id="", walk=step.walk, inputs=()))
    return tuple(found)


def in_lines(text: str) -> list[str]:
    """Text in pieces whose literals fit the page."""
    pieces, at = [], 0
    while at < len(text):
        size = WIDTH - 8
        while len(quoted(text[at : at + size])) > WIDTH - 4:
            size -= 4
        pieces.append(text[at : at + size])
        at += size
    return pieces
