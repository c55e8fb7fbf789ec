"""One to one matching against the plain reading of its rule."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.run.matching import Point, fits, match

FAR = float("inf")


def plain_match(secondary, primary, within, offset):
    """All pairs that fit, by distance, then by the secondary's and the primary's place; each point once."""
    pairs = []
    for (i, s), (j, p) in product(enumerate(secondary), enumerate(primary)):
        if fits(s, p, within):
            undated = s.time is None or p.time is None
            pairs.append((FAR if undated else abs(p.time - s.time - offset), s.place(), p.rank(), i, j))
    taken_s, taken_p, result = set(), set(), []
    for *_, i, j in sorted(pairs):
        if i not in taken_s and j not in taken_p:
            taken_s.add(i)
            taken_p.add(j)
            result.append((i, j))
    return result


def points(late: bool):
    point = st.builds(
        Point,
        time=st.none() | st.integers(0, 12),
        late=st.integers(0, 1) if late else st.just(0),
        source=st.integers(0, 2),
        seq=st.just(0),
        session=st.sampled_from([0, 0, 1, 2]),
        marks=st.integers(0, 3),
    )
    return st.lists(point, max_size=9).map(lambda found: [p._replace(seq=n) for n, p in enumerate(found)])


@settings(max_examples=400, deadline=None)
@given(points(False), points(True), st.none() | st.integers(0, 6), st.integers(-5, 5))
def test_matching_takes_the_nearest_pair_again_and_again(secondary, primary, within, offset):
    expected = plain_match(secondary, primary, within, offset)
    assert sorted(match(secondary, primary, within=within, offset=offset)) == sorted(expected)


def test_many_equal_texts_are_matched_in_less_than_quadratic_time():
    secondary = [Point(n, 0, 0, n) for n in range(20_000)]
    primary = [Point(20_000 + n, 0, 1, n) for n in range(20_000)]
    assert len(match(secondary, primary, within=None)) == 20_000


def test_equal_times_pair_in_the_order_of_the_run():
    secondary = [Point(5, 0, 0, n) for n in range(3)]
    primary = [Point(5, 0, 1, n) for n in range(2)]
    assert match(secondary, primary, within=0) == [(0, 0), (1, 1)]
