"""From a row or a rule to the lines of the spec that wrote it, and to the lines of the source that these rest on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.errors import UsageError
from engine.lang.links import link
from engine.lang.plan import Citation, Emit, Evidence, KeepJson, Step, Store, Unparsed, Use
from engine.lang.traversal import steps_by_store
from engine.review.cites import fault_of, pin
from engine.review.cites_sources import Sources
from engine.review.spectext import SpecText
from engine.run.notes import FILE, MENDED, UNKNOWN, UNPARSEABLE
from engine.spec.problems import nearest_name
from engine.spec.yamlio import Mapping

#: what the engine itself writes, without a step
_OWN = {
    UNPARSEABLE: "the engine's note of a record that can't be read, or that no step took",
    UNKNOWN: "the engine's note of a record that no step took",
    FILE: "the engine's note of a file that can't be read",
    MENDED: "the engine's note beside a record that had to be mended to be read",
}
#: keys of enclosing steps that decide whether, how often and with what a step runs
_DECIDING = ("each", "when", "switch", "choose", "columns")
_NAME = re.compile(r"[A-Za-z_]\w*")

SpecLine = tuple[int, str]


class Rule(NamedTuple):
    """`agent/store/step`; a step's id may hold slashes."""

    agent: str
    store: str
    step: str

    def __str__(self) -> str:
        return "/".join(self)


class Rest(NamedTuple):
    """A citation, its address at the code host, the cited lines where a source is at hand, and what is wrong."""

    citation: Citation
    evidence: Evidence | None
    link: str | None
    lines: tuple[SpecLine, ...] = ()
    fault: str = ""


class Place(NamedTuple):
    """One step of the rule: its line, column and YAML path; the numbers of its own lines; these and the lines around it
    that decide what it sees (enclosing steps, lets that it names); where its walk is used; its citations."""

    line: int
    column: int
    path: str
    own: frozenset[int]
    lines: tuple[SpecLine, ...]
    used: tuple[int, ...]
    rests: tuple[Rest, ...]


class Explanation(NamedTuple):
    """What a rule is: its steps, or words about a note of the engine's own."""

    rule: Rule
    what: str
    places: tuple[Place, ...]


def read_rule(text: str) -> Rule:
    """A rule's id. Raises UsageError."""
    parts = text.split("/", 2)
    if len(parts) != 3 or not all(parts):
        raise UsageError(f"{text!r} is no rule: a rule is AGENT/STORE/STEP, as in the column `rule` of a row")
    return Rule(*parts)


def explain(spec: SpecText, rule: Rule, sources: Sources | None) -> Explanation:
    """Explains a rule of a spec. Raises UsageError when the spec has no such agent, store or step."""
    plan = spec.plan
    if rule.agent != plan.agent:
        raise UsageError(f"{spec.label} is about {plan.agent}, not {rule.agent}")
    store = next((each for each in plan.stores if each.name == rule.store), None)
    if store is None:
        raise _unknown(spec, "store", rule.store, (each.name for each in plan.stores))
    known = [step for each, step in steps_by_store(plan) if each is store]
    named = {_step_name(step): step for step in known if _writes(step)}
    steps = [step for step in known if _is(step, rule.step)]
    if steps:
        places = tuple(_place(spec, step, store, sources) for step in steps)
        return Explanation(rule, _words(steps[0], plan.basis), places)
    if rule.step in _OWN:
        return Explanation(rule, _OWN[rule.step], (_store_place(spec, store, sources),))
    raise _unknown(spec, f"step of store {rule.store}", rule.step, named)


def _unknown(spec: SpecText, what: str, name: str, known: Iterable[str]) -> UsageError:
    known = list(known)
    near = nearest_name(name, known)
    hint = f" (did you mean '{near}'?)" if near else f" (known: {', '.join(known)})"
    return UsageError(f"{spec.label} has no {what} '{name}'{hint}")


def _writes(step: Step) -> bool:
    return isinstance(step, Emit | KeepJson | Unparsed)


def _step_name(step: Step) -> str:
    return step.name if isinstance(step, Emit) else step.id


def _is(step: Step, name: str) -> bool:
    return _writes(step) and _step_name(step) == name


def _words(step: Step, basis: str) -> str:
    if isinstance(step, Emit):
        return f"turn {step.turn or 'system'}, event {step.event or step.turn}, basis {step.basis or basis}"
    return "a note of what the spec does not know" if isinstance(step, KeepJson) else "a note of a bad record"


