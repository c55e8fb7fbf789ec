"""A home with every record that Codex seldom writes, and every store: what the cases from real homes leave out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codex_home import (
    CHILD,
    CODEX,
    PARENT,
    THREAD,
    at,
    call,
    completed,
    event,
    item,
    line,
    message,
    meta,
    output,
    rollout,
    turn,
    write_database,
    write_lines,
)  # fmt: skip

TASK = "task: name the files"
PNG = "data:image/png;base64,AAAA"


def build(home: Path) -> Path:
    rollout(home, _session())
    rollout(home, _child(), CHILD)
    write_lines(home / CODEX / "session_index.jsonl", [{"id": THREAD, "thread_name": "name", "updated_at": at(1)}])
    write_lines(home / CODEX / "history.jsonl", [{"session_id": PARENT, "ts": 1790000000, "text": "a deleted prompt"}])
    _text(home, "history.json", '[{"command": "an older prompt", "timestamp": 1745000000000}]')
    _text(
        home, "config.toml", 'approval_policy = "never"\nprofile = "work"\n[projects."/p"]\ntrust_level = "trusted"\n'
    )
    _text(home, "work.config.toml", 'sandbox_mode = "read-only"\n[features]\nx = true\n')
    _text(home, "managed_config.toml", '[sandbox_workspace_write]\nnetwork_access = false\nwritable_roots = ["/a"]\n')
    _text(home, "config.json", '{"model": "o4-mini", "approvalMode": "full-auto"}')
    _text(home, "config.yaml", "approvalMode: suggest\n")
    _text(home, "rules/default.rules", '# saved\n\nprefix_rule(pattern=["ls"], decision="allow")\n')
    _text(home, "memories/MEMORY.md", "# Memory\nuse tabs\n")
    _text(home, "memories/rollout_summaries/one.md", "a summary\n")
    _text(home, "external_agent_session_imports.json", _IMPORTS)
    for name, tables in _DATABASES.items():
        write_database(home / CODEX / name, tables)
    return home


def _text(home: Path, name: str, text: str) -> None:
    file = home / CODEX / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def _session() -> list[Any]:
    """One thread with everything; what follows in a real file does not follow here."""
    return [
        meta(git={"branch": "main", "repository_url": "https://example.invalid/p.git"}, forked_from_id=PARENT),
        event(1, "task_started", turn_id="external-import-turn-1"),
        turn(2, effort="low"),
        line(3, "turn_context", {"model": "beta-2", "effort": None, "approvals_reviewer": "auto_review"}),
        event(4, "thread_settings_applied", thread_settings={
            "model": "beta-2", "approval_policy": {"granular": {"rules": True}},
            "active_permission_profile": {"id": ":workspace"}}),
        line(5, "world_state", {"full": True, "state": {"permissions": {"approved_command_prefixes": [["ls"]]}}}),
        message(6, "developer", "Approved command prefix saved:\n- [\"ls\"]\n- [\"cat\"]",
                "Denied network rule saved in execpolicy (denylist): example.invalid"),
        message(7, "user", "<user_shell_command>x"),
        message(8, "user", "look", id="m1"),
        event(8, "user_message", message="an unrepeated prompt", images=[PNG], local_images=["/a.png"]),
        event(9, "agent_message", message="an unrepeated answer"),
        event(9, "agent_reasoning", text="half a thought"),
        event(9, "agent_reasoning_raw_content", text="and its rest"),
        item(10, "reasoning", summary=[], encrypted_content="zz"),
        item(11, "local_shell_call", call_id="s1", action={"type": "exec", "command": ["ls", "a b"]}),
        output(12, "exec command rejected by user", "s1"),
        item(13, "tool_search_call", call_id="s2", execution="client", arguments={"query": "q"}),
        item(14, "tool_search_output", call_id="s2", status="completed", execution="client", tools=[{"name": "n"}]),
        item(15, "image_generation_call", id="ig1", status="completed", revised_prompt="a cat", result="AAAA"),
        item(16, "agent_message", author="/root", recipient="/root/a", content=[
            {"type": "input_text", "text": "hello"}, {"type": "encrypted_content", "encrypted_content": "zz"}]),
        item(17, "ghost_snapshot", ghost_commit={"id": "abc", "parent": "def"}),
        item(17, "compaction", encrypted_content="zz"),
        line(18, "inter_agent_communication", {"author": "/root", "recipient": "/root/a", "content": "go"}),
        line(18, "inter_agent_communication_metadata", {"trigger_turn": True}),
        line(19, "compacted", {"message": "", "replacement_history": [{}, {}]}),
        event(20, "mcp_tool_call_end", call_id="e1",
              invocation={"server": "docs", "tool": "find", "arguments": {"query": "q"}},
              result={"Ok": {"content": [{"type": "text", "text": "found"}], "isError": True}}),
        event(21, "exec_command_end", call_id="e2", command=["sh", "-c", "false"], exit_code=1, aggregated_output=""),
        event(22, "exec_command_end", call_id="e3", command=["bash", "-lc", "date"], source="user_shell", cwd="/p",
              aggregated_output="noon"),
        event(23, "patch_apply_end", call_id="e4", success=True, stdout="ok", stderr="",
              changes={"a.py": {"type": "update", "move_path": "b.py"}}),
        event(24, "web_search_end", call_id="e5", query="q", action={"type": "search", "query": "q"}),
        event(25, "image_generation_end", call_id="e6", revised_prompt="a dog", saved_path="/d.png"),
        event(26, "view_image_tool_call", call_id="e7", path="/x.png"),
        event(27, "dynamic_tool_call_request", callId="e8", tool="dyn", arguments={"path": "/y"}),
        event(28, "dynamic_tool_call_response", call_id="e8", tool="dyn", arguments={"path": "/y"}, success=False,
              content_items=[{"type": "inputText", "text": "no"}]),
        event(29, "collab_agent_spawn_end", call_id="e9", prompt=TASK, new_thread_id=CHILD),
        event(30, "error", message="quota", codex_error_info="usage_limit_exceeded"),
        event(31, "thread_rolled_back", num_turns=2),
        event(32, "thread_name_updated", thread_name="new name"),
        event(33, "thread_goal_updated", threadId=THREAD, goal={"objective": "ship", "status": "active"}),
        event(34, "guardian_assessment", id="g1", target_item_id="s1", status="denied", rationale="risky"),
        event(35, "entered_review_mode", user_facing_hint="the last commit"),
        event(36, "exited_review_mode", review_output={"overall_explanation": "fine", "findings": []}),
        event(37, "undo_completed", success=True, message=None),
        event(38, "sub_agent_activity", agent_thread_id=CHILD, agent_path="/root/a", kind="started"),
        event(39, "context_compacted"),
        completed(40, "UserMessage", content=[{"type": "text", "text": "an unrepeated item"}, {"type": "image"}]),
        completed(41, "AgentMessage", content=[{"type": "Text", "text": "its answer"}]),
        completed(42, "Reasoning", summary_text=["its thought"], raw_content=["raw"]),
        completed(43, "CommandExecution", id="i1", command=["ls", "-l"], status="failed", exit_code=2, source="agent",
                  cwd="file:///p", aggregated_output="no"),
        completed(44, "CommandExecution", id="i2", command=["bash", "-lc", "pwd"], status="completed", exit_code=0,
                  cwd="file:///p", source="user_shell", aggregated_output="/p"),
        completed(45, "FileChange", id="i3", changes={"a": {"type": "add"}}, status="declined", stdout="", stderr="no"),
        completed(46, "McpToolCall", id="i4", server="docs", tool="find", arguments={"query": "q"}, status="completed",
                  result={"content": [{"type": "text", "text": "found"}]}),
        completed(47, "DynamicToolCall", id="i5", tool="dyn", arguments={}, status="completed", content_items=[]),
        completed(48, "CollabAgentToolCall", id="i6", tool="spawn_agent", status="completed", prompt=TASK),
        completed(49, "WebSearch", id="i7", query="q", action={"type": "search", "query": "q"}, results=[{"url": "u"}]),
        completed(50, "ImageView", id="i8", path="file:///x.png"),
        completed(51, "ImageGeneration", id="i9", status="completed", result="AAAA", saved_path="/i.png"),
        completed(52, "Plan", id="i10", text="first this"),
        completed(53, "HookPrompt", id="i11", fragments=[{"text": "run tests", "hookRunId": "h"}]),
        completed(54, "SubAgentActivity", id="i12", kind="started", agent_thread_id=CHILD, agent_path="/root/a"),
        completed(55, "EnteredReviewMode", id="i13", user_facing_hint="staged files"),
        completed(56, "ExitedReviewMode", id="i14", review_output=None),
        completed(57, "Extension", kind="clock.sleep", id="i15", durationMs=500),
        completed(57, "Extension", kind="image_gen.generation", id="i16", savedPath="/e.png"),
        completed(57, "ContextCompaction", id="i17"),
        event(58, "agent_reasoning", text="cut off"),
        event(59, "turn_aborted", turn_id="t1", reason="interrupted"),
        event(60, "task_complete", turn_id="t2", duration_ms=5, last_agent_message="only here",
              error={"message": "stream cut", "codex_error_info": {"response_stream_disconnected": {"code": 502}}}),
        call(61, "exec_command", {"cmd": "rm x"}, "c9"),
        output(62, "`rm x` rejected: policy forbids commands starting with `rm`", "c9"),
    ]  # fmt: skip


def _child() -> list[Any]:
    spawn = {"parent_thread_id": THREAD, "depth": 1, "agent_nickname": "Bo", "agent_role": "worker"}
    return [
        meta(1, CHILD, source={"subagent": {"thread_spawn": spawn}}, thread_source="subagent"),
        turn(2),
        message(3, "user", TASK),
        event(3, "user_message", message=TASK),
        completed(3, "UserMessage", content=[{"type": "text", "text": TASK}]),
        message(4, "assistant", "a, b"),
    ]


_IMPORTS = (
    '{"records": [{"source_path": "/home/alice/.claude/projects/p/s.jsonl", "content_sha256": "00", '
    f'"imported_thread_id": "{THREAD}", "imported_at": 1790000000, "title": "old talk"}}]}}'
)

_LOST = "01990000-0000-7000-8000-0000000000d9"


def _kept(thread: str, number: int, text: str) -> dict[str, Any]:
    return {
        "thread_id": thread, "item_id": f"h{number}", "created_at_ms": 1790000000000 + number, "item_json": text,
    }  # fmt: skip


_ITEMS = [
    '{"type":"userMessage","id":"h0","content":[{"type":"text","text":"a lost prompt"},'
    '{"type":"localImage","path":"/a"}]}',
    '{"type":"agentMessage","id":"h1","text":"a lost answer"}',
    '{"type":"reasoning","id":"h2","summary":["a lost thought"],"content":[]}',
    '{"type":"commandExecution","id":"h3","command":"/bin/bash -lc false","cwd":"/p","source":"agent",'
    '"status":"failed","exitCode":1,"aggregatedOutput":"no"}',
    '{"type":"commandExecution","id":"h4","command":"pwd","cwd":"/p","source":"userShell","status":"completed",'
    '"exitCode":0,"aggregatedOutput":"/p"}',
    '{"type":"fileChange","id":"h5","changes":[{"path":"a","kind":{"type":"update","move_path":"b"},"diff":""}],'
    '"status":"completed"}',
    '{"type":"mcpToolCall","id":"h6","server":"docs","tool":"find","arguments":{"query":"q"},"status":"completed",'
    '"result":{"content":[{"type":"text","text":"found"}]}}',
    '{"type":"dynamicToolCall","id":"h7","tool":"dyn","arguments":{},"status":"completed","contentItems":[]}',
    '{"type":"collabAgentToolCall","id":"h8","tool":"spawnAgent","status":"completed","prompt":"go"}',
    '{"type":"webSearch","id":"h9","query":"q","action":{"type":"search","query":"q"},"results":null}',
    '{"type":"imageView","id":"h10","path":"/x.png"}',
    '{"type":"imageGeneration","id":"h11","status":"completed","revisedPrompt":"a cat","result":"AAAA"}',
    '{"type":"contextCompaction","id":"h12"}',
    '{"type":"plan","id":"h13","text":"first this"}',
]

_DATABASES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "state_5.sqlite": {
        "threads": [
            {"id": _LOST, "rollout_path": "/r", "updated_at": 1790000000, "cwd": "/p", "title": "t",
             "thread_source": "subagent", "archived_at": 1790000001},
        ],
        "thread_spawn_edges": [{"parent_thread_id": THREAD, "child_thread_id": CHILD, "status": "closed"}],
        "remote_control_enrollments": [{"server_name": "desk", "updated_at": 1790000000, "account_id": "SECRET-ACC"}],
        "external_agent_config_imports": [
            {"import_id": "i1", "completed_at_ms": 1790000000000, "provider_id": "cursor"},
        ],
    },
    "thread_history_1.sqlite": {
        "thread_items": [
            *(_kept(PARENT, number, text) for number, text in enumerate(_ITEMS)),
            _kept(_LOST, 20, '{"type":"userMessage","id":"x","content":[{"type":"text","text":"a lost task"}]}'),
            _kept(THREAD, 21, '{"type":"plan","id":"y","text":"first this"}'),
            _kept(THREAD, 22, '{"type":"commandExecution","id":"z","command":"date","source":"userShell"}'),
        ],
    },
    "queue_1.sqlite": {
        "queued_items": [
            {"id": "q1", "thread_id": THREAD, "created_at_ms": 1790000000000,
             "payload_json": '{"UserInput":{"content":[{"type":"text","text":"later","text_elements":[]}]}}'},
            {"id": "q2", "thread_id": THREAD, "created_at_ms": 1790000000001, "payload_json": '{"Other":{}}'},
        ],
    },
    "goals_1.sqlite": {
        "thread_goals": [
            {"thread_id": THREAD, "goal_id": "g", "objective": "ship", "status": "active", "tokens_used": 7,
             "updated_at_ms": 1790000000000},
        ],
    },
    "memories_1.sqlite": {
        "stage1_outputs": [
            {"thread_id": THREAD, "raw_memory": "tabs", "rollout_summary": "style", "generated_at": 1790000000},
        ],
    },
}  # fmt: skip
