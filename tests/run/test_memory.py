"""How much memory a run takes: a fixed part, and a few times the longest line or the largest document."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.documents import make_thread
from tests.bench.texts import Texts

ROOT = Path(__file__).parents[2]
MIB = 1 << 20
LINE, LINES = 10 * MIB, 10
ROLLOUT = ".codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-01990000-0000-7000-8000-0000000000a1.jsonl"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one rollout of 100 MB, each line the output of a call. They come in no order of time."""
    home = tmp_path_factory.mktemp("long")
    path = home / ROLLOUT
    path.parent.mkdir(parents=True)
    output = "a line of output \\ é\n" * (LINE // 24)
    with path.open("w", encoding="utf-8") as file:
        meta = {"id": "01990000-0000-7000-8000-0000000000a1", "cwd": "/x", "cli_version": "0.171.0"}
        file.write(json.dumps({"timestamp": stamp(0), "type": "session_meta", "payload": meta}) + "\n")
        for number in range(LINES):
            payload = {"type": "function_call_output", "call_id": f"c{number}", "output": output}
            record = {"timestamp": stamp(number * 7 % LINES), "type": "response_item", "payload": payload}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return home


def stamp(minute: int) -> str:
    return f"2026-03-01T09:{minute:02d}:00.000Z"


START = """
from engine.cli.main import status_of
from tests.memory import peak
assert status_of() == 0
print(peak())
"""


def peak(*arguments: str) -> int:
    """The most memory, in bytes, that the command with these arguments had at once."""
    command = [sys.executable, "-c", START, *arguments]
    return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--order", "file")], ids=["by time", "by file"])
def test_a_file_of_long_lines_takes_64_mib_and_6_lines(options: tuple[str, ...], home: Path, tmp_path: Path) -> None:
    longest = max(len(line) for line in (home / ROLLOUT).open("rb"))
    out = tmp_path / "rows.jsonl"
    arguments = ("run", str(home), "--spec", "codex-cli", "-q", "--out", str(out), *options)
    assert peak(*arguments) <= 64 * MIB + 6 * longest
    with out.open(encoding="utf-8") as rows:
        written = [(row["event"], len(row["text"]) > LINE // 2) for row in map(json.loads, rows)]
    assert written.count(("tool_result", True)) == LINES


@pytest.mark.slow
def test_a_database_of_large_threads_takes_64_mib_and_10_threads(tmp_path: Path) -> None:
    texts = Texts("1", "zed")
    largest = max(make_thread(texts, tmp_path / "home", 5_000_000) for _ in range(8))
    out = tmp_path / "rows.jsonl"
    assert peak("run", str(tmp_path / "home"), "--spec", "zed", "-q", "--out", str(out)) <= 64 * MIB + 10 * largest
    assert out.stat().st_size > largest
