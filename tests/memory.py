"""The most memory that this process had at once.

Linux counts for `getrusage` also what the parent had before the program was started, which a large test process makes
wrong by hundreds of MiB; `VmHWM` is of the program alone.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak() -> int:
    """In bytes."""
    if _STATUS.exists():
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
