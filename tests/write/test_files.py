"""Output files are whole or not there."""

from __future__ import annotations

import os

import pytest

from engine.errors import UsageError
from engine.write.duckdb import DuckDb
from engine.write.files import OutputFile
from engine.write.parquet import Parquet, PartitionedParquet
from engine.write.sqlite import Sqlite


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


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "real.jsonl").write_bytes(b"before")
    link = tmp_path / "link.jsonl"
    link.symlink_to("real.jsonl")
    file = OutputFile(link)
    file.open()
    file.write(b"after")
    file.close()
    assert link.is_symlink() and (tmp_path / "real.jsonl").read_bytes() == b"after"


@pytest.mark.parametrize("end", ["close", "abort"])
def test_a_pipe_takes_bytes_and_stays_a_pipe(tmp_path, end):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)
    file = OutputFile(pipe)
    file.open()
    file.write(b"rows")
    getattr(file, end)()
    assert os.read(reader, 9) == b"rows"
    os.close(reader)
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


@pytest.mark.parametrize("sink", [Sqlite, DuckDb, Parquet, PartitionedParquet])
def test_no_database_takes_the_place_of_a_pipe(tmp_path, sink):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="it is no file"):
        sink(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
