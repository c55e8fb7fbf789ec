"""Globs with captures, such as `{root}/a/<name>/b-<idx:int>.json`."""

from __future__ import annotations

import re
from collections.abc import Collection

from engine.lang.compile_cites import Cites
from engine.lang.compile_fields import mark
from engine.lang.plan import OWN_FOLDER, Glob
from engine.spec.problems import nearest_name
from engine.spec.yamlio import Node

CAPTURES = ("", "int", "hex", "uuid")
_ROOT = re.compile(r"\{([^{}]*)\}(?:/|\Z)")
_CAPTURE = re.compile(r"<([^<>]*)>")
#: more would let a name, or a deep tree, that was made for it take hours
_WILDS, _DEPTHS = 4, 2
_WILD = re.compile(r"[*]|<[^<>]*>")
_NAMED = re.compile(r"([A-Za-z_]\w*)(?::(\w*))?", re.ASCII)


class Globs(Cites):
    """Compiles globs; `roots` are the names of the spec's roots."""

    roots: frozenset[str]

    def glob(self, node: Node, own: bool = False) -> Glob:
        """A glob; with `own` it may start at the unit's own directory."""
        source = self.text(node)
        root, pattern = self._root(source, node, own)
        return Glob(source=source, root=root, pattern=pattern, captures=self.captures(pattern, node), mark=mark(node))

    def globs(self, node: Node | None) -> tuple[Glob, ...]:
        return tuple(self.glob(item) for item in self.items(node))

    def filled(self, node: Node, captures: Collection[str], own: bool = False) -> Glob:
        """A glob in which `<name>` is filled in from the captures of the unit."""
        found = self.glob(node, own)
        for name, kind in found.captures:
            if kind:
                self.report("E413", node, f"`<{name}:{kind}>`: a capture is filled in here, write `<{name}>`")
            if name not in captures:
                near = nearest_name(name, captures)
                self.report("E313", node, f"no glob of the store captures `<{name}>`", nearest=near)
        return found

    def _root(self, source: str, node: Node, own: bool) -> tuple[str, str]:
        match = _ROOT.match(source)
        if match is None:
            self.pattern(source, node)
            return "", source
        root, pattern = match[1], source[match.end() :]
        if root not in self.roots and not (own and root == OWN_FOLDER):
            near = nearest_name(root, self.roots)
            self.report("E310", node, f"unknown root `{root}`", nearest=near)
        if pattern:
            self.pattern(pattern, node)
        return root, pattern

    def pattern(self, source: str, node: Node) -> str:
        """A pattern below a base: relative, with `/`, no `..`; `**` is a whole segment."""
        segments = source.split("/")
        if source.startswith("/") or "\\" in source:
            self.report("E413", node, f"`{source}`: a pattern is relative and has `/` between names")
        elif ".." in segments or ("." in segments and source != "."):
            self.report("E413", node, f"`{source}`: `.` and `..` are no names")
        elif "" in segments and source:
            self.report("E413", node, f"`{source}`: an empty name between `/`")
        elif any("**" in segment and segment != "**" for segment in segments):
            self.report("E413", node, f"`{source}`: `**` stands alone between `/`")
        elif segments.count("**") > _DEPTHS or any(len(_WILD.findall(segment)) > _WILDS for segment in segments):
            message = f"`{source}`: more than {_WILDS} wildcards in one name, or more than {_DEPTHS} `**`"
            self.report("E413", node, message)
        elif re.search(r"\{[^{}]*,[^{}]*\}", source):
            self.report("E413", node, f"`{source}`: braces are no choice: write a pattern for each")
        return source

    def captures(self, pattern: str, node: Node) -> tuple[tuple[str, str], ...]:
        found: dict[str, str] = {}
        for match in _CAPTURE.finditer(pattern):
            named = _NAMED.fullmatch(match[1])
            kind = (named[2] or "") if named else ""
            if named is None or kind not in CAPTURES:
                self.report("E413", node, f"`<{match[1]}>`: a capture is <name>, <name:int>, <name:hex> or <name:uuid>")
            elif named[1] in found:
                self.report("E413", node, f"`<{named[1]}>` is captured twice")
            if named is not None:
                found[named[1]] = kind
        return tuple(found.items())
