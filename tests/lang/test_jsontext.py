import datetime
import json
import math
import pickle

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadRecord
from engine.lang.jsontext import BAD_UTF8, Written, bends, depth, dumps, in_fresh_stack, loads, loads_flagged
from engine.lang.jsonwriter import _dumps_exact
from engine.lang.times import Stamp

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(), max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | FINITE | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


# ------------------------------------------------------------------------------------------------ reading


@pytest.mark.parametrize(
    "text",
    ["18446744073709551616", "-9223372036854775809", "-9999999999999999999", "1" * 400, "[1,123456789012345678901234]"],
)
def test_integers_beyond_64_bits_are_exact(text):
    assert loads(text) == json.loads(text)
    assert loads(text.encode()) == json.loads(text)
    assert dumps(loads(text)) == text


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e400", "-1.5E999", "9" * 5000])
def test_numbers_that_json_does_not_know_stay_as_written(text):
    value = loads(f'{{"n":[{text}]}}')
    assert isinstance(value["n"][0], float)
    assert dumps(value) == f'{{"n":[{text}]}}'
    assert dumps(pickle.loads(pickle.dumps(value))) == f'{{"n":[{text}]}}'


def test_lone_surrogates_are_kept():
    assert loads(r'["\ud800x"]') == ["\ud800x"]
    assert loads(rb'["\ud800x"]') == ["\ud800x"]
    assert dumps({"\udfff": "\ud800"}) == '{"\udfff":"\ud800"}'


def test_a_byte_order_mark_is_skipped():
    assert loads(b'\xef\xbb\xbf{"a":1}') == {"a": 1}
    assert loads('\ufeff{"a":1}') == {"a": 1}


def test_bytes_that_are_no_utf_8_are_replaced_and_flagged():
    assert loads_flagged(b'{"a":"x\xffy"}') == ({"a": "x\ufffdy"}, (BAD_UTF8,))
    assert loads_flagged(b'{"a":"x"}') == ({"a": "x"}, ())


def test_of_equal_keys_the_last_wins():
    assert loads('{"a":1,"a":2}') == {"a": 2}
    assert loads('{"a":1,"a":NaN,"a":3}') == {"a": 3}


def test_nesting_is_bounded_on_both_paths():
    for wrap in ("[" * 512 + "]" * 512, "[" * 511 + "[NaN]" + "]" * 511, '{"a":' * 512 + "1" + "}" * 512):
        assert depth(loads(wrap)) == 512
        assert dumps(loads(wrap)) == wrap
    for wrap in ("[" * 513 + "]" * 513, "[" * 513 + "NaN" + "]" * 513, "[" * 100_000, '{"a":' * 600 + "1" + "}" * 600):
        with pytest.raises(BadRecord) as error:
            loads(wrap)
        assert error.value.reason == "nested deeper than 512"


def test_the_bound_of_nesting_can_be_given():
    with pytest.raises(BadRecord):
        loads("[[[]]]", nesting=2)
    assert loads("[[[]]]", nesting=3) == [[[]]]


def test_brackets_in_strings_are_no_nesting():
    text = '["' + "[" * 1000 + r"\"[" + '",NaN]'
    assert loads(text)[0].startswith("[[[")


def test_deep_documents_are_read_and_written_from_a_deep_stack():
    text = "[" * 500 + "NaN" + "]" * 500

    def at(level):
        return at(level - 1) if level else dumps(loads(text))

    assert at(700) == text


def test_a_call_that_has_no_stack_left_gets_its_own():
    def fails():
        raise ValueError("its own")

    def deep(level):
        return level if level == 0 else deep(level - 1)

    def at(level):
        return at(level - 1) if level else in_fresh_stack(lambda: deep(600))

    assert at(600) == 0
    with pytest.raises(ValueError, match="its own"):
        in_fresh_stack(fails)
    with pytest.raises(RecursionError):
        in_fresh_stack(lambda: deep(10_000))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ('{"a":1', "cut off: expecting ',' delimiter at character 7"),
        ('{"a":"x', "cut off: unterminated string starting at character 6"),
        ("[1] [2]", "text after the JSON value at character 5"),
        ("{a:1}", "expecting property name enclosed in double quotes at character 2"),
        ("nope", "expecting value at character 1"),
        ('"\x01"', "invalid control character at character 2"),
        ("[1,]", "expecting value at character 4"),
    ],
)
def test_what_is_no_json_is_a_bad_record_with_its_reason_and_text(text, reason):
    with pytest.raises(BadRecord) as error:
        loads(text)
    assert (error.value.reason, error.value.stored) == (reason, text)
    with pytest.raises(BadRecord) as error:
        loads(text.encode())
    assert (error.value.reason, error.value.stored) == (reason, text.encode())


