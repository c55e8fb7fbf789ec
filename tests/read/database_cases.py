"""SQLite databases of test cases: made, placed in a home, and read without a change beside them."""

from __future__ import annotations

import hashlib
import sqlite3
from pathlib import Path

from engine.read.limits import Limits
from tests.read.reading import Seen, plan_of, read_source
from tests.read.reading import store as store_of

SIMPLE = "{sqlite: t, need: [a], want: [b]}"


def store(how: str = SIMPLE, name: str = "s", **more: str) -> str:
    return store_of(name, "{data}/d.db", how, **more)


def place(base: Path) -> Path:
    path = base / "case" / "home" / ".toy" / "d.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def database(base: Path, script: str) -> Path:
    path = place(base)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()
    return path


def state(directory: Path) -> dict[str, tuple[int, int, str]]:
    return {
        item.name: (item.stat().st_size, item.stat().st_mtime_ns, hashlib.sha256(item.read_bytes()).hexdigest())
        for item in directory.iterdir()
    }


def seen_in(base: Path, body: str, limits: Limits | None = None) -> Seen:
    """Reads the database of a case; nothing beside it may change."""
    from engine.read.discover import find

    plan = plan_of(base / "spec", body)
    before = state(place(base).parent)
    (source,) = find([base / "case" / "home"], [plan]).sources
    seen = read_source(source, plan, limits)
    assert state(place(base).parent) == before
    return seen
