"""Results as tables, CSV and JSON."""

from __future__ import annotations

import csv
import datetime
import io
import json
import math
from decimal import Decimal

import pytest

from engine.ask.answers import lines
from engine.cli.terminal import one_line

ROWS = [
    (datetime.datetime(2026, 1, 2, 3, 4, 5, 678_900), 7, 'a "b",\nc', None, [1, "x"]),
    (None, 12, "\x1b[31mred\u202e", True, {"a": Decimal("1.0")}),
]
COLUMNS = ["time", "n", "text", "maybe", "more"]


def shown(format_, rows=ROWS):
    return list(lines(COLUMNS, rows, format_, one_line))


def test_a_table_lines_up_and_obeys_nothing():
    assert shown("table") == [
        "time                       n  text                 maybe  more",
        "------------------------  --  -------------------  -----  -------",
        '2026-01-02T03:04:05.678Z   7  a "b",\\nc                   [1,"x"]',
        '                          12  \\u001b[31mred\\u202e  true   {"a":1}',
    ]


def test_a_table_lines_up_where_letters_take_two_columns_of_a_terminal():
    head, line, *rows = lines(["text", "n"], [("日本語", 1), ("é\u0301", 22)], "table", one_line)
    assert (head, line) == ("text     n", "------  --")
    assert rows == ["日本語   1", "é\u0301       22"]


def test_a_long_value_is_cut_in_a_table_and_whole_elsewhere():
    row = ("", 1, "x" * 500, None, None)
    assert "x" * 59 + "…" in shown("table", [row])[2] and "x" * 60 not in shown("table", [row])[2]
    assert "x" * 500 in shown("csv", [row])[1]


def test_csv_is_read_back():
    found = list(csv.reader(io.StringIO("\n".join(shown("csv")), newline="")))
    assert found[0] == COLUMNS
    assert found[1] == ["2026-01-02T03:04:05.678Z", "7", 'a "b",\nc', "", '[1,"x"]']


def test_json_is_a_list_of_objects():
    first, second = json.loads("\n".join(shown("json")))
    assert first == {"time": "2026-01-02T03:04:05.678Z", "n": 7, "text": 'a "b",\nc', "maybe": None, "more": [1, "x"]}
    assert second["more"] == {"a": 1}
    assert json.loads("\n".join(shown("json", []))) == []


def test_json_is_json_whatever_the_numbers_the_years_and_the_names():
    rows = [(math.nan, -math.inf, datetime.datetime(99, 1, 1), 4)]
    found = json.loads("\n".join(lines(["a", "a", "a", "a_2"], rows, "json", one_line)), parse_constant=pytest.fail)
    assert found == [{"a": "nan", "a_2": "-inf", "a_3": "0099-01-01T00:00:00.000Z", "a_2_2": 4}]
