"""Functions that read and write JSON text, and the texts of content blocks."""

from __future__ import annotations

from typing import Any

from engine.errors import BadRecord
from engine.lang.fastjson import FAULTS, decode_any
from engine.lang.function import Registry
from engine.lang.jsontext import NESTING, dumps, loads, loads_exact
from engine.lang.text import as_text

_STORED = (str, bytes)
#: texts up to this length are too short to nest too deep
_SHALLOW = 2 * NESTING
_OPENERS, _OPENERS_OF_BYTES = frozenset(("{", "[")), frozenset((b"{", b"["))

_registry = Registry()
_function = _registry.add
FUNCTIONS = _registry.functions


@_function("json", 1)
def json(text: Any) -> Any:
    """The value that the JSON text holds; null when it is none."""
    if not isinstance(text, _STORED):
        return None
    try:
        return decode_any(text) if len(text) <= _SHALLOW else loads(text)
    except BadRecord:
        return None
    except FAULTS:
        return _exactly(text)


def _exactly(text: str | bytes) -> Any:
    try:
        return loads_exact(text)[0]
    except BadRecord:
        return None


@_function("maybe_json", 1)
def maybe_json(text: Any) -> Any:
    """The object or list that a text holds as JSON; else the value as it is."""
    if isinstance(text, str):
        opens = text.lstrip()[:1] in _OPENERS
    elif isinstance(text, bytes):
        opens = text.lstrip()[:1] in _OPENERS_OF_BYTES
    else:
        return text
    value = json(text) if opens else None
    return text if value is None else value


@_function("json_text", 1)
def json_text(value: Any) -> Any:
    """The value as compact JSON, in source order."""
    return None if value is None else dumps(value)


@_function("content_text", 1)
def content_text(blocks: Any) -> Any:
    """A string as it is; blocks joined by line breaks: text, `[image]`, `[audio]`, others as compact JSON."""
    if blocks is None or isinstance(blocks, str):
        return blocks
    if isinstance(blocks, list):
        if len(blocks) == 1 and type(blocks[0]) is dict:
            return _block_text(blocks[0])
        return "\n".join([_block_text(block) for block in blocks if block is not None])
    return _block_text(blocks) if isinstance(blocks, dict) else None


def _block_text(block: Any) -> str:
    """One block, by the type names that agents use: `text`, `input_text`, `image`, `image_url`, `input_audio`, …"""
    if not isinstance(block, dict):
        return as_text(block)
    kind, text = block.get("type"), block.get("text")
    if isinstance(text, str) and (kind == "text" or kind is None or (isinstance(kind, str) and kind.endswith("text"))):
        return text
    if isinstance(kind, str) and "image" in kind:
        return "[image]"
    if isinstance(kind, str) and "audio" in kind:
        return "[audio]"
    return dumps(block)
