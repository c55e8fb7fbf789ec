"""Output files are whole or not there."""

from __future__ import annotations

import pytest

from engine.errors import UsageError
from engine.write.files import OutputFile


def test_a_file_stands_under_its_name_only_when_it_is_closed(tmp_path):
    file = OutputFile(tmp_path / "deep" / "rows.jsonl")
    file.open()
    file.write(b"half")
    assert not file.path.exists()
    file.write(b" and whole")
    file.close()
    assert file.path.read_bytes() == b"half and whole"
    assert list(file.path.parent.iterdir()) == [file.path]


def test_an_aborted_file_leaves_nothing_and_keeps_what_stood_there_before(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"before")
    file = OutputFile(path)
    file.open()
    file.write(b"half")
    file.abort()
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_that_can_not_be_written_is_an_error_of_use(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="can't write"):
        OutputFile(tmp_path / "file" / "rows.jsonl").open()
