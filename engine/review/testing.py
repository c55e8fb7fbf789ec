"""The tests of a spec: files are built from what is given, read as `engine run` reads them, and the rows compared with
what is expected."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from engine.errors import UsageError
from engine.lang import jsontext
from engine.lang.plan import Emit, KeepJson, Mark, Plan, Unparsed
from engine.lang.traversal import steps_by_store
from engine.read.discover import DiscoverOptions, find
from engine.read.limits import Limits
from engine.read.sources import Source
from engine.review.fixtures import Builder
from engine.review.spectext import SpecText
from engine.review.testing_rows import differences
from engine.rows import COLUMNS
from engine.run import interpret
from engine.run.context import RunContext
from engine.run.ledger import Ledger
from engine.run.passes import prepare
from engine.run.pipeline import RowTuple, Run, Setup

Row = dict[str, Any]

_RULE = COLUMNS.index("rule")
_encode, _decode = msgspec.msgpack.Encoder().encode, msgspec.msgpack.Decoder().decode


@dataclass(frozen=True)
class Case:
    """One test: `mark` is its place in the spec; `golden` the file of the expected rows, None where they stand in the
    spec itself; `expected` are rows with the columns that matter."""

    name: str
    mark: Mark
    given: Any
    as_: str
    expected: tuple[Row, ...]
    golden: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """What a test gave: its rows in the order of the timeline, the rules at work (also those whose rows were paired
    away), and how the rows differ from the expected ones."""

    case: Case
    rows: tuple[Row, ...]
    rules: frozenset[str]
    differences: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        return not self.differences


def cases(text: SpecText, only: str = "") -> list[Case]:
    """The tests of a spec whose names hold `only`. Raises UsageError for one that can't be run."""
    found = [case_at(text, number) for number in range(len(text.plan.tests))]
    return [case for case in found if only in case.name]


def case_at(text: SpecText, number: int) -> Case:
    """The test of a number, from 0. Raises UsageError when it can't be run."""
    test, node = text.plan.tests[number], text.nodes[f"tests[{number}]"]
    name = str(test.get("name", f"test {number + 1}"))
    given, expect = test.get("given"), test.get("expect")
    golden = _folder(text) / expect if isinstance(expect, str) else None
    where = f"{text.label}:{node.line}: test '{name}'"
    if not isinstance(given, str | dict):
        raise UsageError(f"{where}: `given` is a fixture's path, or an object path → content")
    if golden is not None:
        expect = _read_golden(golden, where)
    if not isinstance(expect, list) or not all(isinstance(row, dict) for row in expect):
        raise UsageError(f"{where}: `expect` is a list of rows, or a file of them")
    unknown = next((column for row in expect for column in row if column not in COLUMNS), None)
    if unknown is not None:
        raise UsageError(f"{where}: rows have no column `{unknown}`")
    mark = Mark(node.line, node.column, node.path)
    return Case(name, mark, given, str(test.get("as", "home")), tuple(expect), golden)


def _folder(text: SpecText) -> Path:
    return Path(text.label).parent


def _read_golden(path: Path, where: str) -> list[Any]:
    """The rows of a golden file; none when it is still to be written."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
        return [jsontext.loads(line) for line in lines if line]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{where}: {path}: {error}") from error


def run_case(text: SpecText, case: Case) -> Outcome:
    """Builds what is given, reads it, compares. Raises UsageError when it can't be built."""
    rows, rules = _Rows(), set[str]()

    def back_end(source: Source, context: RunContext, ledger: Ledger) -> Iterator[list[RowTuple]]:
        for made in interpret.batches(source, context, ledger):
            rules.update(row[_RULE] for row in made)
            yield made

    plan = text.plan
    with tempfile.TemporaryDirectory() as base:
        home = Path(base, "given")
        try:
            Builder(plan, _folder(text)).build(case.given, home)
        except UsageError as error:
            raise UsageError(f"{text.label}:{case.mark.line}: test '{case.name}': {error}") from error
        sources = find([home], [plan], DiscoverOptions(case.as_)).sources
        if sources:
            context = prepare(plan, sources, Limits(), hashing=False)
            run = Run(Setup({plan.agent: context}, back_end, "time"), sources, rows, _Silent())
            try:
                run.run()
            finally:
                run.close()
    found = tuple(rows.found)
    return Outcome(case, found, frozenset(rules), tuple(differences(case.expected, found)))


class _Silent:
    """Hears what a run reads, and keeps nothing."""

    def source_begins(self, number: int, source: Source) -> None: ...
    def source_done(self, number: int, source: Source, ledger: Ledger) -> None: ...
    def paired(self, number: int, source: Source, store: str) -> None: ...


class _Rows:
    """A sink that keeps the rows."""

    def __init__(self) -> None:
        self.found: list[Row] = []

    def encode(self, row: RowTuple) -> bytes:
        return _encode(row[: len(COLUMNS)])

    def write(self, encoded: list[bytes]) -> None:
        self.found += [dict(zip(COLUMNS, _decode(row), strict=True)) for row in encoded]

    def write_rows(self, rows: list[RowTuple]) -> None:
        self.write([self.encode(row) for row in rows])


def all_rules(plan: Plan) -> list[str]:
    """The ids of all rules that write rows, in the order of stores and steps."""
    writing = (
        f"{plan.agent}/{store.name}/{step.name if isinstance(step, Emit) else step.id}"
        for store, step in steps_by_store(plan)
        if isinstance(step, Emit | KeepJson | Unparsed)
    )
    return list(dict.fromkeys(writing))


def reached_rules(text: SpecText, outcomes: Sequence[Outcome] | None = None) -> set[str]:
    """The rules that the tests of a spec reach; of the outcomes of its tests where they are known."""
    if outcomes is None:
        outcomes = [run_case(text, case) for case in cases(text)]
    return {rule for outcome in outcomes for rule in outcome.rules}
