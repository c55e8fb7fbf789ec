"""Runs the engine on a home with one agent's spec, in this process; what all tests of specs share."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from engine.cli.main import status_of
from engine.lang.load import load_plan
from engine.lang.plan import Emit
from engine.lang.traversal import steps_by_store

#: 2026-03-01T13:00:00Z, the modification time of every file of a home
MTIME = 1772370000

#: columns of the rows that a case holds
COLUMNS = (
    "timestamp_utc", "session_id", "project_path", "git_branch", "turn_type", "model", "tool_name", "tool_use_id",
    "text", "source_file", "source_line", "event", "status", "time_basis", "role", "rule", "arguments",
)  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What a run gave. `stores` is the ledger of each file: source file → store → counts."""

    code: int
    rows: list[Row]
    stores: dict[str, dict[str, dict[str, Any]]]
    said: str

    def of(self, **wanted: Any) -> list[Row]:
        """The rows that have these columns."""
        return [row for row in self.rows if all(row[name] == value for name, value in wanted.items())]

    def texts(self, **wanted: Any) -> list[str]:
        return [row["text"] for row in self.of(**wanted)]

    @property
    def notes(self) -> list[str]:
        return self.texts(event="note")

    def count(self, store: str) -> dict[str, Any]:
        """The ledger of a store, of the one file that it read."""
        (found,) = [stores[store] for stores in self.stores.values() if store in stores]
        return found


class Runner:
    """Runs homes with the spec of an agent, writing below a directory; each result is held to its ledger."""

    def __init__(self, agent: str, out: Path, capsys: pytest.CaptureFixture[str] | None = None):
        self._agent, self._out, self._capsys, self._runs = agent, out, capsys, 0

    def __call__(self, home: Path | None, *options: str) -> Result:
        """Runs a home, or the current user's own."""
        for path in home.rglob("*") if home else ():
            os.utime(path, (MTIME, MTIME), follow_symlinks=False)
        self._runs += 1
        out = self._out / f"out{self._runs}"
        code = status_of(
            ["run", *([str(home)] if home else []), "--spec", self._agent, "--out", f"{out}/", "-q", *options]
        )
        said = self._capsys.readouterr().err if self._capsys else ""
        rows = read_rows(out / "timeline.jsonl") if (out / "timeline.jsonl").exists() else []
        files = json.loads((out / "run.json").read_text(encoding="utf-8"))["files"]
        result = Result(code, rows, {file["source_file"]: file["stores"] for file in files}, said)
        check_ledger(result)
        return result


def check_ledger(result: Result) -> None:
    """read is rows, copies, ignored and bad, in every store; all rows are counted, paired ones apart."""
    counts = [count for stores in result.stores.values() for count in stores.values()]
    for count in counts:
        assert count["read"] == count["rows"] + count["copies"] + sum(count["ignored"].values()) + count["bad"], count
    assert sum(count["rows_written"] - count["paired"] for count in counts) == len(result.rows)


def read_rows(file: Path) -> list[Row]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]


def cut(rows: Iterable[Mapping[str, Any]], columns: Iterable[str] = COLUMNS) -> list[Row]:
    """The rows with these columns only."""
    return [{name: row[name] for name in columns} for row in rows]


def differences(expected: Iterable[Mapping[str, Any]], rows: Iterable[Row]) -> list[str]:
    """Rows that are missing (`-`) or too many (`+`), in any order, compared on the columns that the expected ones have.

    `<reason>` in an expected text stands for any words: those of a library, which change with it."""
    wanted = list(expected)
    left = cut(rows, wanted[0] if wanted else COLUMNS)
    missing = []
    for row in wanted:
        found = next((other for other in left if _equal(row, other)), None)
        if found is None:
            missing.append(f"- {json.dumps(row, ensure_ascii=False)}")
        else:
            left.remove(found)
    return missing + [f"+ {json.dumps(row, ensure_ascii=False)}" for row in left]


def _equal(wanted: Mapping[str, Any], row: Row) -> bool:
    parts = str(wanted["text"]).split("<reason>")
    if len(parts) == 1 or {**wanted, "text": ""} != {**row, "text": ""}:
        return wanted == row
    return re.fullmatch(".+".join(map(re.escape, parts)), row["text"], re.DOTALL) is not None


@cache
def emits(agent: str) -> frozenset[str]:
    """The rules of all emits of a spec that a store reaches."""
    return frozenset(
        f"{agent}/{store.name}/{step.name}"
        for store, step in steps_by_store(load_plan(agent))
        if isinstance(step, Emit)
    )
