import pytest

from engine.lang.times import Stamp
from engine.lang.values import equal, is_empty, is_number, is_object, member, ordered, truthy


@pytest.mark.parametrize("value", [None, False, "", [], {}, b""])
def test_null_false_and_what_is_empty_are_false(value):
    assert not truthy(value)


@pytest.mark.parametrize("value", [True, 0, 0.0, " ", [None], {"a": None}, b"x", Stamp(0, "utc", "0")])
def test_everything_else_is_true(value):
    assert truthy(value)


def test_false_and_zero_are_not_empty():
    assert [is_empty(value) for value in (None, "", [], {}, b"", False, 0)] == [True] * 5 + [False] * 2


def test_a_boolean_is_no_number():
    assert [is_number(value) for value in (1, 1.5, True, "1", None)] == [True, True, False, False, False]


def test_numbers_alone_are_ordered():
    assert ordered(1, 1.5)
    assert not ordered(True, 1)
    assert not ordered("a", "b")


def test_deep_lists_compare_without_an_error():
    deep, other = [], []
    for _ in range(5000):
        deep, other = [deep], [other]
    assert equal(deep, other) is False
    assert equal([1, {"a": [2]}], [1, {"a": [2]}]) is True


def test_a_member_of_what_is_no_object_is_null():
    assert [member(value, "a") for value in (None, "a", 1, 1.5, True, [1], b"a", Stamp(0, "utc", "0"))] == [None] * 8


def test_any_mapping_is_an_object():
    from collections import UserDict

    assert is_object({}) and is_object(UserDict())
    assert not is_object([]) and not is_object("a")
