"""Builds Agent Zero homes: chats from what was said, as the program writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Json = dict[str, Any]

#: a named instance, as the installer lays it out
USR = "agent-zero/a0/usr"

#: 2026-10-05T09:00:00Z
START = 1791190800


def item(
    no: int, kind: str, content: str | None = "", *, heading: str = "", id: str | None = None, **more: Any
) -> Json:
    """A log item, `no` seconds after the chat began; `more` are its kvps, but for `agentno`."""
    agentno = more.pop("agentno", 0)
    return {
        "no": no, "id": id or None, "type": kind, "heading": heading, "content": content, "kvps": more,
        "timestamp": START + no + 0.25, "agentno": agentno,
    }  # fmt: skip


def message(id: str, content: Any, *, ai: bool = False, model: str | None = None, **more: Any) -> Json:
    """A message of a history. With `model` it has what came from the provider, secrets in clear among it."""
    metadata: Json = {}
    if model is not None:
        output = [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "PLANTED-OUTPUT"}]},
            {"type": "function_call", "call_id": "c", "name": "x", "arguments": "PLANTED-CALL"},
        ]
        if reasoning := more.pop("reasoning", None):
            output.insert(0, {"type": "reasoning", "summary": [{"type": "summary_text", "text": reasoning}]})
        metadata = {"responses": {"response_id": "", "output_items": output, "provider_model_key": model}}
    return {
        "_cls": "Message", "id": id, "ai": ai, "content": content, "metadata": metadata,
        "sequence": more.pop("sequence", 0), "summary": more.pop("summary", ""), "tokens": 5, **more,
    }  # fmt: skip


def turn(tool: str, arguments: Json | None = None, **more: Any) -> str:
    """The text of a model's turn."""
    return json.dumps({**more, "tool_name": tool, "tool_args": arguments or {}})


def history(*messages: Json, topics: tuple[Json, ...] = (), bulks: tuple[Json, ...] = ()) -> str:
    return json.dumps({
        "_cls": "History", "counter": len(messages), "bulks": list(bulks), "topics": list(topics),
        "current": topic(*messages),
    }, ensure_ascii=False)  # fmt: skip


def topic(*messages: Json, summary: str = "") -> Json:
    return {"_cls": "Topic", "summary": summary, "messages": list(messages)}


def bulk(*records: Json, summary: str = "") -> Json:
    return {"_cls": "Bulk", "summary": summary, "records": list(records)}


def chat(id: str, logs: list[Any], *histories: Any, data: Json | None = None, **more: Any) -> Json:
    """A chat.json; each history is that of an agent, the first of agent 0."""
    states = more.pop("states", {})
    agents = [
        {
            "number": number, "agent_profile": "agent0",
            "data": {"ctx_window": {"text": "PLANTED-WINDOW", "tokens": 9}, **states.get(number, {})},
            "history": text,
        }
        for number, text in enumerate(histories)
    ]  # fmt: skip
    return {
        "id": id, "name": f"about {id}", "created_at": "2026-10-05T11:00:00+02:00", "type": "user",
        "last_message": "2026-10-05T11:00:00+02:00", "agents": agents, "streaming_agent": 0,
        "agent_profile": "agent0",
        "log": {"guid": "6b0f0c1e-0000-4000-8000-000000000001", "logs": logs, "progress": "", "progress_no": len(logs)},
        "data": data or {}, "output_data": {}, **more,
    }  # fmt: skip


def write(home: Path, name: str, content: Any) -> Path:
    """A file below a home; anything but text and bytes as JSON."""
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if not isinstance(content, str | bytes):
        content = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"))
    return path


def write_chat(home: Path, made: Json, usr: str = USR) -> Path:
    return write(home, f"{usr}/chats/{made['id']}/chat.json", made)


def talk(id: str = "AbCd1234", **more: Any) -> Json:
    """A question, a shell call and an answer."""
    arguments = {"runtime": "terminal", "code": "ls"}
    listing = {"thoughts": ["list"], "headline": "Listing"}
    answering = {"thoughts": ["I can answer now."], "headline": "Answering"}
    reply = {"text": "There is one file."}
    logs = [
        item(0, "user", "list files", id="u1", attachments=[]),
        item(1, "agent", turn("code_execution_tool", arguments, **listing), heading="A0: Listing", id="a1",
             **listing, tool_name="code_execution_tool", tool_args=arguments),
        item(2, "code_exe", "bash>ls\n\na.txt", heading="icon://terminal a.txt icon://done_all", id="t1", **arguments),
        item(3, "agent", turn("response", reply, **answering), heading="A0: Answering", id="a2",
             **answering, tool_name="response", tool_args=reply),
        item(4, "response", "There is one file.", heading="icon://chat A0: Responding", id="a2", finished=True),
    ]  # fmt: skip
    messages = [
        message("u1", {"user_message": "list files"}),
        message("a1", turn("code_execution_tool", arguments, **listing), ai=True, model="openai/demo"),
        message("t1", {"tool_name": "code_execution_tool", "tool_result": "a.txt"}),
        message("a2", turn("response", reply, **answering), ai=True, model="openai/demo"),
    ]
    return chat(id, logs, history(*messages), **more)
