"""The Agent Zero spec on homes that the program wrote, on a home with every kind of row, and on what breaks."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_run import MTIME, Result, Runner, cut, emits, read_rows
from agent_zero_home import USR, chat, history, item, message, talk, turn, write, write_chat

from engine.lang.load import load_plan
from engine.read.discover import discover
from engine.read.limits import Limits
from engine.run import interpret
from engine.run.ledger import Ledger
from engine.run.passes import prepare

FIXTURES = Path(__file__).parents[2] / "fixtures" / "agent-zero"
CASES = sorted(case.name for case in (FIXTURES / "cases").iterdir())
CHAT = f"{USR}/chats/AbCd1234/chat.json"
TRIMMED = "log trimmed to its last 1000 items; earlier turns follow from the agent history without timestamps"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Runner:
    return Runner("agent-zero", tmp_path, capsys)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """The runs of all cases by name, and of the home with every kind of row as `home`."""
    made = {}
    for name in [*CASES, "home"]:
        base = tmp_path_factory.mktemp(name)
        shutil.copytree(FIXTURES if name == "home" else FIXTURES / "cases" / name, base / "case")
        made[name] = Runner("agent-zero", base)(base / "case" / "home")
    return made


@pytest.fixture(scope="module")
def whole(results: dict[str, Result]) -> Result:
    return results["home"]


def walked(home: Path, limits: Limits | None = None) -> list[tuple[Any, ...]]:
    """The rows of a home by the interpreter, before pairing and order."""
    plan = load_plan("agent-zero")
    sources = discover([str(home)], [plan])
    context = prepare(plan, sources, limits, hashing=False)
    return [row for source in sources for row in interpret.rows(source, context, Ledger())]


# ------------------------------------------------------------------------------------------------- rows, whole homes


@pytest.mark.parametrize("name", CASES)
def test_each_case_gives_its_rows(name: str, results: dict[str, Result]) -> None:
    assert cut(results[name].rows) == read_rows(FIXTURES / "cases" / name / "rows.jsonl")


def test_the_home_with_every_kind_of_row_gives_its_rows(whole: Result) -> None:
    assert cut(whole.rows) == read_rows(FIXTURES / "rows.jsonl")


def test_every_emit_of_the_spec_writes_a_row(results: dict[str, Result]) -> None:
    """By name: log items and messages share walks."""
    written = {row["rule"].rsplit("/", 1)[1] for result in results.values() for row in result.rows}
    assert {rule.rsplit("/", 1)[1] for rule in emits("agent-zero")} - written == set()


def test_no_secret_is_in_any_output(tmp_path: Path, run: Runner) -> None:
    shutil.copytree(FIXTURES / "home", tmp_path / "home")
    result = run(tmp_path / "home")
    told = "".join(file.read_text(encoding="utf-8") for file in tmp_path.glob("out1/*"))
    assert len(result.rows) > 100
    assert "PLANTED" not in told + result.said
    assert "§§secret(DEPLOY_KEY)" in told


def test_a_message_that_can_not_be_read_shows_nothing_of_its_unmasked_copy(home: Path, run: Runner) -> None:
    odd = message("m1", {"odd": 1}, ai=False, model="openai/demo")
    logs = [item(5, "user", "late", id="u5")]
    write_chat(home, chat("AbCd1234", logs, history(odd)))
    write_chat(home, chat("Broken01", logs, history(odd)[:-20]))
    result = run(home)
    assert [row["text"] for row in result.of(event="note") if "Message" in row["text"]] == [
        'Message: {"id":"m1","ai":false,"content":{"odd":1}}'
    ]
    assert "PLANTED" not in json.dumps(result.rows)


# ------------------------------------------------------------------------------------------------- turns and answers


def test_a_reply_in_an_agent_item_and_a_response_item_is_one_assistant_row(home: Path, run: Runner) -> None:
    write_chat(home, talk())
    rows = run(home).of(turn_type="assistant")
    assert [(row["text"], row["source_line"], row["model"]) for row in rows] == [
        ("Listing\nlist", 1, "openai/demo"),
        ("There is one file.", 4, "openai/demo"),
    ]


def test_a_call_and_its_result_have_the_same_id_the_whole_command_and_the_bare_output(home: Path, run: Runner) -> None:
    write_chat(home, talk())
    call, result = (row for row in run(home).rows if row["turn_type"].startswith("tool_"))
    assert (call["text"], call["arguments"]) == ("ls", '{"runtime":"terminal","code":"ls"}')
    assert result["text"] == "a.txt"
    assert call["tool_use_id"] == result["tool_use_id"] == "t1"
    assert call["tool_name"] == result["tool_name"] == "code_execution_tool"


def test_an_intervention_a_retry_and_an_error_are_told_apart(results: dict[str, Result]) -> None:
    rows = {row["source_line"]: row for row in results["warnings"].rows}
    assert (rows[24]["turn_type"], rows[24]["text"]) == ("user", "stop, do it differently")
    assert rows[29]["event"] == "notice"
    assert rows[29]["text"].startswith("warning: Critical error occurred, retrying... | litellm.")
    assert rows[31]["event"] == "error"
    assert rows[31]["text"].startswith("error: litellm.")


def test_a_plain_answer_that_only_the_history_has_is_a_row(results: dict[str, Result]) -> None:
    (row,) = [row for row in results["warnings"].rows if row["source_line"] == 16]
    assert (row["turn_type"], row["text"]) == ("assistant", "This reply is plain text, with no tool request in it.")


def test_a_result_that_compression_took_from_the_history_is_not_told_twice(results: dict[str, Result]) -> None:
    assert not [row for row in results["compressed"].rows if row["role"] == "secondary"]
    assert results["compressed"].count("spills")["paired"] == 1


def test_turns_before_a_compaction_are_secondary_rows(results: dict[str, Result]) -> None:
    assert results["compaction"].texts(turn_type="user", role="secondary") == ["long task"]
    assert results["compaction"].texts(turn_type="user", role="primary") == ["go on"]


def test_the_first_prompt_of_a_parallel_child_is_no_persons(whole: Result) -> None:
    assert whole.texts(session_id="ParKid01", turn_type="user") == ["go on"]
    assert whole.texts(session_id="ParKid01", event="context") == ["subagent task: count to three"]


def test_the_result_of_a_parallel_call_follows_its_children(whole: Result) -> None:
    rows = whole.of(session_id="ParDad01", turn_type="tool_result")
    assert [(row["tool_name"], row["tool_use_id"], row["time_basis"]) for row in rows] == [
        ("call_subordinate", "s1", "utc"),
        ("code_execution_tool", "c1", "utc"),
        ("parallel", "p1", "approximate"),
    ]


# ---------------------------------------------------------------------------------------------------- trimmed logs


def long_chat(kept: int = 1000) -> dict[str, Any]:
    """A chat with `kept` log items, numbered anew by a reload, of a history of more turns."""
    questions = [message(f"u{n}", {"user_message": f"question {n}"}) for n in range(kept + 3)]
    logs = [{**item(n, "user", f"question {n}", id=f"u{n}"), "no": n - 3} for n in range(3, kept + 3)]
    return chat("AbCd1234", logs, history(*questions))


def test_a_log_of_a_thousand_items_is_followed_by_the_turns_that_it_lost(home: Path, run: Runner) -> None:
    write_chat(home, long_chat())
    rows = run(home).rows
    assert [row["text"] for row in rows[-4:]] == [TRIMMED, "question 0", "question 1", "question 2"]
    assert {(row["timestamp_utc"], row["time_basis"], row["source_line"]) for row in rows[-4:]} == {("", "", 0)}
    assert len([row for row in rows if row["turn_type"] == "user"]) == 1003


def test_a_log_of_fewer_items_that_begins_at_zero_is_whole(home: Path, run: Runner) -> None:
    write_chat(home, long_chat(999))
    result = run(home)
    assert TRIMMED not in result.texts()
    ignored = result.count("histories")["ignored"]
    assert ignored["a history node without a log item in a chat whose log is whole"] == 5


def test_a_log_whose_first_number_is_not_zero_is_trimmed(home: Path, run: Runner) -> None:
    made = long_chat(5)
    for entry in made["log"]["logs"]:
        entry["no"] += 3
    write_chat(home, made)
    assert run(home).texts()[-4:] == [TRIMMED, "question 0", "question 1", "question 2"]


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
    made = cut_chat(30, 60)
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


def test_a_bad_task_is_one_note_and_the_tasks_around_it_are_read(whole: Result) -> None:
    file = f"{USR}/scheduler/tasks.json"
    assert [row["text"] for row in whole.of(source_file=file, event="task")] == [
        "scheduled task: Nightly type=scheduled state=idle",
        "scheduled task: Check type=adhoc state=error",
        "scheduled task: Never type=planned state=disabled",
        "scheduled task: Gone type=planned state=idle",
    ]
    (note,) = whole.of(source_file=file, event="note")
    assert (note["text"], note["source_line"]) == ('parser: unparseable record 3 (not a JSON object): "not a task"', 3)


@pytest.mark.parametrize("name", ["scheduler/tasks.json", "plugins/_telegram_integration/state.json",
                                  "agents/x/plugins/_tool_access/config.json"])  # fmt: skip
def test_a_file_that_is_no_object_is_one_note(name: str, home: Path, run: Runner) -> None:
    write(home, f"{USR}/{name}", "[1, 2]")
    (note,) = run(home).rows
    assert note["text"] == f"parser: {Path(name).name} is not a JSON object"


# ------------------------------------------------------------------------------------------- stores, places, pairing


def test_a_task_and_its_run_pair_within_a_minute(results: dict[str, Result]) -> None:
    rows = [row for row in results["scheduler"].rows if row["role"] == "secondary" and row["event"] != "task"]
    assert [(row["turn_type"], row["text"].split("\n")[0]) for row in rows] == [
        ("system", "scheduled task failed: litellm.BadRequestError: OpenAIException - stub: connection refused"),
        ("user", "## Task:"),
    ]


def test_a_telegram_chat_is_deleted_when_no_chat_that_was_read_has_its_id(home: Path, run: Runner) -> None:
    """The folder of a chat may bear another name than its id."""
    write(home, f"{USR}/chats/Dem/chat.json", talk("Demojson"))
    state = {"chats": {"bot:1:2": "Demojson", "bot:3:-4": "Gone0001"}}
    write(home, f"{USR}/plugins/_telegram_integration/state.json", state)
    assert run(home).texts(event="session_deleted") == [
        "session deleted: telegram bot bot chat -4 user 3 ctxid Gone0001 (from state.json, no chat.json in the input, "
        "file mtime)"
    ]


def test_a_volume_is_read_like_a_home(tmp_path: Path, run: Runner) -> None:
    data = tmp_path / "root" / "var/lib/docker/volumes/a0-launcher-demo-usr/_data"
    write(data, "chats/AbCd1234/chat.json", talk())
    write(data, "scheduler/tasks.json", {"tasks": []})
    result = run(tmp_path / "root")
    assert result.texts(turn_type="user") == ["list files"]
    assert {row["source_file"] for row in result.rows} == {"volumes/a0-launcher-demo-usr/chats/AbCd1234/chat.json"}


@pytest.mark.parametrize("usr", ["agent-zero/usr", "agent-zero/box/tmp", "Desktop/agent-zero/usr",
                                 "Desktop/agent-zero/tmp"])  # fmt: skip
def test_every_place_of_an_install_is_read(usr: str, home: Path, run: Runner) -> None:
    write_chat(home, talk(), usr)
    assert run(home).texts(turn_type="user") == ["list files"]


def test_a_queued_message_stands_at_the_time_of_its_file(whole: Result) -> None:
    (row,) = whole.of(event="draft")
    assert (row["text"], row["time_basis"]) == (
        "unsent draft: and then? [attachments: /a0/usr/uploads/n.txt]",
        "file_mtime",
    )
    assert row["timestamp_utc"].startswith("2026-03-01T13:00:00") and MTIME


# ------------------------------------------------------------------------------------------------------- streaming


def test_every_home_gives_the_same_rows_whole_and_as_a_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.read.jsoncursor.CHUNK", 200)
    for home in [FIXTURES / "home", *(FIXTURES / "cases" / name / "home" for name in CASES)]:
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


def test_a_turn_without_headline_and_thoughts_shows_what_the_model_wrote(home: Path, run: Runner) -> None:
    raw = turn("search", {"query": "x"})
    made = item(0, "agent", raw, id="a", tool_name="search", tool_args={"query": "x"})
    write_chat(home, chat("AbCd1234", [made]))
    assert run(home).texts(turn_type="assistant") == [raw]
