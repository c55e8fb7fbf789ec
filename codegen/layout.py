"""Long statements over several lines, so that no line is wider than the page.

A statement that is too long is filled into lines inside its brackets, broken where it nests least, and marked
`# fmt: skip`: the formatter leaves it so. Everything else is written as the formatter would leave it.
"""

from __future__ import annotations

import io
import re
import tokenize
from typing import NamedTuple

WIDTH = 120
_SKIP = "  # fmt: skip"
_STATEMENT = re.compile(
    r"(?P<head>(?:if|elif|return) |for [\w, ]+ in |[\w., ]+ = |)(?P<body>.*?)(?P<tail>:?)", re.DOTALL
)
#: a text alone in brackets, which the formatter sets on a line of its own
_LONE_TEXT = re.compile(r"(?P<head>[\w.]+[(\[])(?P<text>\"(?:[^\"\\]|\\.)*\")(?P<tail>[)\]][ +=1]*)")

_LITERAL = re.compile(r"""#.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"""")


class _Gap(NamedTuple):
    """A place where a line may end: between two tokens, inside brackets."""

    at: int
    depth: int


def formatted(text: str) -> str:
    """The text with every long line broken."""
    lines: list[str] = []
    for line in text.split("\n"):
        if len(line) <= WIDTH:
            lines.append(line)
        elif line.lstrip().startswith("#"):
            lines += _comment(line)
        else:
            lines += broken(line)
    return "\n".join(lines)


def broken(line: str) -> list[str]:
    """One long statement as several lines."""
    indent = len(line) - len(line.lstrip())
    statement = line.strip()
    if (lone := _LONE_TEXT.fullmatch(statement)) and indent + 4 + len(lone["text"]) <= WIDTH:
        space = " " * indent
        return [space + lone["head"], f"{space}    {lone['text']}", space + lone["tail"]]
    gaps = _gaps(statement)
    if not _fits(statement, gaps, indent):
        statement = _bracketed(statement)
        gaps = _gaps(statement)
    lines: list[str] = []
    start, margin = 0, indent
    while True:
        room = WIDTH - margin - len(_SKIP)
        if len(statement) - start <= room:
            break
        end = _best(gaps, start, room, len(statement))
        if end == len(statement):
            break
        lines.append(" " * margin + statement[start:end].rstrip())
        start = end + (len(statement[end:]) - len(statement[end:].lstrip()))
        margin = indent + 4
    lines.append(" " * margin + statement[start:] + _SKIP)
    return lines


def _comment(line: str) -> list[str]:
    """A long comment, broken behind a slash or a space."""
    margin = line[: len(line) - len(line.lstrip("# "))]
    end = max(line.rfind("/", 0, WIDTH), line.rfind(" ", 0, WIDTH)) + 1
    return [line[:end].rstrip(), f"{margin}  {line[end:]}"]


def _fits(statement: str, gaps: list[_Gap], indent: int) -> bool:
    """Whether the statement can be broken early enough as it stands."""
    start, room = 0, WIDTH - indent - len(_SKIP)
    while len(statement) - start > room:
        found = [gap.at for gap in gaps if start < gap.at <= start + room]
        if not found:
            return False
        start, room = found[-1], WIDTH - indent - 4 - len(_SKIP)
    return True


def _best(gaps: list[_Gap], start: int, room: int, end: int) -> int:
    """The gap to end a line at: of those in its second half the one that nests least, the last of these."""
    found = [gap for gap in gaps if start < gap.at <= start + room]
    late = [gap for gap in found if gap.at > start + room // 2] or found
    if not late:
        # a word that is too long for a line, far to the right
        return min((gap.at for gap in gaps if gap.at > start), default=end)
    return min(late, key=lambda gap: (gap.depth, -gap.at)).at


def _bracketed(statement: str) -> str:
    """The statement with brackets around its expression."""
    match = _STATEMENT.fullmatch(statement)
    assert match is not None
    return f"{match['head']}({match['body']}){match['tail']}"


def _gaps(statement: str) -> list[_Gap]:
    """Where lines may end: after a comma or an opening bracket, before a word or a sign between operands."""
    gaps, depth, last = [], 0, 0
    closed = statement + (" pass" if statement.endswith(":") else "")
    for token in tokenize.generate_tokens(io.StringIO(closed).readline):
        if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER):
            continue
        start, before = token.start[1], statement[last - 1 : last]
        opened = before in ("(", "[", "{") and token.string not in (")", "]", "}")
        if depth and (start > last or opened):
            gaps.append(_Gap(start, depth))
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        last = token.end[1]
    return [gap for gap in gaps if gap.at < len(statement)]


def bare(text: str) -> str:
    """Python text without its literals and comments."""
    return _LITERAL.sub('""', text)
