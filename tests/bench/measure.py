"""One measurement in a fresh process: `python -m tests.bench.measure WHAT AGENT HOME` prints it as JSON.

`seconds` is CPU time without imports and without what is done once a run before any file is read (specs, generated
code); `peak` the largest resident size in bytes, `base` that size before the work.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import zstandard
from msgspec.structs import replace

from engine.lang.load import load_plan
from engine.read.discover import DiscoverOptions, discover
from engine.run import generated, interpret
from engine.run.cache import Cache
from engine.run.interpret_program import program_of
from engine.run.ledger import Ledger
from engine.run.passes import prepare
from tests.bench.corpus import make
from tests.memory import peak

Work = Callable[[], int]

#: CPU seconds that a run takes for a home of one turn: specs and generated code from the cache
START_UP: list[float] = []


def floor(agent: str, home: Path) -> Work:
    """Every line, document, event file and blob through `orjson.loads`; for agent-zero the JSON inside it too."""
    return lambda: sum(len(data) for data in _decoded(agent, home))


def _decoded(agent: str, home: Path) -> Iterator[bytes]:
    if agent == "zed":
        database = sqlite3.connect(home / ".local/share/zed/threads/threads.db")
        for (packed,) in database.execute("SELECT data FROM threads"):
            data = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
            orjson.loads(data)
            yield data
        return
    for folder, _, names in os.walk(home):
        for name in sorted(names):
            path = Path(folder, name)
            if name.endswith(".jsonl"):
                with path.open("rb", buffering=1 << 18) as file:
                    for line in file:
                        orjson.loads(line)
                        yield line
            elif name.endswith(".json"):
                with path.open("rb", buffering=0) as file:
                    data = file.readall()
                document = orjson.loads(data)
                if agent == "agent-zero":
                    for one in document["agents"]:
                        orjson.loads(one["history"])
                yield data


def rows(agent: str, home: Path, *, interpreted: bool = False) -> Work:
    """Rows in memory, each dropped at once."""
    plan = load_plan(agent)
    generated.rules_of(plan, Cache(keep=False))
    program_of(plan)
    back_end = interpret.batches if interpreted else generated.batches

    def work() -> int:
        sources = discover([home], [plan], DiscoverOptions(as_="home"))
        context = replace(prepare(plan, sources), hashing=False)
        return sum(len(made) for source in sources for made in back_end(source, context, Ledger()))

    return work


def command(agent: str, home: Path, *options: str) -> Work:
    """`engine run` as the command makes it, into a file that is thrown away."""
    from engine.cli.main import status_of

    def run(folder: Path) -> int:
        with tempfile.TemporaryDirectory() as made:
            suffix = next((option for option in options if option in ("csv", "parquet")), "jsonl")
            out = Path(made, f"rows.{suffix}")
            given = [option for option in options if option != suffix]
            if status_of(["run", str(folder), "--as", "home", "--spec", agent, "-q", "--out", str(out), *given]):
                raise SystemExit(f"engine run wrote no rows of {folder}")
            return out.stat().st_size

    with tempfile.TemporaryDirectory() as small:
        make(agent, Path(small), 1)
        run(Path(small))
        start = time.process_time()
        run(Path(small))
        START_UP.append(time.process_time() - start)
    return lambda: run(home)


def first_row(agent: str, home: Path) -> Work:
    """From the start of the program to its first row, in wall time, specs and code from the cache."""
    with tempfile.TemporaryDirectory() as kept:
        best = min(_until_row(agent, home, kept) for _ in range(6))
    print(json.dumps({"seconds": best, "peak": 0, "base": 0, "result": 0}))
    raise SystemExit


def _until_row(agent: str, home: Path, kept: str) -> float:
    start = time.perf_counter()
    line = [sys.executable, "-c", "from engine.cli.main import main; main()", "run", str(home), "--as", "home"]
    environment = {**os.environ, "XDG_CACHE_HOME": kept, "PYTHONDONTWRITEBYTECODE": ""}
    with subprocess.Popen(
        [*line, "--spec", agent, "--order", "file", "-q"], stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        passed = time.perf_counter() - start
        process.stdout.read()
    return passed


KINDS: dict[str, Callable[[str, Path], Work]] = {
    "floor": floor,
    "rows": rows,
    "interpret": lambda agent, home: rows(agent, home, interpreted=True),
    "run": lambda agent, home: command(agent, home, "--order", "file", "--no-hash"),
    "time": lambda agent, home: command(agent, home, "--no-hash"),
    "hash": lambda agent, home: command(agent, home, "--order", "file"),
    "csv": lambda agent, home: command(agent, home, "csv", "--order", "file", "--no-hash"),
    "parquet": lambda agent, home: command(agent, home, "parquet", "--order", "file", "--no-hash"),
    "first": first_row,
}


def main() -> None:
    what, agent, home = sys.argv[1:4]
    work = KINDS[what](agent, Path(home))
    base = peak()
    start = time.process_time()
    result = work()
    told: dict[str, Any] = {
        "seconds": time.process_time() - start - sum(START_UP),
        "peak": peak(),
        "base": base,
        "result": result,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
