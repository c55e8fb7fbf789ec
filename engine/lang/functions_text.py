"""Functions on text."""

from __future__ import annotations

import base64 as codec
import binascii
from typing import Any
from urllib.parse import quote

from engine.lang import text as texts
from engine.lang.function import MANY, Registry
from engine.lang.text import as_text
from engine.lang.values import LONGEST, is_empty

_registry = Registry()
_function = _registry.add
FUNCTIONS = _registry.functions


@_function("join_text", 1)
def join_text(parts: Any) -> Any:
    """The strings of a list that are not empty, joined by line breaks."""
    if not isinstance(parts, list):
        return None
    if len(parts) == 1 and type(parts[0]) is str:
        return parts[0]
    return "\n".join([part for part in parts if isinstance(part, str) and part])


@_function("joined", 1, MANY)
def joined(separator: Any, *values: Any) -> Any:
    """The arguments that are not null or empty, joined by the first; numbers and the like as JSON."""
    return _joined(separator, values) if isinstance(separator, str) else None


@_function("lines", 1, MANY)
def lines(*values: Any) -> Any:
    """The arguments that are not null or empty, joined by line breaks."""
    return _joined("\n", values)


@_function("concat", 1, MANY)
def concat(*values: Any) -> Any:
    """The arguments that are not null or empty, joined by nothing."""
    return _joined("", values)


def _joined(separator: str, values: tuple[Any, ...]) -> str | None:
    """Null when every value is null."""
    parts, known = [], False
    for value in values:
        if type(value) is str:
            known = True
            if value:
                parts.append(value)
        elif value is not None:
            known = True
            if not is_empty(value):
                parts.append(as_text(value))
    return separator.join(parts) if known else None


@_function("split", 2)
def split(text: Any, separator: Any) -> Any:
    """The parts of a text between separators."""
    return text.split(separator) if isinstance(text, str) and isinstance(separator, str) and separator else None


@_function("before", 2)
def before(text: Any, mark: Any) -> Any:
    """What stands before the first mark; null when it is absent."""
    if not isinstance(text, str) or not isinstance(mark, str) or not mark:
        return None
    at = text.find(mark)
    return None if at < 0 else text[:at]


@_function("after", 2)
def after(text: Any, mark: Any) -> Any:
    """What stands after the first mark; null when it is absent."""
    if not isinstance(text, str) or not isinstance(mark, str) or not mark:
        return None
    at = text.find(mark)
    return None if at < 0 else text[at + len(mark) :]


@_function("between", 3)
def between(text: Any, start: Any, end: Any) -> Any:
    """What stands between the first start and the next end; null when either is absent."""
    rest = after(text, start)
    return None if rest is None else before(rest, end)


@_function("strip_end", 2)
def strip_end(text: Any, end: Any) -> Any:
    """The text without this end, if it has it."""
    return text.removesuffix(end) if isinstance(text, str) and isinstance(end, str) else None


@_function("replace", 3)
def replace(text: Any, old: Any, new: Any) -> Any:
    """The text with every `old` replaced by `new`; null when that is longer than 256 Mi characters."""
    if not isinstance(text, str) or not isinstance(old, str) or not isinstance(new, str) or not old:
        return None
    # what a short text becomes can't be long: most need no count
    at_most = len(text) * (1 + len(new))
    if at_most > LONGEST and len(text) + text.count(old) * (len(new) - len(old)) > LONGEST:
        return None
    return text.replace(old, new)


@_function("trim", 1)
def trim(text: Any) -> Any:
    """The text without outer white space (Unicode's, not control characters)."""
    return texts.trim(text) if isinstance(text, str) else None


@_function("base64", 1)
def base64(text: Any) -> Any:
    """The text that base64 or base64url holds, with or without padding; null when it holds no text."""
    if not isinstance(text, str):
        return None
    bare = text.rstrip("=").replace("+", "-").replace("/", "_")
    try:
        found = codec.urlsafe_b64decode(bare + "=" * (-len(bare) % 4)).decode()
    except (binascii.Error, ValueError):
        return None
    canonical = codec.urlsafe_b64encode(found.encode()).decode().rstrip("=")
    return found if canonical == bare and found.isprintable() else None


@_function("lower", 1)
def lower(text: Any) -> Any:
    """The text in lower case."""
    return text.lower() if isinstance(text, str) else None


@_function("head", 2)
def head(text: Any, count: Any) -> Any:
    """The first `count` characters."""
    return text[:count] if isinstance(text, str) and type(count) is int and count >= 0 else None


@_function("basename", 1)
def basename(path: Any) -> Any:
    """The last name of a path, with `/` or `\\`; separators at the end don't count."""
    if not isinstance(path, str):
        return None
    path = path.rstrip("/\\")
    return path[_last_separator(path) + 1 :]


@_function("dirname", 1)
def dirname(path: Any) -> Any:
    """What stands before a path's last name, with `/` or `\\`: the root for a name in it, `''` for a bare name."""
    if not isinstance(path, str):
        return None
    path = path.rstrip("/\\") or path[:1]
    at = _last_separator(path)
    return path[:at].rstrip("/\\") or path[: at + 1]


def _last_separator(path: str) -> int:
    return max(path.rfind("/"), path.rfind("\\"))


#: what URL paths keep besides letters, digits and `_.-~`: the complement of the URL standard's path percent-encode set
_PATH_SAFE = "/%:@!$&'()*+,;=[]|^"


@_function("url_path", 1)
def url_path(text: Any) -> Any:
    """The text percent-encoded for a URL's path: `/` and `%` stay, `\\` becomes `/`."""
    return _quoted(text.replace("\\", "/"), _PATH_SAFE) if isinstance(text, str) else None


@_function("url_form", 1)
def url_form(text: Any) -> Any:
    """The text percent-encoded for a form (`application/x-www-form-urlencoded`): a space is `+`."""
    quoted = _quoted(text, "* ")
    return None if quoted is None else quoted.replace("~", "%7E").replace(" ", "+")


def _quoted(text: Any, safe: str) -> str | None:
    return quote(text.encode("utf-8", "surrogatepass"), safe=safe) if isinstance(text, str) else None
