"""Citations of a spec: where each stands, which rules rest on it, and whether it holds at its pin."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.errors import UsageError
from engine.lang.compile_cites import read_citation
from engine.lang.plan import Citation, Emit, Mark, Plan
from engine.lang.traversal import steps_by_store
from engine.review.cites_sources import Lines, Source, Sources
from engine.review.spectext import SpecText
from engine.spec.yamlio import Mapping, Node, Scalar
from engine.spec.yamlio import Sequence as Items

_CITING = ("roots", "stores", "shapes", "walks")

HOLDS, BROKEN, SEEN, UNCHECKED = "holds", "broken", "seen", "unchecked"


class Cited(NamedTuple):
    """A citation, the places of the spec where it stands, and the rules that rest on it."""

    citation: Citation
    places: tuple[Mark, ...]
    rules: tuple[str, ...]


class Checked(NamedTuple):
    """How a citation fares. `status` is holds, broken, seen (exempt: no public source) or unchecked (no source given);
    `message` says what is wrong."""

    cited: Cited
    status: str
    message: str = ""


def citations(spec: SpecText) -> list[Cited]:
    """Every different citation of a spec, in the order of the file."""
    places: dict[str, list[Mark]] = {}
    found: dict[str, Citation] = {}
    for node in _nodes(spec):
        citation = read_citation(str(node.value))
        if citation is not None:
            found[citation.text] = citation
            places.setdefault(citation.text, []).append(Mark(node.line, node.column, node.path))
    rules = rules_by_citation(spec.plan)
    return [Cited(found[text], tuple(places[text]), tuple(rules.get(text, ()))) for text in found]


def _nodes(spec: SpecText) -> Iterator[Scalar]:
    root = spec.document.root
    if not isinstance(root, Mapping):
        return
    for section in _CITING:
        if section in root.items:
            yield from _cite_nodes(root.items[section])


def _cite_nodes(node: Node) -> Iterator[Scalar]:
    """The scalars below `cite`; anything else of this name has not a citation's form."""
    if isinstance(node, Items):
        for item in node.items:
            yield from _cite_nodes(item)
    elif isinstance(node, Mapping):
        for key, item in node.items.items():
            if key == "cite":
                listed = item.items if isinstance(item, Items) else [item]
                yield from (entry for entry in listed if isinstance(entry, Scalar))
            yield from _cite_nodes(item)


def rules_by_citation(plan: Plan) -> dict[str, list[str]]:
    """A citation's text → ids of the rules that rest on it, `agent/store/step`."""
    found: dict[str, dict[str, None]] = {}
    for store, step in steps_by_store(plan):
        if isinstance(step, Emit):
            for citation in step.cites:
                found.setdefault(citation.text, {})[f"{plan.agent}/{store.name}/{step.name}"] = None
    return {text: list(rules) for text, rules in found.items()}


def sources_of(spec: SpecText, given: Sequence[str], cited: Sequence[Cited]) -> Sources:
    """The sources that were given for a spec. Raises UsageError when one is needed and none was given, or the other way
    round."""
    aliases = list(dict.fromkeys(each.citation.alias for each in cited if not each.citation.seen))
    if given and not aliases:
        raise UsageError(f"--source {given[0]}: {spec.label} cites no lines of a source; all its citations are `seen:`")
    if aliases and not given:
        raise UsageError(
            f"no --source: say where the sources are, as --source {aliases[0]}=DIR (a checkout or git dir)"
        )
    return Sources(spec.plan, given, aliases)


def check(cited: Sequence[Cited], sources: Sources) -> list[Checked]:
    """Every citation held to its source at its pin: the file is there, the lines are, the anchor stands in them."""
    return [_checked(each, sources) for each in cited]


def _checked(cited: Cited, sources: Sources) -> Checked:
    citation = cited.citation
    if citation.seen:
        return Checked(cited, SEEN)
    source = sources.get(citation.alias)
    if source is None:
        return Checked(cited, UNCHECKED, f"no --source for {citation.alias}")
    fault = fault_of(citation, source.lines(source.pinned(), citation.path), pin(source))
    return Checked(cited, BROKEN if fault else HOLDS, fault)


def pin(source: Source) -> str:
    """What the lines were looked up in, for messages."""
    return short(source.evidence.commit) if source.has_history else "the folder as it stands"


def short(commit: str) -> str:
    return commit[:10]


def fault_of(citation: Citation, lines: Lines | None, where: str) -> str:
    """What is wrong with a citation, '' when nothing is; `lines` are those of its file, None when there is none."""
    if lines is None:
        return f"no file {citation.path} in {where}"
    if citation.last > len(lines):
        return f"{citation.path} has {len(lines)} lines in {where}"
    anchor = anchor_pattern(citation.anchor)
    if any(anchor.search(line) for line in lines[citation.first - 1 : citation.last]):
        return ""
    standing = [number for number, line in enumerate(lines, 1) if anchor.search(line)]
    middle = (citation.first + citation.last) / 2
    near = sorted(sorted(standing, key=lambda number: abs(number - middle))[:3])
    hint = f"it stands in line {', '.join(map(str, near))}" if near else "nor anywhere else in the file"
    return f"`{citation.anchor}` does not stand in these lines of {where} ({hint})"


def anchor_pattern(anchor: str) -> re.Pattern[str]:
    """The anchor as whole words."""
    before = r"(?<!\w)" if anchor[:1].isalnum() or anchor[:1] == "_" else ""
    after = r"(?!\w)" if anchor[-1:].isalnum() or anchor[-1:] == "_" else ""
    return re.compile(before + re.escape(anchor) + after)
