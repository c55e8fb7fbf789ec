"""Pieces of Python text with what is known of their value: enough to leave out tests that can't matter."""

from __future__ import annotations

from typing import Any, NamedTuple

#: kinds of values: text, null, number, boolean, list, object, bytes, time, object that loads its members when asked
TEXT, NULL, NUMBER, BOOL, LIST, OBJECT, BYTES, TIME, LAZY = "snibldyt@"

Kinds = frozenset[str]
ANY: Kinds = frozenset((TEXT, NULL, NUMBER, BOOL, LIST, OBJECT, BYTES, TIME))
#: any value, or an object that loads its members
ANY_LAZY: Kinds = ANY | {LAZY}

# How tightly a piece binds, loosest first; a piece of a lower level gets brackets inside one of a higher level.
WALRUS, TERNARY, OR, AND, NOT, COMPARE, SUM, POSTFIX, ATOM = range(9)


class Code(NamedTuple):
    """A Python expression.

    text    its source
    kinds   what its value can be
    level   how tightly it binds
    cheap   whether it may stand twice in place of a local: a name or a literal
    """

    text: str
    kinds: Kinds = ANY
    level: int = ATOM
    cheap: bool = False

    def at(self, level: int) -> str:
        """The source, in brackets where something of `level` is needed."""
        return self.text if self.level >= level else f"({self.text})"

    def only(self, *kinds: str) -> bool:
        """Whether the value can be nothing else."""
        return self.kinds <= set(kinds)


def name(text: str, kinds: Kinds = ANY) -> Code:
    """A local variable."""
    return Code(text, kinds, ATOM, True)


def literal(value: Any) -> Code:
    """A constant of JSON."""
    if value is None:
        return Code("None", frozenset(NULL), ATOM, True)
    if isinstance(value, bool):
        return Code(str(value), frozenset(BOOL), ATOM, True)
    if isinstance(value, str):
        return Code(quoted_long(value), frozenset(TEXT), ATOM, len(value) <= LONG)
    if isinstance(value, int | float):
        return Code(repr(value), frozenset(NUMBER), ATOM if value >= 0 else SUM, True)
    if isinstance(value, list):
        return Code(f"[{', '.join(literal(item).text for item in value)}]", frozenset(LIST))
    members = ", ".join(f"{quoted(key)}: {literal(item).text}" for key, item in value.items())
    return Code(f"{{{members}}}", frozenset(OBJECT))


def quoted(text: str) -> str:
    """A string literal as the formatter would leave it: double quotes unless single ones need fewer escapes."""
    body = repr(text + "\"'")[1:-1].removesuffix("\"\\'").replace("\\'", "'")
    if text.count('"') > text.count("'"):
        return "'" + body.replace("'", "\\'") + "'"
    return '"' + body.replace('"', '\\"') + '"'


def one_line(text: str) -> str:
    """Text for a comment: nothing in it ends the line."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def inert(text: str) -> str:
    """Text for a docstring: one line, without quotes that end it and backslashes that escape."""
    return one_line(text).replace("\\", "/").replace('"', "'")


#: the longest string literal in one piece
LONG = 80


def quoted_long(text: str) -> str:
    """A string literal, a long one in pieces side by side."""
    if len(text) <= LONG:
        return quoted(text)
    pieces = [quoted(text[at : at + LONG]) for at in range(0, len(text), LONG)]
    return f"({' '.join(pieces)})"


NONE = literal(None)
EMPTY = literal("")
TRUE, FALSE = literal(True), literal(False)


def sure(code: Code) -> bool | None:
    """JMESPath's truth of a value that is known now: null, or a short constant. None where it is not known."""
    if code.only(NULL) or code.text == FALSE.text:
        return False
    if code.text == TRUE.text or (code.cheap and code.only(NUMBER) and code.text[:1].isdigit()):
        return True
    return code.text not in ('""', "''") if code.cheap and code.text[:1] in ("'", '"') else None
