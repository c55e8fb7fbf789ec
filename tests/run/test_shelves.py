"""Rows that wait for their order come back by their places."""

from __future__ import annotations

import random

import pytest

from engine.rows import COLUMNS
from engine.run import shelves
from engine.run.shelves import RowShelf, TextShelf
from engine.write.csv import Csv
from tests.write.rows import Kept
from tests.write.test_sink import Remembering

ROWS = [tuple(n if name == "source_line" else f"{name} {n}\n" for name in COLUMNS) for n in range(1000)]


def shelved(shelf, some=7):
    places = []
    for at in range(0, len(ROWS), some):
        places += zip(*shelf.add(ROWS[at : at + some]), strict=False)
    return places


@pytest.mark.parametrize("most", [1 << 20, 5000, 0], ids=["as they are", "some encoded", "all encoded"])
def test_a_sink_of_rows_gets_them_in_the_order_of_their_places(monkeypatch, most):
    monkeypatch.setattr(shelves, "MOST", most)
    sink = Remembering()
    shelf = RowShelf(sink)
    places = shelved(shelf)
    wanted = random.Random(1).sample(range(len(ROWS)), len(ROWS))
    shelf.write(places[n] for n in wanted)
    assert sink.rows == [ROWS[n] for n in wanted]
    shelf.clear()
    shelf.write(zip(*shelf.add(ROWS[:1]), strict=False))
    assert sink.rows[len(wanted) :] == ROWS[:1]


def test_a_sink_of_text_gets_their_text_in_the_order_of_their_places():
    target, expected = Kept(), Kept()
    shelf = TextShelf(Csv(target))
    places = shelved(shelf)
    wanted = random.Random(1).sample(range(len(ROWS)), len(ROWS))
    shelf.write(places[n] for n in wanted)
    Csv(expected).write_rows([ROWS[n] for n in wanted])
    assert target.data == expected.data
    shelf.clear()
