"""Citations: `alias:path:first-last #anchor`, or `seen:alias:file or page #key`."""

from __future__ import annotations

import re

from engine.lang.compile_values import Values
from engine.lang.plan import Citation
from engine.spec.problems import nearest_name
from engine.spec.yamlio import Node, Scalar

_FORM = re.compile(
    r"(?P<alias>[\w.-]+):(?P<path>[^\s:#][^#]*?):(?P<first>\d{1,9})(-(?P<last>\d{1,9}))? #(?P<anchor>\S.*)"
)
_SEEN = re.compile(r"seen:(?P<alias>[\w.-]+):(?P<path>[^#]*[^#\s]) #(?P<anchor>\S.*)")
_HOW = "a citation is 'alias:path/to/file.rs:446-487 #anchor' or 'seen:alias:file or page #key', in quotes"


def read_citation(text: str) -> Citation | None:
    """A citation from its text, or None when it has not the form of one."""
    seen = text.startswith("seen:")
    match = (_SEEN if seen else _FORM).fullmatch(text)
    if match is None:
        return None
    first = 0 if seen else int(match["first"])
    last = 0 if seen else int(match["last"] or first)
    alias, path, anchor = match["alias"], match["path"], match["anchor"]
    return Citation(alias=alias, path=path, first=first, last=last, anchor=anchor, seen=seen, text=text)


class Cites(Values):
    """Compiles citations; `aliases` are the names under `evidence`."""

    aliases: frozenset[str]

    def cites(self, node: Node | None) -> tuple[Citation, ...]:
        return tuple(cite for item in self.one_or_more(node) if (cite := self._cite(item)) is not None)

    def _cite(self, node: Node) -> Citation | None:
        text = self.text(node)
        if not text:
            return None
        cite = read_citation(text)
        if cite is None:
            cut = isinstance(node, Scalar) and not node.quoted and "#" not in text
            advice = "; unquoted, ` #` begins a comment" if cut else ""
            self.report("E414", node, f"`{text}`: {_HOW}{advice}")
            seen = text.startswith("seen:")
            return Citation(alias="", path="", first=0, last=0, anchor="", seen=seen, text=text)
        if cite.alias not in self.aliases:
            near = nearest_name(cite.alias, self.aliases)
            self.report("E312", node, f"unknown evidence alias `{cite.alias}`", nearest=near)
        if not cite.seen and not 0 < cite.first <= cite.last:
            self.report("E414", node, f"`{text}`: lines count from 1, the first is not after the last")
        return cite
