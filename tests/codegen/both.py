"""One plan on one home by every way there is: the interpreter; generated code, in memory and as a file; and of each
record what is read decoded, all of it, or all by the exact reader."""

from __future__ import annotations

import runpy
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec

from codegen.module import generate
from engine.lang.fastjson import REFUSED, Refused
from engine.lang.plan import Plan
from engine.lang.trees import with_trees
from engine.read.discover import DiscoverOptions, discover
from engine.run import interpret
from engine.run.cache import compiled
from engine.run.generated import Rules
from engine.run.ledger import Ledger
from engine.run.passes import prepare

#: rows with `pair_key` and `seq`, and the ledger, of each source
Found = dict[str, tuple[list[tuple[Any, ...]], dict[str, Any]]]


def by(plan: Plan, home: Path, rows: Callable[..., Iterator[tuple[Any, ...]]]) -> Found:
    """What a back end makes of a home."""
    sources = discover([home], [plan], DiscoverOptions(as_="home"))
    context = prepare(plan, sources)
    found: Found = {}
    for source in sources:
        ledger = Ledger()
        made = list(rows(source, context, ledger))
        assert ledger.adds_up
        found[source.source_file] = (made, ledger.as_dict())
    return found


def rules_of(plan: Plan) -> Rules:
    text = generate(plan)
    return Rules(compiled(text, f"{plan.agent}_{plan.sha256[:8]}").WALKS, plan)


def by_itself(plan: Plan, home: Path) -> Found:
    """What the generated module makes of a home when it is a file, with the plan that stands in it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "toy_rows.py")
        file.write_text(generate(plan), encoding="utf-8")
        module = runpy.run_path(str(file))
    known = with_trees(msgspec.json.decode(module["PLAN"], type=Plan))
    return by(known, home, Rules(module["WALKS"], known).rows)


def typed_only() -> Any:
    """Of every record only the members that are read are decoded, from the first one on."""
    return mock.patch.multiple("engine.run.reads.Reads", worth=True, ask=lambda self: None)


@contextmanager
def exact_only() -> Iterator[None]:
    """Every record is read by the exact reader."""
    with (
        mock.patch("engine.run.reads.decode_objects", lambda *_: None),
        mock.patch("engine.run.feed.decode_each", lambda texts, *_: map(Refused, texts)),
        mock.patch("engine.lang.jsontext.decode_one", lambda *_: REFUSED),
    ):
        yield


def assert_one_result(plan: Plan, home: Path) -> Found:
    """Every way gives the same rows and ledgers; gives them."""
    expected = by(plan, home, interpret.rows)
    rules = rules_of(plan)
    assert by(plan, home, rules.rows) == expected
    with typed_only():
        assert by(plan, home, rules_of(plan).rows) == expected
    assert by_itself(plan, home) == expected
    with exact_only():
        assert by(plan, home, rules.rows) == expected
    return expected
