"""The ledger adds up, whatever happens to a record."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.run.ledger import Fate, Ledger, StoreCount

words = st.none() | st.sampled_from(["a", "b"])
fates = st.builds(
    Fate,
    wrote=st.booleans(),
    unknown=st.booleans(),
    bad=st.booleans(),
    ignored=words,
    empty=words,
    handed=st.booleans(),
)


@given(st.lists(fates), st.integers(0, 3))
def test_every_record_has_one_fate(given_fates: list[Fate], copies: int) -> None:
    count = StoreCount()
    for fate in given_fates:
        count.settle(fate)
    for _ in range(copies):
        count.copy()
    assert count.adds_up
    assert count.read == copies + sum(not fate.handed for fate in given_fates)


def test_rows_come_before_bad_and_bad_before_ignored() -> None:
    count = StoreCount()
    for fate in (
        Fate(wrote=True, bad=True, ignored="a"),
        Fate(unknown=True, bad=True),
        Fate(bad=True, ignored="a"),
        Fate(ignored="a", empty="b"),
        Fate(empty="b"),
        Fate(handed=True, wrote=True),
    ):
        count.settle(fate)
    assert (count.read, count.rows, count.bad, count.ignored) == (5, 2, 1, {"a": 1, "b": 1})


def test_ledgers_of_sources_add_up_and_travel() -> None:
    one, two = Ledger(), Ledger()
    one.store("a").settle(Fate(ignored="x"))
    two.store("a").settle(Fate(ignored="x"))
    two.store("b").copy()
    one.add(pickle.loads(pickle.dumps(two)))
    plain: dict[str, Any] = one.as_dict()
    assert plain["a"]["ignored"] == {"x": 2}
    assert plain["b"]["copies"] == 1
    assert list(plain["a"]) == [
        "read", "rows", "copies", "ignored", "bad", "unknown", "rows_written", "notes", "units", "paired",
    ]  # fmt: skip
    assert one.adds_up
    one.store("b").read += 1
    assert not one.adds_up
