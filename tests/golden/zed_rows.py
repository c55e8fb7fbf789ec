"""Zed: rows from what Zed stores.

A code editor; its agent panel runs threads with its own agent and drives other agents over ACP.

Generated from zed.yaml (language 1) by engine 0.1.0; edit that, not this.
sha256 of the spec: 35a862d13d74b55bf1a178e79ab46387c0d7e6fe813feba6bb1f4ba06e013a68

zed: https://github.com/zed-industries/zed at 6e1e050738edae5d145d160ebdf65e1dc25ba3ee

`python zed_rows.py HOME` prints the rows as JSONL; `rows(home)` gives them.
"""

# ruff: noqa: B023, PLR1714, RUF100, SIM102, SIM108, SIM109, SIM114

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engine.cli.standalone import main, rows_of
from engine.lang.functions_jmespath import contains, ends_with, join, keys, sort, starts_with, type_name
from engine.lang.functions_json import json, json_text
from engine.lang.functions_objects import entries, find_by, get, has, pick, variant
from engine.lang.functions_text import (
    after,
    before,
    concat,
    join_text,
    joined,
    lower,
    replace,
    split,
    strip_end,
    url_form,
    url_path,
)
from engine.lang.functions_values import add, count, uuid
from engine.lang.text import as_text
from engine.lang.values import equal, is_empty, truthy
from engine.rows import Row
from engine.run.helpers import NO_TIME, NOTHING, WHITE, cell, flat, iso, label_of, moment_of, starts, timed
from engine.run.runtime import RowTuple, Run, Walk

TABLE_AUTOMATIC_DENIALS = ["Blocked by global default: deny", "Blocked by built-in security rule. ",
    "Command blocked by security rule for ", "The terminal command could not be approved because "]  # fmt: skip
TABLE_GRANT_FLAGS = ["network_any_host", "allow_fs_write_all", "unsandboxed", "sandbox_fallback"]
TABLE_LEGACY_ROLES = ["user", "assistant", "system"]
TABLE_OVERRIDE_BLOCKS = ["dev", "nightly", "preview", "stable", "macos", "linux", "windows"]
TABLE_PERMISSION_KEYS = ["agent.tool_permissions.**", "agent.sandbox_permissions.**",
    "agent.always_allow_tool_actions", "agent_servers.*.default_mode", "session.trust_all_worktrees"]  # fmt: skip
TABLE_AUTOMATIC_DENIALS_STARTS = starts(TABLE_AUTOMATIC_DENIALS)


