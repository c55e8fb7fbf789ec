"""Records of a prompt_toolkit history file: `# <local time>`, then each line of the input behind a `+`.

Written by prompt_toolkit's `FileHistory.store_string` (prompt_toolkit/history.py); any other line separates entries.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.read.codecs import Cut
from engine.read.files import Stream, undecodable
from engine.read.jsonl import bad_line, decode_text
from engine.read.limits import Limits
from engine.read.lines import split, unpacked
from engine.read.units import Record


def read_entries(path: str, size: int, limits: Limits) -> Iterator[Record]:
    """Each entry as `{time, text}`, numbered by its first `+` line; `time` is null where none stands before it. A line
    that is none of the format is a bad record."""
    time: str | None = None
    texts: list[str] = []
    flags: tuple[str, ...] = ()
    start = 0
    with Stream(path, size) as stream:
        for line in split(unpacked(stream, limits), limits):
            if line.data[:1] == b"+":
                text, mended = decode_text(line.data, limits)
                flags = flags or mended
                start = start or line.number
                texts.append(text[1:])
                continue
            if texts:
                yield Record(start, {"time": time, "text": "\n".join(texts)}, flags=flags)
                time, texts, flags, start = None, [], (), 0
            if line.bad is not None:
                note = undecodable(path, str(line.bad)) if isinstance(line.bad, Cut) else line.bad
                yield Record(line.number, None, bad=note)
            elif line.data[:1] == b"#":
                time = decode_text(line.data, limits)[0][1:].strip() or None
            elif line.data.strip():
                yield bad_line(line, "no line of a prompt history", limits)
    if texts:
        yield Record(start, {"time": time, "text": "\n".join(texts)}, flags=flags)
