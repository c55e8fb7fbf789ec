"""Where on the web a citation's lines stand."""

from __future__ import annotations

from engine.lang.plan import Citation, Evidence


def link(citation: Citation, evidence: Evidence) -> str | None:
    """The address of the cited lines at their pin, where the code host is known."""
    repo = evidence.repo.rstrip("/").removesuffix(".git")
    if citation.seen or not repo.startswith("https://github.com/"):
        return None
    lines = f"L{citation.first}" + (f"-L{citation.last}" if citation.last > citation.first else "")
    return f"{repo}/blob/{evidence.commit}/{citation.path}#{lines}"
