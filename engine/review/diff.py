"""The difference in meaning between two specs: rules added and removed, and what changed in the rest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any, NamedTuple

from engine.lang.plan import Plan
from engine.review.diff_meaning import ENTRY, ORDER, Leaf, leaf, parts, prefix_order
from engine.review.diff_rules import Action, actions, choices, rule_ids, sequences

ADDED, REMOVED, CHANGED = "added", "removed", "changed"


class Change(NamedTuple):
    """One difference.

    kind   added, removed or changed
    what   of a step: rule, step, or the facet (`text`, `time`, `condition`, `column model`, `let git`, `citation`, …);
           of another part: its path, such as `stores.threads.sqlite.want`
    rules  the rules that it concerns, when it concerns rules
    where  the steps that it stands in, when it concerns steps
    old, new            as shown
    old_line, new_line  the first of its lines in the specs, 0 where there is none
    """

    kind: str
    what: str
    rules: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    old: str = ""
    new: str = ""
    old_line: int = 0
    new_line: int = 0


def compare(old: Plan, new: Plan) -> list[Change]:
    """Every difference in meaning, rules first."""
    return [*_rules(old, new), *_joined(_steps(old, new)), *_orders(old, new), *_parts(old, new)]


def _rules(old: Plan, new: Plan) -> Iterator[Change]:
    before, after = rule_ids(old), rule_ids(new)
    for kind, ids, others, plan in ((ADDED, after, before, new), (REMOVED, before, after, old)):
        lines = {rule: action.mark.line for action in actions(plan) if action.kind == "emit" for rule in action.rules}
        for rule in ids:
            if rule not in set(others):
                line = lines.get(rule, 0)
                yield Change(kind, "rule", (rule,), old_line=0 if kind == ADDED else line,
                             new_line=line if kind == ADDED else 0)  # fmt: skip


def _steps(old: Plan, new: Plan) -> Iterator[Change]:
    pairs, removed, added = _matched(actions(old), actions(new))
    known_old, known_new = set(rule_ids(old)), set(rule_ids(new))
    for before, after in pairs:
        yield from _facets(before, after)
    for action in removed:
        if action.kind != "emit" or not set(action.rules).isdisjoint(known_new):
            yield Change(REMOVED, "step", action.rules, (_at(action),), old_line=action.mark.line)
    for action in added:
        if action.kind != "emit" or not set(action.rules).isdisjoint(known_old):
            yield Change(ADDED, "step", action.rules, (_at(action),), new_line=action.mark.line)


def _at(action: Action) -> str:
    return f"{action.walk}: {action.label}"


def _facets(before: Action, after: Action) -> Iterator[Change]:
    for what in dict.fromkeys((*before.facets, *after.facets)):
        old, new = before.facets.get(what), after.facets.get(what)
        if (old and old.meaning) != (new and new.meaning):
            yield _changed(what, old, new, after.rules, (_at(after),), before.mark.line, after.mark.line)


def _changed(
    what: str,
    old: Leaf | None,
    new: Leaf | None,
    rules: tuple[str, ...] = (),
    where: tuple[str, ...] = (),
    old_line: int = 0,
    new_line: int = 0,
) -> Change:
    kind = ADDED if old is None else REMOVED if new is None else CHANGED
    was, now = old.shown if old else "", new.shown if new else ""
    return Change(kind, what, rules, where, was, now, old_line, new_line)


Matched = tuple[list[tuple[Action, Action]], list[Action], list[Action]]


def _matched(old: Sequence[Action], new: Sequence[Action]) -> Matched:
    """Pairs of steps that are the same thing, those that went and those that came. Equal ones pair first; then, in
    order, those of one walk and name; then those of one name in other walks."""
    pairs: list[tuple[Action, Action]] = []
    left, right = list(old), list(new)
    for key in (_whole, _in_walk, _by_name):
        waiting: dict[Any, list[Action]] = {}
        for action in right:
            waiting.setdefault(key(action), []).append(action)
        rest = []
        for action in left:
            mates = waiting.get(key(action))
            if mates:
                pairs.append((action, mates.pop(0)))
            else:
                rest.append(action)
        taken = {id(mate) for _, mate in pairs}
        left, right = rest, [action for action in right if id(action) not in taken]
    return pairs, left, right


def _whole(action: Action) -> Any:
    return (action.walk, action.kind, action.name, tuple(sorted((k, v.meaning) for k, v in action.facets.items())))


def _in_walk(action: Action) -> Any:
    return (action.walk, action.kind, action.name)


def _by_name(action: Action) -> Any:
    return (action.kind, action.name) if action.kind == "emit" else (action.walk, action.kind, id(action))


def _joined(changes: Iterable[Change]) -> list[Change]:
    """Equal changes of many steps as one: a let or a column that they share."""
    found: dict[tuple[str, ...], Change] = {}
    for change in changes:
        key = (change.kind, change.what, change.old, change.new, *(change.where if change.what == "step" else ()))
        if key not in found:
            found[key] = change
            continue
        first = found[key]
        rules = tuple(dict.fromkeys((*first.rules, *change.rules)))
        found[key] = first._replace(rules=rules, where=tuple(dict.fromkeys((*first.where, *change.where))))
    return list(found.values())


def _orders(old: Plan, new: Plan) -> Iterator[Change]:
    """Steps of one walk that changed places, and conditions of one `choose`."""
    before, after = sequences(old), sequences(new)
    for place in sorted(before.keys() & after.keys()):
        one, other = ([(label, label) for label in labels[place]] for labels in (before, after))
        yield from _order(f"order of the steps of {place}", one, other)
    tried_before, tried_after = choices(old), choices(new)
    for path in sorted(tried_before.keys() & tried_after.keys()):
        one, other = ([(each.meaning, each.shown) for each in tried[path]] for tried in (tried_before, tried_after))
        yield from _order(f"order of the choices of {path}", one, other)


def _order(what: str, old: list[tuple[str, str]], new: list[tuple[str, str]]) -> Iterator[Change]:
    """`old` and `new` are (meaning, shown), in order; only what stands once in both is looked at."""
    once = {m for m, _ in old if [o for o, _ in old].count(m) == 1 == [n for n, _ in new].count(m)}
    before, after = [m for m, _ in old if m in once], [m for m, _ in new if m in once]
    if before == after:
        return
    words = dict(old)
    kept = {m for block in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
            for m in before[block.a : block.a + block.size]}  # fmt: skip
    gone = [m for m in before if m not in kept]
    yield Change(CHANGED, what, old=_places(gone, before, words), new=_places(gone, after, words))


def _places(moved: list[str], order: list[str], words: Mapping[str, str]) -> str:
    """Where the moved ones stand: each behind the one before it."""
    places = ((m, order.index(m)) for m in moved)
    return "; ".join(f"{words[m]} {'after ' + words[order[at - 1]] if at else 'first'}" for m, at in places)


def _parts(old: Plan, new: Plan) -> Iterator[Change]:
    """All that is no step. Of an entry that came or went only its name is told."""
    before, after = _sections(old), _sections(new)
    told: tuple[str, ...] = ()
    for path in dict.fromkeys((*before, *after)):
        was, now = before.get(path), after.get(path)
        if (was and was.meaning) == (now and now.meaning) or path.startswith(told):
            continue
        if path.endswith(ORDER):
            if was is not None and now is not None:
                yield from _order(path, *([(name, name) for name in json.loads(each.meaning)] for each in (was, now)))
            continue
        if ENTRY in (was, now):
            told = (*told, f"{path}.", f"{path} ")
        yield _changed(path, was, now)


def _sections(plan: Plan) -> dict[str, Leaf]:
    found: dict[str, Leaf] = {}
    for name in plan.__struct_fields__:
        if name not in ("walks", "file", "sha256", "tests"):
            found |= dict(parts(name, getattr(plan, name), name))
    for name, table in plan.tables.items():
        if (order := prefix_order(table)) is not None:
            found[f"tables.{name} (order of keys that begin alike)"] = order
    found |= {f"walks.{walk.name}.params": leaf(sorted(walk.params)) for walk in plan.walks if walk.params}
    for test in plan.tests:
        path = f"tests.{test.get('name', '')}"
        found |= {path: ENTRY, f"{path} =": leaf(test)}
    return found
