"""Sorting in bounded memory."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.run.order import Sorter, in_groups, without

records = st.lists(st.binary(min_size=2, max_size=12), max_size=120)


def flat(chunks):
    return [record for chunk in chunks for record in chunk]


@settings(deadline=None)
@given(records, st.integers(1, 400), st.integers(1, 30), st.integers(2, 4))
def test_what_was_spilled_comes_out_sorted_as_often_as_wanted(items, budget, kept, fan_in):
    sorter = Sorter(budget=budget, items=kept, fan_in=fan_in)
    for item in items:
        sorter.add(item)
    assert flat(sorter.chunks()) == sorted(items)
    assert flat(sorter.chunks()) == sorted(items)
    assert len(sorter) == len(items)
    sorter.clear()


def test_two_readers_of_one_sorter_do_not_disturb_each_other():
    sorter = Sorter(items=2)
    for n in range(9):
        sorter.add(b"%d" % n)
    one, other = sorter.chunks(), sorter.chunks()
    first = next(one)
    assert flat(other) == [b"%d" % n for n in range(9)]
    assert first + flat(one) == [b"%d" % n for n in range(9)]


def test_a_cleared_sorter_is_empty_and_can_be_used_again():
    sorter = Sorter(items=1)
    sorter.add(b"old")
    sorter.clear()
    sorter.add(b"new")
    assert flat(sorter.chunks()) == [b"new"]


@settings(deadline=None)
@given(st.sets(st.integers(0, 60)), st.sets(st.integers(0, 60)), st.integers(1, 9))
def test_dropped_keys_are_left_out_wherever_they_stand(kept, dropped, size):
    def chunks(items):
        return (items[i : i + size] for i in range(0, len(items), size))

    keys = [b"%02d" % n for n in sorted(kept)]
    drops = [b"%02d" % n for n in sorted(dropped)]
    left = flat(without(chunks([key + b"payload" for key in keys]), chunks(drops), 2))
    assert left == [b"%02dpayload" % n for n in sorted(kept - dropped)]


def test_groups_share_their_first_bytes_across_chunks():
    chunks = iter([[b"aa1", b"aa2", b"bb1"], [b"bb2"], [b"cc1"]])
    assert list(in_groups(chunks, 2)) == [[b"aa1", b"aa2"], [b"bb1", b"bb2"], [b"cc1"]]
