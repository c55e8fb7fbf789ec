"""The page: a sink that writes the report while the rows come, so that memory stays bounded.

The script runs under a Content-Security-Policy that names its hash and allows nothing else: no request, no other
script. Every text of evidence is set as text, never as markup.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import Any

from engine import __version__
from engine.lang.plan import Plan
from engine.report.blocks import Dictionary, packed
from engine.report.rules import rules
from engine.rows import SCHEMA_VERSION
from engine.write.files import Target
from engine.write.held import Held
from engine.write.sink import Facts, RowSink, RowTuple

#: rows, and characters of their texts, of one block
_ROWS, _SIZE = 2048, 4 << 20
_SCRIPTS = ("data.js", "search.js", "plot.js", "list.js", "detail.js", "sessions.js", "main.js")


class ReportPage(RowSink):
    """Writes `report.html` to a target. `plans` give what is said of rules, `title` stands in the head."""

    def __init__(self, target: Target, plans: list[Plan], title: str = "What the agents recorded"):
        self._target, self._plans, self._title = target, plans, title
        self._dictionary = Dictionary()
        self._held = Held(_ROWS, _SIZE)
        self._script = _script()
        self._facts: dict[str, Any] = {"run": {}, "files": []}
        self.abort = target.abort

    def open(self) -> None:
        self._target.open()
        digest = base64.b64encode(hashlib.sha256(self._script.encode()).digest()).decode()
        page = _asset("page.html").replace("{{hash}}", digest).replace("{{style}}", _asset("report.css"))
        self._write(page)

    def write_rows(self, rows: list[RowTuple]) -> None:
        for some in self._held.add(rows):
            self._data("block", self._dictionary.block(some))

    def flush(self) -> None:
        if some := self._held.taken():
            self._data("block", self._dictionary.block(some))

    def keep(self, facts: Facts) -> None:
        self._facts = {"run": facts.run(), "files": list(facts.files())}

    def close(self) -> None:
        self.flush()
        known = {"title": self._title, "engine": __version__, "row_schema": SCHEMA_VERSION}
        self._data("facts", packed(known | self._facts | {"rules": rules(self._plans)}))
        self._write(f"<script>{self._script}</script>\n</body>\n</html>\n")
        self._target.close()

    def _data(self, kind: str, data: str) -> None:
        self._write(f'<script type="application/octet-stream" class="{kind}">{data}</script>\n')

    def _write(self, text: str) -> None:
        self._target.write(text.encode())


def _asset(name: str) -> str:
    return resources.files("engine.report").joinpath("assets", name).read_text(encoding="utf-8")


def _script() -> str:
    """The scripts as one, each in the order in which it is needed."""
    return '"use strict";\n' + "\n".join(_asset(name) for name in _SCRIPTS)
