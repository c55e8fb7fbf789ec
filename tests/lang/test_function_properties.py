"""The frequent functions, which are written for speed, give what their sentences say in the fewest words of Python."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BadRecord
from engine.lang.functions import FUNCTIONS
from engine.lang.jsontext import Written, dumps, loads
from engine.lang.text import as_text
from engine.lang.times import Stamp
from engine.lang.values import equal, is_empty, is_number, member
from engine.run.helpers import flat, label_of, starts

TEXTS = st.text(alphabet='ab \n{}[]"1:,\ud800é', max_size=6) | st.sampled_from(("text", "[1]", '{"a":1}', " [null]"))
SCALARS = st.one_of(
    TEXTS,
    st.sampled_from((None, True, False, 0, 1, 2, -1, 1.5, float("nan"), Written("1e400"), b"", b"[1]", b"\xff")),
    st.just(Stamp(0, "utc", "0")),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
LISTS = st.lists(VALUES, max_size=4)
TABLES = st.lists(TEXTS, max_size=5) | st.dictionaries(TEXTS, SCALARS, max_size=5)


def texts(*values):
    return all(isinstance(value, str) for value in values)


def same(name, found, *given):
    """Whether a function gives `found`, by its JSON text: true is not 1, and NaN is NaN."""
    return dumps(FUNCTIONS[name].impl(*given)) == dumps(found)


def joined(separator, values):
    parts = [as_text(value) for value in values if not is_empty(value)]
    return separator.join(parts) if any(value is not None for value in values) else None


@given(LISTS.filter(len))
def test_values_are_joined(values):
    assert same("lines", joined("\n", values), *values)
    assert same("concat", joined("", values), *values)
    assert same("joined", joined(values[0], values[1:]) if texts(values[0]) else None, *values)


@given(VALUES | LISTS)
def test_strings_of_a_list_are_joined(value):
    found = "\n".join(part for part in value if texts(part) and part) if isinstance(value, list) else None
    assert same("join_text", found, value)
    assert same("join", "a".join(value) if isinstance(value, list) and texts(*value) else None, "a", value)


@given(VALUES | TEXTS, VALUES | TEXTS, VALUES | TEXTS)
@settings(max_examples=300)
def test_a_text_is_cut_at_marks(text, start, end):
    two = texts(text, start) and start != ""
    head, found, tail = text.partition(start) if two else ("", "", "")
    assert same("before", head if found else None, text, start)
    assert same("after", tail if found else None, text, start)
    assert same("split", text.split(start) if two else None, text, start)
    inner = tail.partition(end) if found and texts(end) and end else ("", "", "")
    assert same("between", inner[0] if inner[1] else None, text, start, end)
    assert same("strip_end", text.removesuffix(end) if texts(text, end) else None, text, end)
    assert same("replace", text.replace(start, end) if two and texts(end) else None, text, start, end)
    assert same("starts_with", text.startswith(start) if texts(text, start) else None, text, start)
    size = is_number(end) and not isinstance(end, float) and end >= 0
    assert same("head", text[:end] if texts(text) and size else None, text, end)


@given(VALUES, VALUES)
def test_sums_and_sizes(left, right):
    numbers = is_number(left) and is_number(right)
    assert same("add", sum([left, right]) if numbers else None, left, right)
    assert same("count", len(left) if isinstance(left, str | list | dict) else None, left)


@given(LISTS)
def test_the_smallest_of_values_of_one_kind_and_the_first_that_is_not_null(values):
    comparable = values and (texts(*values) or all(map(is_number, values)))
    assert same("min", min(values) if comparable else None, values)
    assert same("max", max(values) if comparable else None, values)
    assert same("sort", sorted(values) if comparable or not values else None, values)
    assert same("not_null", next((value for value in values if value is not None), None), *values)


@given(VALUES, VALUES)
def test_what_a_list_or_a_text_holds(subject, search):
    held = None
    if isinstance(subject, list):
        held = any(equal(element, search) for element in subject)
    elif texts(subject, search):
        held = search in subject
    assert same("contains", held, subject, search)


@given(VALUES, VALUES, TABLES)
def test_members(value, key, table):
    found = None
    if isinstance(value, list):
        found = value[key] if type(key) is int and -len(value) <= key < len(value) else None
    elif texts(key) or is_number(key):
        found = member(value, as_text(key))
    assert same("get", found, value, key)
    names = [key] if texts(key) else key
    listed = isinstance(value, dict) and isinstance(names, list)
    assert same("omit", {k: value[k] for k in value if k not in names} if listed else None, value, key)
    there = [member(value, name) for name in table if not is_empty(member(value, name))]
    assert same("first_of", there[0] if there else None, value, table)
    scalar = value is not None and not isinstance(value, list | dict)
    assert same("has", any(equal(value, item) for item in table) if scalar else None, value, table)


@given(VALUES)
def test_objects_in_other_forms(value):
    members = value.items() if isinstance(value, dict) else None
    assert same("entries", members if members is None else [{"key": k, "value": v} for k, v in members], value)
    tagged = {"tag": value, "body": None} if texts(value) else None
    if members and len(members) == 1:
        tagged = {"tag": next(iter(value)), "body": value[next(iter(value))]}
    assert same("variant", tagged, value)
    opened = (
        [part for item in value for part in (item if isinstance(item, list) else [item])]
        if isinstance(value, list)
        else None
    )
    assert dumps(flat(value)) == dumps(opened)


@given(TEXTS | st.text(max_size=3), TABLES | st.lists(st.sampled_from(("", "a", "ab", "b", " a")), unique=True) | LISTS)
def test_a_label_is_that_of_the_first_key_that_fits(text, table):
    keys = [key for key in table if texts(key) and text.startswith(key)]
    found = (table[keys[0]] if isinstance(table, dict) else keys[0]) if keys else None
    assert same("label", found, text, table)
    assert dumps(label_of(text, starts(table))) == dumps(found)
    assert label_of(5, starts(table)) is None


def parsed(text):
    try:
        return loads(text)
    except BadRecord:
        return None


@given(VALUES | VALUES.map(dumps) | VALUES.map(lambda value: dumps([value] * 300)))
def test_json_in_texts(value):
    stored = isinstance(value, str | bytes)
    held = parsed(value) if stored else None
    assert same("json", held, value)
    opens = stored and value.strip()[:1] in ("{", "[", b"{", b"[")
    assert same("maybe_json", held if opens and held is not None else value, value)


BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(("text", "input_text", "image_url", "input_audio", "x", None, 5)),
        "text": VALUES,
    },
)


def block_text(block):
    kind, text = block.get("type"), block.get("text")
    if texts(text) and (kind is None or (texts(kind) and kind.endswith("text"))):
        return text
    return next((f"[{word}]" for word in ("image", "audio") if texts(kind) and word in kind), dumps(block))


@given(BLOCKS | st.lists(BLOCKS | st.none(), max_size=3) | SCALARS)
def test_the_text_of_content(content):
    found = content if texts(content) else None
    if isinstance(content, dict):
        found = block_text(content)
    if isinstance(content, list):
        found = "\n".join(block_text(block) for block in content if block is not None)
    assert same("content_text", found, content)
