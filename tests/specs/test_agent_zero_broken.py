"""The Agent Zero spec on chats that are cut, broken or odd, and on chats that pass by as a stream."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_run import Runner
from agent_zero_home import USR, chat, history, item, message, talk, write, write_chat

from engine.lang.load import load_plan
from engine.read.discover import discover
from engine.read.limits import Limits
from engine.run import interpret
from engine.run.ledger import Ledger
from engine.run.passes import prepare

FIXTURES = Path(__file__).parents[2] / "fixtures" / "agent-zero"
HOMES = [FIXTURES / "home", *sorted((FIXTURES / "cases").glob("*/home"))]
CHAT = f"{USR}/chats/AbCd1234/chat.json"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def walked(home: Path, limits: Limits | None = None) -> list[tuple[Any, ...]]:
    """The rows of a home by the interpreter, before pairing and order."""
    plan = load_plan("agent-zero")
    sources = discover([str(home)], [plan])
    context = prepare(plan, sources, limits, hashing=False)
    return [row for source in sources for row in interpret.rows(source, context, Ledger())]


# ------------------------------------------------------------------------------------------------- broken, hostile


def whole_items(text: bytes, made: dict[str, Any]) -> Iterator[tuple[int, str]]:
    """Where each log item ends in the text, and what it says."""
    at = text.index(b'"logs"')
    for entry in made["log"]["logs"]:
        part = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode()
        at = text.index(part, at) + len(part)
        yield at, entry["content"]


def assert_cut(home: Path, made: dict[str, Any], cuts: Callable[[bytes], range], limits: Limits | None = None) -> None:
    """A chat.json cut at these bytes gives one note on the file, and the items that were whole."""
    path = write_chat(home, made)
    text = path.read_bytes()
    ends = list(whole_items(text, made))
    plan = load_plan("agent-zero")
    (source,) = discover([str(home)], [plan])
    context = prepare(plan, [source], limits, hashing=False)
    for at in cuts(text):
        path.write_bytes(text[:at])
        rows = list(interpret.rows(source, context, Ledger()))
        said = [row[11] for row in rows if row[7] == "user"]
        assert said == [content for end, content in ends if end <= at], at
        notes = [row for row in rows if row[14] == "note"]
        assert [row[11].startswith("parser: chat.json could not be decoded (") for row in notes] == [True], at
        assert not said or notes[0][4] == made["id"], at


def cut_chat(items: int, pad: int) -> dict[str, Any]:
    words = [f"say {n} " + "ü" * pad for n in range(items)]
    logs = [item(n, "user", text, id=f"u{n}") for n, text in enumerate(words)]
    messages = [message(f"u{n}", {"user_message": text}) for n, text in enumerate(words)]
    return chat("AbCd1234", logs, history(*messages, message("a", '{"x": 1}', ai=True, model="openai/demo")))


def test_a_chat_cut_at_any_byte_gives_one_note_and_every_item_that_was_whole(home: Path) -> None:
    assert_cut(home, cut_chat(3, 10), lambda text: range(len(text)))


@pytest.mark.slow
def test_a_chat_of_20_kb_cut_at_any_byte_gives_one_note_and_every_item_that_was_whole(home: Path) -> None:
    made = cut_chat(30, 90)
    assert 18_000 < len(write_chat(home, made).read_bytes()) < 30_000
    assert_cut(home, made, lambda text: range(len(text)))


@pytest.mark.parametrize("limits", [Limits(), Limits(stream=0)])
def test_a_larger_chat_cut_here_and_there_is_read_alike_whole_or_as_a_stream(home: Path, limits: Limits) -> None:
    assert_cut(home, cut_chat(60, 200), lambda text: range(1, len(text), 4999), limits)


@pytest.mark.parametrize(
    "content",
    [b"", b"null", b"[]", b"7", b'"text"', b"{", b"\xff\xfe", b'{"log": {"logs": [{}]}, "log": 5}'],
)
def test_what_is_no_chat_is_a_note_and_the_next_chat_is_read(content: bytes, home: Path, run: Runner) -> None:
    write(home, CHAT, content)
    write_chat(home, talk("OkChat33"))
    result = run(home)
    assert "list files" in result.texts(session_id="OkChat33", turn_type="user")
    notes = result.of(source_file=CHAT, event="note")
    assert len(notes) == (0 if content.startswith(b'{"log"') else 1)


@pytest.mark.parametrize(
    "put",
    [
        {"log": None}, {"log": []}, {"log": {"logs": {}}}, {"log": {"logs": [None, 5, [], {}]}}, {"agents": None},
        {"agents": [None, 5, {"number": "x", "history": 5}]}, {"data": []}, {"data": None}, {"output_data": None},
        {"created_at": 5}, {"created_at": "yesterday"}, {"id": None}, {"id": 5}, {"name": {"a": 1}},
        {"data": {"message_queue": [None, "x", {"text": ["a"], "attachments": "b"}], "chat_model_override": "x"}},
        {"data": {"chat_model_override": {"chat": "x", "utility": []}, "acp_mode": {"a": 1}, "telegram_bot": [1]}},
    ],
)  # fmt: skip
def test_a_part_of_the_wrong_shape_stops_nothing(put: dict[str, Any], home: Path, run: Runner) -> None:
    write_chat(home, {**talk("OkChat33"), "created_at": "2026-10-04T00:00:00Z"})
    write(home, CHAT, {**talk(), **put})
    result = run(home)
    assert len(result.of(session_id="OkChat33")) == 8
    assert result.code == 0


def odd_histories() -> Iterator[tuple[Any, int]]:
    """A history, and how many notes on it there are."""
    yield history(message("u1", {"user_message": "list files"}))[:-9], 1
    yield {"_cls": "History", "bulks": [], "topics": [], "current": None}, 0
    yield None, 0
    yield "5", 1
    yield "", 1
    yield "[]", 0
    yield 7, 1
    yield json.dumps({"current": {"messages": [None, 5, "x", [], {}]}}), 0


@pytest.mark.parametrize(("stored", "notes"), list(odd_histories()))
def test_a_history_of_another_type_costs_no_row_of_the_log(stored: Any, notes: int, home: Path, run: Runner) -> None:
    made = talk()
    made["agents"][0]["history"] = stored
    write_chat(home, made)
    result = run(home)
    assert result.texts(turn_type="user") == ["list files"]
    assert len([text for text in result.texts(event="note") if "agents[0].history" in text]) == notes


def test_kvps_and_ids_that_are_missing_are_nothing(home: Path, run: Runner) -> None:
    made = talk()
    for entry in made["log"]["logs"]:
        entry["kvps"] = entry["id"] = None
    write_chat(home, made)
    result = run(home)
    assert result.texts(turn_type="tool_result") == ["bash>ls\n\na.txt"]
    assert result.of(turn_type="tool_use")[0]["arguments"] == ""


def test_texts_that_would_break_a_line_or_a_sink_stay_as_they_are(home: Path, run: Runner) -> None:
    said = "a\u2028b\x00c \ud83d =1+1 <script> \x1b[31m"
    made = chat("AbCd1234", [item(0, "user", said, id="u")])
    write(home, CHAT, json.dumps(made))
    assert run(home).texts(turn_type="user") == [said]


@pytest.mark.parametrize("name", ["scheduler/tasks.json", "plugins/_telegram_integration/state.json",
                                  "agents/x/plugins/_tool_access/config.json"])  # fmt: skip
def test_a_file_that_is_no_object_is_one_note(name: str, home: Path, run: Runner) -> None:
    write(home, f"{USR}/{name}", "[1, 2]")
    (note,) = run(home).rows
    assert note["text"] == f"parser: {Path(name).name} is not a JSON object"


# ------------------------------------------------------------------------------------------------------- streaming


def test_every_home_gives_the_same_rows_whole_and_as_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.read.jsonwindow.CHUNK", 200)
    for home in HOMES:
        assert walked(home, Limits(stream=0)) == walked(home), home


def test_a_huge_message_that_makes_no_row_is_not_held(home: Path) -> None:
    made = talk()
    stored = json.loads(made["agents"][0]["history"])
    filler = copy.deepcopy(stored)
    filler["current"]["messages"][1]["metadata"]["responses"]["output_items"].append(
        {"type": "x", "data": "m" * 2_000_000}
    )
    made["agents"][0]["history"] = json.dumps(filler)
    plain = walked(write_chat(home, talk()).parents[5])
    write_chat(home, made)
    assert walked(home, Limits(stream=1_000_000)) == plain
