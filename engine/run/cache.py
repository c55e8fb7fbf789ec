"""What is computed from a spec once and kept: its plan, and its generated module.

Everything is under the user's cache directory, in a folder for this version of the engine, by the hash of the spec's
text and path: so an edit of a spec or of the engine is seen at once, and all of it may be deleted at any time. Files
are written whole or not at all; one that can't be read or written is as if there were none.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import msgspec

from engine.lang.plan import Plan
from engine.spec.library import find_spec

_PACKAGES = ("engine", "codegen")


class Cache:
    """The plans and modules of specs. With `keep` off nothing is read from or written to disk."""

    def __init__(self, keep: bool = True):
        self.folder = _folder() / _version() if keep else None

    def plan(self, name_or_path: str | Path) -> Plan:
        """The plan of a spec. Raises what `engine.lang.load.load_plan` raises."""
        path = find_spec(name_or_path)
        kept = self._kept(path)
        if kept is not None:
            with suppress(OSError, msgspec.MsgspecError):
                return msgspec.msgpack.decode(kept.read_bytes(), type=Plan)
        from engine.lang.load import load_plan

        plan = load_plan(name_or_path)
        if kept is not None:
            _write(kept, msgspec.msgpack.encode(plan))
        return plan

    def module(self, plan: Plan) -> ModuleType:
        """The generated module of a plan, its lines known to tracebacks."""
        name = f"{plan.agent.replace('-', '_')}_{plan.sha256[:16]}"
        kept = None if self.folder is None else self.folder / f"{name}.py"
        if kept is not None and kept.is_file():
            # whatever stands there may be cut or damaged
            with suppress(Exception):
                found = _imported(name, kept)
                if hasattr(found, "rows"):
                    return found
        from codegen.module import generate

        text = generate(plan)
        if kept is not None and _write(kept, text.encode()):
            return _imported(name, kept)
        return compiled(text, name)

    def _kept(self, path: Path) -> Path | None:
        """Where the plan of a spec is kept."""
        if self.folder is None:
            return None
        with suppress(OSError):
            digest = hashlib.sha256(path.read_bytes())
            digest.update(b"\0" + os.fsencode(path))
            return self.folder / f"{digest.hexdigest()}.plan"
        return None


def compiled(text: str, name: str) -> ModuleType:
    """A module from its text alone."""
    import linecache

    module, file = ModuleType(name), f"<generated {name}>"
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), module.__dict__)
    return module


def _imported(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"_rows_{name}", path)
    if spec is None or spec.loader is None:
        raise OSError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _write(path: Path, data: bytes) -> bool:
    """Writes a file whole; False when that fails."""
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


def _folder() -> Path:
    """The user's cache directory for this program."""
    if found := os.environ.get("XDG_CACHE_HOME"):
        return Path(found) / "agentrows"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "agentrows"
    if found := os.environ.get("LOCALAPPDATA"):
        return Path(found) / "agentrows" / "cache"
    return Path.home() / ".cache" / "agentrows"


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
