"""Writes the home of Agent Zero with every store and every kind of row: `fixtures/agent-zero/home`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from agent_zero_home import USR, bulk, chat, history, item, message, talk, topic, turn, write, write_chat

_BLOCKED = (
    'Traceback (most recent call last):\n  File "/a0/helpers/tool_policy.py", line 197, in ensure_tool_allowed\n'
    "    raise RepairableException(f'Tool \"{tool_name}\" is blocked')\n"
    'helpers.errors.RepairableException: Tool "code_execution_tool" is blocked for agent profile "developer".'
)


def editor_session() -> dict[str, Any]:
    """A chat that an editor opened, with every decision on a call."""
    logs = [
        item(0, "user", "open the editor session", id="u1"),
        item(1, "warning", _BLOCKED, id="w1"),
        item(2, "warning", "Responses MCP approval request received.", heading="Responses MCP approval required"),
        item(3, "warning", "Safety concern", heading="Infection check: requesting clarification"),
        item(4, "warning", "Safety concern", heading="Infection check: clarification passed"),
        item(5, "warning", "Malicious behavior detected.", heading="Infection check: TERMINATED", id="w2"),
    ]
    data = {
        "project": "demo", "acp_session": True, "acp_cwd": "/home/alice/src/webapp", "acp_mode": "act",
        "acp_additional_directories": ["/home/alice/src/shared"], "acp_transport": "container",
        "acp_model_id": "openai/gpt-5", "acp_config_options": {}, "workdir_path": "/a0/usr/workdir/acp",
        "chat_model_override": {
            "chat": {"provider": "openrouter", "name": "anthropic/claude-sonnet-4", "api_key": "PLANTED-KEY"},
            "utility": {"provider": "ollama", "name": "qwen3"},
        },
    }  # fmt: skip
    return chat("EdtAcp01", logs, history(message("u1", {"user_message": "open the editor session"})), data=data)


def every_item() -> dict[str, Any]:
    """Each kind of log item, and items that are none."""
    logs: list[Any] = [
        item(0, "response", "Hello!", id="g", finished=True),
        item(1, "user", "please xxxx\n\n<< 9 Characters hidden >>", id="u1", attachments=["a.txt", "b.txt"]),
        item(2, "agent", "{", id="a1", heading="A0: Calling LLM...", reasoning="Which tool?"),
        item(3, "mcp", "issue 7", id="t1", heading="icon://extension x", tool_name="github.create", title="Crash"),
        item(4, "browser", "a page", url="https://example.org", _tool_name="browser", browser_snapshot={"uri": "x"},
             Screenshot="img://shot.png"),
        item(5, "subagent", "42", name="counter", message="count"),
        item(6, "tool", "", _tool_name="vision_load", paths=["/a0/usr/uploads/dot.png"], result="1 images loaded"),
        item(7, "progress", "Wait complete.", heading="icon://timer Wait: Done icon://done_all", seconds=1),
        item(8, "util", "", heading="Searching memories...", query="x"),
        item(9, "hint", "try this"),
        item(10, "info", "Process reset, agent nudged."),
        item(11, "input", "typed"),
        item(12, "error", "Bot 'opsbot' not running", heading="Telegram send failed"),
        item(13, "agent", "", heading="A0: Calling LLM..."),
        item(14, "agent", "", heading="A0: Calling LLM...", id="a2"),
        item(15, "agent", turn("response", {"text": "cut short"}, headline="Done"), id="a3", tool_name="response",
             headline="Done", tool_args={"text": "cut short"}),
        item(16, "agent", turn("wait", {"seconds": 1}), id="a4", tool_name="wait", tool_args={"seconds": 1}),
        item(17, "code_exe", "out", runtime="python", code="1+1"),
        item(18, "response", "", id="a5"),
        item(19, "response", "## Context compacted\n\nEarlier talk.", heading="Context compacted"),
        item(20, "novel", "what is this", id="n1", flavour="new"),
        {**item(21, "tool", "deep", _tool_name="search", query="needle"), "agentno": None, "agent_number": 1},
        "no object",
        {**item(23, "user", "reloaded", id="u9"), "kvps": None},
    ]  # fmt: skip
    messages = [
        message("u1", {"user_message": "please " + "x" * 60, "attachments": ["/a0/usr/uploads/a.txt"]}),
        message("a1", "{", ai=True, model="openai/demo"),
        message("a2", "A plain answer.", ai=True, model="openai/other"),
        message("a5", turn("response", {"text": "only in the history"}), ai=True, model="openai/other"),
    ]
    data = {
        "message_queue": [{"id": "q", "seq": 1, "text": "and then?", "attachments": ["/a0/usr/uploads/n.txt"]}],
        "chat_model_override": {"preset_name": "Fast"},
        "wa_chat_id": "15550100@s.whatsapp.net", "wa_sender_number": "15550100", "wa_last_body": "PLANTED-BODY",
        "email_thread_id": "thread01", "email_sender": "alice@example.com", "email_last_body": "PLANTED-BODY",
    }  # fmt: skip
    state = {"previous_response_id": "resp_1", "provider_model_key": "openai/demo", "response_ids": ["resp_1"]}
    return chat("Every001", logs, history(*messages), data=data, states={0: {"responses_state": state}})


def telegram_chat() -> dict[str, Any]:
    data = {
        "telegram_bot": "opsbot", "telegram_bot_cfg": {"token": "PLANTED-TOKEN", "webhook_secret": "PLANTED-HOOK"},
        "telegram_chat_id": 987654321, "telegram_user_id": 123456789, "telegram_username": "",
        "chat_model_override": {"provider": "own", "name": "alpha-1", "api_key": "PLANTED-KEY"},
    }  # fmt: skip
    logs = [item(0, "user", "deploy with §§secret(DEPLOY_KEY)", id="u1")]
    return chat(
        "TgChat01", logs, history(message("u1", {"user_message": "deploy with §§secret(DEPLOY_KEY)"})), data=data
    )


def parallel_pair() -> tuple[dict[str, Any], dict[str, Any]]:
    """A chat that calls two tools at once, and the chat of a subordinate that it ran."""
    calls = {"tool_calls": [
        {"tool_name": "call_subordinate", "tool_args": {"message": "count to three"}},
        {"tool_name": "code_execution_tool", "tool_args": {"runtime": "terminal", "code": "echo par"}},
    ]}  # fmt: skip
    logs = [
        item(0, "user", "both, please", id="u1"),
        item(1, "agent", turn("parallel", calls, headline="Both"), id="a1", headline="Both", tool_name="parallel",
             tool_args=calls),
        item(2, "subagent", "1 2 3", id="s1", message="count to three"),
        item(3, "code_exe", "par", id="c1", runtime="terminal", code="echo par"),
    ]  # fmt: skip
    messages = [
        message("u1", {"user_message": "both, please"}),
        message("a1", turn("parallel", calls, headline="Both"), ai=True, model="openai/demo"),
        message("p1", {"tool_name": "parallel", "tool_result": '{"status": "success"}'}),
    ]
    parent = chat("ParDad01", logs, history(*messages))
    task = {"user_message": "count to three", "system_message": ["PLANTED-PROMPT"]}
    child = chat(
        "ParKid01",
        [item(0, "user", "count to three", attachments=[]), item(1, "user", "go on", id="u2")],
        history(message("u1", task), message("u2", {"user_message": "go on"})),
        output_data={"parent_context_id": "ParDad01", "parent_context_kind": "parallel"},
    )
    return parent, child


def trimmed() -> dict[str, Any]:
    """A chat whose first log items are gone: every kind of message stands before the first that the log holds."""
    shell = {"runtime": "terminal", "code": "echo first"}
    early = [
        message("e0", {"user_message": "Hello!"}, sequence=1),
        message("e1", turn("response", {"text": "Hi."}, thoughts=["greet"]), ai=True, model="", sequence=2),
        message("e2", {"user_message": "first question", "attachments": ["/a0/usr/uploads/a.txt"]}, sequence=3),
        message("e3", turn("code_execution_tool", shell, headline="Run"), ai=True, model="openai/demo",
                reasoning="Think first.", sequence=4),
        message("e4", {"tool_name": "code_execution_tool", "tool_result": "first"}, sequence=5),
        message("e5", {"user_intervention": "no, differently"}, sequence=6),
        message("e6", turn("response", {"text": "first answer"}, thoughts=["done"]), ai=True, model="openai/demo",
                sequence=7),
    ]  # fmt: skip
    odd = [
        message("o1", {"messages_summary": "what was between"}),
        message("o2", {"system_warning": "You have sent the same message again."}),
        message("o3", {"raw_content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}),
        message("o4", {"system_message": ["Telegram send failed"]}),
        message("o5", {"user_message": '{"system_message": "go on"}'}),
        message("o6", "plain text", ai=True, model="openai/next"),
        message("o7", "## Context compacted\n\nbefore all that", ai=True),
        message("o8", "", ai=True, model="openai/next"),
        message("o9", {"odd": "content", "metadata": "kept"}, model="openai/next"),
        message("o10", {"tool_name": "search", "file": "/a0/usr/chats/Trim0001/messages/1.txt"}),
    ]  # fmt: skip
    late = [
        message("u7", {"user_message": "last question"}),
        message("x1", {"tool_name": "wait", "tool_result": "its item has no id"}),
        message("x2", {"system_warning": "said by the log"}),
        message("x3", {"user_message": "asked by the connector"}),
        message("x4", turn("lost_tool", {"a": 1}), ai=True, model="openai/next"),
        message("x5", {"tool_name": "lost_tool", "tool_result": "lost result"}),
    ]
    subordinate = history(
        message("s1", {"user_message": "count the words"}),
        message("s2", {"user_message": "a task whose call is gone"}),
    )
    logs = [
        item(7, "user", "last question", id="u7"),
        item(8, "user", "asked by the connector", id="client-1"),
        item(9, "subagent", "3", message="count the words"),
    ]
    nested = bulk(bulk(topic(*early), summary="the very beginning"), summary="the beginning")
    return chat(
        "Trim0001", logs, history(*late, topics=(topic(*odd, summary="odd things"),), bulks=(nested,)), subordinate
    )


def tasks() -> list[Any]:
    common = {"system_prompt": "PLANTED-PROMPT", "attachments": [], "created_at": "2026-10-05T08:00:00Z"}
    return [
        {"uuid": "AbCd1234", "context_id": "AbCd1234", "state": "idle", "name": "Nightly", **common,
         "prompt": "list files", "project_name": "demo", "last_run": "2026-10-05T09:00:05.500000Z",
         "last_result": "There is one file.", "type": "scheduled"},
        {"uuid": "AdHoc001", "context_id": "AdHoc001", "state": "error", "name": "Check", **common,
         "prompt": "check the service", "project_name": None, "last_run": "2026-10-05T11:00:05+02:00",
         "last_result": "ERROR: connection refused", "type": "adhoc", "token": "PLANTED-1234567890123456789"},
        "not a task",
        {"uuid": "Never001", "context_id": "Never001", "state": "disabled", "name": "Never", **common, "prompt": "",
         "last_run": None, "last_result": None, "type": "planned"},
        {"uuid": "Gone0001", "context_id": "Gone0001", "state": "idle", "name": "Gone", **common, "prompt": "tidy",
         "last_run": "2026-10-05T09:30:00Z", "last_result": "Tidied.", "type": "planned"},
    ]  # fmt: skip


def build(home: Path) -> Path:
    write_chat(home, talk(data={"project": "demo"}))
    write(home, f"{USR}/chats/AbCd1234/messages/1.txt", "a.txt")
    write(home, f"{USR}/chats/AbCd1234/messages/2.txt", "a result that stands nowhere else")
    for made in (editor_session(), every_item(), telegram_chat(), *parallel_pair(), trimmed()):
        write_chat(home, made)
    write(home, f"{USR}/chats/Trim0001/messages/1.txt", "spilled")
    # the oldest form: alone, and beside the folder that it became
    write(home, "agent-zero/a0/tmp/chats/Oldest01.json", talk("Oldest01", agent_profile=None))
    write_chat(home, talk("OldCopy1"))
    write(home, f"{USR}/chats/OldCopy1.json", talk("OldCopy1"))
    # what a compaction took away
    write_chat(
        home, chat("Compact1", [{**item(9, "response", "## Context compacted\n\nA listing."), "no": 0}], history())
    )
    write(home, f"{USR}/chats/Compact1/backups/pre-compact-20261005-110008.json", talk("Compact1"))
    write(home, f"{USR}/scheduler/tasks.json", {"tasks": tasks()})
    write(home, "agent-zero/b1/usr/scheduler/tasks.yaml", "tasks:\n- name: By hand\n  type: adhoc\n  state: idle\n"
          "  context_id: Yaml0001\n  prompt: say hi\n  created_at: 2026-10-05T08:00:00Z\n")  # fmt: skip
    write(home, f"{USR}/scheduler/tasks.yaml", "tasks: []\n")
    write(home, "agent-zero/c1/usr/scheduler/tasks.json", {"jobs": []})
    plugins = f"{USR}/plugins"
    write(home, f"{plugins}/_telegram_integration/state.json",
          {"chats": {"opsbot:123456789:987654321": "TgChat01", "ops:bot:555:-777": "GoneTg01"}})  # fmt: skip
    write(home, f"{plugins}/_goal/goals/AbCd1234.json", {
        "context_id": "AbCd1234", "objective": "tidy up", "status": "complete", "created_by": "user",
        "token_budget": None, "created_at": "2026-10-05T09:00:00+00:00", "updated_at": "2026-10-05T09:05:00+00:00",
        "note": "all tidy",
    })  # fmt: skip
    policy = {"mode": "custom", "default": "allow", "mcp_default": "block", "allowed": [],
              "blocked": ["plugin:_code_execution:code_execution_tool", "mcp:github:create_issue"],
              "token": "PLANTED-POLICY"}  # fmt: skip
    write(home, f"{USR}/agents/developer/plugins/_tool_access/config.json", policy)
    write(home, f"{USR}/projects/demo/.a0proj/agents/developer/plugins/_tool_access/config.json", {"mode": "inherit"})
    write(home, f"{plugins}/_tool_access/config.json", {"other": 1})
    write(home, f"{plugins}/_orchestrator/config.json", {
        "codex": {"bypass_sandbox": False, "binary": "codex"}, "claude": {"permission_mode": "plan"},
        "hermes": {"yolo": True, "provider": "PLANTED-PROVIDER"},
    })  # fmt: skip
    for name in ("_infection_check/.toggle-1", "_memory/.toggle-0"):
        write(home, f"{plugins}/{name}", "")
    write(home, f"{USR}/projects/demo/.a0proj/plugins/_orchestrator/.toggle-0", "")
    write(home, ".agent-zero/.env", "AGENT_ZERO_HOST=http://localhost:50080\n# a comment\nno equals sign\n"
          "AGENT_ZERO_COMPUTER_USE_RESTORE_TOKEN=PLANTED-RESTORE\nAGENT_ZERO_LAST_CONTEXT_HOST=https://a0.example.net\n"
          "AGENT_ZERO_LAST_CONTEXT_ID='RemCtx01'\n")  # fmt: skip
    for name in (".env", "secrets.env", "settings.json"):
        write(home, f"{USR}/{name}", '{"API_KEY_OPENAI": "PLANTED-SETTINGS"}')
    return home


if __name__ == "__main__":
    build(Path(sys.argv[1]))
