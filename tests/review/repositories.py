"""Made-up git repositories with files at the lines that a spec cites."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from engine.review.cites import citations
from engine.review.spectext import SpecText

_WHO = {f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Repository:
    """A checkout below `path`; `commit` writes the files and gives the commit's hash. None as content removes one."""

    def __init__(self, path: Path):
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        done = subprocess.run(
            ("git", *arguments), cwd=self.path, env=clean | _WHO, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    def commit(self, files: Mapping[str, str | None]) -> str:
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_text(content, encoding="utf-8", newline="")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a commit")
        return self.git("rev-parse", "HEAD")


def text_of(*lines: str) -> str:
    return "".join(line + "\n" for line in lines)


def cited_files(spec: SpecText) -> dict[str, list[str]]:
    """For each file that a spec cites, lines such that every citation holds: its anchor stands in its first line."""
    files: dict[str, list[str]] = {}
    for each in citations(spec):
        cite = each.citation
        if cite.seen:
            continue
        lines = files.setdefault(cite.path, [])
        lines += [f"let filler_{cite.path.count('/')}_{n} = {n};" for n in range(len(lines) + 1, cite.last + 6)]
        lines[cite.first - 1] += f" // {cite.anchor}"
    return files


def pinned(text: str, old: str, commit: str) -> str:
    """A spec's text with another pin."""
    assert text.count(old) == 1
    return text.replace(old, commit)
