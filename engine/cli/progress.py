"""A progress bar for long work, on a terminal only; rich is imported when the bar first shows."""

from __future__ import annotations

import sys
import time
from typing import Any

from engine.cli.terminal import one_line

#: seconds that pass before a bar shows
PATIENCE = 1.5


class Progress:
    """`step` with each source that begins. Shows nothing unless `shown`, or when stderr is no terminal."""

    def __init__(self, total: int, shown: bool):
        self._total = total
        self._due = None if not shown or not sys.stderr.isatty() else time.monotonic() + PATIENCE
        self._bar: Any = None
        self._task: Any = None

    def step(self, number: int, name: str) -> None:
        if self._due is None or (self._bar is None and time.monotonic() < self._due):
            return
        if self._bar is None:
            self._show()
        self._bar.update(self._task, completed=number, description=_short(one_line(name)))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        name = TextColumn("{task.description}", markup=False)
        console = Console(stderr=True)
        self._bar = Bar(name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console, transient=True)
        self._task = self._bar.add_task("", total=self._total)
        self._bar.start()


def _short(name: str, width: int = 48) -> str:
    return name if len(name) <= width else f"…{name[1 - width :]}"
