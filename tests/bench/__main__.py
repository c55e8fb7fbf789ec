"""`python -m tests.bench [--mb N] [--rounds N] [AGENT]…`: the table of the performance contract, as text and JSON."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.corpus import make
from tests.bench.measure import KINDS

AGENTS = ("codex-cli", "claude-code", "openhands", "nanobot", "zed", "agent-zero")
#: measurement → its gate as a ratio to the floor
GATES = {"rows": 1.4, "run": 2.0, "time": 2.5, "hash": 2.5, "csv": 2.4, "parquet": 3.2}
ROWS_OF_ZED = 1.0
#: from so many files on the time of a file by itself is shown
_MANY = 1000


def measured(what: str, agent: str, home: Path) -> dict[str, Any]:
    line = [sys.executable, "-m", "tests.bench.measure", what, agent, str(home)]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} of {agent}: {done.stderr.strip()[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def bench(agent: str, home: Path, megabytes: float, rounds: int, kinds: list[str]) -> dict[str, Any]:
    """The least of several rounds of each measurement, interleaved."""
    size = make(agent, home, int(megabytes * 1e6))
    best: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        for what in kinds:
            found = measured(what, agent, home)
            kept = best.setdefault(what, found)
            kept["peak"] = max(kept["peak"], found["peak"])
            kept["seconds"] = min(kept["seconds"], found["seconds"])
    floor = best["floor"]["seconds"]
    return {
        "agent": agent,
        "bytes": size,
        "floor_seconds": floor,
        "ratios": {what: found["seconds"] / floor for what, found in best.items() if what not in ("floor", "first")},
        "peak_mib": {what: round(found["peak"] / 2**20, 1) for what, found in best.items() if found["peak"]},
        "rows": best.get("rows", {}).get("result", 0),
        "first_row_seconds": best.get("first", {}).get("seconds"),
        "files": sum(path.is_file() for path in home.rglob("*")),
    }


def table(results: list[dict[str, Any]], kinds: list[str]) -> str:
    shown = [what for what in kinds if what not in ("floor", "first")]
    head = (
        f"{'':13}{'MB':>6}{'floor s':>9}"
        + "".join(f"{what:>11}" for what in shown)
        + f"{'peak MiB':>10}{'first ms':>10}"
    )
    lines = [head]
    for found in results:
        cells = "".join(f"{_cell(found, what):>11}" for what in shown)
        peak = max((found["peak_mib"].get(what, 0) for what in ("run", "rows")), default=0)
        first = found["first_row_seconds"]
        lines.append(
            f"{found['agent']:13}{found['bytes'] / 1e6:6.0f}{found['floor_seconds']:9.3f}{cells}{peak:10.0f}"
            + (f"{first * 1000:10.0f}" if first else "")
        )
    lines.append("ratios to the floor (CPU); ! is over the gate of the contract")
    for found in results:
        if "rows" in found["ratios"] and found["files"] > _MANY:
            beyond = (found["ratios"]["rows"] - 1) * found["floor_seconds"] / found["files"]
            lines.append(f"{found['agent']}: rows take {beyond * 1e6:.1f} µs beyond the floor for each of its files")
    return "\n".join(lines)


def _cell(found: dict[str, Any], what: str) -> str:
    gate = ROWS_OF_ZED if (what, found["agent"]) == ("rows", "zed") else GATES.get(what)
    ratio = found["ratios"].get(what)
    return "" if ratio is None else f"{ratio:.2f}{'!' if gate is not None and ratio > gate else ' '}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="default: all six")
    parser.add_argument("--mb", type=float, default=20, help="size of each corpus in MB")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=sorted(KINDS), default=[k for k in KINDS if k != "interpret"])
    parser.add_argument("--json", metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    kinds = ["floor", *(what for what in options.only if what != "floor")]
    results = []
    for agent in options.agents or AGENTS:
        with tempfile.TemporaryDirectory() as folder:
            results.append(bench(agent, Path(folder, "home"), options.mb, options.rounds, kinds))
    print(table(results, kinds))
    if options.json:
        machine = {"machine": platform.processor() or platform.machine(), "python": platform.python_version()}
        Path(options.json).write_text(json.dumps({**machine, "results": results}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
