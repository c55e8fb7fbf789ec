"""What a run says about itself on stderr."""

from __future__ import annotations

import json
from typing import Any

from engine.cli.terminal import one_line

#: what an input was taken for, in words
INPUTS = {
    "home": "a home", "homes": "a tree of homes", "image": "the root of a disk", "volume": "volumes of containers",
    "project": "a project", "agent": "an agent's directory", "collection": "a collection", "kape": "a tree of KAPE's",
    "uac": "a tree of UAC's", "velociraptor": "a tree of Velociraptor's",
}  # fmt: skip


def as_text(report: dict[str, Any]) -> str:
    """The summary for people; `report` has `totals`, `ledger`, `unreadable`, `problems`, `replaced`, `left_out`,
    `filtered`, `redacted`, `window`, `undated`, `clocks`, `inputs`."""
    totals = report["totals"]
    turns = ", ".join(f"{turn} {n}" for turn, n in totals["turns"].items())
    lines = [f"rows       {totals['rows']}" + (f" ({turns})" if turns else "")]
    extra = [f"{totals[name]} {name}" for name in ("notes", "secondary", "undated") if totals[name]]
    if extra:
        lines.append(f"           of these {', '.join(extra)}")
    agents = ", ".join(f"{agent} {n}" for agent, n in totals["agents"].items())
    lines.append(f"agents     {agents or 'none'}")
    lines.append(f"sessions   {totals['sessions']}")
    lines.append(f"files      {totals['sources']} read, {totals['unreadable_files']} could not be read")
    lines += [f"           {one_line(text)}" for text in report["unreadable"]]
    if report["problems"]:
        lines.append(f"left out   {len(report['problems'])}")
        lines += [f"           {one_line(p['source_file'])}: {one_line(p['reason'])}" for p in report["problems"][:20]]
    if any(report["window"]):
        lines.append(f"window     {report['window']}; rows without a time are {report['undated']}")
    if report["filtered"]:
        lines.append(f"filtered   {report['filtered']} rows left out by the filters")
    if report["redacted"]:
        lines.append(f"redacted   {report['redacted']} secrets")
    if report["left_out"]:
        lines.append(f"left out   {report['left_out']} rows without a time, which the format can't hold")
    if report["replaced"]:
        lines.append(f"replaced   characters that the format can't hold in {report['replaced']} rows, by U+FFFD")
    for clock in report["clocks"]:
        done = "corrected" if clock["corrected"] else "shown as if UTC"
        days = f"{clock['from']} to {clock['to']}"
        lines.append(f"clock      {clock['agent']}: local times are UTC{clock['offset']} ({days}), {done}")
    for agent, stores in report["ledger"].items():
        lines += [f"ledger     {agent}/{store}: {_account(count)}" for store, count in stores.items()]
    lines += [
        f"input      {one_line(each['path'])}: taken for {INPUTS.get(each['as'], each['as'])}"
        for each in report["inputs"]
    ]
    return "\n".join(lines)


def as_json(report: dict[str, Any]) -> str:
    return json.dumps(report)


def _account(count: dict[str, Any]) -> str:
    ignored = sum(count["ignored"].values())
    parts = [
        f"{count['read']} read = {count['rows']} into rows + {count['copies']} copies + {ignored} ignored"
        f" + {count['bad']} bad"
    ]
    parts += [f"{count[name]} {name}" for name in ("unknown", "paired") if count[name]]
    return "; ".join(parts)
