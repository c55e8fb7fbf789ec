"""Items of a collection: everything that is seen, one row of the manifest each."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from typing import Any

FILE, LINK, DIR = "file", "symlink", "dir"

COLLECTED, SYMLINK, EXCLUDED, TOO_LARGE, SECRET, COPY_FAULT, READ_FAULT, UNMATCHED = (
    "collected", "symlink", "skipped_excluded", "skipped_size", "skipped_secret", "error_copy", "error_read",
    "skipped_unmatched_volume",
)  # fmt: skip


@dataclass(slots=True)
class Item:
    """A path that was seen.

    path           where it is on this machine
    original       its absolute path on the machine that is collected
    place          where it stands below `fs/` in the collection
    user, home     of its base; `home` is the absolute path there
    agent          the spec's agent that has it, `project` in a project, '' for a volume of nobody
    status         what becomes of it
    size           bytes; of an excluded directory all that lies below it
    facts          its status from the system, None when there is none
    store          the stores that read it, '' when none does
    """

    path: str
    original: str
    place: str
    user: str
    home: str
    agent: str
    type: str = FILE
    status: str = COLLECTED
    size: int | None = None
    facts: os.stat_result | None = field(default=None, repr=False)
    sha256: str | None = None
    secret: bool = False
    target: str | None = None
    error: str | None = None
    spec: str | None = None
    store: str | None = None

    @property
    def archive_path(self) -> str:
        return f"fs/{self.place}"

    def row(self) -> str:
        """The row of the manifest, as JSON; times have nine decimals and are exact."""
        facts = self.facts
        times: dict[str, str] = {}
        if facts is not None:
            birth = getattr(facts, "st_birthtime", None)
            times = {
                "mtime": seconds(facts.st_mtime_ns),
                "atime": seconds(facts.st_atime_ns),
                "ctime": seconds(facts.st_ctime_ns),
                "btime": "null" if birth is None else json.dumps(birth),
            }
        row: dict[str, Any] = {
            "user": self.user,
            "home": self.home,
            "agent": self.agent,
            "path": self.original,
            "archive_path": self.archive_path if self.status == COLLECTED else None,
            "type": self.type,
            "size": self.size,
            **dict.fromkeys(("mtime", "atime", "ctime", "btime")),
            "uid": facts.st_uid if facts else None,
            "gid": facts.st_gid if facts else None,
            "mode": f"{stat.S_IMODE(facts.st_mode):04o}" if facts else None,
            "sha256": self.sha256,
            "secret": self.secret,
            "status": self.status,
            "target": self.target,
            "error": self.error,
            "spec": self.spec,
            "store": self.store,
        }
        return "{" + ",".join(f'"{name}":{times.get(name) or json.dumps(value)}' for name, value in row.items()) + "}\n"


def seconds(nanoseconds: int) -> str:
    """Epoch seconds as a JSON number that loses nothing."""
    whole, rest = divmod(abs(nanoseconds), 10**9)
    return f"{'-' if nanoseconds < 0 else ''}{whole}.{rest:09d}"
