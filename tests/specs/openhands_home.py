"""Builds OpenHands homes: conversations of the SDK, and a home in which every rule of the spec has something to do."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

CLI = Path(".openhands/conversations")
CANVAS = Path(".openhands/agent-canvas/dev_conversations")
ONE, TWO, THREE = (f"0f0e0d0c1111400080000000000000{n:02d}" for n in (1, 2, 3))
PROJECT = "/home/alice/proj"

Event = dict[str, Any]


def uuid(number: int) -> str:
    return f"6b1d5c2e-0000-4000-8000-{number:012d}"


def stamp(seconds: int) -> str:
    """Local time, seconds after noon of 1 October 2026."""
    return f"2026-10-01T12:{seconds // 60:02d}:{seconds % 60:02d}.000000"


def event(number: int, kind: str, source: str = "environment", **more: Any) -> Event:
    """An event as the SDK writes it; members that are null are left out."""
    parent = {"parent_id": uuid(number - 1)} if number else {}
    made = {"id": uuid(number), "timestamp": stamp(number), "source": source, **parent, **more, "kind": kind}
    return {name: value for name, value in made.items() if value is not None}


def part(text: str) -> dict[str, Any]:
    return {"cache_prompt": False, "type": "text", "text": text}


def said(number: int, text: str, source: str = "user", **more: Any) -> Event:
    role = "assistant" if source == "agent" else "user"
    message = {"role": role, "content": [part(text)], **more.pop("message", {})}
    return event(number, "MessageEvent", source, llm_message=message, **more)


def called(number: int, action: Mapping[str, Any] | None, tool: str = "terminal", **more: Any) -> Event:
    given = more.pop("given", {name: value for name, value in (action or {}).items() if name != "kind"})
    call = {"id": f"call_{number}", "name": tool, "arguments": json.dumps(given), "origin": "completion"}
    base = {"thought": [], "tool_name": tool, "tool_call_id": f"call_{number}", "tool_call": call}
    return event(number, "ActionEvent", "agent", **(base | {"action": action, "security_risk": "UNKNOWN"} | more))


def ran(number: int, command: str, **more: Any) -> Event:
    return called(number, {"command": command, "kind": "TerminalAction"}, **more)


def saw(number: int, call: int, text: str, kind: str = "TerminalObservation", **more: Any) -> Event:
    tool = more.pop("tool_name", "terminal")
    extended = more.pop("extended_content", None)
    observation = {"content": [part(text)], "is_error": False, **more, "kind": kind}
    return event(
        number, "ObservationEvent", tool_name=tool, tool_call_id=f"call_{call}", action_id=uuid(call),
        observation=observation, extended_content=extended,
    )  # fmt: skip


def update(number: int, key: str, value: Any) -> Event:
    return event(number, "ConversationStateUpdateEvent", key=key, value=value)


def usage(*responses: tuple[str, str]) -> dict[str, Any]:
    """`stats` of base_state.json: (response id, model)."""
    made: dict[str, Any] = {}
    for response, model in responses:
        metrics = made.setdefault(model, {"model_name": model, "token_usages": []})
        metrics["token_usages"].append({"model": model, "response_id": response})
    return {"usage_to_metrics": made}


def state(model: str = "openai/alpha", **more: Any) -> dict[str, Any]:
    agent = {"llm": {"model": model, "api_key": "SECRET-KEY"}, "kind": "Agent"}
    return {
        "agent": agent, "workspace": {"working_dir": PROJECT, "kind": "LocalWorkspace"}, "execution_status": "finished",
        "secret_registry": {"secret_sources": {"T": {"value": "SECRET-REGISTRY"}}}, **more,
    }  # fmt: skip


def meta(created: str = "2026-10-01T10:00:00Z", **more: Any) -> dict[str, Any]:
    return {
        "id": ONE, "title": "List files", "created_at": created, "updated_at": created,
        "workspace": {"working_dir": PROJECT, "kind": "LocalWorkspace"}, "parent_conversation_id": None,
        "secrets": {"GITHUB_TOKEN": {"value": "gAAAAASECRET-FERNET"}}, **more,
    }  # fmt: skip


def write(path: Path, content: Any) -> Path:
    """JSON on one line, or text as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, separators=(",", ":")))
    return path