@given(st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_bytes_are_a_value_or_a_bad_record(data):
    try:
        value = loads(data)
    except BadRecord:
        return
    assert isinstance(dumps(value), str)


@given(st.text(st.sampled_from('[]{}",:1\\eE-.nulNaItrf \n'), max_size=40))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_as_the_standard_library_reads_it_or_refused_by_both(text):
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(BadRecord):
            loads(text)
        return
    assert repr(loads(text)) == repr(expected)


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_what_is_written_is_read_back(value):
    assert loads(dumps(value)) == value


@given(st.integers(0, 30), st.integers(0, 40), st.integers(0, 30))
@settings(max_examples=300, deadline=None)
def test_a_long_run_of_digits_is_seen_wherever_it_stands(before, digits, after):
    data = b"x" * before + b"7" * digits + b"y" * after
    assert bends(data) is (digits >= 19)
    assert bends(data.decode()) is (digits >= 19)


def test_a_text_full_of_numbers_that_are_not_too_long_does_not_bend():
    numbers = b"123456789012345678 " * 1000
    assert not bends(numbers)
    assert bends(numbers + b"1234567890123456789")


# ------------------------------------------------------------------------------------------------ writing


@given(JSON)
@settings(max_examples=300, deadline=None)
def test_both_ways_of_writing_give_the_same_text(value):
    assert dumps(value) == _dumps_exact(value)


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_the_text_is_what_the_standard_library_writes_but_for_small_floats(value):
    text = dumps(value)
    assert json.loads(text) == value
    if "e-" not in text and "0.0000" not in text:
        assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"\x00\xff", '"00ff"'),
        ({"b": [b"\x01", "x"]}, '{"b":["01","x"]}'),
        (float("nan"), "NaN"),
        ([None, float("-inf")], "[null,-Infinity]"),
        ({"a": (1, float("inf"))}, '{"a":[1,Infinity]}'),
        (1e16, "1e+16"),
        (-0.0, "-0.0"),
        (0.1, "0.1"),
        (2**64, "18446744073709551616"),
        ({1: 2, None: [], 1.5: 1}, '{"1":2,"null":[],"1.5":1}'),
        ({True: 0}, '{"true":0}'),
        (datetime.date(2026, 1, 2), '"2026-01-02"'),
        ([datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.UTC)], '["2026-01-02T03:04:00+00:00"]'),
        ({"t": Stamp(0, "utc", "0")}, '{"t":"1970-01-01T00:00:00.000Z"}'),
        (["[", "{", b"", "["], '["[","{","","["]'),
        ("é\u2028\x00\x7f", '"é\u2028\\u0000\x7f"'),
        ({"a": [[], {}], "b": {"c": []}, "n": Written("NaN")}, '{"a":[[],{}],"b":{"c":[]},"n":NaN}'),
        (math, f'"{math}"'.replace("\\", "\\\\")),
    ],
)
def test_values_that_json_does_not_have_are_written(value, text):
    assert dumps(value) == text


def test_an_object_that_loads_its_members_is_written_as_an_object():
    from collections import UserDict

    assert dumps({"all": UserDict({"a": 1})}) == '{"all":{"a":1}}'


def test_any_depth_is_written():
    value = []
    for _ in range(20_000):
        value = [value]
    assert dumps(value) == "[" * 20_001 + "]" * 20_001


def test_source_order_and_non_ascii_are_kept():
    text = '{"z":1,"ä":"é","a":[1.5,true,null]}'
    assert dumps(orjson.loads(text)) == text
