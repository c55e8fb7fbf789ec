"""Text templates: literal text, `{expr}` holes, `[..]` parts that fall away; and what a value looks like as text.

`\\[ \\] \\{ \\}` are literal. Strings go in raw, null is nothing, the rest is compact JSON in source order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from engine.errors import EngineError
from engine.lang.jsontext import dumps
from engine.lang.times import Stamp
from engine.lang.values import is_empty


class TemplateError(EngineError):
    """A template that can't be read. `offset` is the 0-based character in its source."""

    def __init__(self, message: str, offset: int):
        self.message, self.offset = message, offset
        super().__init__(message)


class Hole(NamedTuple):
    """`{expr}`: the expression's source, and where it begins in the template (0-based)."""

    kind: str
    source: str
    offset: int


#: a part of a parsed template: text, a hole, or a list of parts that falls away together
Part = str | Hole | list[Any]

_ESCAPED = "[]{}"
_PLAIN = re.compile(r"[^\\\[\]{}]+")
_QUOTES = "'\"`"


def parse_template(source: str) -> list[Part]:
    """The template's parts, literal text joined. Raises TemplateError with the offset of what is wrong."""
    stack: list[tuple[int, list[Part]]] = [(-1, [])]
    at = 0
    while at < len(source):
        parts = stack[-1][1]
        match = _PLAIN.match(source, at)
        if match:
            _add_text(parts, match[0])
            at = match.end()
            continue
        character = source[at]
        if character == "\\":
            escaped = source[at + 1 : at + 2]
            special = escaped != "" and escaped in _ESCAPED
            _add_text(parts, escaped if special else "\\")
            at += 2 if special else 1
        elif character == "{":
            end = _hole_end(source, at)
            if not source[at + 1 : end].strip():
                raise TemplateError("empty hole `{}`: write an expression, or \\{ \\} for the characters", at)
            parts.append(Hole("expr", source[at + 1 : end], at + 1))
            at = end + 1
        elif character == "[":
            stack.append((at, []))
            at += 1
        elif character == "]":
            if len(stack) == 1:
                raise TemplateError("`]` without `[`: write \\] for the character", at)
            start, optional = stack.pop()
            if not any(isinstance(part, Hole) for part in optional):
                raise TemplateError("`[..]` without a hole directly in it: write \\[ \\] for the characters", start)
            stack[-1][1].append(optional)
            at += 1
        else:
            raise TemplateError("`}` without `{`: write \\} for the character", at)
    if len(stack) > 1:
        raise TemplateError("`[` without `]`: write \\[ for the character", stack[-1][0])
    return stack[0][1]


def _add_text(parts: list[Part], text: str) -> None:
    if parts and isinstance(parts[-1], str):
        parts[-1] += text
    elif text:
        parts.append(text)


def _hole_end(source: str, start: int) -> int:
    """The offset of the `}` that closes the hole: braces of the expression nest, those in its literals don't count."""
    level, quote, at = 0, "", start
    while at < len(source):
        character = source[at]
        if quote:
            if character == "\\":
                at += 1
            elif character == quote:
                quote = ""
        elif character in _QUOTES:
            quote = character
        elif character == "{":
            level += 1
        elif character == "}":
            level -= 1
            if level == 0:
                return at
        at += 1
    raise TemplateError("`{` without `}`: write \\{ for the character", start)


def holes(parts: Iterable[Part]) -> list[Hole]:
    """Every hole of a parsed template, in order."""
    found: list[Hole] = []
    for part in parts:
        if isinstance(part, Hole):
            found.append(part)
        elif isinstance(part, list):
            found.extend(holes(part))
    return found


def render(parts: Iterable[Any], eval_fn: Callable[[Any], Any]) -> str:
    """The text of a parsed template, or of the parts of a `plan.Text`. `eval_fn` gives the value of a hole."""
    return _rendered(parts, eval_fn, optional=False)


def _rendered(parts: Iterable[Any], eval_fn: Callable[[Any], Any], *, optional: bool) -> str:
    """The text of parts; that of an optional part is empty when a hole directly in it gives null or what is empty."""
    out: list[str] = []
    for part in parts:
        if isinstance(part, str):
            out.append(part)
            continue
        inner = part if isinstance(part, list) else getattr(part, "parts", None)
        if inner is not None:
            out.append(_rendered(inner, eval_fn, optional=True))
            continue
        value = eval_fn(part)
        if optional and is_empty(value):
            return ""
        out.append(as_text(value))
    return "".join(out)


def as_text(value: Any) -> str:
    """A string as it is, null as `''`, bytes as hex, a time as its UTC text, the rest as compact JSON."""
    kind = type(value)
    if kind is str:
        return value
    if value is None:
        return ""
    if kind is int:
        return str(value)
    if kind is bytes:
        return value.hex()
    if kind is Stamp:
        return value.utc
    return dumps(value)


_WHITE = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"


def trim(text: str) -> str:
    """`text` without outer White_Space characters of Unicode; control characters such as U+001F stay."""
    return text.strip(_WHITE)
