"""Runs the engine on a home with the Zed spec, and holds its rows to expected ones.

As a program, `python tests/specs/zed_run.py DIRECTORY [CASE …]` compares each case of a directory, a folder with
`home/` and `expected.jsonl`, and prints what differs.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: 2026-03-01T13:00:00Z, the modification time of every file of a case
MTIME = 1772370000

_START = "from engine.cli.main import main; main()"

Row = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What a run gave. `stores` is the ledger of each file: source file → store → counts."""

    code: int
    rows: list[Row]
    stores: dict[str, dict[str, dict[str, Any]]]
    said: str

    def texts(self, **wanted: Any) -> list[str]:
        """The texts of the rows that have these columns."""
        return [row["text"] for row in self.rows if all(row[name] == value for name, value in wanted.items())]

    @property
    def notes(self) -> list[str]:
        return self.texts(event="note")


def run(home: Path, *options: str, bound: bool = False) -> Result:
    """Runs `engine run HOME --spec zed` with every file at MTIME; `bound`: file modes hold for root too."""
    for path in home.rglob("*"):
        os.utime(path, (MTIME, MTIME), follow_symlinks=False)
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-c", _START, "run", str(home), "--spec", "zed", "--out", out + "/", "-q", *options]
        drop = _keep_to_modes if bound and os.getuid() == 0 else None
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, preexec_fn=drop)
        timeline, told = Path(out, "timeline.jsonl"), Path(out, "run.json")
        rows = []
        if timeline.exists():
            rows = [json.loads(line) for line in timeline.read_text(encoding="utf-8").split("\n") if line]
        files = json.loads(told.read_text(encoding="utf-8"))["files"] if told.exists() else []
    stores = {file["source_file"]: file["stores"] for file in files}
    return Result(done.returncode, rows, stores, done.stderr)


def _keep_to_modes() -> None:
    """Takes from root the capabilities to pass over file modes (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):
        libc.prctl(24, capability, 0, 0, 0)


def differences(expected: Iterable[Mapping[str, Any]], rows: Iterable[Row]) -> list[str]:
    """Rows that are missing (`-`) or too many (`+`), compared as multisets on the columns that the expected ones have.

    `<reason>` and `<error>` in an expected text stand for any words."""
    wanted = list(expected)
    columns = list(wanted[0]) if wanted else ["text"]
    left = [{name: row[name] for name in columns} for row in rows]
    missing = []
    for row in wanted:
        found = next((other for other in left if _equal(row, other)), None)
        if found is None:
            missing.append(f"- {json.dumps(row, ensure_ascii=False)}")
        else:
            left.remove(found)
    return missing + [f"+ {json.dumps(row, ensure_ascii=False)}" for row in left]


def _equal(wanted: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    if wanted == row:
        return True
    parts = re.split(r"<reason>|<error>", str(wanted.get("text")))
    if len(parts) == 1 or any(wanted[name] != row[name] for name in wanted if name != "text"):
        return False
    return re.fullmatch(".+".join(map(re.escape, parts)), row["text"], re.DOTALL) is not None


def read_rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def main(arguments: list[str]) -> int:
    """Compares the cases of a directory; 1 when one differs."""
    directory, names = Path(arguments[0]), arguments[1:]
    failed = 0
    for case in sorted(directory.iterdir()):
        if not (case / "expected.jsonl").is_file() or (names and case.name not in names):
            continue
        with tempfile.TemporaryDirectory() as work:
            home = Path(shutil.copytree(case / "home", Path(work, "home")))
            found = differences(read_rows(case / "expected.jsonl"), run(home).rows)
        failed += bool(found)
        print(case.name, "differs:" if found else "is as expected", *found, sep="\n  " if found else " ")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
