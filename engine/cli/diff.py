"""`engine diff`: what differs in meaning between two specs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click

from engine.cli.terminal import one_line
from engine.read.inputs import KINDS
from engine.review.diff import Change, compare
from engine.review.diff_rows import RowChange, RowDifference, compare_rows
from engine.review.diff_specs import read_side
from engine.review.spectext import SpecText

SAME, DIFFERENT = 0, 1

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}
_RULES_SHOWN = 6


@click.command("diff", short_help="What differs in meaning between two specs.")
@click.argument("old")
@click.argument("new")
@click.option("--rows", "inputs", multiple=True, metavar="INPUT",
              help="Run both specs on INPUT and say which rows differ, too.")  # fmt: skip
@click.option("--as", "as_", type=click.Choice(KINDS), help="What every INPUT is taken for.")
@click.option("--most", type=click.IntRange(min=0), default=20, show_default=True, metavar="N",
              help="How many differing rows are shown; all are counted.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON.")
def command(old: str, new: str, inputs: tuple[str, ...], as_: str | None, most: int, as_json: bool) -> int:
    """Say what differs in meaning between the specs OLD and NEW, each the id of a known spec, a file, or REV:PATH of
    the git repository around the current directory. Comments, the form of the YAML and the order of keys are no
    difference.

    Exit status: 0 when nothing differs, 1 when something does, 2 for an error.

    Example: engine diff HEAD:specs/zed.yaml specs/zed.yaml --rows fixtures/zed/home
    """
    before, after = read_side(old), read_side(new)
    changes = compare(before.plan, after.plan)
    rows = compare_rows(before.plan, after.plan, inputs, as_, most) if inputs else None
    if as_json:
        shown = json.dumps(_as_json(before, after, changes, rows), ensure_ascii=False, indent=2)
        click.echo(shown.encode("utf-8", "backslashreplace"))
    else:
        for line in (*_lines(before, after, changes), *(_row_lines(rows) if rows is not None else ())):
            click.echo(one_line(line))
    return DIFFERENT if changes or (rows is not None and rows.any) else SAME


def _lines(old: SpecText, new: SpecText, changes: list[Change]) -> Iterator[str]:
    if not changes:
        yield "no difference in meaning"
    for change in changes:
        at = " -> ".join(
            f"{spec.label}:{line}"
            for spec, line in ((old, change.old_line), (new, change.new_line))
            if line
        )  # fmt: skip
        rules = ", ".join(change.rules[:_RULES_SHOWN])
        if len(change.rules) > _RULES_SHOWN:
            rules += f" and {len(change.rules) - _RULES_SHOWN} more"
        subject = ", ".join(change.where) if change.what == "step" else rules or ", ".join(change.where)
        yield f"{_SIGNS[change.kind]} " + "  ".join(part for part in (change.what, subject, at) if part)
        for sign, text in (("-", change.old), ("+", change.new)):
            if text:
                yield f"    {sign} {text}"


def _row_lines(rows: RowDifference) -> Iterator[str]:
    yield f"rows: {rows.old} -> {rows.new} ({rows.added} added, {rows.removed} removed, {rows.changed} changed)"
    for change in rows.shown:
        row = change.row
        yield (
            f"{_SIGNS[change.kind]} {row['source_file']}:{row['source_line']}  {row['timestamp_utc'] or 'undated'}  "
            f"{row['rule']}" + (f"  {_cut(row['text'])}" if not change.columns else "")
        )
        for name, (old, new) in change.columns.items():
            was, now = (_cut(json.dumps(value, ensure_ascii=False)) for value in (old, new))
            yield f"    {name}: {was} -> {now}"
    left = rows.added + rows.removed + rows.changed - len(rows.shown)
    if left:
        yield f"… and {left} more"


def _cut(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:100]}…"


def _as_json(old: SpecText, new: SpecText, changes: list[Change], rows: RowDifference | None) -> dict[str, Any]:
    return {
        "old": old.label,
        "new": new.label,
        "changes": [
            {
                "kind": change.kind,
                "what": change.what,
                "rules": list(change.rules),
                "steps": list(change.where),
                "old": change.old,
                "new": change.new,
                "old_line": change.old_line,
                "new_line": change.new_line,
            }
            for change in changes
        ],
        "rows": None if rows is None else _rows_json(rows),
    }


def _rows_json(rows: RowDifference) -> dict[str, Any]:
    return {
        "old": rows.old,
        "new": rows.new,
        "added": rows.added,
        "removed": rows.removed,
        "changed": rows.changed,
        "shown": [_row_json(change) for change in rows.shown],
    }


def _row_json(change: RowChange) -> dict[str, Any]:
    columns = {name: {"old": old, "new": new} for name, (old, new) in change.columns.items()}
    return {"kind": change.kind, "row": change.row, "columns": columns}
