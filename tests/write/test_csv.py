"""CSV, read back by another reader."""

from __future__ import annotations

import csv
import io
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.rows import COLUMNS
from engine.write.csv import Csv, safe
from tests.write.rows import Kept, row_tuples


def read_back(rows):
    target = Kept()
    sink = Csv(target)
    sink.open()
    sink.write_text(sink.lines(rows)[0])
    return sink, list(csv.reader(io.StringIO(target.data.decode(), newline=""), strict=True))


@given(st.lists(row_tuples, min_size=1, max_size=3))
def test_every_row_comes_back_with_lone_surrogates_replaced_and_counted(rows):
    sink, (head, *found) = read_back(rows)
    assert head == list(COLUMNS)
    assert found == [[re.sub("[\ud800-\udfff]", "\ufffd", str(value)) for value in row[:22]] for row in rows]
    assert sink.replaced == sum(any(re.search("[\ud800-\udfff]", str(v)) for v in row[:22]) for row in rows)


@given(st.lists(row_tuples, max_size=3))
def test_the_sizes_of_records_say_where_each_begins(rows):
    together, sizes = Csv(Kept()).lines(rows)
    apart = [Csv(Kept()).lines([row]) for row in rows]
    assert together == b"".join(data for data, _ in apart)
    assert sizes == [len(data) for data, _ in apart]


def test_a_short_field_that_needs_quotes_gets_them_among_rows_that_need_none():
    plain = ("t", *"bcdefghijk", "hello", "f", 3, *"opqrstu", "v")
    for at, odd in product((0, 10, 12, 20), ("a,b", "a\nb", 'a"b', "a\rb")):
        row = (*plain[:at], odd, *plain[at + 1 :])
        _, (_, *found) = read_back([plain, row, plain])
        assert found == [list(map(str, each)) for each in (plain, row, plain)]


def test_plain_values_stand_without_quotes():
    target = Kept()
    sink = Csv(target)
    sink.write_rows([("t", *"bcdefghijk", "hello", "f", 3, *"opqrstu", "v")])
    assert target.data == b"t,b,c,d,e,f,g,h,i,j,k,hello,f,3,o,p,q,r,s,t,u,v\n"


@given(row_tuples)
def test_no_cell_is_a_formula_where_spreadsheets_are_meant(row):
    target = Kept()
    sink = Csv(target, cells_safe=True)
    sink.open()
    sink.write_rows([row])
    _, found = csv.reader(io.StringIO(target.data.decode(), newline=""), strict=True)
    numbers = {COLUMNS.index("source_line")}
    assert not any(
        cell.startswith(("=", "+", "-", "@", "\t", "\r")) for at, cell in enumerate(found) if at not in numbers
    )
    assert [cell.removeprefix("'") for cell in found] == [
        re.sub("[\ud800-\udfff]", "\ufffd", str(value)).removeprefix("'") for value in row[:22]
    ]


@pytest.mark.parametrize("head", ["=", "+", "-", "@", "\t", "\r", "\n", "\0", "＝", "＋", "－", "＠"])
def test_what_a_spreadsheet_may_compute_begins_with_an_apostrophe(head):
    assert safe(f"{head}1+1") == f"'{head}1+1"
    assert safe(f"1{head}1") == f"1{head}1"


def test_the_mark_for_excel_stands_once_at_the_head():
    target = Kept()
    Csv(target, bom=True).open()
    assert target.data.decode("utf-8-sig") == ",".join(COLUMNS) + "\n"
    assert target.data.startswith(b"\xef\xbb\xbf")
