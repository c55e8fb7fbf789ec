"""Files of a git repository at a commit, read offline by one `git cat-file --batch`.

Nothing that the repository says is run: no hook, no filter, no diff program, no fetch of missing objects, no
configuration but its own. Revisions and paths go through standard input, so none can pass for an option.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from pathlib import Path

from engine.errors import UsageError

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.alternateRefsCommand=false",
    "protocol.allow=never",
)
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def git_dir(path: Path) -> Path | None:
    """The git directory of a checkout, or the path itself when it is one; None when it is neither."""
    if (path / ".git").exists():
        return path / ".git"
    if (path / "HEAD").is_file() and (path / "objects").is_dir():
        return path
    return None


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }


class Repository:
    """A repository by its git directory. Raises UsageError when git or the repository can't be used."""

    def __init__(self, directory: Path):
        self.directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        self._commits: dict[str, str | None] = {}
        self._trees: dict[str, dict[str, str]] = {}

    def commit(self, revision: str) -> str | None:
        """The full hash of the commit that a revision names; None when there is none, or when it names several."""
        if revision not in self._commits:
            found = self._ask(f"{revision}^{{commit}}") if revision.strip() else None
            self._commits[revision] = found[0] if found and found[1] == "commit" else None
        return self._commits[revision]

    def read(self, commit: str, path: str) -> bytes | None:
        """A file's content at a commit; None when no file has this path there, or its content is not at hand."""
        found = self._ask(f"{commit}:{path}")
        return found[2] if found and found[1] == "blob" else None

    def files(self, commit: str) -> dict[str, str]:
        """The path of every file at a commit (a full hash) → the hash of its content."""
        if commit not in self._trees:
            if not _HASH.fullmatch(commit):
                raise ValueError(commit)
            listed = self._run("ls-tree", "-r", "-z", "--full-tree", commit)
            entries = (
                entry.partition("\t") for entry in listed.decode("utf-8", "surrogateescape").split("\0") if entry
            )
            kinds = ((head.split(), path) for head, _, path in entries)
            self._trees[commit] = {path: head[2] for head, path in kinds if head[1] == "blob"}
        return self._trees[commit]

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            process.wait()

    def _ask(self, name: str) -> tuple[str, str, bytes] | None:
        """Hash, type and content of an object by name; None when it is missing or ambiguous."""
        if "\n" in name or "\0" in name:
            return None
        process = self._process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(os.fsencode(name) + b"\n")
            process.stdin.flush()
            head = process.stdout.readline()
        except BrokenPipeError:
            head = b""
        if not head:
            raise self._fault()
        if head.endswith((b" missing\n", b" ambiguous\n")):
            return None
        kind = head.decode("ascii", "replace").split()
        size = int(kind[2])
        content = process.stdout.read(size + 1)
        if len(content) != size + 1:
            raise self._fault()
        return kind[0], kind[1], content[:-1]

    def _arguments(self, *command: str) -> list[str]:
        settings = [part for setting in _SETTINGS for part in ("-c", setting)]
        return ["git", "--no-pager", *settings, f"--git-dir={self.directory.absolute()}", *command]

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._arguments("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        except FileNotFoundError:
            raise UsageError("this needs the command git, which is not installed") from None

    def _run(self, *command: str) -> bytes:
        done = subprocess.run(
            self._arguments(*command), stdin=subprocess.DEVNULL, capture_output=True, env=_environment(), check=False
        )
        if done.returncode:
            raise self._fault()
        return done.stdout

    def _fault(self) -> UsageError:
        return UsageError(f"{self.directory}: git can't read this repository")