def walk_thread(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `thread` of `threads`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    state = run.state
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    calls = run.calls
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    folders = split(row_object.get("folder_paths"), "\n")
    places = split(row_object.get("folder_paths_order"), ",")
    places_before = split(before(concat(",", row_object.get("folder_paths_order"), ","), ",0,"), ",")
    blob = row_object.get("data")
    data = data if type(data := row_object.get("data")) is dict else NOTHING
    initial_project_snapshot = initial_project_snapshot if type(initial_project_snapshot :=
        data.get("initial_project_snapshot")) is dict else NOTHING  # fmt: skip
    worktrees = initial_project_snapshot.get("worktree_snapshots")
    project = it3 if (it3 := get(folders, add(count(places_before), -1)) if count(folders) ==
        count(places) else it[0] if type(it := sort(folders)) is list and it else None) or (it3 is not
        None and truthy(it3)) else it2.get("worktree_path") if type(it2 := worktrees[0] if type(worktrees)
        is list and worktrees else None) is dict else None  # fmt: skip
    parent = it2 if (it2 := row_object.get("parent_id")) or (it2 is not None and truthy(it2)) else it.get(
        "parent_thread_id") if type(it := data.get("subagent_context")) is dict else None  # fmt: skip
    model = model if type(model := data.get("model")) is dict else NOTHING
    model_3 = joined("/", model.get("provider"), model.get("model"))
    as_hex = "; stored zstd blob as hex" if row_object.get("data_type") == "zstd" else ""
    started = iso(initial_project_snapshot.get("timestamp")) or iso(row_object.get("created_at"),
        "approximate") or iso(row_object.get("updated_at"), "approximate")  # fmt: skip
    session_id = it if type(it := row_object.get("id")) is str else cell(it)
    project_path = project if type(project) is str else cell(project)
    git_object = git_object if type(git_object := it2.get("git_state") if
        type(it2 := it if (it := find_by(worktrees, "worktree_path", project)) is not None else
        worktrees[0] if type(worktrees) is list and worktrees else None) is dict else
        None) is dict else NOTHING  # fmt: skip
    git_branch = it if type(it := git_object.get("current_branch")) is str else cell(it)
    time = iso(row_object.get("updated_at"), "approximate")
    sandbox_grants = sandbox_grants if type(sandbox_grants := data.get("sandbox_grants")) is dict else NOTHING
    stored_object = stored_object if type(stored_object := names.get("stored")) is dict else NOTHING
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            # start, line 518
            #   zed:crates/agent/src/db.rs:53-89 #DbThread
            said = ("thread start:" + (" " + as_text(it3) if not
                is_empty(it3 := it2 if (it2 := it if (it := data.get("title")) or
                (it is not None and truthy(it)) else data.get("summary")) or
                (it2 is not None and truthy(it2)) else row_object.get("summary")) else "") +
                (" version=" + as_text(it4) if not is_empty(it4 := data.get("version")) else "") +
                (" parent=" + as_text(parent) if not is_empty(parent) else "")).strip(WHITE)  # fmt: skip
            at_utc, at_basis, at_raw = started or NO_TIME
            write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system", "", "", "",
                said, run.file, run.line, "session_start", "", at_basis, at_raw, role, "source",
                "zed/threads/start", "", "", next_seq()))  # fmt: skip
            if (it := git_object.get("remote_url")) or (it is not None and truthy(it)):
                # remote, line 524
                #   zed:crates/project/src/telemetry_snapshot.rs:33-103 #remote_url
                said = ("git remote: " + as_text(git_object.get("remote_url"))).strip(WHITE)
                at_utc, at_basis, at_raw = started or NO_TIME
                write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system", "", "",
                    "", said, run.file, run.line, "git", "", at_basis, at_raw, role, "source",
                    "zed/threads/remote", "", "", next_seq()))  # fmt: skip
            if (it := model.get("model")) or (it is not None and truthy(it)):
                # model, line 530
                #   zed:crates/agent/src/legacy_thread.rs:45-49 #SerializedLanguageModel
                said = ("model: " + as_text(model.get("model")) +
                    (" provider=" + as_text(it) if not is_empty(it := model.get("provider")) else
                    "")).strip(WHITE)  # fmt: skip
                at_utc, at_basis, at_raw = started or NO_TIME
                write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system", "", "",
                    "", said, run.file, run.line, "model", "", at_basis, at_raw, role, "source",
                    "zed/threads/model", "", "", next_seq()))  # fmt: skip
            if (it := data.get("profile")) or (it is not None and truthy(it)):
                # profile, line 536
                #   zed:crates/agent/src/db.rs:53-89 #DbThread
                said = ("permission setting: profile=" + as_text(data.get("profile")) +
                    " (thread blob, as of updated_at)").strip(WHITE)  # fmt: skip
                at_utc, at_basis, at_raw = time or NO_TIME
                write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system", "", "",
                    "", said, run.file, run.line, "permission_setting", "", at_basis, at_raw, role,
                    "source", "zed/threads/profile", "", "", next_seq()))  # fmt: skip
            granted_list = sandbox_grants.get("write_paths")
            if type(granted_list) is list:
                for granted in granted_list:
                    # write_path, line 540
                    #   zed:crates/agent/src/db.rs:94-98 #write_paths
                    said = ("permission setting: sandbox_grants.write_paths=" + as_text(granted) +
                        " (thread blob, as of updated_at)").strip(WHITE)  # fmt: skip
                    at_utc, at_basis, at_raw = time or NO_TIME
                    write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system", "",
                        "", "", said, run.file, run.line, "permission_setting", "", at_basis, at_raw,
                        role, "source", "zed/threads/write_path", "", "", next_seq()))  # fmt: skip
            host_list = sandbox_grants.get("network_hosts")
            if type(host_list) is list:
                for host_2 in host_list:
                    # network_host, line 545
                    #   zed:crates/agent/src/db.rs:91-125 #network_hosts
                    said = ("permission setting: sandbox_grants.network_hosts=" + as_text(host_2) +
                        " (thread blob, as of updated_at)").strip(WHITE)  # fmt: skip
                    at_utc, at_basis, at_raw = time or NO_TIME
                    write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system", "",
                        "", "", said, run.file, run.line, "permission_setting", "", at_basis, at_raw,
                        role, "source", "zed/threads/network_host", "", "", next_seq()))  # fmt: skip
            flag_list = entries(data.get("sandbox_grants"))
            if type(flag_list) is list:
                for flag in flag_list:
                    flag_object = flag if type(flag) is dict else NOTHING
                    if has(flag_object.get("key"), TABLE_GRANT_FLAGS) and flag_object.get("value") is True:
                        # grant, line 550
                        #   zed:crates/agent/src/db.rs:91-125 #DbSandboxGrants
                        said = ("permission setting: sandbox_grants." + as_text(flag_object.get("key")) +
                            "=true (thread blob, as of updated_at)").strip(WHITE)  # fmt: skip
                        at_utc, at_basis, at_raw = time or NO_TIME
                        write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system",
                            "", "", "", said, run.file, run.line, "permission_setting", "", at_basis,
                            at_raw, role, "source", "zed/threads/grant", "", "", next_seq()))  # fmt: skip
            if run.version == "unknown":
                run.unparseable({"session_id": session_id, "project_path": project_path}, run.line,
                    "unknown thread version " + as_text(data.get("version")) + as_hex,
                    as_text(stored_object.get("data") if as_hex else json_text(blob)), "choose/1/unparsed")  # fmt: skip
            elif type(data.get("messages")) is not list:
                run.unparseable({"session_id": session_id, "project_path": project_path}, run.line,
                    "messages is not a list", json_text(data.get("messages")) or "", "choose/2/unparsed")  # fmt: skip
            elif run.version == "legacy":
                message_list = data.get("messages")
                if type(message_list) is list:
                    for message_at, message in enumerate(message_list):
                        outer = run.enter(message)
                        message_object = message if type(message) is dict else NOTHING
                        if type(message) is not dict:
                            position = add(message_at, 1)
                            shown = "null" if message is None else json_text(message)
                            run.unparseable({"session_id": session_id, "project_path": project_path},
                                position, "message is not an object", shown or "", "choose/1/unparsed")  # fmt: skip
                        elif not has(message_object.get("role"), TABLE_LEGACY_ROLES):
                            position = add(message_at, 1)
                            shown = "null" if message is None else json_text(message)
                            run.unparseable({"session_id": session_id, "project_path": project_path},
                                position, "unknown role" + (" " + as_text(it) if not
                                is_empty(it := message_object.get("role")) else ""), shown or "",
                                "choose/2/unparsed")  # fmt: skip
                        else:
                            model_2 = model_3 or ""
                            position = add(message_at, 1)
                            segment_list = message_object.get("segments")
                            if type(segment_list) is list:
                                for segment_at, segment in enumerate(segment_list):
                                    segment_object = segment if type(segment) is dict else NOTHING
                                    type_ = segment_object.get("type")
                                    if type_ == "text":
                                        walk_legacy_text(run, segment_object.get("text"),
                                            message_object.get("role"), message_object.get("is_hidden"),
                                            parent, session_id, project_path, git_branch, time, model_2)  # fmt: skip
                                    elif type_ == "thinking":
                                        # legacy_thinking, line 871
                                        #   zed:crates/agent/src/legacy_thread.rs:133-149 #SerializedMessageSegment
                                        said = (it if type(it := segment_object.get("text")) is str else
                                            cell(it)).strip(WHITE)  # fmt: skip
                                        if said:
                                            at_utc, at_basis, at_raw = time or NO_TIME
                                            write((at_utc, host, user, "zed", session_id, project_path,
                                                git_branch, "thinking", model_2, "", "", said, run.file,
                                                run.line, "thinking", "", at_basis, at_raw, role,
                                                "source", "zed/threads/legacy_thinking", "", "",
                                                next_seq()))  # fmt: skip
                                        else:
                                            run.left_out("no text: legacy_thinking")
                                    elif type_ == "RedactedThinking":
                                        # legacy_redacted_thinking, line 873
                                        #   zed:crates/agent/src/legacy_thread.rs:133-149 #SerializedMessageSegment
                                        said = "[redacted thinking]".strip(WHITE)
                                        if said:
                                            at_utc, at_basis, at_raw = time or NO_TIME
                                            write((at_utc, host, user, "zed", session_id, project_path,
                                                git_branch, "thinking", model_2, "", "", said, run.file,
                                                run.line, "thinking", "", at_basis, at_raw, role,
                                                "source", "zed/threads/legacy_redacted_thinking", "", "",
                                                next_seq()))  # fmt: skip
                                        else:
                                            run.left_out("no text: legacy_redacted_thinking")
                                    else:
                                        run.unparseable({"session_id": session_id, "project_path":
                                            project_path}, position, "segments[" + as_text(segment_at) +
                                            "]", ("null" if segment is None else json_text(segment)) or
                                            "", "choose/otherwise/switch/otherwise/unparsed")  # fmt: skip
                            if (it := message_object.get("text")) or (it is not None and truthy(it)):
                                walk_legacy_text(run, message_object.get("text"),
                                    message_object.get("role"), message_object.get("is_hidden"), parent,
                                    session_id, project_path, git_branch, time, model_2)  # fmt: skip
                            if (it := message_object.get("context")) or (it is not None and truthy(it)):
                                # attached, line 883
                                #   zed:crates/agent/src/legacy_thread.rs:115-131 #SerializedMessage
                                said = ("context: attached: " + as_text(message_object.get("context"))).strip(WHITE)
                                if said:
                                    at_utc, at_basis, at_raw = time or NO_TIME
                                    write((at_utc, host, user, "zed", session_id, project_path,
                                        git_branch, "system", model_2, "", "", said, run.file, run.line,
                                        "context", "", at_basis, at_raw, role, "source",
                                        "zed/threads/attached", "", "", next_seq()))  # fmt: skip
                                else:
                                    run.left_out("no text: attached")
                            call_list = message_object.get("tool_uses")
                            if type(call_list) is list:
                                for call_2 in call_list:
                                    if type(call_2) is dict:
                                        call_2_object = call_2 if type(call_2) is dict else NOTHING
                                        new_tools = call_2_object.get("name")
                                        tools_key = call_2_object.get("id")
                                        if new_tools is not None and tools_key is not None:
                                            tools_kept = state.setdefault("tools", {})
                                            tools_kept[tools_key if type(tools_key) is str else
                                                as_text(tools_key)] = new_tools  # fmt: skip
                                        input__2 = input__2 if type(input__2 :=
                                            call_2_object.get("input")) is dict else NOTHING  # fmt: skip
                                        value = input__2.get("value") if (len(it) if
                                            type(it := call_2_object.get("input")) is str else
                                            count(it)) == 2 and contains(keys(call_2_object.get("input")),
                                            "value") and (input__2.get("type") == "json" or
                                            input__2.get("type") == "text") else call_2_object.get("input")  # fmt: skip
                                        input_ = call_2_object.get("raw_input") if (it2 :=
                                            (value == {} if type(value) is str else equal(value, {})) or
                                            value is None if (it := call_2_object.get("raw_input")) or
                                            (it is not None and truthy(it)) else it) or (it2 is not None
                                            and truthy(it2)) else "null" if value is None else value  # fmt: skip
                                        # call, line 770
                                        #   zed:crates/language_model_core/src/language_model_core.rs:358-421
                                        #     #LanguageModelToolUse
                                        said = (input_ if type(input_) is str else cell(input_)).strip(WHITE)
                                        at_utc, at_basis, at_raw = time or NO_TIME
                                        tool, call = it if type(it := call_2_object.get(
                                            "name")) is str else cell(it), it2 if type(it2 :=
                                            call_2_object.get("id")) is str else cell(it2)  # fmt: skip
                                        if call and tool:
                                            calls[call] = tool
                                        write((at_utc, host, user, "zed", session_id, project_path,
                                            git_branch, "tool_use", model_2, tool, call, said, run.file,
                                            run.line, "tool_use", "", at_basis, at_raw, role, "source",
                                            "zed/threads/call", input_ if type(input_) is str else
                                            cell(input_), "", next_seq()))  # fmt: skip
                                        result_list = message_object.get("tool_results")
                                        if type(result_list) is list:
                                            for result in result_list:
                                                if it == call_2_object.get("id") if type(it :=
                                                    result.get("tool_use_id") if type(result) is dict else
                                                    None) is str else equal(it, call_2_object.get("id")):  # fmt: skip
                                                    walk_tool_result(run, result, call_2_object.get("id"),
                                                        position, "tool_results entry", session_id,
                                                        project_path, git_branch, time, model_2)  # fmt: skip
                                    else:
                                        run.unparseable({"session_id": session_id, "project_path":
                                            project_path}, position, "tool_uses entry is not an object",
                                            ("null" if call_2 is None else json_text(call_2)) or "",
                                            "choose/otherwise/choose/otherwise/unparsed")  # fmt: skip
                            calls_2 = [it3 for it in it2 if (it3 := it.get("id") if type(it) is dict else
                                None) is not None] if type(it2 := flat(
                                message_object.get("tool_uses"))) is list else None  # fmt: skip
                            result_list_2 = message_object.get("tool_results")
                            if type(result_list_2) is list:
                                for result_2 in result_list_2:
                                    result_2_object = result_2 if type(result_2) is dict else NOTHING
                                    if not contains(calls_2, result_2_object.get("tool_use_id")):
                                        walk_tool_result(run, result_2, result_2_object.get(
                                            "tool_use_id"), position, "tool_results entry", session_id,
                                            project_path, git_branch, time, model_2)  # fmt: skip
                            if [it for it in [message_object.get("segments"),
                                message_object.get("tool_uses"), message_object.get("tool_results")] if
                                (it or (it is not None and truthy(it))) and type(it) is not list and it is
                                not None]:  # fmt: skip
                                shown = "null" if message is None else json_text(message)
                                run.unparseable({"session_id": session_id, "project_path": project_path},
                                    position, "segments, tool_uses or tool_results is not a list", shown
                                    or "", "choose/otherwise/unparsed")  # fmt: skip
                            if not ((it := message_object.get("segments")) or
                                (it is not None and truthy(it)) or (it2 := message_object.get("text")) or
                                (it2 is not None and truthy(it2)) or (it3 :=
                                message_object.get("context")) or (it3 is not None and truthy(it3)) or
                                (it4 := message_object.get("tool_uses")) or
                                (it4 is not None and truthy(it4)) or (it5 :=
                                message_object.get("tool_results")) or (it5 is not None and truthy(it5))):  # fmt: skip
                                run.ignore("a message without content")
                        run.leave(outer, lambda: {"session_id": session_id, "project_path": project_path,
                            "git_branch": git_branch, "time": time})  # fmt: skip
                    run.hand()
            else:
                if (it := data.get("sandboxed_terminal_temp_dir")) or (it is not None and truthy(it)):
                    # scratch, line 570
                    #   zed:crates/agent/src/db.rs:53-89 #DbThread
                    said = ("scratch directory: " + as_text(data.get("sandboxed_terminal_temp_dir")) +
                        " (sandboxed terminal temp directory of thread " + as_text(row_object.get("id")) +
                        ") (thread blob, as of updated_at)").strip(WHITE)  # fmt: skip
                    at_utc, at_basis, at_raw = time or NO_TIME
                    write((at_utc, host, user, "zed", "", it if
                        type(it := data.get("sandboxed_terminal_temp_dir")) is str else cell(it),
                        git_branch, "system", "", "", "", said, run.file, run.line, "scratch_directory",
                        "", at_basis, at_raw, role, "source", "zed/threads/scratch", "", "", next_seq()))  # fmt: skip
                message_list_2 = data.get("messages")
                if type(message_list_2) is list:
                    for message_at_2, message_2 in enumerate(message_list_2):
                        outer_2 = run.enter(message_2)
                        kind_object = kind_object if type(kind_object := variant(message_2)) is dict else NOTHING
                        body_3 = body_3 if type(body_3 := kind_object.get("body")) is dict else NOTHING
                        items = body_3.get("content")
                        case_ = "cut" if (kind_object.get("tag") == "User" or kind_object.get("tag") ==
                            "Agent") and type(items) is not list else kind_object.get("tag")  # fmt: skip
                        if case_ == "User":
                            model_4 = model_3 or ""
                            if type(items) is list:
                                for item in items:
                                    part_object = part_object if type(part_object := variant(item)) is dict else NOTHING
                                    tag = part_object.get("tag")
                                    if tag == "Text":
                                        walk_prompt(run, part_object.get("body") if
                                            type(part_object.get("body")) is str else json_text(item),
                                            parent, session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                    elif tag == "Mention":
                                        uri = it.get("uri") if type(it := part_object.get("body")) is dict else None
                                        kind_object_2 = kind_object_2 if type(kind_object_2 :=
                                            variant(uri)) is dict else NOTHING  # fmt: skip
                                        body = body if type(body := kind_object_2.get("body")) is dict else NOTHING
                                        place = replace(it if (it := body.get("abs_path")) is not None
                                            else body.get("path"), "\\", "/")  # fmt: skip
                                        has_path = type(place) is str
                                        case__2 = None if (kind_object_2.get("tag") == "File" or
                                            kind_object_2.get("tag") == "Directory" or
                                            kind_object_2.get("tag") ==
                                            "Symbol") and not has_path else kind_object_2.get("tag")  # fmt: skip
                                        if case__2 == "File":
                                            address = concat("file://", "" if type(place) is str and
                                                place.startswith("/") else "/", url_path(place))  # fmt: skip
                                            walk_prompt(run, "[mention] " + (address or "") +
                                                ("/" if (it := body.get("is_directory")) or
                                                (it is not None and truthy(it)) else ""), parent,
                                                session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "Directory":
                                            address = concat("file://", "" if type(place) is str and
                                                place.startswith("/") else "/", url_path(place))  # fmt: skip
                                            walk_prompt(run, "[mention] " +
                                                (strip_end(address, "/") or "") + "/", parent, session_id,
                                                project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "Symbol":
                                            address = concat("file://", "" if type(place) is str and
                                                place.startswith("/") else "/", url_path(place))  # fmt: skip
                                            line_range = line_range if type(line_range :=
                                                body.get("line_range")) is dict else NOTHING  # fmt: skip
                                            lines_2 = joined(":", add(line_range.get("start"), 1),
                                                add(line_range.get("end"), 1))  # fmt: skip
                                            named = url_form(body.get("name"))
                                            walk_prompt(run, "[mention] " + (address or "") + "?symbol=" +
                                                (named or "") + ("#L" + lines_2 if lines_2 else ""),
                                                parent, session_id, project_path, git_branch, time,
                                                model_4)  # fmt: skip
                                        elif case__2 == "Selection":
                                            address = concat("file://", "" if type(place) is str and
                                                place.startswith("/") else "/", url_path(place))  # fmt: skip
                                            line_range = line_range if type(line_range :=
                                                body.get("line_range")) is dict else NOTHING  # fmt: skip
                                            lines_2 = joined(":", add(line_range.get("start"), 1),
                                                add(line_range.get("end"), 1))  # fmt: skip
                                            walk_prompt(run, "[mention] " +
                                                ((address if has_path else "zed:///agent/untitled-buffer")
                                                or "") + ("?column=" + as_text(it) if not
                                                is_empty(it := add(body.get("column"), 1)) else "") +
                                                ("#L" + lines_2 if lines_2 else ""), parent, session_id,
                                                project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "Thread":
                                            named = url_form(body.get("name"))
                                            walk_prompt(run, "[mention] zed:///agent/thread/" +
                                                (url_path(body.get("id")) or "") + "?name=" +
                                                (named or ""), parent, session_id, project_path,
                                                git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "Rule":
                                            named = url_form(body.get("name"))
                                            walk_prompt(run, "[mention] zed:///agent/rule/" +
                                                (url_path(it2.get("uuid") if type(it2 := it.get("User") if
                                                type(it := body.get("id")) is dict else None) is dict else
                                                None) or "") + "?name=" + (named or ""), parent,
                                                session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "Diagnostics":
                                            walk_prompt(run, "[mention] zed:///agent/diagnostics" +
                                                ("?" + it2 if (it2 := joined("&", "include_warnings=true"
                                                if (it := body.get("include_warnings")) or
                                                (it is not None and truthy(it)) else "",
                                                "include_errors=false" if body.get("include_errors") is
                                                False else "")) else ""), parent, session_id,
                                                project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "Fetch":
                                            walk_prompt(run, "[mention] " + as_text(body.get("url")),
                                                parent, session_id, project_path, git_branch, time,
                                                model_4)  # fmt: skip
                                        elif case__2 == "TerminalSelection":
                                            walk_prompt(run, "[mention] zed:///agent/terminal-selection" +
                                                ("?lines=" + as_text(it) if not
                                                is_empty(it := body.get("line_count")) else ""), parent,
                                                session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "GitDiff":
                                            walk_prompt(run, "[mention] zed:///agent/git-diff?base=" +
                                                (url_form(body.get("base_ref")) or ""), parent,
                                                session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "MergeConflict":
                                            walk_prompt(run, "[mention] zed:///agent/merge-conflict?path="
                                                + (url_form(body.get("file_path")) or ""), parent,
                                                session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                        elif case__2 == "Skill":
                                            named = url_form(body.get("name"))
                                            walk_prompt(run, "[mention] zed:///agent/skill?name=" +
                                                (named or "") + "&source=" + (url_form(body.get("source"))
                                                or "") + "&path=" + (url_form(body.get("skill_file_path"))
                                                or ""), parent, session_id, project_path, git_branch,
                                                time, model_4)  # fmt: skip
                                        elif case__2 == "PastedImage":
                                            named = url_form(body.get("name"))
                                            walk_prompt(run, "[mention] zed:///agent/pasted-image" +
                                                ("?name=" + named if named else ""), parent, session_id,
                                                project_path, git_branch, time, model_4)  # fmt: skip
                                        else:
                                            walk_prompt(run, "[mention] " + as_text(uri), parent,
                                                session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                    elif tag == "Image":
                                        walk_prompt(run, "[image]", parent, session_id, project_path,
                                            git_branch, time, model_4)  # fmt: skip
                                    else:
                                        walk_prompt(run, json_text(item), parent, session_id,
                                            project_path, git_branch, time, model_4)  # fmt: skip
                            if items == [] if type(items) is str else equal(items, []):
                                run.ignore("a message without content")
                        elif case_ == "Agent":
                            model_4 = model_3 or ""
                            position_2 = add(message_at_2, 1)
                            if type(items) is list:
                                for item_2 in items:
                                    part_object_2 = part_object_2 if type(part_object_2 :=
                                        variant(item_2)) is dict else NOTHING  # fmt: skip
                                    case__3 = "cut" if part_object_2.get("tag") == "ToolUse" and type(
                                        part_object_2.get("body")) is not dict else part_object_2.get(
                                        "tag")  # fmt: skip
                                    if case__3 == "Text":
                                        # answer, line 617
                                        #   zed:crates/agent/src/thread.rs:717-733 #AgentMessageContent
                                        said = (it if type(it := part_object_2.get("body")) is str else
                                            cell(it)).strip(WHITE)  # fmt: skip
                                        if said:
                                            at_utc, at_basis, at_raw = time or NO_TIME
                                            write((at_utc, host, user, "zed", session_id, project_path,
                                                git_branch, "assistant", model_4, "", "", said, run.file,
                                                run.line, "message", "", at_basis, at_raw, role, "source",
                                                "zed/threads/answer", "", "", next_seq()))  # fmt: skip
                                        else:
                                            run.left_out("no text: answer")
                                    elif case__3 == "Thinking":
                                        body_2 = body_2 if type(body_2 :=
                                            part_object_2.get("body")) is dict else NOTHING  # fmt: skip
                                        # thinking, line 618
                                        #   zed:crates/agent/src/thread.rs:717-733 #AgentMessageContent
                                        said = (it2 if type(it2 := it if (it := body_2.get("text")) is not
                                            None else json_text(part_object_2.get("body"))) is str else
                                            cell(it2)).strip(WHITE)  # fmt: skip
                                        if said:
                                            at_utc, at_basis, at_raw = time or NO_TIME
                                            write((at_utc, host, user, "zed", session_id, project_path,
                                                git_branch, "thinking", model_4, "", "", said, run.file,
                                                run.line, "thinking", "", at_basis, at_raw, role,
                                                "source", "zed/threads/thinking", "", "", next_seq()))  # fmt: skip
                                        else:
                                            run.left_out("no text: thinking")
                                    elif case__3 == "RedactedThinking":
                                        # redacted_thinking, line 619
                                        #   zed:crates/agent/src/thread.rs:717-733 #AgentMessageContent
                                        said = "[redacted thinking]".strip(WHITE)
                                        if said:
                                            at_utc, at_basis, at_raw = time or NO_TIME
                                            write((at_utc, host, user, "zed", session_id, project_path,
                                                git_branch, "thinking", model_4, "", "", said, run.file,
                                                run.line, "thinking", "", at_basis, at_raw, role,
                                                "source", "zed/threads/redacted_thinking", "", "",
                                                next_seq()))  # fmt: skip
                                        else:
                                            run.left_out("no text: redacted_thinking")
                                    elif case__3 == "ToolUse":
                                        body_2 = body_2 if type(body_2 :=
                                            part_object_2.get("body")) is dict else NOTHING  # fmt: skip
                                        new_tools_2 = body_2.get("name")
                                        tools_key_2 = body_2.get("id")
                                        if new_tools_2 is not None and tools_key_2 is not None:
                                            tools_kept_2 = state.setdefault("tools", {})
                                            tools_kept_2[tools_key_2 if type(tools_key_2) is str else
                                                as_text(tools_key_2)] = new_tools_2  # fmt: skip
                                        input__4 = input__4 if type(input__4 :=
                                            body_2.get("input")) is dict else NOTHING  # fmt: skip
                                        value_2 = input__4.get("value") if (len(it) if
                                            type(it := body_2.get("input")) is str else
                                            count(it)) == 2 and contains(keys(body_2.get("input")),
                                            "value") and (input__4.get("type") == "json" or
                                            input__4.get("type") == "text") else body_2.get("input")  # fmt: skip
                                        input__3 = body_2.get("raw_input") if (it2 :=
                                            (value_2 == {} if type(value_2) is str else
                                            equal(value_2, {})) or value_2 is None if
                                            (it := body_2.get("raw_input")) or
                                            (it is not None and truthy(it)) else it) or (it2 is not None
                                            and truthy(it2)) else "null" if value_2 is None else value_2  # fmt: skip
                                        # call, line 770
                                        #   zed:crates/language_model_core/src/language_model_core.rs:358-421
                                        #     #LanguageModelToolUse
                                        said = (input__3 if type(input__3) is str else cell(input__3)).strip(WHITE)
                                        at_utc, at_basis, at_raw = time or NO_TIME
                                        tool, call = it if type(it := body_2.get("name")) is str else cell(
                                            it), it2 if type(it2 := body_2.get("id")) is str else cell(it2)  # fmt: skip
                                        if call and tool:
                                            calls[call] = tool
                                        write((at_utc, host, user, "zed", session_id, project_path,
                                            git_branch, "tool_use", model_4, tool, call, said, run.file,
                                            run.line, "tool_use", "", at_basis, at_raw, role, "source",
                                            "zed/threads/call", input__3 if type(input__3) is str else
                                            cell(input__3), "", next_seq()))  # fmt: skip
                                        result_3 = get(body_3.get("tool_results"), body_2.get("id"))
                                        if result_3 is not None:
                                            walk_tool_result(run, result_3, body_2.get("id"), position_2,
                                                "Agent tool_results entry " + as_text(body_2.get("id")),
                                                session_id, project_path, git_branch, time, model_4)  # fmt: skip
                                    else:
                                        run.unparseable({"session_id": session_id, "project_path":
                                            project_path}, position_2, "unknown Agent content variant",
                                            ("null" if item_2 is None else json_text(item_2)) or "",
                                            "switch/Agent/switch/otherwise/unparsed")  # fmt: skip
                            calls_3 = [it4 for it in it2 if (it4 := it3.get("id") if
                                type(it3 := it.get("ToolUse") if type(it) is dict else None) is dict else
                                None) is not None] if type(it2 := flat(items)) is list else None  # fmt: skip
                            entry_list = entries(body_3.get("tool_results"))
                            if type(entry_list) is list:
                                for entry in entry_list:
                                    entry_object = entry if type(entry) is dict else NOTHING
                                    if not contains(calls_3, entry_object.get("key")):
                                        walk_tool_result(run, entry_object.get("value"),
                                            entry_object.get("key"), position_2,
                                            "Agent tool_results entry " + as_text(
                                            entry_object.get("key")), session_id, project_path,
                                            git_branch, time, model_4)  # fmt: skip
                            if body_3.get("tool_results") is not None and type(body_3.get("tool_results")) is not dict:
                                run.unparseable({"session_id": session_id, "project_path": project_path},
                                    position_2, "Agent tool_results is not an object",
                                    json_text(body_3.get("tool_results")) or "", "switch/Agent/unparsed")  # fmt: skip
                            if items == [] if type(items) is str else equal(items, []):
                                run.ignore("a message without content")
                        elif case_ == "Resume":
                            model_4 = model_3 or ""
                            # resume, line 650
                            #   zed:crates/agent/src/thread.rs:181-197 #Message
                            said = "resume".strip(WHITE)
                            at_utc, at_basis, at_raw = time or NO_TIME
                            write((at_utc, host, user, "zed", session_id, project_path, git_branch,
                                "system", model_4, "", "", said, run.file, run.line, "notice", "",
                                at_basis, at_raw, role, "source", "zed/threads/resume", "", "",
                                next_seq()))  # fmt: skip
                        elif case_ == "Compaction":
                            if body_3.get("Summary") is not None:
                                model_4 = model_3 or ""
                                # compaction, line 656
                                #   zed:crates/agent/src/thread.rs:181-197 #Message
                                said = ("compaction: " + as_text(body_3.get("Summary"))).strip(WHITE)
                                at_utc, at_basis, at_raw = time or NO_TIME
                                write((at_utc, host, user, "zed", session_id, project_path, git_branch,
                                    "system", model_4, "", "", said, run.file, run.line, "compaction", "",
                                    at_basis, at_raw, role, "source", "zed/threads/compaction", "", "",
                                    next_seq()))  # fmt: skip
                            elif body_3.get("ProviderNative") is not None:
                                model_4 = model_3 or ""
                                # provider_compaction, line 660
                                #   zed:crates/agent/src/thread.rs:181-197 #Message
                                said = "compaction: provider native".strip(WHITE)
                                at_utc, at_basis, at_raw = time or NO_TIME
                                write((at_utc, host, user, "zed", session_id, project_path, git_branch,
                                    "system", model_4, "", "", said, run.file, run.line, "compaction", "",
                                    at_basis, at_raw, role, "source", "zed/threads/provider_compaction",
                                    "", "", next_seq()))  # fmt: skip
                            else:
                                position_2 = add(message_at_2, 1)
                                shown_2 = "null" if message_2 is None else json_text(message_2)
                                run.unparseable({"session_id": session_id, "project_path": project_path},
                                    position_2, "Compaction with neither Summary nor ProviderNative",
                                    shown_2 or "", "switch/Compaction/choose/otherwise/unparsed")  # fmt: skip
                        elif case_ == "cut":
                            position_2 = add(message_at_2, 1)
                            shown_2 = "null" if message_2 is None else json_text(message_2)
                            run.unparseable({"session_id": session_id, "project_path": project_path},
                                position_2, as_text(kind_object.get("tag")) + " content is not a list",
                                shown_2 or "", "switch/cut/unparsed")  # fmt: skip
                        else:
                            position_2 = add(message_at_2, 1)
                            shown_2 = "null" if message_2 is None else json_text(message_2)
                            run.unparseable({"session_id": session_id, "project_path": project_path},
                                position_2, "unknown message variant", shown_2 or "",
                                "switch/otherwise/unparsed")  # fmt: skip
                        run.leave(outer_2, lambda: {"session_id": session_id, "project_path":
                            project_path, "git_branch": git_branch, "time": time})  # fmt: skip
                    run.hand()
                blocks = data.get("draft_prompt")
                shown_3 = it7.strip(WHITE) if type(it7 := join("",
                    [it6 for it in blocks if (it6 := (it.get("text") if type(it) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "text" else "[image]" if
                    (it.get("type") if type(it) is dict else None) == "image" else "[audio]" if
                    (it.get("type") if type(it) is dict else None) == "audio" else
                    concat("[mention] ", it.get("uri") if type(it) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "resource_link" and
                    ((it2 := it.get("uri") if type(it) is dict else None) or
                    (it2 is not None and truthy(it2))) else concat("[mention] ", it5.get("uri") if
                    type(it5 := it.get("resource") if type(it) is dict else None) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "resource" and
                    ((it4 := it3.get("uri") if type(it3 := it.get("resource") if type(it) is dict else
                    None) is dict else None) or (it4 is not None and truthy(it4))) else json_text(it)) is
                    not None] if type(blocks) is list else None)) is str else None  # fmt: skip
                if shown_3:
                    # draft, line 931
                    #   zed:crates/agent_ui/src/draft_prompt_store.rs:25-52 #ContentBlock
                    said = ("unsent draft: " + (shown_3 or "") +
                        (" (" + "thread blob, as of updated_at" + ")" if "thread blob, as of updated_at"
                        else "")).strip(WHITE)  # fmt: skip
                    at_utc, at_basis, at_raw = time or NO_TIME
                    write((at_utc, host, user, "zed", session_id, project_path, git_branch, "system", "",
                        "", "", said, run.file, run.line, "draft", "", at_basis, at_raw, role, "source",
                        "zed/threads/draft", "", "", next_seq()))  # fmt: skip
                if (blocks or (blocks is not None and truthy(blocks))) and type(blocks) is not list:
                    run.unparseable({"session_id": session_id, "project_path": project_path}, run.line,
                        "draft_prompt is not a list of content blocks", json_text(blocks) or "",
                        "unparsed")  # fmt: skip
            if run.odd or len(rows) == had:
                run.settle(had, walk_thread_columns)
        if rows:
            yield rows
    yield rows


def walk_thread_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `thread` for rows that no step writes."""
    names = run.names
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    folders = split(row_object.get("folder_paths"), "\n")
    places = split(row_object.get("folder_paths_order"), ",")
    places_before = split(before(concat(",", row_object.get("folder_paths_order"), ","), ",0,"), ",")
    worktrees = it2.get("worktree_snapshots") if type(it2 := it.get("initial_project_snapshot") if
        type(it := row_object.get("data")) is dict else None) is dict else None  # fmt: skip
    project = it3 if (it3 := get(folders, add(count(places_before), -1)) if count(folders) ==
        count(places) else it[0] if type(it := sort(folders)) is list and it else None) or (it3 is not
        None and truthy(it3)) else it2.get("worktree_path") if type(it2 := worktrees[0] if type(worktrees)
        is list and worktrees else None) is dict else None  # fmt: skip
    return {"session_id": it if type(it := row_object.get("id")) is str else cell(it), "project_path":
        project if type(project) is str else cell(project), "git_branch": it5 if
        type(it5 := it4.get("current_branch") if type(it4 := it3.get("git_state") if
        type(it3 := it2 if (it2 := find_by(worktrees, "worktree_path", project)) is not None else
        worktrees[0] if type(worktrees) is list and worktrees else None) is dict else None) is dict else
        None) is str else cell(it5), "time": iso(row_object.get("updated_at"), "approximate")}  # fmt: skip


def walk_prompt(run: Run, text, child, session_id_column, project_path_column, git_branch_column,
    time_column, model_column) -> None:  # fmt: skip
    """Walk `prompt`, a part of others."""
    write = run.rows.append
    next_seq = run.number
    host = run.host
    user = run.user
    role = run.role
    rules = run.rules
    if child or (child is not None and truthy(child)):
        # subagent_task, line 682
        #   zed:crates/agent/src/thread.rs:261-275 #UserMessageContent
        said = ("subagent task: " + as_text(text) if not is_empty(text) else "").strip(WHITE)
        if said:
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "system", model_column, "", "", said, run.file, run.line, "context", "", at_basis, at_raw,
                role, "source", rules + "subagent_task", "", "", next_seq()))  # fmt: skip
        else:
            run.left_out("no text: subagent_task")
    else:
        # prompt, line 683
        #   zed:crates/agent/src/thread.rs:261-275 #UserMessageContent
        said = (text if type(text) is str else cell(text)).strip(WHITE)
        if said:
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "user", model_column, "", "", said, run.file, run.line, "message", "", at_basis, at_raw,
                role, "source", rules + "prompt", "", "", next_seq()))  # fmt: skip
        else:
            run.left_out("no text: prompt")


def walk_tool_result(run: Run, result, id_, position, what, session_id_column, project_path_column,
    git_branch_column, time_column, model_column) -> None:  # fmt: skip
    """Walk `tool_result`, a part of others."""
    write = run.rows.append
    next_seq = run.number
    state = run.state
    host = run.host
    user = run.user
    role = run.role
    rules = run.rules
    calls = run.calls
    if type(result) is not dict:
        run.unparseable({"session_id": session_id_column, "project_path": project_path_column}, position,
            as_text(what) + " is not an object", json_text(result) or "", "choose/1/unparsed")  # fmt: skip
    else:
        result_object = result if type(result) is dict else NOTHING
        contents = result_object.get("content") if type(result_object.get(
            "content")) is list else [] if result_object.get("content") is None else [
            result_object.get("content")]  # fmt: skip
        pieces = [it7 for it in contents if (it7 := it if type(it) is str else it5 if
            (it5 := it.get("Text") if type(it) is dict else None) is not None else it6 if
            (it6 := it.get("text") if type(it) is dict else None) is not None else "[image]" if
            (it2 := it.get("Image") if type(it) is dict else None) or (it2 is not None and truthy(it2)) or
            (it3 := it.get("image") if type(it) is dict else None) or (it3 is not None and truthy(it3)) or
            (it4 := it.get("source") if type(it) is dict else None) or (it4 is not None and truthy(it4))
            else None) is not None] if type(contents) is list else None  # fmt: skip
        text = join_text(pieces)
        failed = result_object.get("is_error") is True
        tool_use_id = it2 if type(it2 := it if (it := result_object.get("tool_use_id")) is not None else
            id_) is str else cell(it2)  # fmt: skip
        # result, line 810
        #   zed:crates/language_model_core/src/request.rs:66-75 #LanguageModelToolResult
        said = (text or "").strip(WHITE)
        at_utc, at_basis, at_raw = time_column or NO_TIME
        call = tool_use_id
        write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
            "tool_result", model_column, (it2 if type(it2 := it if (it := result_object.get("tool_name"))
            or (it is not None and truthy(it)) else get(state.get("tools"), id_)) is str else cell(it2))
            or calls.get(call, ""), call, said, run.file, run.line, "tool_result", "error" if failed else
            "", at_basis, at_raw, role, "source", rules + "result", "", "", next_seq()))  # fmt: skip
        message = (it3.strip(WHITE) if type(it3 := it2 if
            (it2 := it.get("error") if type(it := result_object.get("output")) is dict else None) is not
            None else strip_end(text, "\nNo edits were made.")) is str else None) if failed else None  # fmt: skip
        if message == "Permission to run tool denied by user":
            # denied, line 816
            #   zed:crates/agent/src/thread.rs:6333 #Permission
            said = "permission decision: denied".strip(WHITE)
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "system", model_column, it2 if type(it2 := it if (it := result_object.get("tool_name")) or
                (it is not None and truthy(it)) else get(state.get("tools"), id_)) is str else cell(it2),
                tool_use_id, said, run.file, run.line, "permission_decision", "denied", at_basis, at_raw,
                role, "source", rules + "denied", "", "", next_seq()))  # fmt: skip
        elif label_of(message, TABLE_AUTOMATIC_DENIALS_STARTS) or (ends_with(message, " tool is disabled")
            and not (" " in it3 if type(it3 := strip_end(message, " tool is disabled")) is str else
            contains(it3, " "))) or (starts_with(message, "The ") and
            ((contains(message, " regex pattern") and contains(message, " failed to compile")) or
            contains(message, ' shell does not support "always allow" patterns'))):  # fmt: skip
            # auto_denied, line 822
            #   zed:crates/agent/src/tool_permissions.rs:12-17 #Blocked
            #   zed:crates/agent/src/tool_permissions.rs:398-459 #disabled
            said = ("permission decision: auto_denied reason=" + (message or "")).strip(WHITE)
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "system", model_column, it2 if type(it2 := it if (it := result_object.get("tool_name")) or
                (it is not None and truthy(it)) else get(state.get("tools"), id_)) is str else cell(it2),
                tool_use_id, said, run.file, run.line, "permission_decision", "denied", at_basis, at_raw,
                role, "source", rules + "auto_denied", "", "", next_seq()))  # fmt: skip
        elif not failed and result_object.get("tool_name") == "terminal" and starts_with(text,
            "Command cancelled: ") and ends_with(text, "(Permission to run tool denied by user)."):  # fmt: skip
            # sandbox_denied, line 830
            #   zed:crates/agent/src/tools/terminal_tool.rs:593-602 #denied
            said = "permission decision: denied".strip(WHITE)
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "system", model_column, it2 if type(it2 := it if (it := result_object.get("tool_name")) or
                (it is not None and truthy(it)) else get(state.get("tools"), id_)) is str else cell(it2),
                tool_use_id, said, run.file, run.line, "permission_decision", "denied", at_basis, at_raw,
                role, "source", rules + "sandbox_denied", "", "", next_seq()))  # fmt: skip
        if type(contents) is list:
            for piece_at, piece in enumerate(contents):
                if count(pieces) != (len(contents) if type(contents) is str else count(contents)):
                    piece_object = piece if type(piece) is dict else NOTHING
                    if type(piece) is not str and type(it if (it := piece_object.get("Text")) is not None
                        else piece_object.get("text")) is not str and not (
                        (it2 := piece_object.get("Image")) or (it2 is not None and truthy(it2)) or
                        (it3 := piece_object.get("image")) or (it3 is not None and truthy(it3)) or
                        (it4 := piece_object.get("source")) or (it4 is not None and truthy(it4))):  # fmt: skip
                        run.unparseable({"session_id": session_id_column, "project_path":
                            project_path_column}, position, "content[" + as_text(piece_at) + "]",
                            ("null" if piece is None else json_text(piece)) or "",
                            "choose/otherwise/steps/steps/unparsed")  # fmt: skip


def walk_legacy_text(run: Run, text, role_, hidden, child, session_id_column, project_path_column,
    git_branch_column, time_column, model_column) -> None:  # fmt: skip
    """Walk `legacy_text`, a part of others."""
    write = run.rows.append
    next_seq = run.number
    host = run.host
    user = run.user
    role = run.role
    rules = run.rules
    if hidden or (hidden is not None and truthy(hidden)):
        # hidden, line 916
        #   zed:crates/agent/src/legacy_thread.rs:115-131 #is_hidden
        said = ("context: hidden message: " + as_text(text) if not is_empty(text) else "").strip(WHITE)
        if said:
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "system", model_column, "", "", said, run.file, run.line, "context", "", at_basis, at_raw,
                role, "source", rules + "hidden", "", "", next_seq()))  # fmt: skip
        else:
            run.left_out("no text: hidden")
    elif role_ == "system":
        # system_message, line 917
        #   zed:crates/agent/src/legacy_thread.rs:115-131 #is_hidden
        said = ("system: " + as_text(text) if not is_empty(text) else "").strip(WHITE)
        if said:
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "system", model_column, "", "", said, run.file, run.line, "context", "", at_basis, at_raw,
                role, "source", rules + "system_message", "", "", next_seq()))  # fmt: skip
        else:
            run.left_out("no text: system_message")
    elif role_ == "user":
        walk_prompt(run, text, child, session_id_column, project_path_column, git_branch_column,
            time_column, model_column)  # fmt: skip
    else:
        # legacy_answer, line 919
        #   zed:crates/agent/src/legacy_thread.rs:115-131 #is_hidden
        said = (text if type(text) is str else cell(text)).strip(WHITE)
        if said:
            at_utc, at_basis, at_raw = time_column or NO_TIME
            write((at_utc, host, user, "zed", session_id_column, project_path_column, git_branch_column,
                "assistant", model_column, "", "", said, run.file, run.line, "message", "", at_basis,
                at_raw, role, "source", rules + "legacy_answer", "", "", next_seq()))  # fmt: skip
        else:
            run.left_out("no text: legacy_answer")


def walk_draft_row(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `draft_row` of `drafts`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    blocks = json(row_object.get("value"))
    thread = run.lookup("sidebar_rows", lower(row_object.get("key")))
    thread_object = thread if type(thread) is dict else NOTHING
    folders = split(thread_object.get("folder_paths"), "\n")
    places = split(thread_object.get("folder_paths_order"), ",")
    places_before = split(before(concat(",", thread_object.get("folder_paths_order"), ","), ",0,"), ",")
    folder = get(folders, add(count(places_before), -1)) if count(folders) == count(places) else it[
        0] if type(it := sort(folders)) is list and it else None  # fmt: skip
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            if type(blocks) is not list:
                run.unparseable({}, run.line, as_text(row_object.get("namespace")) + " " +
                    as_text(row_object.get("key")) + ": JSON error: no list of content blocks",
                    as_text(row_object.get("value")), "choose/1/unparsed")  # fmt: skip
            elif thread is not None:
                project_path = folder if type(folder) is str else cell(folder)
                shown = it7.strip(WHITE) if type(it7 := join("",
                    [it6 for it in blocks if (it6 := (it.get("text") if type(it) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "text" else "[image]" if
                    (it.get("type") if type(it) is dict else None) == "image" else "[audio]" if
                    (it.get("type") if type(it) is dict else None) == "audio" else
                    concat("[mention] ", it.get("uri") if type(it) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "resource_link" and
                    ((it2 := it.get("uri") if type(it) is dict else None) or
                    (it2 is not None and truthy(it2))) else concat("[mention] ", it5.get("uri") if
                    type(it5 := it.get("resource") if type(it) is dict else None) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "resource" and
                    ((it4 := it3.get("uri") if type(it3 := it.get("resource") if type(it) is dict else
                    None) is dict else None) or (it4 is not None and truthy(it4))) else json_text(it)) is
                    not None] if type(blocks) is list else None)) is str else None  # fmt: skip
                if shown:
                    # draft, line 931
                    #   zed:crates/agent_ui/src/draft_prompt_store.rs:25-52 #ContentBlock
                    said = ("unsent draft: " + (shown or "") + (" (" + None + ")" if None else "")).strip(WHITE)
                    at_utc, at_basis, at_raw = iso(thread_object.get("updated_at")) or NO_TIME
                    write((at_utc, host, user, "zed", "", project_path, "", "system", "", "", "", said,
                        run.file, run.line, "draft", "", at_basis, at_raw, role, "source",
                        "zed/drafts/draft", "", "", next_seq()))  # fmt: skip
                if (blocks or (blocks is not None and truthy(blocks))) and type(blocks) is not list:
                    run.unparseable({"project_path": project_path}, run.line,
                        "draft_prompt is not a list of content blocks", json_text(blocks) or "",
                        "unparsed")  # fmt: skip
            else:
                shown_2 = it7.strip(WHITE) if type(it7 := join("",
                    [it6 for it in blocks if (it6 := (it.get("text") if type(it) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "text" else "[image]" if
                    (it.get("type") if type(it) is dict else None) == "image" else "[audio]" if
                    (it.get("type") if type(it) is dict else None) == "audio" else
                    concat("[mention] ", it.get("uri") if type(it) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "resource_link" and
                    ((it2 := it.get("uri") if type(it) is dict else None) or
                    (it2 is not None and truthy(it2))) else concat("[mention] ", it5.get("uri") if
                    type(it5 := it.get("resource") if type(it) is dict else None) is dict else None) if
                    (it.get("type") if type(it) is dict else None) == "resource" and
                    ((it4 := it3.get("uri") if type(it3 := it.get("resource") if type(it) is dict else
                    None) is dict else None) or (it4 is not None and truthy(it4))) else json_text(it)) is
                    not None] if type(blocks) is list else None)) is str else None  # fmt: skip
                if shown_2:
                    # draft, line 931
                    #   zed:crates/agent_ui/src/draft_prompt_store.rs:25-52 #ContentBlock
                    said = ("unsent draft: " + (shown_2 or "") +
                        (" (" + it + ")" if (it := "from " + as_text(run.facts.get("name")) +
                        " agent_draft_prompts, file mtime") else "")).strip(WHITE)  # fmt: skip
                    at_utc, at_basis, at_raw = moment_of(run.facts.get("mtime")) or NO_TIME
                    write((at_utc, host, user, "zed", "", "", "", "system", "", "", "", said, run.file,
                        run.line, "draft", "", at_basis, at_raw, role, "source", "zed/drafts/draft", "",
                        "", next_seq()))  # fmt: skip
                if (blocks or (blocks is not None and truthy(blocks))) and type(blocks) is not list:
                    run.unparseable({}, run.line, "draft_prompt is not a list of content blocks",
                        json_text(blocks) or "", "unparsed")  # fmt: skip
            run.ignore("an empty draft")
            if run.odd or len(rows) == had:
                run.settle(had, walk_draft_row_columns)
        if rows:
            yield rows
    yield rows


def walk_draft_row_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `draft_row` for rows that no step writes."""
    return {}


def walk_sidebar(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `sidebar` of `sidebar`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    ignored = run.ignored
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    folders = split(row_object.get("folder_paths"), "\n")
    places = split(row_object.get("folder_paths_order"), ",")
    places_before = split(before(concat(",", row_object.get("folder_paths_order"), ","), ",0,"), ",")
    mains = split(row_object.get("main_worktree_paths"), "\n")
    main_places = split(row_object.get("main_worktree_paths_order"), ",")
    mains_before = split(before(concat(",", row_object.get("main_worktree_paths_order"), ","), ",0,"), ",")
    main = get(mains, add(count(mains_before), -1)) if count(mains) == count(main_places) else it[
        0] if type(it := sort(mains)) is list and it else None  # fmt: skip
    title = it if (it := row_object.get("title_override")) or (it is not None and
        truthy(it)) else row_object.get("title")  # fmt: skip
    session_id = it if type(it := row_object.get("session_id")) is str else cell(it)
    project_path = it2 if type(it2 := get(folders, add(count(places_before), -1)) if count(folders) ==
        count(places) else it[0] if type(it := sort(folders)) is list and it else None) is str else cell(
        it2)  # fmt: skip
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            if (it := row_object.get("agent_id")) or (it is not None and truthy(it)):
                # external_thread, line 979
                #   zed:crates/agent_ui/src/thread_metadata_store.rs:1373-1465 #sidebar_threads
                said = ("external agent thread (no transcript in threads.db): agent=" +
                    as_text(row_object.get("agent_id")) + (" title=" + as_text(title) if not
                    is_empty(title) else "") + (" archived" if (it == 1 if
                    type(it := row_object.get("archived")) is str else equal(it, 1)) else "")).strip(WHITE)  # fmt: skip
                at_utc, at_basis, at_raw = iso(row_object.get("interacted_at")) or iso(
                    row_object.get("updated_at")) or NO_TIME  # fmt: skip
                write((at_utc, host, user, "zed", session_id, project_path, "", "system", "", "", "",
                    said, run.file, run.line, "sidebar", "", at_basis, at_raw, role, "source",
                    "zed/sidebar/external_thread", "", "", next_seq()))  # fmt: skip
            elif (it2 := row_object.get("session_id")) or (it2 is not None and truthy(it2)):
                # native_thread, line 986
                #   zed:crates/agent_ui/src/thread_metadata_store.rs:1373-1465 #sidebar_threads
                said = ("sidebar thread:" + (" title=" + as_text(title) if not is_empty(title) else "") +
                    " archived=" + ("true" if (it == 1 if type(it := row_object.get("archived")) is str
                    else equal(it, 1)) else "false") + " interacted_at=" +
                    as_text(it2 if (it2 := row_object.get("interacted_at")) or
                    (it2 is not None and truthy(it2)) else "-") + " main_worktree=" +
                    as_text(main if main or (main is not None and truthy(main)) else "-")).strip(WHITE)  # fmt: skip
                at_utc, at_basis, at_raw = iso(row_object.get("updated_at")) or NO_TIME
                write((at_utc, host, user, "zed", session_id, project_path, "", "system", "", "", "",
                    said, run.file, run.line, "sidebar", "", at_basis, at_raw, role, "source",
                    "zed/sidebar/native_thread", "", "", next_seq()))  # fmt: skip
            else:
                ignored["a draft of the native agent: its prompt stands in agent_draft_prompts"] += 1
                continue
            if run.odd or len(rows) == had:
                run.settle(had, walk_sidebar_columns)
        if rows:
            yield rows
    yield rows


def walk_sidebar_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `sidebar` for rows that no step writes."""
    names = run.names
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    folders = split(row_object.get("folder_paths"), "\n")
    places = split(row_object.get("folder_paths_order"), ",")
    places_before = split(before(concat(",", row_object.get("folder_paths_order"), ","), ",0,"), ",")
    return {"session_id": it if type(it := row_object.get("session_id")) is str else cell(it),
        "project_path": it3 if type(it3 := get(folders, add(count(places_before), -1)) if count(folders)
        == count(places) else it2[0] if type(it2 := sort(folders)) is list and it2 else None) is str else
        cell(it3)}  # fmt: skip


def walk_created_worktree(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `created_worktree` of `created_worktrees`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    made = json(row_object.get("value"))
    host_2 = before(row_object.get("key"), "\n")
    place = it if (it := after(row_object.get("key"), "\n")) is not None else row_object.get("key")
    thread_object = thread_object if type(thread_object := run.lookup("worktree_rows", place)) is dict else NOTHING
    mains = split(thread_object.get("main_worktree_paths"), "\n")
    places = split(thread_object.get("main_worktree_paths_order"), ",")
    places_before = split(before(concat(",", thread_object.get("main_worktree_paths_order"), ","), ",0,"), ",")
    of = it2 if (it2 := get(mains, add(count(places_before), -1)) if count(mains) == count(places) else
        it[0] if type(it := sort(mains)) is list and it else None) or (it2 is not None and
        truthy(it2)) else run.lookup("archived_repositories", place)  # fmt: skip
    fault = "JSON error: no object" if made is None else "missing field: created_at_seconds"
    made_object = made if type(made) is dict else NOTHING
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            if type_name(made_object.get("created_at_seconds")) != "number":
                run.unparseable({}, run.line, as_text(row_object.get("namespace")) + " " +
                    as_text(row_object.get("key")) + ": " + fault, as_text(row_object.get("value")),
                    "choose/1/unparsed")  # fmt: skip
            else:
                # created, line 1014
                #   zed:crates/git_ui/src/created_worktrees.rs:34-73 #created_at_seconds
                said = ("scratch directory: " + as_text(place) + " (Zed-created git worktree" +
                    (" of " + as_text(of) if not is_empty(of) else "") +
                    (" host=" + it if (it := None if host_2 == "local" else host_2) else "") + ") (from "
                    + as_text(run.facts.get("name")) + " created_git_worktrees, created_at)").strip(WHITE)  # fmt: skip
                at_utc, at_basis, at_raw = timed(made_object.get("created_at_seconds"), "s",
                    nanos=made_object.get("created_at_subsec_nanos")) or NO_TIME  # fmt: skip
                write((at_utc, host, user, "zed", "", place if type(place) is str else cell(place), "",
                    "system", "", "", "", said, run.file, run.line, "scratch_directory", "", at_basis,
                    at_raw, role, "source", "zed/created_worktrees/created", "", "", next_seq()))  # fmt: skip
            if run.odd or len(rows) == had:
                run.settle(had, walk_created_worktree_columns)
        if rows:
            yield rows
    yield rows


def walk_created_worktree_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `created_worktree` for rows that no step writes."""
    return {}


def walk_archived_worktree(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `archived_worktree` of `archived_worktrees`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    links = names.get("links")
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            link_list = links if (it := len(links) if type(links) is str else
                count(links)) is not None and it > 0 else [None]  # fmt: skip
            if type(link_list) is list:
                for link in link_list:
                    link_object = link if type(link) is dict else NOTHING
                    # archived, line 1027
                    #   zed:crates/agent_ui/src/thread_metadata_store.rs:1373-1465 #thread_archived_worktrees
                    #   zed:crates/agent_ui/src/thread_worktree_archive.rs:77-79 #archived
                    said = ("archived worktree: " + as_text(row_object.get("worktree_path")) + " of " +
                        as_text(row_object.get("main_repo_path")) +
                        (" branch=" + as_text(it) if not is_empty(it := row_object.get("branch_name"))
                        else "") + (" staged=" + as_text(it2) if not
                        is_empty(it2 := row_object.get("staged_commit_hash")) else "") +
                        (" unstaged=" + as_text(it3) if not is_empty(it3 :=
                        row_object.get("unstaged_commit_hash")) else "") +
                        (" original=" + as_text(it4) if not is_empty(it4 :=
                        row_object.get("original_commit_hash")) else "") + " ref=refs/archived-worktrees/"
                        + as_text(row_object.get("id")) + " (from " + as_text(run.facts.get("name")) +
                        " archived_git_worktrees, file mtime)").strip(WHITE)  # fmt: skip
                    at_utc, at_basis, at_raw = moment_of(run.facts.get("mtime")) or NO_TIME
                    write((at_utc, host, user, "zed", it7 if type(it7 := it6 if
                        (it6 := link_object.get("session_id")) or (it6 is not None and truthy(it6)) else
                        it5.get("session_id") if type(it5 := run.lookup("sidebar_rows",
                        uuid(link_object.get("thread_id")))) is dict else None) is str else cell(it7), it8
                        if type(it8 := row_object.get("main_repo_path")) is str else cell(it8), "",
                        "system", "", "", "", said, run.file, run.line, "worktree", "", at_basis, at_raw,
                        role, "source", "zed/archived_worktrees/archived", "", "", next_seq()))  # fmt: skip
            if run.odd or len(rows) == had:
                run.settle(had, walk_archived_worktree_columns)
        if rows:
            yield rows
    yield rows


def walk_archived_worktree_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `archived_worktree` for rows that no step writes."""
    return {}


def walk_terminal(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `terminal` of `terminals`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    folders = split(row_object.get("folder_paths"), "\n")
    places = split(row_object.get("folder_paths_order"), ",")
    places_before = split(before(concat(",", row_object.get("folder_paths_order"), ","), ",0,"), ",")
    folder = get(folders, add(count(places_before), -1)) if count(folders) == count(places) else it[
        0] if type(it := sort(folders)) is list and it else None  # fmt: skip
    title = row_object.get("custom_title") if (it.strip(WHITE) if
        type(it := row_object.get("custom_title")) is str else None) else row_object.get("title")  # fmt: skip
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            # terminal, line 1049
            #   zed:crates/agent_ui/src/terminal_thread_metadata_store.rs:448-462 #sidebar_terminal_threads
            said = ("sidebar terminal:" + (" " + as_text(title) if not is_empty(title) else "") +
                (" cwd=" + as_text(it) if not is_empty(it := row_object.get("working_directory")) else
                "")).strip(WHITE)  # fmt: skip
            at_utc, at_basis, at_raw = iso(row_object.get("created_at")) or NO_TIME
            write((at_utc, host, user, "zed", "", it2 if type(it2 := folder if folder or
                (folder is not None and truthy(folder)) else row_object.get("working_directory")) is str
                else cell(it2), "", "system", "", "", "", said, run.file, run.line, "terminal", "",
                at_basis, at_raw, role, "source", "zed/terminals/terminal", "", "", next_seq()))  # fmt: skip
            if run.odd or len(rows) == had:
                run.settle(had, walk_terminal_columns)
        if rows:
            yield rows
    yield rows


def walk_terminal_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `terminal` for rows that no step writes."""
    return {}


def walk_trusted_worktree(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `trusted_worktree` of `trusted_worktrees`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    row_object = row_object if type(row_object := names.get("row")) is dict else NOTHING
    host_2 = joined("@", row_object.get("user_name"), row_object.get("host_name"))
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            # trusted, line 1059
            #   zed:crates/workspace/src/persistence.rs:985-992 #trusted_worktrees
            said = ("permission setting: trusted_worktrees" +
                ("." + as_text(it) if not is_empty(it := row_object.get("absolute_path")) else "") +
                "=true" + (" host=" + host_2 if host_2 else "") + " (from " +
                as_text(run.facts.get("name")) + " trusted_worktrees, file mtime)").strip(WHITE)  # fmt: skip
            at_utc, at_basis, at_raw = moment_of(run.facts.get("mtime")) or NO_TIME
            write((at_utc, host, user, "zed", "", it2 if type(it2 := row_object.get("absolute_path")) is
                str else cell(it2), "", "system", "", "", "", said, run.file, run.line,
                "permission_setting", "", at_basis, at_raw, role, "source",
                "zed/trusted_worktrees/trusted", "", "", next_seq()))  # fmt: skip
            if run.odd or len(rows) == had:
                run.settle(had, walk_trusted_worktree_columns)
        if rows:
            yield rows
    yield rows


def walk_trusted_worktree_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `trusted_worktree` for rows that no step writes."""
    return {}


def walk_settings(run: Run) -> Iterator[list[RowTuple]]:
    """Walk `settings` of `settings`."""
    rows = run.rows
    write = run.rows.append
    next_seq = run.number
    names = run.names
    host = run.host
    user = run.user
    role = run.role
    doc = names.get("doc")
    time = moment_of(run.facts.get("mtime"))
    doc_object = doc if type(doc) is dict else NOTHING
    for batch in run.batches():
        for run.line, record in batch:
            run.record = record
            had = len(rows)
            found_list = pick(doc, TABLE_PERMISSION_KEYS)
            if type(found_list) is list:
                for found in found_list:
                    found_object = found if type(found) is dict else NOTHING
                    if found_object.get("value") is not None:
                        # setting, line 1096
                        #   zed:crates/settings_content/src/agent.rs:783-902 #tool_permissions
                        #   zed:crates/settings_content/src/agent.rs:736-765 #default_mode
                        #   zed:crates/settings_content/src/project.rs:394 #trust_all_worktrees
                        said = ("permission setting: " + (None + "." if None else "") +
                            as_text(found_object.get("key")) + "=" + as_text(found_object.get("value")) +
                            " (from " + as_text(run.facts.get("name")) + ", file mtime)").strip(WHITE)  # fmt: skip
                        at_utc, at_basis, at_raw = time or NO_TIME
                        write((at_utc, host, user, "zed", "", "", "", "system", "", "", "", said,
                            run.file, 0, "permission_setting", "", at_basis, at_raw, role, "source",
                            "zed/settings/setting", "", "", next_seq()))  # fmt: skip
            block_list = entries(doc)
            if type(block_list) is list:
                for block in block_list:
                    block_object = block if type(block) is dict else NOTHING
                    if has(block_object.get("key"), TABLE_OVERRIDE_BLOCKS):
                        found_list_2 = pick(block_object.get("value"), TABLE_PERMISSION_KEYS)
                        if type(found_list_2) is list:
                            for found_2 in found_list_2:
                                found_2_object = found_2 if type(found_2) is dict else NOTHING
                                if found_2_object.get("value") is not None:
                                    # setting, line 1096
                                    #   zed:crates/settings_content/src/agent.rs:783-902 #tool_permissions
                                    #   zed:crates/settings_content/src/agent.rs:736-765 #default_mode
                                    #   zed:crates/settings_content/src/project.rs:394 #trust_all_worktrees
                                    said = ("permission setting: " + (as_text(it) + "." if not
                                        is_empty(it := block_object.get("key")) else "") +
                                        as_text(found_2_object.get("key")) + "=" +
                                        as_text(found_2_object.get("value")) + " (from " +
                                        as_text(run.facts.get("name")) + ", file mtime)").strip(WHITE)  # fmt: skip
                                    at_utc, at_basis, at_raw = time or NO_TIME
                                    write((at_utc, host, user, "zed", "", "", "", "system", "", "", "",
                                        said, run.file, 0, "permission_setting", "", at_basis, at_raw,
                                        role, "source", "zed/settings/setting", "", "", next_seq()))  # fmt: skip
            profile_list = entries(doc_object.get("profiles"))
            if type(profile_list) is list:
                for profile in profile_list:
                    profile_object = profile if type(profile) is dict else NOTHING
                    found_list_3 = pick(it2 if (it2 := it.get("settings") if
                        type(it := profile_object.get("value")) is dict else None) is not None else
                        profile_object.get("value"), TABLE_PERMISSION_KEYS)  # fmt: skip
                    if type(found_list_3) is list:
                        for found_3 in found_list_3:
                            found_3_object = found_3 if type(found_3) is dict else NOTHING
                            if found_3_object.get("value") is not None:
                                # setting, line 1096
                                #   zed:crates/settings_content/src/agent.rs:783-902 #tool_permissions
                                #   zed:crates/settings_content/src/agent.rs:736-765 #default_mode
                                #   zed:crates/settings_content/src/project.rs:394 #trust_all_worktrees
                                said = ("permission setting: " + (as_text(it) + "." if not
                                    is_empty(it := profile_object.get("key")) else "") +
                                    as_text(found_3_object.get("key")) + "=" +
                                    as_text(found_3_object.get("value")) + " (from " +
                                    as_text(run.facts.get("name")) + ", file mtime)").strip(WHITE)  # fmt: skip
                                at_utc, at_basis, at_raw = time or NO_TIME
                                write((at_utc, host, user, "zed", "", "", "", "system", "", "", "", said,
                                    run.file, 0, "permission_setting", "", at_basis, at_raw, role,
                                    "source", "zed/settings/setting", "", "", next_seq()))  # fmt: skip
            run.ignore("settings without permissions")
            if run.odd or len(rows) == had:
                run.settle(had, walk_settings_columns)
        if rows:
            yield rows
    yield rows


def walk_settings_columns(run: Run, record: Any) -> dict[str, Any]:
    """Columns of `settings` for rows that no step writes."""
    return {"time": moment_of(run.facts.get("mtime")), "source_line": 0}


WALKS: dict[str, Walk] = {
    "thread": Walk(
        rows=walk_thread,
        columns=walk_thread_columns,
        placed=False,
        members=None,
    ),
    "sidebar": Walk(
        rows=walk_sidebar,
        columns=walk_sidebar_columns,
        placed=False,
        members=None,
    ),
    "draft_row": Walk(
        rows=walk_draft_row,
        columns=walk_draft_row_columns,
        placed=False,
        members=None,
    ),
    "created_worktree": Walk(
        rows=walk_created_worktree,
        columns=walk_created_worktree_columns,
        placed=False,
        members=None,
    ),
    "archived_worktree": Walk(
        rows=walk_archived_worktree,
        columns=walk_archived_worktree_columns,
        placed=False,
        members=None,
    ),
    "terminal": Walk(
        rows=walk_terminal,
        columns=walk_terminal_columns,
        placed=False,
        members=None,
    ),
    "trusted_worktree": Walk(
        rows=walk_trusted_worktree,
        columns=walk_trusted_worktree_columns,
        placed=False,
        members=None,
    ),
    "settings": Walk(
        rows=walk_settings,
        columns=walk_settings_columns,
        placed=False,
        members=None,
    ),
}

#: what discovery, the readers and pairing need of the spec
PLAN = (
    '{"node":"Plan","file":"zed.yaml","sha256":"35a862d13d74b55bf1a178e79ab46387c0d7e6fe813feba6bb1f4ba06e013a68","la'
    'nguage":1,"agent":"zed","name":"Zed","summary":"A code editor; its agent panel runs threads with its own agent a'
    'nd drives other agents over ACP.","basis":"source","evidence":[{"node":"Evidence","alias":"zed","repo":"https://'
    'github.com/zed-industries/zed","commit":"6e1e050738edae5d145d160ebdf65e1dc25ba3ee","license":"GPL-3.0-or-later",'
    '"reviewed":"2026-11-30"}],"roots":[{"node":"Root","name":"data","bases":[["home",".local/share/zed"],["home","Li'
    'brary/Application Support/Zed"],["home","AppData/Local/Zed"],["home",".var/app/dev.zed.Zed*/data/zed"]],"env":nu'
    'll,"cites":[{"node":"Citation","alias":"zed","path":"crates/paths/src/paths.rs","first":144,"last":165,"anchor":'
    '"data_dir","seen":false,"text":"zed:crates/paths/src/paths.rs:144-165 #data_dir"}]},{"node":"Root","name":"confi'
    'g","bases":[["home",".config/zed"],["home","AppData/Roaming/Zed"],["home",".var/app/dev.zed.Zed*/config/zed"]],"'
    'env":null,"cites":[{"node":"Citation","alias":"zed","path":"crates/paths/src/paths.rs","first":122,"last":139,"a'
    'nchor":"config_dir","seen":false,"text":"zed:crates/paths/src/paths.rs:122-139 #config_dir"}]}],"catalog":{"node'
    '":"Catalog","home":[".config/zed",".local/share/zed",".local/state/zed",".local/state/Zed","Library/Application '
    'Support/Zed","Library/Logs/Zed","AppData/Roaming/Zed","AppData/Local/Zed",".var/app/dev.zed.Zed*/config/zed",".v'
    'ar/app/dev.zed.Zed*/data/zed"],"project":[".zed",".rules",".cursorrules",".windsurfrules",".clinerules",".github'
    '/copilot-instructions.md","AGENT.md","AGENTS.md","CLAUDE.md","GEMINI.md"],"exclude":[["*/zed/extensions","instal'
    'led extensions and their work directories"],["*/Zed/extensions","installed extensions and their work directories'
    '"],["*/zed/remote_extensions","extensions uploaded to remote hosts"],["*/Zed/remote_extensions","extensions uplo'
    'aded to remote hosts"],["*/zed/node","a Node.js runtime"],["*/Zed/node","a Node.js runtime"],["*/zed/languages",'
    '"language servers"],["*/Zed/languages","language servers"],["*/zed/copilot","the Copilot language server"],["*/Z'
    'ed/copilot","the Copilot language server"],["*/zed/debug_adapters","debug adapters"],["*/Zed/debug_adapters","de'
    'bug adapters"],["*/zed/external_agents","programs of external agents; their sessions lie elsewhere"],["*/Zed/ext'
    'ernal_agents","programs of external agents; their sessions lie elsewhere"],["*/zed/prettier","a formatter"],["*/'
    'Zed/prettier","a formatter"],["*/zed/remote_servers","server programs for remote hosts"],["*/Zed/remote_servers"'
    ',"server programs for remote hosts"],["*/zed/devcontainer","container tooling"],["*/Zed/devcontainer","container'
    ' tooling"],["*/zed/embeddings","an index of code"],["*/Zed/embeddings","an index of code"],["*/zed/server_state"'
    ',"state of the remote server process"],["*/Zed/server_state","state of the remote server process"],["*/zed/hang_'
    'traces","profiles of a hanging editor"],["*/Zed/hang_traces","profiles of a hanging editor"],["*/zed/build_timin'
    'gs","timings of builds of the editor"],["*/Zed/build_timings","timings of builds of the editor"]],"secrets":["*/'
    'zed/development_credentials","*/Zed/development_credentials"]},"tables":{"permission_keys":["agent.tool_permissi'
    'ons.**","agent.sandbox_permissions.**","agent.always_allow_tool_actions","agent_servers.*.default_mode","session'
    '.trust_all_worktrees"],"override_blocks":["dev","nightly","preview","stable","macos","linux","windows"],"legacy_'
    'roles":["user","assistant","system"],"grant_flags":["network_any_host","allow_fs_write_all","unsandboxed","sandb'
    'ox_fallback"],"automatic_denials":["Blocked by global default: deny","Blocked by built-in security rule. ","Comm'
    'and blocked by security rule for ","The terminal command could not be approved because "]},"lookups":[{"node":"L'
    'ookup","name":"sidebar_rows","stores":["sidebar"],"key":{"node":"Expr","source":"uuid(row.thread_id)","ast":{},"'
    'mark":[46,11,"lookups.sidebar_rows.key"]},"value":{"node":"Expr","source":"row","ast":{},"mark":[47,13,"lookups.'
    'sidebar_rows.value"]},"per_file":true},{"node":"Lookup","name":"worktree_rows","stores":["sidebar"],"key":{"node'
    '":"Expr","source":"split(row.folder_paths, `\\"\\\\n\\"`)","ast":{},"mark":[51,11,"lookups.worktree_rows.key"]},'
    '"value":{"node":"Expr","source":"if(row.main_worktree_paths, row, `null`)","ast":{},"mark":[52,13,"lookups.workt'
    'ree_rows.value"]},"per_file":true},{"node":"Lookup","name":"archived_repositories","stores":["archived_worktrees'
    '"],"key":{"node":"Expr","source":"row.worktree_path","ast":{},"mark":[56,11,"lookups.archived_repositories.key"]'
    '},"value":{"node":"Expr","source":"row.main_repo_path","ast":{},"mark":[57,13,"lookups.archived_repositories.val'
    'ue"]},"per_file":true}],"stores":[{"node":"Store","name":"threads","mark":[131,5,"stores.threads"],"role":"prima'
    'ry","secondary_if":null,"files":[{"node":"Glob","source":"{data}/threads/threads.db","root":"data","pattern":"th'
    'reads/threads.db","captures":[],"mark":[133,13,"stores.threads.files[0]"]}],"folder":[],"folder_files":"","folde'
    'r_captures":[],"folder_order":null,"skip":[],"read":"sqlite","sqlite":{"node":"Sqlite","table":"threads","need":'
    '["id","summary","updated_at","data_type","data"],"want":["parent_id","folder_paths","folder_paths_order","create'
    'd_at"],"json":[],"order":"rowid"},"as_name":"row","need":"object","decode":[{"node":"Decode","column":"data","by'
    '":{"node":"Expr","source":"row.data_type","ast":{},"mark":[141,25,"stores.threads.decode.data.by"]},"chains":[["'
    'zstd",["zstd","json"]],["json",["json"]]]}],"records":null,"keys":[],"find":[],"beside":[],"once":null,"salvage"'
    ':null,"versions":[{"node":"Version","id":"current","when":{"node":"Expr","source":"row.data.version == `\\"0.3.0\\'
    '"`","ast":{},"mark":[143,30,"stores.threads.versions[0].when"]},"shape":"thread","walk":null},{"node":"Version",'
    '"id":"legacy","when":{"node":"Expr","source":"row.data.version == `\\"0.2.0\\"` || row.data.version == `\\"0.1.'
    '0\\"` || row.data.version == `null`","ast":{},"mark":[145,16,"stores.threads.versions[1].when"]},"shape":"legacy_'
    'thread","walk":null},{"node":"Version","id":"unknown","when":null,"shape":null,"walk":null}],"shape":null,"walk"'
    ':"thread","cites":[{"node":"Citation","alias":"zed","path":"crates/agent/src/db.rs","first":440,"last":475,"anch'
    'or":"threads","seen":false,"text":"zed:crates/agent/src/db.rs:440-475 #threads"}]},{"node":"Store","name":"sideb'
    'ar","mark":[151,5,"stores.sidebar"],"role":"primary","secondary_if":null,"files":[{"node":"Glob","source":"{data'
    '}/db/0-<channel>/db.sqlite","root":"data","pattern":"db/0-<channel>/db.sqlite","captures":[["channel",""]],"mark'
    '":[153,13,"stores.sidebar.files[0]"]}],"folder":[],"folder_files":"","folder_captures":[],"folder_order":null,"s'
    'kip":[],"read":"sqlite","sqlite":{"node":"Sqlite","table":"sidebar_threads","need":["title","updated_at"],"want"'
    ':["thread_id","session_id","agent_id","title_override","folder_paths","folder_paths_order","archived","main_work'
    'tree_paths","main_worktree_paths_order","interacted_at"],"json":[],"order":"rowid"},"as_name":"row","need":null,'
    '"decode":[],"records":null,"keys":[],"find":[],"beside":[],"once":null,"salvage":null,"versions":[],"shape":null'
    ',"walk":"sidebar","cites":[{"node":"Citation","alias":"zed","path":"crates/agent_ui/src/thread_metadata_store.rs'
    '","first":1373,"last":1465,"anchor":"sidebar_threads","seen":false,"text":"zed:crates/agent_ui/src/thread_metada'
    'ta_store.rs:1373-1465 #sidebar_threads"}]},{"node":"Store","name":"drafts","mark":[164,5,"stores.drafts"],"role"'
    ':"primary","secondary_if":null,"files":[{"node":"Glob","source":"{data}/db/0-<channel>/db.sqlite","root":"data",'
    '"pattern":"db/0-<channel>/db.sqlite","captures":[["channel",""]],"mark":[166,13,"stores.drafts.files[0]"]}],"fol'
    'der":[],"folder_files":"","folder_captures":[],"folder_order":null,"skip":[],"read":"sqlite","sqlite":{"node":"S'
    'qlite","table":"scoped_kv_store","need":["namespace","key","value"],"want":[],"json":[],"order":"rowid","where":'
    '[["namespace","agent_draft_prompts"]]},"as_name":"row","need":null,"decode":[],"records":null,"keys":[],"find":['
    '],"beside":[],"once":null,"salvage":null,"versions":[],"shape":null,"walk":"draft_row","cites":[{"node":"Citatio'
    'n","alias":"zed","path":"crates/agent_ui/src/draft_prompt_store.rs","first":25,"last":52,"anchor":"agent_draft_p'
    'rompts","seen":false,"text":"zed:crates/agent_ui/src/draft_prompt_store.rs:25-52 #agent_draft_prompts"}]},{"node'
    '":"Store","name":"created_worktrees","mark":[176,5,"stores.created_worktrees"],"role":"primary","secondary_if":n'
    'ull,"files":[{"node":"Glob","source":"{data}/db/0-<channel>/db.sqlite","root":"data","pattern":"db/0-<channel>/d'
    'b.sqlite","captures":[["channel",""]],"mark":[178,13,"stores.created_worktrees.files[0]"]}],"folder":[],"folder_'
    'files":"","folder_captures":[],"folder_order":null,"skip":[],"read":"sqlite","sqlite":{"node":"Sqlite","table":"'
    'scoped_kv_store","need":["namespace","key","value"],"want":[],"json":[],"order":"rowid","where":[["namespace","c'
    'reated_git_worktrees"]]},"as_name":"row","need":null,"decode":[],"records":null,"keys":[],"find":[],"beside":[],'
    '"once":null,"salvage":null,"versions":[],"shape":null,"walk":"created_worktree","cites":[{"node":"Citation","ali'
    'as":"zed","path":"crates/git_ui/src/created_worktrees.rs","first":34,"last":73,"anchor":"created_git_worktrees",'
    '"seen":false,"text":"zed:crates/git_ui/src/created_worktrees.rs:34-73 #created_git_worktrees"}]},{"node":"Store"'
    ',"name":"archived_worktrees","mark":[188,5,"stores.archived_worktrees"],"role":"primary","secondary_if":null,"fi'
    'les":[{"node":"Glob","source":"{data}/db/0-<channel>/db.sqlite","root":"data","pattern":"db/0-<channel>/db.sqlit'
    'e","captures":[["channel",""]],"mark":[190,13,"stores.archived_worktrees.files[0]"]}],"folder":[],"folder_files"'
    ':"","folder_captures":[],"folder_order":null,"skip":[],"read":"sqlite","sqlite":{"node":"Sqlite","table":"archiv'
    'ed_git_worktrees","need":["id","worktree_path","main_repo_path"],"want":["branch_name","staged_commit_hash","uns'
    'taged_commit_hash","original_commit_hash"],"json":[],"order":"id","children":[{"node":"Child","name":"links","ta'
    'ble":"thread_archived_worktrees","match":[["archived_worktree_id","id"]],"order":"rowid","want":["thread_id","se'
    'ssion_id"]}]},"as_name":"row","need":null,"decode":[],"records":null,"keys":[],"find":[],"beside":[],"once":null'
    ',"salvage":null,"versions":[],"shape":null,"walk":"archived_worktree","cites":[{"node":"Citation","alias":"zed",'
    '"path":"crates/agent_ui/src/thread_metadata_store.rs","first":1373,"last":1465,"anchor":"archived_git_worktrees"'
    ',"seen":false,"text":"zed:crates/agent_ui/src/thread_metadata_store.rs:1373-1465 #archived_git_worktrees"}]},{"n'
    'ode":"Store","name":"terminals","mark":[206,5,"stores.terminals"],"role":"primary","secondary_if":null,"files":['
    '{"node":"Glob","source":"{data}/db/0-<channel>/db.sqlite","root":"data","pattern":"db/0-<channel>/db.sqlite","ca'
    'ptures":[["channel",""]],"mark":[208,13,"stores.terminals.files[0]"]}],"folder":[],"folder_files":"","folder_cap'
    'tures":[],"folder_order":null,"skip":[],"read":"sqlite","sqlite":{"node":"Sqlite","table":"sidebar_terminal_thre'
    'ads","need":["title","created_at"],"want":["custom_title","working_directory","folder_paths","folder_paths_order'
    '"],"json":[],"order":"rowid"},"as_name":"row","need":null,"decode":[],"records":null,"keys":[],"find":[],"beside'
    '":[],"once":null,"salvage":null,"versions":[],"shape":null,"walk":"terminal","cites":[{"node":"Citation","alias"'
    ':"zed","path":"crates/agent_ui/src/terminal_thread_metadata_store.rs","first":448,"last":462,"anchor":"sidebar_t'
    'erminal_threads","seen":false,"text":"zed:crates/agent_ui/src/terminal_thread_metadata_store.rs:448-462 #sidebar'
    '_terminal_threads"}]},{"node":"Store","name":"trusted_worktrees","mark":[218,5,"stores.trusted_worktrees"],"role'
    '":"primary","secondary_if":null,"files":[{"node":"Glob","source":"{data}/db/0-<channel>/db.sqlite","root":"data"'
    ',"pattern":"db/0-<channel>/db.sqlite","captures":[["channel",""]],"mark":[220,13,"stores.trusted_worktrees.files'
    '[0]"]}],"folder":[],"folder_files":"","folder_captures":[],"folder_order":null,"skip":[],"read":"sqlite","sqlite'
    '":{"node":"Sqlite","table":"trusted_worktrees","need":["absolute_path"],"want":["user_name","host_name"],"json":'
    '[],"order":"rowid"},"as_name":"row","need":null,"decode":[],"records":null,"keys":[],"find":[],"beside":[],"once'
    '":null,"salvage":null,"versions":[],"shape":null,"walk":"trusted_worktree","cites":[{"node":"Citation","alias":"'
    'zed","path":"crates/workspace/src/persistence.rs","first":985,"last":992,"anchor":"trusted_worktrees","seen":fal'
    'se,"text":"zed:crates/workspace/src/persistence.rs:985-992 #trusted_worktrees"}]},{"node":"Store","name":"settin'
    'gs","mark":[230,5,"stores.settings"],"role":"primary","secondary_if":null,"files":[{"node":"Glob","source":"{con'
    'fig}/settings.json","root":"config","pattern":"settings.json","captures":[],"mark":[232,13,"stores.settings.file'
    's[0]"]},{"node":"Glob","source":"{config}/global_settings.json","root":"config","pattern":"global_settings.json"'
    ',"captures":[],"mark":[232,39,"stores.settings.files[1]"]}],"folder":[],"folder_files":"","folder_captures":[],"'
    'folder_order":null,"skip":[],"read":"jsonc","sqlite":null,"as_name":"doc","need":"object","decode":[],"records":'
    'null,"keys":[],"find":[],"beside":[],"once":null,"salvage":null,"versions":[],"shape":"settings","walk":"setting'
    's","cites":[{"node":"Citation","alias":"zed","path":"crates/settings_content/src/settings_content.rs","first":39'
    '9,"last":454,"anchor":"UserSettingsContent","seen":false,"text":"zed:crates/settings_content/src/settings_conten'
    't.rs:399-454 #UserSettingsContent"}]}],"walks":[{"node":"Walk","name":"thread","mark":[0,0,""],"steps":[{"node":'
    '"Emit","mark":[0,0,""],"id":"","name":"start","turn":"system","event":"session_start"},{"node":"Emit","mark":[0,'
    '0,""],"id":"","name":"remote","turn":"system","event":"git"},{"node":"Emit","mark":[0,0,""],"id":"","name":"mode'
    'l","turn":"system","event":"model"},{"node":"Emit","mark":[0,0,""],"id":"","name":"profile","turn":"system","eve'
    'nt":"permission_setting"},{"node":"Emit","mark":[0,0,""],"id":"","name":"write_path","turn":"system","event":"pe'
    'rmission_setting"},{"node":"Emit","mark":[0,0,""],"id":"","name":"network_host","turn":"system","event":"permiss'
    'ion_setting"},{"node":"Emit","mark":[0,0,""],"id":"","name":"grant","turn":"system","event":"permission_setting"'
    '},{"node":"Use","mark":[0,0,""],"id":"","walk":"legacy_message","inputs":[]},{"node":"Emit","mark":[0,0,""],"id"'
    ':"","name":"scratch","turn":"system","event":"scratch_directory"},{"node":"Use","mark":[0,0,""],"id":"","walk":"'
    'message","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"draft","inputs":[]}]},{"node":"Walk","name":'
    '"message","mark":[0,0,""],"steps":[{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"U'
    'se","mark":[0,0,""],"id":"","walk":"mention","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt",'
    '"inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"Emit","mark":[0,0,""],"'
    'id":"","name":"answer","turn":"assistant","event":"message"},{"node":"Emit","mark":[0,0,""],"id":"","name":"thin'
    'king","turn":"thinking","event":"thinking"},{"node":"Emit","mark":[0,0,""],"id":"","name":"redacted_thinking","t'
    'urn":"thinking","event":"thinking"},{"node":"Use","mark":[0,0,""],"id":"","walk":"tool_use","inputs":[]},{"node"'
    ':"Use","mark":[0,0,""],"id":"","walk":"tool_result","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"t'
    'ool_result","inputs":[]},{"node":"Emit","mark":[0,0,""],"id":"","name":"resume","turn":"system","event":"notice"'
    '},{"node":"Emit","mark":[0,0,""],"id":"","name":"compaction","turn":"system","event":"compaction"},{"node":"Emit'
    '","mark":[0,0,""],"id":"","name":"provider_compaction","turn":"system","event":"compaction"}]},{"node":"Walk","n'
    'ame":"prompt","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"","name":"subagent_task","turn":"sys'
    'tem","event":"context"},{"node":"Emit","mark":[0,0,""],"id":"","name":"prompt","turn":"user","event":"message"}]'
    '},{"node":"Walk","name":"mention","mark":[0,0,""],"steps":[{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt"'
    ',"inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"'
    'id":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"'
    'Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt",'
    '"inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"i'
    'd":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"U'
    'se","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","'
    'inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"id'
    '":"","walk":"prompt","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]}]},{"node":"'
    'Walk","name":"tool_use","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"","name":"call","turn":"to'
    'ol_use","event":"tool_use"}]},{"node":"Walk","name":"tool_result","mark":[0,0,""],"steps":[{"node":"Emit","mark"'
    ':[0,0,""],"id":"","name":"result","turn":"tool_result","event":"tool_result"},{"node":"Emit","mark":[0,0,""],"id'
    '":"","name":"denied","turn":"system","event":"permission_decision"},{"node":"Emit","mark":[0,0,""],"id":"","name'
    '":"auto_denied","turn":"system","event":"permission_decision"},{"node":"Emit","mark":[0,0,""],"id":"","name":"sa'
    'ndbox_denied","turn":"system","event":"permission_decision"}]},{"node":"Walk","name":"legacy_message","mark":[0,'
    '0,""],"steps":[{"node":"Use","mark":[0,0,""],"id":"","walk":"legacy_text","inputs":[]},{"node":"Emit","mark":[0,'
    '0,""],"id":"","name":"legacy_thinking","turn":"thinking","event":"thinking"},{"node":"Emit","mark":[0,0,""],"id"'
    ':"","name":"legacy_redacted_thinking","turn":"thinking","event":"thinking"},{"node":"Use","mark":[0,0,""],"id":"'
    '","walk":"legacy_text","inputs":[]},{"node":"Emit","mark":[0,0,""],"id":"","name":"attached","turn":"system","ev'
    'ent":"context"},{"node":"Use","mark":[0,0,""],"id":"","walk":"tool_use","inputs":[]},{"node":"Use","mark":[0,0,"'
    '"],"id":"","walk":"tool_result","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"tool_result","inputs"'
    ':[]}]},{"node":"Walk","name":"legacy_text","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"","name'
    '":"hidden","turn":"system","event":"context"},{"node":"Emit","mark":[0,0,""],"id":"","name":"system_message","tu'
    'rn":"system","event":"context"},{"node":"Use","mark":[0,0,""],"id":"","walk":"prompt","inputs":[]},{"node":"Emit'
    '","mark":[0,0,""],"id":"","name":"legacy_answer","turn":"assistant","event":"message"}]},{"node":"Walk","name":"'
    'draft","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"","name":"draft","turn":"system","event":"d'
    'raft"}]},{"node":"Walk","name":"draft_row","mark":[0,0,""],"steps":[{"node":"Use","mark":[0,0,""],"id":"","walk"'
    ':"draft","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"draft","inputs":[]}]},{"node":"Walk","name":'
    '"sidebar","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"","name":"external_thread","turn":"syste'
    'm","event":"sidebar"},{"node":"Emit","mark":[0,0,""],"id":"","name":"native_thread","turn":"system","event":"sid'
    'ebar"}]},{"node":"Walk","name":"created_worktree","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"'
    '","name":"created","turn":"system","event":"scratch_directory"}]},{"node":"Walk","name":"archived_worktree","mar'
    'k":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"","name":"archived","turn":"system","event":"worktree"'
    '}]},{"node":"Walk","name":"terminal","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0,0,""],"id":"","name":"ter'
    'minal","turn":"system","event":"terminal"}]},{"node":"Walk","name":"trusted_worktree","mark":[0,0,""],"steps":[{'
    '"node":"Emit","mark":[0,0,""],"id":"","name":"trusted","turn":"system","event":"permission_setting"}]},{"node":"'
    'Walk","name":"settings","mark":[0,0,""],"steps":[{"node":"Use","mark":[0,0,""],"id":"","walk":"setting","inputs"'
    ':[]},{"node":"Use","mark":[0,0,""],"id":"","walk":"setting","inputs":[]},{"node":"Use","mark":[0,0,""],"id":"","'
    'walk":"setting","inputs":[]}]},{"node":"Walk","name":"setting","mark":[0,0,""],"steps":[{"node":"Emit","mark":[0'
    ',0,""],"id":"","name":"setting","turn":"system","event":"permission_setting"}]}],"pairings":[],"hooks":[],"shape'
    's":{},"unread":[],"tests":[]}'
)


def rows(home: str) -> Iterator[Row]:
    """The rows of a home directory, in the order of time."""
    return rows_of(home, WALKS, PLAN)


if __name__ == "__main__":
    main(WALKS, PLAN)
