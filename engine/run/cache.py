"""What is computed from a spec once and kept: its plan, and its generated module.

Everything is under the user's cache directory, in a folder for this version of the engine, by the hash of the spec's
text and path: so an edit of a spec or of the engine is seen at once, and all of it may be deleted at any time. Files
are written whole or not at all; one that can't be read or written is as if there were none. Where the cache directory
lies in what is read, there is no cache: nothing is written into evidence, and no code is taken from it.

Plans are MessagePack, read back into their types. Modules are code, as Python itself keeps it beside sources: so the
folder is trusted as the installed package is.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import msgspec

from engine.lang.plan import Plan
from engine.read.places import lies_in
from engine.spec.library import find_spec

_PACKAGES = ("engine", "codegen")
_SEAL = hashlib.sha256().digest_size


class Cache:
    """The plans and modules of specs. With `keep` off, or where the cache directory is in one of `inputs`, nothing is
    read from or written to disk."""

    def __init__(self, keep: bool = True, inputs: Iterable[Path] = ()):
        folder = _folder() if keep else None
        if folder is not None and any(lies_in(folder, given) for given in inputs):
            folder = None
        self.folder = None if folder is None else folder / _version()

    def plan(self, name_or_path: str | Path) -> Plan:
        """The plan of a spec. Raises what `engine.lang.load.load_plan` raises."""
        path = find_spec(name_or_path)
        kept = self._kept(path)
        if kept is not None and isinstance(found := _read(kept, _decoded), Plan):
            return found
        from engine.lang.load import load_plan

        plan = load_plan(name_or_path)
        if kept is not None:
            _write(kept, _sealed(msgspec.msgpack.encode(plan)))
        return plan

    def module(self, plan: Plan) -> ModuleType:
        """The generated module of a plan, its lines known to tracebacks."""
        name = f"{plan.agent.replace('-', '_')}_{plan.sha256[:16]}"
        text, code = (None if self.folder is None else self.folder / f"{name}.{kind}" for kind in ("py", "code"))
        if code is not None and isinstance(found := _read(code, marshal.loads), CodeType):
            return _executed(found, name)
        from codegen.module import generate

        made = generate(plan)
        if text is None or code is None or not _write(text, made.encode()):
            return compiled(made, name)
        found = compile(made, str(text), "exec")
        _write(code, _sealed(marshal.dumps(found)))
        return _executed(found, name)

    def _kept(self, path: Path) -> Path | None:
        """Where the plan of a spec is kept."""
        if self.folder is None:
            return None
        with suppress(OSError):
            digest = hashlib.sha256(path.read_bytes())
            digest.update(b"\0" + os.fsencode(path))
            return self.folder / f"{digest.hexdigest()}.plan"
        return None


def _decoded(data: bytes) -> Plan:
    return msgspec.msgpack.decode(data, type=Plan)


def compiled(text: str, name: str) -> ModuleType:
    """A module from its text alone."""
    import linecache

    file = f"<generated {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return _executed(compile(text, file, "exec"), name)


def _executed(code: CodeType, name: str) -> ModuleType:
    module = ModuleType(name)
    module.__file__ = code.co_filename
    exec(code, module.__dict__)
    return module


def _sealed(data: bytes) -> bytes:
    """Data with its hash in front: marshal does not bear what is cut or damaged."""
    return hashlib.sha256(data).digest() + data


def _read(path: Path, loads: Callable[[bytes], Any]) -> Any:
    """What a sealed file holds; None when it is not there or not as it was written."""
    with suppress(OSError):
        kept = path.read_bytes()
        if kept == _sealed(kept[_SEAL:]):
            return loads(kept[_SEAL:])
    return None


def _write(path: Path, data: bytes) -> bool:
    """Writes a file whole; False when that fails."""
    import tempfile

    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError:
        return False
    return True


def _folder() -> Path | None:
    """The user's cache directory for this program; None when there is no home."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named / "agentrows"
    with suppress(RuntimeError):
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "agentrows"
        if sys.platform == "win32":
            local = os.environ.get("LOCALAPPDATA")
            return (Path(local) if local else Path.home() / "AppData" / "Local") / "agentrows" / "cache"
        return Path.home() / ".cache" / "agentrows"
    return None


def _version() -> str:
    """A name for the engine as it stands: its files, and Python."""
    digest = hashlib.sha256(sys.version.encode())
    root = Path(__file__).parent.parent.parent
    for name in _PACKAGES:
        for path, status in sorted(_files(root / name)):
            digest.update(f"{path}:{status}\n".encode())
    return digest.hexdigest()[:32]


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _files(Path(entry.path))
            elif entry.name.endswith((".py", ".jinja")):
                status = entry.stat()
                yield entry.path, f"{status.st_size}:{status.st_mtime_ns}"
