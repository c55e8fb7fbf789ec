"""Pairing of rows, against a naive reading of the rule over whole rows."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.rows import COLUMNS
from engine.run import items
from engine.run.items import milliseconds, unlabelled
from engine.run.order import Sorter
from engine.run.pairing import Pairing
from engine.run.pools import Pool

ALL_TURNS = frozenset(("user", "assistant", "thinking", "tool_use", "tool_result", "system"))
QUARTER = 900_000
FAR = float("inf")


def pool(secondary="copies", primary=("chats",), *, within=10_000, key=False, clock=False, turns=ALL_TURNS):
    store, _, step = secondary.partition("/")
    local = bool(step) and tuple(primary) == (store,)
    return Pool(store, step, frozenset(primary), frozenset(turns), within, key, clock, local)


def row(
    store="chats", step="say", *, role=None, at="", turn="user", text="hi", event="", pair_key="", seq=1, **columns
):
    secondary = role or ("secondary" if store != "chats" else "primary")
    values = dict.fromkeys(COLUMNS, "") | {"source_line": 0, "agent": "a", "turn_type": turn, "text": text}
    values |= {"timestamp_utc": at, "role": secondary, "rule": f"a/{store}/{step}"}
    values |= {"event": event or ("note" if turn == "system" else "message")} | columns
    return (*values.values(), pair_key, seq)


def second(n: int) -> str:
    return f"2026-01-01T00:{n // 60:02d}:{n % 60:02d}.000Z"


def dropped(pools, rows, *, homes=None):
    """Places in `rows` of those that pairing leaves out. `rows` are (source, row), sources in order."""
    found = []
    pairing = Pairing(pools, lambda item, store: found.append((items.source_of(item), items.seq_of(item))))
    place = {}
    for source in sorted({source for source, _ in rows}):
        pairing.begin(source, homes[source] if homes else 0)
        for n, (of, values) in enumerate(rows):
            if of == source:
                place[source, values[23]] = n
                pairing.observe(values)
        pairing.end_source()
    pairing.end()
    assert len(found) == len(set(found))
    return {place[at] for at in found}


# ------------------------------------------------------------------------------------------ the naive reading


def naive(pools, rows, homes):
    gone = set()
    joined = []
    for p in pools:
        mine = [n for n, (_, r) in enumerate(rows) if n not in gone and r[18] == "secondary" and places(p, r)]
        others = [n for n, (_, r) in enumerate(rows) if r[18] == "primary" and store_of(r) in p.primary]
        others += [n for n in joined if n not in gone and n not in mine]
        pairs = naive_pairs(p, rows, homes, mine, others)
        gone |= {s for s, _ in pairs}
        joined += [n for n in mine if n not in gone]
    return gone


def naive_pairs(p, rows, homes, mine, others):
    taken_s, taken_p, result = set(), set(), []
    offset = naive_offset(p, rows, homes, mine, others) if p.clock else {}
    for stage in ("key", "id", "exact", "text"):
        fit = []
        for s, o in product(mine, others):
            if s in taken_s or o in taken_p or not fits(p, stage, rows[s], rows[o], homes):
                continue
            shift = offset.get(scope(p, rows[s], homes), 0)
            fit.append((distance(rows[s][1], rows[o][1], shift), place(rows[s]), rank(stage, rows[o]), s, o))
        for *_, s, o in sorted(fit):
            if s not in taken_s and o not in taken_p:
                taken_s.add(s)
                taken_p.add(o)
                result.append((s, o))
    return result


def first_stage(p, r):
    if p.key and r[22]:
        return "key"
    return "id" if r[7] in ("tool_use", "tool_result") and r[10] else "text"


def naive_offset(p, rows, homes, mine, others):
    votes = {}
    for s, o in product(mine, others):
        (_, a), (_, b) = rows[s], rows[o]
        stage = first_stage(p, a)
        if a[7] == "system" or not (a[0] and b[0]) or first_stage(p, b) != stage:
            continue
        if abs(milliseconds(a[0]) - milliseconds(b[0])) <= p.within and fits(p, stage, rows[s], rows[o], homes):
            found = votes.setdefault(scope(p, rows[s], homes), {})
            quarter = round((milliseconds(b[0]) - milliseconds(a[0])) / QUARTER) * QUARTER
            found[quarter] = found.get(quarter, 0) + 1
    return {at: min(found, key=lambda o: (-found[o], abs(o), o)) for at, found in votes.items()}


def fits(p, stage, secondary, primary, homes):
    a, b = secondary[1], primary[1]
    if scope(p, secondary, homes) != scope(p, primary, homes) or (a[4] and b[4] and a[4] != b[4]):
        return False
    keys = p.key and a[22] and b[22]
    ids = a[7] in ("tool_use", "tool_result") and a[10] and b[10]
    if stage == "key":
        return keys and a[22] == b[22] and a[7] == b[7]
    if stage == "id":
        return ids and a[10] == b[10] and a[7] == b[7]
    if keys or (ids and a[7] == b[7]):
        return False
    if a[7] == "system":
        return stage == "exact" and b[7] == "system" and (a[0], a[4], a[11]) == (b[0], b[4], b[11])
    if stage == "exact":
        return False
    same = a[7] == b[7] and a[11] == b[11]
    labelled = a[7] == "user" and b[7] == "system" and b[14] == "context" and unlabelled(b[11]) == a[11]
    near = not a[0] or not b[0] or abs(milliseconds(a[0]) - milliseconds(b[0])) <= p.within
    return (same or labelled) and near


def scope(p, item, homes):
    return ("source", item[0]) if p.local else ("home", homes[item[0]])


def distance(a, b, shift):
    return abs(milliseconds(b[0]) - milliseconds(a[0]) - shift) if a[0] and b[0] else FAR


def place(item):
    return (milliseconds(item[1][0]) if item[1][0] else FAR, item[0], item[1][23])


def rank(stage, item):
    return (item[1][14] == "context" and stage != "key", *place(item))


def places(p, r):
    _, store, step = r[20].split("/")
    return store == p.store and p.step in ("", step)


def store_of(r):
    return r[20].split("/")[1]


TEXTS = ("x", "y", "context: k: x", "cmd: x")


@st.composite
def scenes(draw):
    pools = draw(
        st.lists(
            st.builds(
                pool,
                secondary=st.sampled_from(["copies", "copies/echo", "backup", "chats/echo"]),
                primary=st.sampled_from([("chats",), ("chats", "backup")]),
                within=st.sampled_from([0, 2_000, 60_000_000]),
                key=st.booleans(),
                clock=st.booleans(),
            ),
            min_size=1,
            max_size=3,
        )
    )
    rows = []
    for n in range(draw(st.integers(0, 9))):
        turn, event = draw(
            st.sampled_from([("user", "message"), ("user", "message"), ("tool_use", "tool_use"), ("system", "context"),
                             ("system", "notice")])
        )  # fmt: skip
        seconds = draw(st.sampled_from([None, 0, 1, 2, 3600, 3601]))
        store = draw(st.sampled_from(["chats", "chats", "copies", "backup"]))
        step = draw(st.sampled_from(["say", "echo"]))
        rows.append(
            (
                draw(st.integers(0, 2)),
                row(
                    store,
                    step,
                    role="secondary" if store != "chats" or step == "echo" else "primary",
                    at="" if seconds is None else second(seconds % 3600).replace("T00", f"T{seconds // 3600:02d}"),
                    turn=turn,
                    event=event,
                    text=draw(st.sampled_from(TEXTS)),
                    session_id=draw(st.sampled_from(["", "s", "t"])),
                    tool_use_id=draw(st.sampled_from(["", "1", "2"])) if turn == "tool_use" else "",
                    pair_key=draw(st.sampled_from(["", "", "k"])),
                    seq=n,
                ),
            )
        )
    return pools, rows, draw(st.sampled_from([(0, 0, 0), (0, 1, 1)]))


@pytest.mark.parametrize("kept", [2, 200_000])
@settings(max_examples=300, deadline=None)
@given(scenes())
def test_pairing_leaves_out_what_the_naive_reading_leaves_out_also_from_disk(kept, scene):
    pools, rows, homes = scene
    pools.sort(key=lambda p: not p.local)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sorter.__init__, "__defaults__", (1 << 20, kept, 2))
        assert dropped(pools, rows, homes=homes) == naive(pools, rows, homes)


def test_a_prompt_pairs_with_the_context_that_repeats_it_behind_a_label():
    context = row(turn="system", event="context", text="slash command: /init", seq=1)
    kind = row(turn="system", event="context", text="context: ide: look", seq=2)
    copies = [row("copies", text=text, seq=n) for n, text in enumerate(["/init", "look", "ide: look"], 3)]
    assert dropped([pool()], [(0, r) for r in (context, kind, *copies)]) == {2, 3}


def test_a_prompt_rather_pairs_with_an_equal_prompt_than_with_context_of_the_same_time():
    rows = [row(turn="system", event="context", text="x: hi", at=second(5), seq=1), row(at=second(5), seq=2)]
    rows += [row("copies", at=second(5), seq=3), row("backup", at=second(5), turn="system", text="x: hi", seq=4)]
    pools = [pool(), pool("backup", ("chats",))]
    assert dropped(pools, [(0, r) for r in rows]) == {2, 3}


def test_calls_with_an_id_on_both_sides_pair_by_it_alone():
    call = row(turn="tool_use", text="ls", tool_use_id="1", at=second(0), seq=1)
    same_id = row("copies", turn="tool_use", text="other words", tool_use_id="1", at=second(59), seq=2)
    other_id = row("copies", turn="tool_use", text="ls", tool_use_id="2", at=second(0), seq=3)
    assert dropped([pool()], [(0, r) for r in (call, same_id, other_id)]) == {1}


def test_without_the_offset_of_a_local_clock_the_wrong_copy_would_stay():
    """Primary times are local, at UTC-5; the copy of a deleted prompt stands where the kept one seems to be."""
    kept = [("yes", "10:00:00"), ("one", "11:00:00"), ("two", "12:00:00")]
    copied = [("yes", "15:00:01"), ("one", "16:00:01"), ("two", "17:00:01"), ("yes", "10:00:30")]
    rows = [(0, row(text=text, at=f"2026-01-01T{at}.000Z", seq=n)) for n, (text, at) in enumerate(kept)]
    rows += [(0, row("copies", text=text, at=f"2026-01-01T{at}.000Z", seq=n)) for n, (text, at) in enumerate(copied, 3)]
    assert dropped([pool(within=54_000_000, clock=True)], rows) == {3, 4, 5}
    assert dropped([pool(within=54_000_000)], rows) == {4, 5, 6}
