"""Lines on standard output: UTF-8 as it is into a file or a pipe, made safe on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from engine.cli.terminal import TerminalOutput
from engine.write.files import StandardOutput


def print_lines(lines: Iterable[str]) -> None:
    """Text of evidence may stand in the lines. A lone surrogate is written as an escape."""
    target = TerminalOutput() if sys.stdout.isatty() else StandardOutput()
    for line in lines:
        target.write(line.encode("utf-8", "backslashreplace") + b"\n")
    target.close()
