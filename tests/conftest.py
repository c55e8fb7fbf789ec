"""What all tests share: which of them run, and how hypothesis works."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("quiet", deadline=None, print_blob=True)
settings.load_profile("quiet")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="also run the tests that take long")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what can't run here; what was left out is said at the end."""
    reasons = {"slow": None if config.getoption("--slow") else "slow: run with --slow"}
    reasons["browser"] = _why_no_browser()
    reasons["root"] = None if os.geteuid() == 0 else "needs to start as root"
    for item in items:
        for mark, reason in reasons.items():
            if reason and item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason=reason))


def _why_no_browser() -> str | None:
    """Why the tests that need a browser can't run here."""
    programs = [Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")]
    missing = [str(program) for program in programs if not program.exists()]
    if not importlib.util.find_spec("selenium"):
        missing.append("selenium")
    return f"needs {', '.join(missing)} (Debian: chromium, chromium-driver)" if missing else None
