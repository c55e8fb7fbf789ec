"""What looks like the work of an agent that no spec knows: directories in a home, by what their files hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.errors import BadUnit
from engine.read.databases import MAGIC
from engine.read.files import Stream
from engine.read.limits import KIB
from engine.read.tree import DIRECTORY, FILE, Tree, join

#: directories of a home in which programs keep theirs; in the home itself those that begin with a dot
_PARENTS = (
    "", ".config", ".local/share", ".local/state", "AppData/Roaming", "AppData/Local", "Library/Application Support",
)  # fmt: skip

#: how far it is looked into a directory: levels, entries, files that are opened, bytes of each
_DEPTH, _ENTRIES, _OPENED, _HEAD = 5, 3000, 40, 64 * KIB

_ENDS = (".jsonl", ".json", ".ndjson", ".db", ".sqlite", ".sqlite3", ".vscdb")

_ROLE = re.compile(rb'"(?:role|type|sender|author|source)"\s*:\s*"(?:assistant|agent|ai|model)"')
_CALL = re.compile(rb'"(?:tool_calls?|tool_use|tool_use_id|tool_name|function_call|toolCallId)"')
_TABLE = re.compile(rb"CREATE TABLE[^(]{0,40}\b(?:messages?|conversations?|chats?|threads?|sessions?|prompts?)\b", re.I)


class Stranger(NamedTuple):
    """A directory below a home, and the file in it that looks like a conversation, with what makes it look so."""

    path: str
    file: str
    why: str


def strangers(tree: Tree, claimed: Sequence[str]) -> Iterator[Stranger]:
    """Directories of which no spec claims anything."""
    for parent in _PARENTS:
        for name, kind in tree.listing(parent).kinds.items():
            path = join(parent, name)
            known = any(_related(path, other) for other in (*claimed, *_PARENTS[1:]))
            if kind == DIRECTORY and not known and (parent or name.startswith(".")):
                found = _look(tree, path)
                if found is not None:
                    yield found


def _related(path: str, other: str) -> bool:
    return path == other or path.startswith(other + "/") or other.startswith(path + "/")


def _look(tree: Tree, top: str) -> Stranger | None:
    entries = opened = 0
    level = [top]
    for _ in range(_DEPTH):
        below: list[str] = []
        for directory in level:
            for name, kind in tree.listing(directory).kinds.items():
                entries += 1
                if entries > _ENTRIES or opened >= _OPENED:
                    return None
                path = join(directory, name)
                if kind == DIRECTORY:
                    below.append(path)
                elif kind == FILE and name.lower().endswith(_ENDS):
                    opened += 1
                    why = _why(f"{tree.root}/{path}")
                    if why:
                        return Stranger(top, path, why)
        level = below
    return None


def _why(path: str) -> str:
    try:
        with Stream(path) as stream:
            head = stream.read(_HEAD)
    except BadUnit:
        return ""
    if head.startswith(MAGIC):
        return "a database with a table of conversations" if _TABLE.search(head) else ""
    if _ROLE.search(head):
        return "messages of a model"
    return "calls of tools" if _CALL.search(head) else ""
