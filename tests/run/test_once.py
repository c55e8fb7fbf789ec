"""`once`: of records with an equal key one file keeps it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from engine.read.discover import DiscoverOptions, discover
from engine.read.limits import Limits
from engine.run import once, passes
from engine.run.once import Digests
from tests.run.walking import home_of, plan_of, walk

Files = dict[str, str | bytes]


def spec(rule: str) -> str:
    return f"""
    stores:
      log:
        cite: 'toy:log.rs:1 #x'
        files: ['{{data}}/<project>/<id>.jsonl']
        read: jsonl
        once: {rule}
        walk: log
    walks:
      log:
        columns: {{session_id: path.id}}
        steps: [{{emit: said, turn: user, text: record.t}}]
        end: [{{when: 'unit.copies > `0`', emit: copied, event: notice, text: {{text: '{{unit.copies}} copies'}}}}]
    """


def lines(*records: Any) -> str:
    return "".join(json.dumps({"u": u, "t": t, **more}) + "\n" for u, t, more in records)


def texts(found: Any) -> list[tuple[str, str]]:
    return [(row["session_id"], row["text"]) for row in found.rows]


def test_the_first_path_keeps_a_record_and_the_others_count_copies(tmp_path: Path) -> None:
    files: Files = {
        "toy/p/b.jsonl": lines(("1", "one", {}), ("2", "two", {}), ("4", "b's own", {})),
        "toy/p/a.jsonl": lines(("1", "one", {}), ("2", "two", {}), ("3", "a's own", {})),
    }
    found = walk(tmp_path, spec("{key: record.u, per: path.project, why: forks}"), files)
    assert texts(found) == [("a", "one"), ("a", "two"), ("a", "a's own"), ("b", "b's own"), ("b", "2 copies")]
    count = found.by_file["toy/p/b.jsonl"].store("log")
    assert (count.read, count.rows, count.copies) == (3, 1, 2)


def test_prefer_comes_before_the_path(tmp_path: Path) -> None:
    files: Files = {
        "toy/p/a.jsonl": lines(("1", "one", {"fork": True, "at": 1}), ("9", "nine", {"at": "b"})),
        "toy/p/b.jsonl": lines(("1", "one", {"at": 5}), ("9", "nine", {"at": "a"})),
        "toy/p/c.jsonl": lines(("1", "one", {"at": 4}), ("9", "nine", {"at": None})),
    }
    found = walk(tmp_path, spec("{key: record.u, prefer: ['!(record.fork)', record.at], why: forks}"), files)
    assert texts(found) == [("a", "2 copies"), ("b", "nine"), ("b", "1 copies"), ("c", "one"), ("c", "1 copies")]


def test_groups_are_kept_apart(tmp_path: Path) -> None:
    files: Files = {
        "toy/p/a.jsonl": lines(("1", "one", {"g": "x"})),
        "toy/q/b.jsonl": lines(("1", "one", {"g": "x"})),
        "toy/q/c.jsonl": lines(("1", "one", {"g": "y"})),
    }
    by_path = walk(tmp_path, spec("{key: record.u, per: path.project, why: forks}"), files)
    assert texts(by_path) == [("a", "one"), ("b", "one"), ("c", "1 copies")]
    by_record = walk(tmp_path, spec("{key: record.u, per: record.g, why: forks}"), files)
    assert texts(by_record) == [("a", "one"), ("b", "1 copies"), ("c", "one")]


def test_a_key_that_comes_twice_in_its_own_file_stays_twice_and_no_key_is_no_copy(tmp_path: Path) -> None:
    files: Files = {
        "toy/p/a.jsonl": lines(("1", "one", {}), ("1", "again", {}), (None, "none", {})),
        "toy/p/b.jsonl": lines(("1", "one", {}), ("1", "again", {}), (None, "none", {})),
    }
    found = walk(tmp_path, spec("{key: record.u, why: forks}"), files)
    assert texts(found) == [("a", "one"), ("a", "again"), ("a", "none"), ("b", "none"), ("b", "2 copies")]


def test_bad_records_are_no_copies_and_begin_still_runs_in_a_file_of_copies(tmp_path: Path) -> None:
    body = spec("{key: record.u, why: forks}").replace(
        "steps: [{emit: said",
        "begin: [{emit: start, event: session_start, text: {const: start}}]\n        steps: [{emit: said",
    )
    files: Files = {
        "toy/p/a.jsonl": lines(("1", "one", {})),
        "toy/p/b.jsonl": "{broken\n" + lines(("1", "one", {})),
    }
    found = walk(tmp_path, body, files)
    assert [text[:20] for _, text in texts(found)] == ["start", "one", "start", "parser: unparseable ", "1 copies"]


def test_only_families_that_share_a_key_of_their_heads_are_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(tmp_path, spec("{key: record.u, per: path.project, why: forks}"))
    many = [(str(n), "x", {}) for n in range(50)]
    files: Files = {
        "toy/alone/a.jsonl": lines(*many),
        "toy/p/b.jsonl": lines(("b", "x", {}), *many[1:]),
        "toy/p/c.jsonl": lines(("c", "x", {}), *[(f"c{n}", "x", {}) for n in range(50)]),
        "toy/p/d.jsonl": lines(("b", "x", {}), ("d", "y", {})),
    }
    sources = discover([home_of(tmp_path, files)], [plan], DiscoverOptions(as_="home"))
    read: dict[str, int] = {}
    digest = once.Key.digest

    def counted(self: once.Key, scope: Any) -> bytes | None:
        path = scope.get("file")["path"]
        read[path] = read.get(path, 0) + 1
        return digest(self, scope)

    monkeypatch.setattr(once.Key, "digest", counted)
    context = passes.prepare(plan, sources)
    heads = {"toy/p/b.jsonl": 8, "toy/p/c.jsonl": 8, "toy/p/d.jsonl": 2}
    assert read == {name: n + {"toy/p/b.jsonl": 50, "toy/p/d.jsonl": 2}.get(name, 0) for name, n in heads.items()}
    assert pickle.loads(pickle.dumps(context)).owners == context.owners
    assert len(context.owners.losses) == 1


def test_families_are_joined_through_others() -> None:
    heads = [("a", [b"1"]), ("b", [b"2"]), ("c", [b"9"]), ("d", [b"3", b"2"]), ("e", [b"1", b"3"]), ("f", [])]
    assert once.families(heads) == [["a", "b", "d", "e"]]


def test_two_homes_keep_their_records_each(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, spec("{key: record.u, why: forks}"))
    homes = [home_of(tmp_path / name, {"toy/p/a.jsonl": lines(("1", "one", {}))}) for name in ("x", "y")]
    sources = discover(homes, [plan], DiscoverOptions(as_="home"))
    assert len(sources) == 2
    assert passes.prepare(plan, sources, Limits()).owners.losses == {}


def test_digests_are_found_in_their_packed_form() -> None:
    some = sorted(bytes([n]) * once.WIDTH for n in (1, 5, 9))
    packed = Digests(b"".join(some))
    assert [digest in packed for digest in some] == [True, True, True]
    assert bytes([4]) * once.WIDTH not in packed
    assert b"" not in Digests()
