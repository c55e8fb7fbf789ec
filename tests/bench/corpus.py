"""A corpus for each agent, laid out as a home, of about a given size in bytes."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson

from tests.bench.documents import make_chat, make_thread
from tests.bench.texts import BRANCHES, PROJECTS, Texts

Json = dict[str, Any]

#: how large a session is, in bytes
SESSION = 2_000_000


def make(agent: str, home: Path, size: int, seed: str = "1") -> int:
    """Writes the agent's corpus below `home`; its size in bytes (for Zed that of the unpacked JSON)."""
    texts, total = Texts(seed, agent), 0
    while total < size:
        total += _MAKERS[agent](texts, home, min(SESSION, size - total))
    return total


def _lines(path: Path, records: Iterator[Json], size: int) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with path.open("wb") as file:
        for record in records:
            written += file.write(orjson.dumps(record) + b"\n")
            if written >= size:
                break
    return written


# --------------------------------------------------------------------------------------------------- Codex


def _codex(t: Texts, home: Path, size: int) -> int:
    session = t.uuid()
    path = home / f".codex/sessions/2026/03/02/rollout-2026-03-02T08-00-00-{session}.jsonl"
    return _lines(path, _codex_records(t, session), size)


def _codex_records(t: Texts, session: str) -> Iterator[Json]:
    cwd, model = t.random.choice(PROJECTS), "gpt-5.2-codex"

    def record(kind: str, payload: Json) -> Json:
        return {"timestamp": t.utc(), "type": kind, "payload": payload}

    def message(role: str, kind: str, *said: str) -> Json:
        content = [{"type": kind, "text": text} for text in said]
        return record("response_item", {"type": "message", "role": role, "content": content})

    yield record("session_meta", {
        "id": session, "timestamp": t.utc(), "cwd": cwd, "originator": "codex_cli_rs", "cli_version": "0.98.0",
        "source": "cli", "model_provider": "openai", "base_instructions": {"text": t.text("prose", 14000)},
        "git": {"commit_hash": t.hex(40), "branch": t.random.choice(BRANCHES), "repository_url": "https://a.test/a.git"},
    })  # fmt: skip
    yield message("developer", "input_text", t.text("prose", 6000))
    while True:
        said, turn = t.message(), t.uuid()
        yield record("event_msg", {"type": "task_started", "turn_id": turn, "model_context_window": 272000})
        yield record("turn_context", {
            "turn_id": turn, "cwd": cwd, "approval_policy": "on-request", "model": model, "effort": "high",
            "sandbox_policy": {"type": "workspace-write", "network_access": False}, "summary": "auto",
            "user_instructions": t.text("prose", 900),
        })  # fmt: skip
        yield message("user", "input_text", said)
        yield record("event_msg", {"type": "user_message", "message": said, "images": [], "text_elements": []})
        for _ in range(t.random.randint(3, 25)):
            if t.random.random() < 0.7:
                thought = f"**{t.text('prose', 30)}**\n\n" + t.prose(300, 0.7, 40, 3000)
                yield record("event_msg", {"type": "agent_reasoning", "text": thought})
                summary = [{"type": "summary_text", "text": thought}]
                secret = t.blob(t.size(1500, 0.5, 400, 8000))
                yield record("response_item", {"type": "reasoning", "summary": summary, "encrypted_content": secret})
            call, arguments = f"call_{t.hex(24)}", orjson.dumps({"command": ["bash", "-lc", t.command()]}).decode()
            yield record(
                "response_item", {"type": "function_call", "name": "shell", "arguments": arguments, "call_id": call}
            )
            yield record("response_item", {"type": "function_call_output", "call_id": call, "output": t.output()})
            usage = {"input_tokens": 100, "cached_input_tokens": 10, "output_tokens": 5, "total_tokens": 115}
            info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 272000}
            yield record("event_msg", {"type": "token_count", "info": info})
        answer = t.message()
        yield record("event_msg", {"type": "agent_message", "message": answer})
        yield message("assistant", "output_text", answer)


# --------------------------------------------------------------------------------------------- Claude Code


def _claude(t: Texts, home: Path, size: int) -> int:
    session, cwd = t.uuid(), t.random.choice(PROJECTS)
    path = home / f".claude/projects/{cwd.replace('/', '-')}/{session}.jsonl"
    return _lines(path, _claude_records(t, session, cwd), size)