def conversation(
    home: Path, events: Iterable[Event], cid: str = ONE, root: Path = CLI, **sidecars: Mapping[str, Any] | str | None
) -> Path:
    """The directory of a conversation; `base` (a plain one by default) and `meta` are its sidecars."""
    folder = home / root / cid
    for number, found in enumerate(events):
        write(folder / "events" / f"event-{number:05d}-{found['id']}.json", found)
    base = sidecars.get("base", state())
    if base is not None:
        write(folder / "base_state.json", base)
    if sidecars.get("meta") is not None:
        write(folder / "meta.json", sidecars["meta"])
    return folder


def legacy(home: Path, events: Iterable[Event], sid: str = "s1", **more: Any) -> Path:
    """A conversation of the 0.x app; `more` goes into its metadata."""
    folder = home / ".openhands/sessions" / sid
    for number, found in enumerate(events):
        made = {"id": number, "timestamp": stamp(number), "source": "agent", **found}
        write(folder / "events" / f"{number}.json", made)
    write(folder / "metadata.json", {"title": "Old", "created_at": "2026-10-01T17:00:00Z", **more})
    return folder


def response(call: str, name: str, arguments: str, model: str = "old/one") -> dict[str, Any]:
    """`tool_call_metadata` of the 0.x app."""
    tool_call = {"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": None, "reasoning_content": "why not", "tool_calls": [tool_call]}
    answer = {"id": f"r-{call}", "model": model, "choices": [{"index": 0, "message": message}]}
    return {"function_name": name, "tool_call_id": call, "model_response": answer, "total_calls_in_response": 1}


def database(home: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    path = home / ".openhands/openhands.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    columns = (
        "conversation_id", "title", "created_at", "last_updated_at", "llm_model", "selected_repository",
        "selected_branch", "trigger", "parent_conversation_id",
    )  # fmt: skip
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE TABLE conversation_metadata ({', '.join(columns)})")
        for row in rows:
            db.execute(
                f"INSERT INTO conversation_metadata VALUES ({', '.join('?' * len(columns))})",
                [row.get(column) for column in columns],
            )
        db.commit()
    return path


