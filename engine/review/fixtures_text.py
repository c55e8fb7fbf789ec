"""Documents as text, for fixtures: TOML and `NAME=value`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.errors import UsageError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_text(document: Mapping[str, Any]) -> str:
    """An object as TOML. Raises UsageError for null, which TOML does not have."""
    return "".join(line + "\n" for line in _table(document, ()))


def env_text(document: Mapping[str, Any]) -> str:
    """An object as lines `NAME=value`; values with more than plain characters are quoted."""
    return "".join(f"{name}={_env_value(value)}\n" for name, value in document.items())


def _env_value(value: Any) -> str:
    text = str(value)
    return text if re.fullmatch(r"[\w./:@%+,-]*", text) else json.dumps(text, ensure_ascii=False)


def _table(table: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    for key, value in table.items():
        if not isinstance(value, dict):
            yield f"{_key(key)} = {_value(value)}"
    for key, value in table.items():
        if isinstance(value, dict):
            inner = (*path, key)
            yield f"[{'.'.join(map(_key, inner))}]"
            yield from _table(value, inner)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_key(key)} = {_value(inner)}' for key, inner in value.items())}}}"
    if value is None:
        raise UsageError("TOML has no null: leave the member out")
    return json.dumps(value, ensure_ascii=False)