def _claude_records(t: Texts, session: str, cwd: str) -> Iterator[Json]:
    def record(kind: str, **more: Any) -> Json:
        return {
            "parentUuid": t.uuid(), "isSidechain": False, "userType": "external", "cwd": cwd, "sessionId": session,
            "version": "2.1.20", "gitBranch": "main", "type": kind, **more, "uuid": t.uuid(), "timestamp": t.utc(),
        }  # fmt: skip

    def answer(block: Json) -> Json:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 1000, "output_tokens": 200}
        message = {
            "model": "claude-opus-4-6", "id": f"msg_01{t.hex(22)}", "type": "message", "role": "assistant",
            "content": [block], "stop_reason": None, "usage": usage,
        }  # fmt: skip
        return record("assistant", message=message, requestId=f"req_011{t.hex(21)}")

    while True:
        yield record("user", message={"role": "user", "content": t.message()})
        for _ in range(t.random.randint(2, 20)):
            if t.random.random() < 0.4:
                yield answer({"type": "thinking", "thinking": t.prose(300), "signature": t.blob(400)})
            call, shown = f"toolu_01{t.hex(22)}", t.output()
            yield answer({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": t.command()}})
            result = {"tool_use_id": call, "type": "tool_result", "content": shown, "is_error": False}
            told = {"stdout": shown, "stderr": "", "interrupted": False, "isImage": False}
            yield record("user", message={"role": "user", "content": [result]}, toolUseResult=told)
        yield answer({"type": "text", "text": t.message()})
        yield record("system", subtype="turn_duration", durationMs=t.random.randint(1000, 900000), isMeta=False)


# ------------------------------------------------------------------------------------------------- nanobot


def _nanobot(t: Texts, home: Path, size: int) -> int:
    key = f"telegram:{t.random.randint(10**8, 10**9)}"
    name = base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")
    return _lines(home / f".nanobot/sessions/{t.hex(32)}/{name}.jsonl", _nanobot_records(t, key), size)


def _nanobot_records(t: Texts, key: str) -> Iterator[Json]:
    now = t.local()
    yield {
        "_type": "metadata",
        "key": key,
        "created_at": now,
        "updated_at": now,
        "metadata": {},
        "last_consolidated": 0,
    }
    while True:
        yield {"role": "user", "content": t.message(), "timestamp": t.local()}
        for _ in range(t.random.randint(0, 12)):
            call = f"call_{t.hex(24)}"
            function = {"name": "exec", "arguments": orjson.dumps({"command": t.command()}).decode()}
            yield {
                "role": "assistant", "content": t.prose(120), "reasoning_content": t.prose(400), "timestamp": t.local(),
                "tool_calls": [{"id": call, "type": "function", "function": function}],
            }  # fmt: skip
            yield {"role": "tool", "tool_call_id": call, "name": "exec", "content": t.output(), "timestamp": t.local()}
        yield {"role": "assistant", "content": t.message(), "timestamp": t.local()}


# ----------------------------------------------------------------------------------------------- OpenHands


def _openhands(t: Texts, home: Path, size: int) -> int:
    name, cwd, now = t.hex(32), t.random.choice(PROJECTS), t.tick().isoformat() + "+00:00"
    folder = home / f".openhands/conversations/{name}"
    (folder / "events").mkdir(parents=True, exist_ok=True)
    workspace = {"kind": "LocalWorkspace", "working_dir": cwd}
    meta = {"id": name, "title": t.text("prose", 30), "created_at": now, "updated_at": now, "workspace": workspace}
    (folder / "meta.json").write_bytes(orjson.dumps(meta))
    state = {"id": name, "agent": {"kind": "Agent", "llm": {"model": "m"}}, "workspace": workspace}
    (folder / "base_state.json").write_bytes(orjson.dumps(state))
    written = 0
    for number, event in enumerate(_openhands_events(t, cwd)):
        data = orjson.dumps(event)
        (folder / f"events/event-{number:05d}-{event['id']}.json").write_bytes(data)
        written += len(data)
        if written >= size:
            break
    return written


def _openhands_events(t: Texts, cwd: str) -> Iterator[Json]:
    def event(kind: str, source: str, **more: Any) -> Json:
        return {"kind": kind, "id": t.uuid(), "timestamp": t.local(), "source": source, **more}

    def message(source: str, role: str) -> Json:
        said = {"role": role, "content": [{"cache_prompt": False, "type": "text", "text": t.message()}]}
        return event("MessageEvent", source, llm_message=said, activated_skills=[], extended_content=[])

    while True:
        yield message("user", "user")
        for _ in range(t.random.randint(3, 25)):
            call, command = f"toolu_{t.hex(24)}", t.command()
            arguments = orjson.dumps({"command": command, "security_risk": "LOW"}).decode()
            yield event(
                "ActionEvent", "agent", thought=[{"type": "text", "text": t.prose(160)}],
                reasoning_content=t.prose(300),
                action={"kind": "TerminalAction", "command": command, "is_input": False}, tool_name="terminal",
                tool_call_id=call, tool_call={"id": call, "name": "terminal", "arguments": arguments},
                llm_response_id=t.uuid(), security_risk="LOW",
            )  # fmt: skip
            shown = {
                "kind": "TerminalObservation", "content": [{"type": "text", "text": t.output()}], "is_error": False,
                "command": command, "exit_code": 0, "metadata": {"exit_code": 0, "working_dir": cwd},
            }  # fmt: skip
            yield event("ObservationEvent", "environment", tool_name="terminal", tool_call_id=call, observation=shown)
        yield message("agent", "assistant")


_MAKERS: dict[str, Callable[[Texts, Path, int], int]] = {
    "codex-cli": _codex, "claude-code": _claude, "nanobot": _nanobot, "openhands": _openhands, "zed": make_thread,
    "agent-zero": make_chat,
}  # fmt: skip
