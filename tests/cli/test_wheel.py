"""What is installed from a wheel, without the repository."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_an_installed_wheel_reads_a_home_from_an_empty_directory(tmp_path):
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path / "dist", ROOT, cwd=tmp_path)
    venv.create(tmp_path / "venv", with_pip=True)
    binaries = tmp_path / "venv" / "bin"
    run(binaries / "pip", "install", "-q", next((tmp_path / "dist").glob("*.whl")), cwd=tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    home = ROOT / "fixtures" / "zed" / "home"
    for spec in ("zed", "zed.yaml"):
        out = run(binaries / "engine", "run", home, "--spec", spec, "-q", "--no-cache", cwd=empty)
        assert {json.loads(line)["agent"] for line in out.splitlines()} == {"zed"}
    assert "zed" in run(binaries / "engine", "specs", cwd=empty)
    run(binaries / "engine", "check", "zed", cwd=empty)
    assert list(empty.iterdir()) == []
