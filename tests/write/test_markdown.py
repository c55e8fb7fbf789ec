"""Markdown: everything that evidence says stands where nothing is markup."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from engine.rows import COLUMNS
from engine.write.markdown import Markdown, fenced, plain
from engine.write.sink import Facts
from tests.write.rows import Kept, real_tuples, texts


def written(rows):
    sink = Markdown(target := Kept())
    sink.open()
    sink.write_rows(rows)
    sink.keep(Facts(lambda: {"ledger": {}}, list, list))
    return sink, target.data.decode()


def row(**more):
    return tuple(more.get(name, 0 if name == "source_line" else "") for name in COLUMNS)


@given(st.text(st.sampled_from("`~\n#a"), max_size=40) | texts)
def test_a_fence_holds_any_text_whole(text):
    first, *inside, last = fenced(text).split("\n")
    assert "\n".join(inside) == plain(text)
    assert re.fullmatch("`{3,}", last) and first == f"{last}text"
    assert not any(line.startswith(last) for line in inside)


@given(st.lists(real_tuples, min_size=1, max_size=3))
def test_no_control_character_reaches_the_file_and_such_rows_are_counted(rows):
    sink, text = written(rows)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert sink.replaced <= len(rows)


def test_a_session_reads_as_a_text():
    _, text = written(
        [
            row(
                agent="toy", session_id="s`1", turn_type="user", text="# hi\n```", source_file="a.jsonl", source_line=3
            ),
            row(agent="toy", session_id="s`1", turn_type="tool_use", tool_name="sh", text="ls", arguments='{"c":"ls"}'),
            row(agent="toy", session_id="s`1", turn_type="system", event="notice", text="one <b>fact</b>"),
        ]
    )
    assert text.startswith("# toy `s'1`\n\n## User\n\nundated `a.jsonl:3`\n\n````text\n# hi\n```\n````\n\n")
    assert '## Call `sh`\n\nundated \n\n```text\nls\n```\n\n```json\n{"c":"ls"}\n```\n' in text
    assert "> undated  `one <b>fact</b>`" in text
    assert '# The run\n\n```json\n{\n  "ledger": {}\n}\n```\n' in text
