"""What a terminal is given of evidence."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from engine.cli.terminal import one_line, plain
from tests.cli.command import Engine
from tests.run.test_pipeline import line

#: what moves a cursor, changes colours, sets a title or turns a line around
HOSTILE = "a\x1b[2Jb\x9b31mc\x07d\u202ee\x7ff\u2066g\rh"


@pytest.fixture
def engine(tmp_path, capsysbinary):
    return Engine(tmp_path, capsysbinary)


def on_a_terminal(*arguments: str) -> str:
    """What the command prints on a terminal of its own."""
    main, side = pty.openpty()
    command = [sys.executable, "-c", "from engine.cli.main import main; main()", *arguments]
    running = subprocess.Popen(command, stdout=side, stderr=side, stdin=side)
    os.close(side)
    parts = []
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
    running.wait()
    os.close(main)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_control_characters_and_marks_of_direction_are_escapes():
    assert plain(HOSTILE) == "a\\u001b[2Jb\\u009b31mc\\u0007d\\u202ee\\u007ff\\u2066g\\u000dh"
    assert plain("tab\tand\nbreak") == "tab\tand\nbreak"
    assert one_line("tab\tand\nbreak") == "tab\\tand\\nbreak"
    assert plain("\ud800") == "\\ud800"


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_rows_on_a_terminal_carry_nothing_that_it_obeys(engine, form):
    Path(engine.home, "toy", "chats", "a.jsonl").write_text(line("user", HOSTILE, "00:01"))
    said = on_a_terminal("run", engine.home, "--spec", engine.spec, "--format", form)
    assert "rows " in said
    assert not set(said) & set("\x1b\x9b\x07\u202e\x7f\u2066\r")
    if form == "jsonl":
        first = next(json.loads(row) for row in said.splitlines() if '"turn_type":"user"' in row)
        assert first["text"] == HOSTILE
