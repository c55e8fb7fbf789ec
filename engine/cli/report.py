"""`engine report`: evidence in, one page to look at out. It takes what `engine run` takes, formats apart."""

from __future__ import annotations

from typing import Any

import click

from engine.cli.run import command as run

_OTHERS = {"out", "format_", "partition", "csv_safe", "csv_bom", "order"}


def _report(out: str, **options: Any) -> int:
    fixed = {"format_": "html", "partition": False, "csv_safe": False, "csv_bom": False, "order": "time"}
    assert run.callback is not None
    return run.callback(out=out, **fixed, **options)


command = click.Command(
    "report",
    callback=_report,
    params=[
        *(param for param in run.params if param.name not in _OTHERS),
        click.Option(["-o", "--out"], default="report.html", show_default=True, metavar="FILE", help="The page."),
    ],
    short_help="Read evidence and write one page to look at.",
    help="""Read what agents left in each INPUT and write one page that opens offline in a browser: activity over time,
    sessions as transcripts, permissions, deletions, what only copies hold, notes, files; each row with its source, rule
    and citation. It loads nothing from anywhere.

    Example: engine report ~ -o report.html --since 30d
    """,
)
