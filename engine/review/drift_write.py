"""Moves pins and line numbers in the text of a spec; every other byte stays.

A pin can move only with all citations below it. Citations whose lines have changed or are gone stay true at the old
pin: they keep it under an alias of their own (`alias-6e1e0507`, by the old pin), until a person has read what changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import yaml

from engine.errors import EngineError
from engine.lang.compile_cites import read_citation
from engine.lang.plan import Citation
from engine.review.cites import SEEN, UNCHECKED
from engine.review.drift import Drifted, citation_at
from engine.review.drift_lines import MOVED, SAME
from engine.review.spectext import SpecText, spec_of

_LINES = re.compile(r":\d+(-\d+)?(?=\s+#)")
_ALIAS_HASH = 8


class Written(NamedTuple):
    """The new text, and what was done: pins moved (alias → commit), citations whose place was moved, and the aliases
    under which citations stay at an old pin (new alias → how many)."""

    text: str
    pins: dict[str, str]
    moved: int
    held: dict[str, int]


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


def rewritten(spec: SpecText, drifted: Sequence[Drifted], pins: Mapping[str, str]) -> Written:
    """The spec with the pins of `pins` (alias → full hash) where some citation is the same there, or only moved."""
    edits: list[_Edit] = []
    wanted: dict[str, str] = {}
    moved, held, new_pins = 0, {}, {}
    for alias, commit in pins.items():
        mine = [each for each in drifted if each.cited.citation.alias == alias and each.status not in (SEEN, UNCHECKED)]
        movable = [each for each in mine if each.status in (SAME, MOVED) and each.sure and each.at is not None]
        staying = [each for each in mine if each not in movable]
        if not movable or _pinned(spec, alias) == commit:
            continue
        new_pins[alias] = commit
        edits.append(_pin_edit(spec, alias, commit))
        if staying:
            old = _free_alias(spec, alias)
            held[old] = len(staying)
            edits.append(_evidence_edit(spec, alias, old))
            for each in staying:
                cite = each.cited.citation
                wanted[cite.text] = citation_at(cite, cite.path, cite.first, cite.last, old).text
        for each in movable:
            assert each.at is not None
            moved += each.status == MOVED
            wanted[each.cited.citation.text] = each.at.text
    edits += _cite_edits(spec, drifted, wanted)
    text = _applied(spec.text, edits)
    _verify(spec, text, drifted, wanted)
    return Written(text, new_pins, moved, held)


def _pinned(spec: SpecText, alias: str) -> str:
    return next(evidence.commit for evidence in spec.plan.evidence if evidence.alias == alias)


def _free_alias(spec: SpecText, alias: str) -> str:
    """A name for the old pin; longer when it is taken."""
    commit = _pinned(spec, alias)
    taken = {evidence.alias for evidence in spec.plan.evidence}
    size = _ALIAS_HASH
    name = f"{alias}-{commit[:size]}"
    while name in taken:
        size += 1
        name = f"{alias}-{commit[:size]}" if size <= len(commit) else f"{name}x"
    return name


def _pin_edit(spec: SpecText, alias: str, commit: str) -> _Edit:
    span = spec.spans[spec.nodes["evidence"].items[alias].items["commit"].path]  # type: ignore[attr-defined]
    written = spec.text[span.start : span.end]
    quote = written[0] if written[0] in "'\"" else "" if re.search(r"[a-df]", commit) else "'"
    return _Edit(span.start, span.end, f"{quote}{commit}{quote}")


def _evidence_edit(spec: SpecText, alias: str, old: str) -> _Edit:
    """A copy of an entry of the evidence behind it, under another name: with the old pin."""
    evidence = spec.nodes["evidence"]
    key = evidence.keys[alias]  # type: ignore[attr-defined]
    span = spec.spans[evidence.items[alias].path]  # type: ignore[attr-defined]
    start = _offset(spec.text, key.line, key.column)
    name_end = start + len(key.text) + (2 if key.quoted else 0)
    entry = old + spec.text[name_end : span.end]
    whole = spec.spans["evidence"]
    if spec.text[whole.start] == "{":
        return _Edit(span.end, span.end, f", {entry}")
    line_end = spec.text.find("\n", span.end)
    line_end = len(spec.text) if line_end < 0 else line_end
    newline = "\r\n" if spec.text[line_end - 1 : line_end] == "\r" else "\n"
    at = line_end - len(newline) + 1
    return _Edit(at, at, newline + " " * (key.column - 1) + entry)


def _offset(text: str, line: int, column: int) -> int:
    """The 0-based character of a 1-based line and column."""
    start = 0
    for _ in range(line - 1):
        start = text.index("\n", start) + 1
    return start + column - 1 + (1 if line == 1 and text[:1] == "\ufeff" else 0)


def _cite_edits(spec: SpecText, drifted: Sequence[Drifted], wanted: Mapping[str, str]) -> Iterator[_Edit]:
    for each in drifted:
        cite = each.cited.citation
        new = read_citation(wanted.get(cite.text, cite.text))
        if new is None or new.text == cite.text:
            continue
        for place in each.cited.places:
            span = spec.spans[place.path]
            yield _Edit(span.start, span.end, _requoted(spec.text[span.start : span.end], cite, new))


def _requoted(written: str, old: Citation, new: Citation) -> str:
    """A citation as it stands in the text, quotes and folds included, with another alias, path and lines."""
    head = f"{old.alias}:{old.path}"
    lines = str(new.first) if new.first == new.last else f"{new.first}-{new.last}"
    made = written.replace(head, f"{new.alias}:{new.path}", 1)
    return _LINES.sub(f":{lines}", made, count=1) if (old.first, old.last) != (new.first, new.last) else made


def _applied(text: str, edits: list[_Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _verify(spec: SpecText, text: str, drifted: Sequence[Drifted], wanted: Mapping[str, str]) -> None:
    """Nothing is written that does not read back as meant."""
    try:
        made = spec_of(text.encode(), spec.label)
    except (EngineError, yaml.YAMLError) as error:
        raise EngineError(f"{spec.label}: the pins can't be moved in this text: {error}") from error
    for each in drifted:
        for place in each.cited.places:
            node = made.nodes.get(place.path)
            expected = wanted.get(each.cited.citation.text, each.cited.citation.text)
            if node is None or node.plain() != expected:
                raise EngineError(
                    f"{spec.label}:{place.line}: this citation can't be moved in place: write it in one line"
                )