def every_event() -> list[Event]:
    """A conversation of the agent server that holds each kind of event."""
    policy = {"threshold": "HIGH", "confirm_unknown": True, "kind": "ConfirmRisky"}
    return [
        event(0, "SystemPromptEvent", "agent", system_prompt=part("You are."), tools=[{}, {}],
              dynamic_context=part("Here.")),
        said(1, "list the files", extended_content=[part("a skill")], activated_skills=["lister"]),
        event(2, "HookExecutionEvent", "hook", hook_event_type="PreToolUse", hook_command="/h.sh", success=False,
              blocked=True, exit_code=2, stdout="", stderr="no\n"),
        update(3, "confirmation_policy", policy),
        ran(4, "ls", thought=[part("I look.")], reasoning_content="Reasons.", llm_response_id="r1"),
        event(5, "SecurityAnalysisEvent", analyzer="LLMSecurityAnalyzer", policy="ConfirmRisky",
              risks={uuid(4): "LOW", "gone": "HIGH"}, details={uuid(4): {"rationale": "reads"}}),
        update(6, "execution_status", "waiting_for_confirmation"),
        update(7, "execution_status", "running"),
        saw(8, 4, "README.md", extended_content=[part("a rule")]),
        called(9, {"command": "view", "path": "/p/a.txt", "kind": "FileEditorAction"}, "file_editor",
               llm_response_id="r1"),
        event(10, "UserRejectObservation", tool_name="file_editor", tool_call_id="call_9", action_id=uuid(9),
              rejection_reason="not that", rejection_source="user"),
        called(11, None, "no_such", given={"x": 1}, llm_response_id="r1"),
        event(12, "AgentErrorEvent", "agent", tool_name="no_such", tool_call_id="call_11", error="no such tool"),
        saw(13, 4, "Switched.", "SwitchLLMObservation", profile_name="fast", active_model="openai/beta"),
        said(14, "done so far", "agent", message={"reasoning_content": "A plain reply."}, llm_response_id="r2"),
        event(15, "Condensation", forgotten_event_ids=["a", "b"], summary="They met.", llm_response_id="c1"),
        event(16, "CondensationRequest"),
        event(17, "ConversationErrorEvent", code="E", detail="d"),
        event(18, "PauseEvent", "user"),
        update(19, "agent", {"llm": {"model": "openai/gamma", "api_key": "SECRET-UPDATE"}}),
        update(20, "goal", {"active": True, "objective": "say ok"}),
        said(21, "The goal is NOT yet complete (audit iteration 1).\nOutstanding: all"),
        said(22, "remember the style guide", "environment"),
        event(23, "ACPToolCallEvent", "agent", tool_call_id="t1", title="Run ls", status="in_progress",
              tool_kind="execute", raw_input={"command": "ls"}),
        event(24, "ACPToolCallEvent", "agent", tool_call_id="t1", title="Run ls", status="completed",
              tool_kind="execute", raw_input={"command": "ls"},
              content=[{"type": "content", "content": part("README.md")}]),
        update(25, "tags", ["a"]),
        {**said(26, "another way"), "parent_id": uuid(1)},
        called(27, {"message": "All done.", "kind": "FinishAction"}, "finish"),
        saw(28, 27, "All done.", "FinishObservation", tool_name="finish"),
        {**said(30, "after a gap"), "parent_id": uuid(28)},
    ]  # fmt: skip


def every_rule(home: Path) -> Path:
    """A home in which every emit of the spec writes a row."""
    events = every_event()
    base = state(
        "openai/delta", leaf_event_id=uuid(30), blocked_actions={uuid(4): "rm is blocked"},
        confirmation_policy={"threshold": "HIGH", "confirm_unknown": True, "kind": "ConfirmRisky"},
        security_analyzer={"kind": "PatternSecurityAnalyzer", "high_patterns": [["x", "y", "z"]]},
        stats=usage(("r1", "openai/alpha"), ("r2", "openai/beta"), ("c1", "openai/condenser")),
    )  # fmt: skip
    folder = conversation(home, events, root=CANVAS, base=base, meta=meta(worktree=True))
    events_folder = folder / "events"
    (events_folder / f"event-00029-{uuid(30)}.json").rename(events_folder / f"event-00030-{uuid(30)}.json")
    write(events_folder / f"event-00030-{uuid(31)}.json", {**said(31, "the same number"), "parent_id": uuid(30)})
    conversation(home, [said(40, "count files")], TWO, CANVAS / ONE / "subagents")
    copies = [*events[:5], said(50, "and on"), said(51, "yes", "agent", llm_response_id="r9")]
    conversation(home, copies, THREE, CANVAS, base=state(stats=usage(("r9", "openai/alpha"))))
    app_rules(home)
    legacy_rules(home)
    write(home / ".openhands/projects" / "00" / "prompt_history.json", [{"text": "gone", "timestamp": stamp(0)}])
    bash = home / ".openhands/agent-canvas/bash_events"
    command, when = "a" * 32, "2026-10-01T10:00:00.000001Z"
    found = {"id": command, "timestamp": when, "command": "make", "cwd": PROJECT, "kind": "BashCommand"}
    write(bash / f"20261001100000000001_BashCommand_{command}", found)
    found = {
        "id": "b",
        "timestamp": when,
        "command_id": command,
        "stdout": "ok\n",
        "stderr": "err\n",
        "kind": "BashOutput",
    }
    write(bash / f"20261001100000000002_BashOutput_{command}_b", found)
    found = {"id": "c", "timestamp": when, "code": "Timeout", "detail": "300 s", "kind": "BashError"}
    write(bash / "20261001100000000003_BashError_c", found)
    return home


