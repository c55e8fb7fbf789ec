"""What a collection says of itself: `manifest.jsonl`, `collection.json`, `collector.log`."""

from __future__ import annotations

import json
import os
import platform
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine import __version__
from engine.collect.items import COLLECTED, FILE, UNMATCHED, Item
from engine.collect.scope import Scope, told_homes, told_roots
from engine.read.names import shown


def moment() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Report:
    """Keeps the rows of the manifest in a file of the spool, and counts."""

    def __init__(self, spool: Path, scope: Scope, hostname: str, options: dict[str, Any]):
        self._spool, self._scope, self._hostname, self._options = spool, scope, hostname, options
        self.started = moment()
        self.counts: Counter[str] = Counter()
        self.bytes = 0
        self.secrets = 0
        self.users: dict[str, None] = {}
        self.notes: list[str] = []
        self._projects: list[str] = []
        self._unmatched: list[str] = []
        self._manifest = self.manifest_path.open("w", encoding="utf-8", newline="\n")
        self._log = self.log_path.open("w", encoding="utf-8", newline="\n")
        self.say(f"agentrows {__version__} collects {scope.root}, taken for {scope.taken.kind}, {scope.mode}")

    @property
    def manifest_path(self) -> Path:
        return self._spool / "manifest.jsonl"

    @property
    def log_path(self) -> Path:
        return self._spool / "collector.log"

    def say(self, text: str) -> None:
        """A line of the log."""
        self._log.write(f"{moment()} {json.dumps(shown(text), ensure_ascii=False)[1:-1]}\n")

    def item(self, item: Item) -> None:
        self._manifest.write(item.row())
        self.counts[item.status] += 1
        if item.status == UNMATCHED:
            self._unmatched.append(item.original)
        if item.status == COLLECTED and item.type == FILE:
            self.bytes += item.size or 0
            self.secrets += item.secret
            self.users.setdefault(item.user)
        if item.status != COLLECTED or item.error:
            self.say(f"{item.status}: {item.original}" + (f" ({item.error})" if item.error else ""))

    def project(self, path: str) -> None:
        self._projects.append(path)

    def end(self, interrupted: bool, archive: str) -> dict[str, Any]:
        """Ends manifest and log; the content of `collection.json`."""
        self.say("stopped before the end" if interrupted else f"done: {dict(self.counts)}")
        self._manifest.close()
        self._log.close()
        scope = self._scope
        homes = told_homes(scope)
        return {
            "tool": "agentrows",
            "version": __version__,
            "hostname": self._hostname,
            "mode": scope.mode,
            "root": shown(str(scope.root)),
            "platform": scope.platform(),
            "started": self.started,
            "finished": moment(),
            "interrupted": interrupted,
            "options": self._options,
            "capabilities": {
                "python": platform.python_version(),
                "access_time_kept": hasattr(os, "O_NOATIME"),
                "superuser": hasattr(os, "geteuid") and os.geteuid() == 0,
            },
            "taken_for": scope.taken.kind,
            "users": sorted({str(home["user"]) for home in homes}),
            "homes": homes,
            "users_with_artifacts": sorted(self.users),
            "projects": self._projects,
            "roots": told_roots(scope),
            "counts": {**dict(sorted(self.counts.items())), "bytes": self.bytes, "secrets": self.secrets},
            "docker": {
                "volumes": sorted(scope.original(p.base.path) for p in scope.places if p.base.kind == "volume"),
                "unmatched": self._unmatched,
            },
            "notes": self.notes,
            "archive": archive,
            "specs": [{"agent": plan.agent, "sha256": plan.sha256} for plan in scope.plans],
        }

    def close(self) -> None:
        self._manifest.close()
        self._log.close()
