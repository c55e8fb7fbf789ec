"""All checks of this repository: lint, form, types, tests on all cores. Arguments go to pytest (`--slow` too)."""

from __future__ import annotations

import subprocess
import sys

CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("pytest", "-n", "auto", *sys.argv[1:]),
)


def main() -> int:
    failed = []
    for module, *arguments in CHECKS:
        print(f"$ {' '.join((module, *arguments))}", flush=True)
        if subprocess.run([sys.executable, "-m", module, *arguments], check=False).returncode:
            failed.append(module)
    print(f"failed: {', '.join(failed)}" if failed else "all checks passed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
