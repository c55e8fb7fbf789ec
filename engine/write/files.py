"""Where bytes go: a file that stands under its name only when it is whole, or the standard output."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import IO, Protocol

from engine.errors import UsageError

#: larger writes go past it
_BUFFER = 64 << 10


class Output(Protocol):
    """Something that is written: `open` it, then `close` (keep it) or `abort` (nothing is left)."""

    def open(self) -> None: ...
    def close(self) -> None: ...
    def abort(self) -> None: ...


class Target(Output, Protocol):
    """A place for bytes, written between `open` and the end."""

    def write(self, data: bytes) -> None: ...


class OutputFile:
    """A file written under a temporary name beside `path`; `close` renames it, `abort` removes it.

    Raises UsageError when it can't be made or written.
    """

    def __init__(self, path: Path):
        self.path = path
        self._part = path.with_name(f".{path.name}.{os.getpid()}.part")
        self._stream: IO[bytes] | None = None

    def open(self) -> None:
        with self._faults():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._stream = self._part.open("xb", buffering=_BUFFER)

    def write(self, data: bytes) -> None:
        assert self._stream is not None
        with self._faults():
            self._stream.write(data)

    def close(self) -> None:
        assert self._stream is not None
        with self._faults():
            self._stream.close()
            self._part.replace(self.path)

    def abort(self) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
            with contextlib.suppress(OSError):
                self._part.unlink()

    @contextlib.contextmanager
    def _faults(self):
        try:
            yield
        except OSError as error:
            raise UsageError(f"can't write {self.path}: {error.strerror or error}") from None


class StandardOutput:
    """Standard output. What was written stays written; BrokenPipeError is the caller's to handle."""

    def open(self) -> None:
        pass

    def write(self, data: bytes) -> None:
        sys.stdout.buffer.write(data)

    def close(self) -> None:
        sys.stdout.buffer.flush()

    def abort(self) -> None:
        with contextlib.suppress(OSError):
            sys.stdout.buffer.flush()
