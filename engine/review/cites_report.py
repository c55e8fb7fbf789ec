"""What `engine cite` says: lines for people, objects for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from engine.lang.plan import Citation
from engine.review.cites import BROKEN, HOLDS, SEEN, UNCHECKED, Checked, Cited
from engine.review.drift import OPEN, STATUSES, Drifted
from engine.review.drift_lines import SAME
from engine.review.drift_write import Written
from engine.review.spectext import SpecText

_RULES_SHOWN = 4


def check_lines(spec: SpecText, checked: Sequence[Checked]) -> Iterator[str]:
    """A line for each citation that does not hold, by its places in the spec; then the sum."""
    for each in checked:
        if each.status == BROKEN:
            for place in each.cited.places:
                yield f"{spec.label}:{place.line}:{place.column}: {each.cited.citation.text}: {each.message}"
    counts = Counter(each.status for each in checked)
    yield f"{_many(len(checked), 'citation')}: {counts[HOLDS]} hold, {counts[BROKEN]} do not" + _exempt(counts, checked)


def check_json(spec: SpecText, checked: Sequence[Checked]) -> dict[str, Any]:
    counts = Counter(each.status for each in checked)
    return {
        "spec": spec.label,
        "counts": {status: counts[status] for status in (HOLDS, BROKEN, SEEN, UNCHECKED)},
        "citations": [_cited(each.cited) | {"status": each.status, "message": each.message} for each in checked],
    }


def drift_lines(spec: SpecText, drifted: Sequence[Drifted], everything: bool) -> Iterator[str]:
    """Groups of citations on which the same rules rest, each with what became of it; then the sum."""
    groups: dict[tuple[str, ...], list[Drifted]] = {}
    for each in drifted:
        if everything or each.status not in (SAME, SEEN, UNCHECKED):
            groups.setdefault(_resting(each.cited), []).append(each)
    for resting, group in groups.items():
        yield ", ".join(resting[:_RULES_SHOWN]) + (
            f" and {len(resting) - _RULES_SHOWN} more" if len(resting) > _RULES_SHOWN else ""
        )
        for each in group:
            yield from _drift_entry(spec, each)
        yield ""
    counts = Counter(each.status for each in drifted)
    sums = ", ".join(f"{counts[status]} {status}" for status in STATUSES[:4])
    broken = f", {counts[BROKEN]} broken" if counts[BROKEN] else ""
    yield f"{_many(len(drifted), 'citation')}: {sums}{broken}" + _exempt(counts, drifted)


def _drift_entry(spec: SpecText, each: Drifted) -> Iterator[str]:
    cite = each.cited.citation
    at = each.at
    to = ""
    if at is not None and each.status != SAME:
        to = f" -> {at.path + ':' if at.path != cite.path else ''}{_span(at)}"
    note = f" ({each.note})" if each.note else ""
    yield f"  {each.status:8} {cite.text}{to}{note}"
    yield f"           {', '.join(f'{spec.label}:{place.line}' for place in each.cited.places)}"
    for line in each.diff.split("\n") if each.diff else ():
        yield f"           {line}"


def drift_json(
    spec: SpecText, drifted: Sequence[Drifted], to: dict[str, str], written: Written | None
) -> dict[str, Any]:
    counts = Counter(each.status for each in drifted)
    rules: dict[str, dict[str, str]] = {}
    entries = []
    for each in drifted:
        at = each.at
        proposed = {"path": at.path, "first": at.first, "last": at.last, "cite": at.text} if at is not None else None
        entries.append(
            _cited(each.cited)
            | {"status": each.status, "note": each.note, "proposed": proposed, "sure": each.sure, "diff": each.diff}
        )
        for rule in each.cited.rules:
            rules.setdefault(rule, {})[each.cited.citation.text] = each.status
    return {
        "spec": spec.label,
        "to": to,
        "counts": {status: counts[status] for status in STATUSES},
        "open": sum(counts[status] for status in OPEN),
        "rules": rules,
        "citations": entries,
        "written": None if written is None else {"pins": written.pins, "moved": written.moved, "held": written.held},
    }


def written_lines(spec: SpecText, written: Written) -> Iterator[str]:
    if not written.pins:
        yield f"{spec.label}: nothing to write"
    for alias, commit in written.pins.items():
        yield f"{spec.label}: {alias} is now pinned at {commit}"
    if written.moved:
        yield f"{spec.label}: {_many(written.moved, 'citation')} moved to new lines"
    for alias, count in written.held.items():
        stay = "stays" if count == 1 else "stay"
        yield f"{spec.label}: {_many(count, 'citation')} to look at {stay} at the old pin, as {alias}"


def _resting(cited: Cited) -> tuple[str, ...]:
    """The rules on a citation; without any, the parts of the spec where it stands."""
    return cited.rules or tuple(place.path.removesuffix(".cite") for place in cited.places)


def _cited(cited: Cited) -> dict[str, Any]:
    cite = cited.citation
    return {
        "cite": cite.text,
        "alias": cite.alias,
        "path": cite.path,
        "first": cite.first,
        "last": cite.last,
        "anchor": cite.anchor,
        "rules": list(cited.rules),
        "places": [{"line": place.line, "column": place.column, "path": place.path} for place in cited.places],
    }


def _span(cite: Citation) -> str:
    return str(cite.first) if cite.first == cite.last else f"{cite.first}-{cite.last}"


def _many(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _exempt(counts: Counter[str], entries: Sequence[Checked | Drifted]) -> str:
    said = f"; {counts[SEEN]} `seen:`, exempt: no public source" if counts[SEEN] else ""
    if counts[UNCHECKED]:
        aliases = dict.fromkeys(e.cited.citation.alias for e in entries if e.status == UNCHECKED)
        said += f"; {counts[UNCHECKED]} not checked, no --source for {', '.join(aliases)}"
    return said
