"""Where bytes go: a file that stands under its name only when it is whole, or the standard output."""

from __future__ import annotations

import contextlib
import os
import stat
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


def write_text(path: Path, text: str) -> None:
    """Writes a text with its line ends as they are, and makes the directories above. Raises UsageError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from error


def is_device(path: Path) -> bool:
    """Whether a device, a pipe or a socket has this name: a renamed file would take its place, for `/dev/null` too."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def aside(path: Path) -> tuple[Path, Path]:
    """Where a file is written, and the temporary name beside it that it has until it is whole. A link is followed: it
    stays, and what it leads to is replaced. Raises UsageError for a device."""
    if is_device(path):
        raise UsageError(f"can't write {path}: it is no file")
    real = Path(os.path.realpath(path))
    return real, real.with_name(f".{real.name}.{os.getpid()}.part")


class OutputFile:
    """A file written under a temporary name beside `path`; `close` renames it, `abort` removes it. A device or a pipe
    is written to as it is.

    Raises UsageError when it can't be made or written.
    """

    def __init__(self, path: Path):
        self.path = path
        self._named = None if is_device(path) else aside(path)
        self._stream: IO[bytes] | None = None

    def open(self) -> None:
        with self._faults():
            if self._named is None:
                self._stream = self.path.open("wb", buffering=_BUFFER)
                return
            real, part = self._named
            real.parent.mkdir(parents=True, exist_ok=True)
            self._stream = part.open("xb", buffering=_BUFFER)

    def write(self, data: bytes) -> None:
        assert self._stream is not None
        with self._faults():
            self._stream.write(data)

    def close(self) -> None:
        assert self._stream is not None
        with self._faults():
            self._stream.close()
            if self._named is not None:
                real, part = self._named
                part.replace(real)

    def abort(self) -> None:
        if self._stream is not None:
            with contextlib.suppress(OSError):
                self._stream.close()
            if self._named is not None:
                with contextlib.suppress(OSError):
                    self._named[1].unlink()

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
