"""Names of files as text: what the file system allows and UTF-8 does not is written with escapes."""

from __future__ import annotations


def shown(path: str) -> str:
    """A path for rows and messages. Bytes that are no UTF-8 (`os.fsdecode` makes lone surrogates of them) become
    `\\xNN`; so two names never look alike and every row is valid UTF-8. Other characters, line breaks too, stay."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return path


def last(path: str) -> str:
    """The last part of a path."""
    return path.rstrip("/").rpartition("/")[2] or path


def base_name(path: str) -> str:
    """The last part of a path, for messages."""
    return shown(last(path))
