"""Rows that lie aside and come back by their places."""

from __future__ import annotations

import random
from itertools import accumulate

import pytest

from engine.run import spool
from engine.run.spool import Spool

ROWS = [bytes([65 + n % 26]) * (n * 7 % 40) for n in range(300)]


@pytest.fixture(params=[1 << 20, 200], ids=["in memory", "in a file"])
def filled(request, monkeypatch):
    monkeypatch.setattr(spool, "PIECE", 64)
    kept = Spool(request.param)
    places = []
    for at in range(0, len(ROWS), 7):
        some = ROWS[at : at + 7]
        places += zip(accumulate(map(len, some), initial=kept.add(b"".join(some))), map(len, some), strict=False)
    yield kept, places
    kept.clear()


def test_rows_come_back_in_the_order_of_the_places(filled):
    kept, places = filled
    wanted = random.Random(1).sample(range(len(ROWS)), 200)
    found = [row for some in kept.rows(places[n] for n in wanted) for row in some]
    assert found == [ROWS[n] for n in wanted]


def test_as_text_they_come_in_any_order_in_pieces(filled):
    kept, places = filled
    for order in (range(len(ROWS)), random.Random(1).sample(range(len(ROWS)), 200)):
        pieces = list(kept.texts(places[n] for n in order))
        assert b"".join(pieces) == b"".join(ROWS[n] for n in order)
        assert len(pieces) > 1


def test_pieces_of_a_file_are_small(monkeypatch):
    monkeypatch.setattr(spool, "PIECE", 64)
    kept = Spool(0)
    start = kept.add(b"a" * 200)
    assert list(map(len, kept.texts([(start, 200)]))) == [64, 64, 64, 8]
    kept.clear()


def test_a_spool_that_was_cleared_begins_anew(filled):
    kept, _ = filled
    kept.clear()
    start = kept.add(b"new")
    assert list(kept.rows([(start, 3)])) == [[b"new"]]