def app_rules(home: Path) -> None:
    """The 1.x apps: the events of the SDK in files without numbers."""
    more = [
        said(31, "r", "agent", llm_response_id="r3"),
        saw(32, 4, "x", "SwitchLLMObservation", profile_name="slow", active_model="openai/alpha"),
        {**said(33, "anew"), "parent_id": "__root__"},
    ]
    events = [*every_event(), *more]
    for name in ("v1_conversations/" + "c" * 32, "u1/v1_conversations/" + "d" * 32):
        for found in events:
            write(home / ".openhands" / name / f"{found['id'].replace('-', '')}.json", json.dumps(found, indent=2))
    for found in events:
        name = f"20261001120000_{found['kind']}_{found['id'].replace('-', '')}"
        write(home / ".openhands/v1/events" / uuid(99) / name, found)
    row = {
        "conversation_id": "c" * 32, "title": "App", "created_at": "2026-10-01 10:00:00.000000", "llm_model": "o/app",
        "selected_branch": "main", "selected_repository": "acme/demo",
    }  # fmt: skip
    database(home, [row])


def legacy_rules(home: Path) -> None:
    """The 0.x app: every action and observation."""
    run = {"command": "ls", "thought": "I list.", "confirmation_state": "awaiting_confirmation", "security_risk": 2}
    call = response("call_1", "execute_bash", '{"command": "ls"}')
    legacy(home, [
        {"action": "system", "args": {"content": "You are.", "tools": [{}]}},
        {"action": "message", "source": "user", "args": {"content": "list", "image_urls": ["data:x"]}},
        {"action": "recall", "source": "user", "args": {"query": "list"}},
        {"observation": "recall", "cause": 2, "content": "Added", "extras": {"repo_instructions": "Be kind."}},
        {"action": "run", "args": run, "tool_call_metadata": call},
        {"action": "change_agent_state", "source": "user", "args": {"agent_state": "user_confirmed"}},
        {"observation": "agent_state_changed", "content": "", "extras": {"agent_state": "running"}},
        {"action": "run", "args": {**run, "confirmation_state": "confirmed"}, "tool_call_metadata": call},
        {"observation": "run", "cause": 7, "content": "README", "success": False, "tool_call_metadata": call,
         "extras": {"metadata": {"working_dir": "/workspace/demo"}}},
        {"action": "message", "args": {"content": "Which?"}, "tool_call_metadata": response("m", "x", "{}", "old/two")},
        {"action": "message", "source": "environment", "args": {"content": "nudge"}},
        {"action": "delegate", "args": {"agent": "B", "thought": "help"}},
        {"observation": "user_rejected", "cause": 11, "content": "no"},
        {"observation": "error", "cause": 11, "content": "failed"},
        {"observation": "error", "content": "lost"},
        {"action": "condensation", "args": {"forgotten_event_ids": [1], "summary": "sum"}},
        {"action": "condensation_request", "args": {}},
        {"observation": "condense", "content": "less"},
        {"observation": "success", "content": "fine"},
        {"action": "pause", "args": {}},
        {"action": "null", "args": {}},
        {"action": "finish", "args": {"final_thought": "Done.", "thought": "bye"}},
        {"action": "think", "args": {"thought": "hmm"}},
        {"action": "dance", "args": {"step": "MARK-ACTION"}},
        {"observation": "moon", "content": "MARK-OBSERVATION"},
        {"neither": "MARK-NEITHER"},
    ], selected_branch="main")  # fmt: skip
    folder = home / ".openhands/sessions/s1"
    (folder / "events/25.json").rename(folder / "events/27.json")
    write(folder / "event_cache/0-25.json", [{"action": "message", "args": {"content": "MARK-CACHE"}}])
    write(folder / "agent_state.pkl", "MARK-PICKLE")
