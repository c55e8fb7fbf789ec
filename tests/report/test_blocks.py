"""The report's blocks hold the rows."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
from pathlib import Path
from typing import Any

from agent_run import emits
from hypothesis import given
from hypothesis import strategies as st
from report_home import row, some_rows, write_page

from engine.lang.load import load_plan
from engine.report.blocks import REPEATED, Dictionary, units
from engine.report.rules import rules
from engine.rows import Row


def unpacked(block: str, values: dict[str, list[str]]) -> list[Row]:
    """The rows of a block, as the page reads them; `values` are those of earlier blocks, and grow."""
    head, body = gzip.decompress(base64.b64decode(block)).split(b"\n", 1)
    known = json.loads(head)
    text = body.decode().encode("utf-16-le")
    ends = [0, *known["ends"]]
    parts = [text[2 * a : 2 * b].decode("utf-16-le") for a, b in itertools.pairwise(ends)]
    for name in REPEATED:
        values.setdefault(name, []).extend(known["fresh"][name])
    rows = []
    for n in range(known["count"]):
        columns: dict[str, Any] = {name: values[name][known["ids"][name][n]] for name in REPEATED}
        columns |= {"tool_use_id": known["call"][n], "source_line": known["line"][n]}
        columns |= {"text": parts[2 * n], "arguments": parts[2 * n + 1] or ""}
        columns |= {"time_raw": known["raw"][n], "timestamp_utc": known["ms"][n]}
        rows.append(Row(**columns))
    return rows


def test_blocks_give_the_rows_back() -> None:
    rows = [row(n, f"text {n % 3}", agent=f"a{n % 2}", arguments=f"text {n % 3}" if n % 2 else "x") for n in range(9)]
    dictionary, values = Dictionary(), {}
    found = [each for start in (0, 4) for each in unpacked(dictionary.block(rows[start : start + 5]), values)]
    expected = [*rows[:5], *rows[4:9]]
    for got, want in zip(found, expected, strict=True):
        assert got.time_raw is None and isinstance(got.timestamp_utc, int)
        arguments = "" if want.arguments == want.text else want.arguments
        assert got._replace(time_raw=want.time_raw, timestamp_utc=want.timestamp_utc) == want._replace(
            arguments=arguments
        )


@given(st.lists(st.text(), min_size=1))
def test_texts_are_cut_where_javascript_cuts_them(texts: list[str]) -> None:
    rows = [row(1, text) for text in texts]
    assert [each.text for each in unpacked(Dictionary().block(rows), {})] == texts


def test_a_lone_surrogate_takes_the_place_of_one_character() -> None:
    assert units("a\ud800b") == 3 and units("a🚀b") == 4
    assert [each.text for each in unpacked(Dictionary().block([row(1, "a\ud800b"), row(2, "c")]), {})] == ["a�b", "c"]


def test_no_text_of_evidence_stands_in_the_markup(tmp_path: Path) -> None:
    page = write_page(tmp_path / "report.html", some_rows()).read_text()
    assert "broken in" not in page and "twelve" not in page


def test_a_rule_leads_to_the_line_of_its_spec_and_to_the_source() -> None:
    plan = load_plan("zed")
    known = rules([plan])
    lines = Path(plan.file).read_text().split("\n")
    written = emits("zed") & set(known)
    assert written == emits("zed")
    for rule, entry in ((rule, known[rule]) for rule in written):
        assert f"emit: {rule.rsplit('/', 1)[1]}" in "\n".join(lines[entry["line"] - 1 : entry["line"] + 12])
        assert entry["cites"][0]["link"].startswith("https://github.com/zed-industries/zed/blob/6e1e0507")