def _place(spec: SpecText, step: Step, store: Store, sources: Sources | None) -> Place:
    span = spec.spans[step.mark.path]
    own = set(range(span.first, span.last + 1))
    shown = own | _around(spec, step.mark.path)
    shown |= _lets(spec, step.mark.path, shown)
    lines = tuple((number, spec.lines[number - 1]) for number in sorted(shown))
    rests = tuple(_rest(spec, citation, sources) for citation in step.cites or store.cites)
    used = tuple(sorted(_users(spec, step.mark.path, store)))
    return Place(step.mark.line, step.mark.column, step.mark.path, frozenset(own), lines, used, rests)


def _store_place(spec: SpecText, store: Store, sources: Sources | None) -> Place:
    span = spec.spans[store.mark.path]
    numbers = range(span.first, span.last + 1)
    lines = tuple((number, spec.lines[number - 1]) for number in numbers)
    rests = tuple(_rest(spec, citation, sources) for citation in store.cites)
    return Place(store.mark.line, store.mark.column, store.mark.path, frozenset(numbers), lines, (), rests)


def _rest(spec: SpecText, citation: Citation, sources: Sources | None) -> Rest:
    evidence = next((each for each in spec.plan.evidence if each.alias == citation.alias), None)
    address = link(citation, evidence) if evidence is not None else None
    source = sources.get(citation.alias) if sources is not None and not citation.seen else None
    if source is None:
        return Rest(citation, evidence, address)
    lines = source.lines(source.pinned(), citation.path)
    fault = fault_of(citation, lines, pin(source))
    cited = (lines or [])[citation.first - 1 : citation.last]
    return Rest(citation, evidence, address, tuple(enumerate(cited, citation.first)), fault)


def _enclosing(spec: SpecText, path: str) -> Iterator[Mapping]:
    """The mappings of a walk around a node, outermost first: the walk itself, then steps."""
    inner, walk = spec.spans[path], _walk_path(path)
    for outer, node in spec.nodes.items():
        if isinstance(node, Mapping) and outer != path and outer.startswith(walk):
            span = spec.spans[outer]
            if span.start <= inner.start and inner.end <= span.end:
                yield node


def _walk_path(path: str) -> str:
    """`walks.name` of a path below it; a name with dots stands in brackets."""
    found = re.match(r"walks(\.[\w-]+|\['[^']*'\])", path)
    return found[0] if found else path


def _around(spec: SpecText, path: str) -> set[int]:
    """The lines that decide whether a step runs: its way from the walk down, and what stands on that way."""
    shown = {_key_line(spec, _walk_path(path))}
    inner = spec.spans[path]
    for node in _enclosing(spec, path):
        for key, item in node.items.items():
            span = spec.spans[item.path]
            if span.start <= inner.start and inner.end <= span.end:
                shown.add(node.keys[key].line)
            elif key in _DECIDING:
                shown.update(range(node.keys[key].line, span.last + 1))
    return shown


def _key_line(spec: SpecText, path: str) -> int:
    """The line of the key of a walk."""
    walks = spec.nodes["walks"]
    assert isinstance(walks, Mapping)
    return next(walks.keys[key].line for key, item in walks.items.items() if item.path == path)


def _lets(spec: SpecText, path: str, shown: set[int]) -> set[int]:
    """The lines of the lets around a step that the shown lines name, and of those that these name."""
    lets: dict[str, tuple[int, int]] = {}
    own = spec.nodes[path]
    for node in (*_enclosing(spec, path), *([own] if isinstance(own, Mapping) else ())):
        inner = node.items.get("let")
        if isinstance(inner, Mapping):
            lets |= {key: (inner.keys[key].line, spec.spans[item.path].last) for key, item in inner.items.items()}
    found: set[int] = set()
    names = _names(spec, shown)
    while wanted := [name for name in lets if name in names]:
        for name in wanted:
            first, last = lets.pop(name)
            found |= set(range(first, last + 1))
        names = _names(spec, found)
    return found


def _names(spec: SpecText, numbers: set[int]) -> set[str]:
    return {name for number in numbers for name in _NAME.findall(spec.lines[number - 1])}


def _users(spec: SpecText, path: str, store: Store) -> set[int]:
    """The lines of the steps of other walks that use the walk of a step."""
    name = next((walk.name for walk in spec.plan.walks if _walk_path(path) == walk.mark.path), "")
    return {
        spec.nodes[f"{step.mark.path}.use"].line
        for reached, step in steps_by_store(spec.plan)
        if reached is store and isinstance(step, Use) and step.walk == name
    }
