"""A first spec from sample files: what they are, the shapes of their records, what may be columns. What nobody can see
in a file says TODO: `engine check` asks for it."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from engine.errors import UsageError
from engine.review.scaffold_places import is_secret, lying
from engine.review.scaffold_samples import Sample, Table, read_sample
from engine.review.scaffold_shapes import Candidate, Seen, candidates, discriminator, member, seen_of, shape_of

TODO = "TODO"
_HEAD = """\
# yaml-language-server: $schema=../schemas/spec.schema.json
# A first spec, from {count}. It reads every record; what each means is still to be said. TODO is a citation or
# a fact that no file tells: `engine check` asks for each. specs/README.md explains the language.
"""
_TURNS = {
    "user": "user", "human": "user", "assistant": "assistant", "agent": "assistant", "ai": "assistant",
    "thinking": "thinking", "reasoning": "thinking", "tool_use": "tool_use", "tool_call": "tool_use",
    "function_call": "tool_use", "tool_result": "tool_result", "function_call_output": "tool_result",
    "tool": "tool_result",
}  # fmt: skip
_SHARED = ("time", "session_id", "project_path", "git_branch", "model")
_CALLS = ("tool_use", "tool_result")
#: characters of a collection that is written in one line
_SMALL = 90
_WORD = re.compile(r"[A-Za-z_][\w.-]*")


class Draft(NamedTuple):
    """One store: its name, its section, the scope name of its records, these, and what was seen of them."""

    name: str
    store: dict[str, Any]
    record: str
    values: list[Any]
    seen: Seen


def scaffold(agent: str, paths: Sequence[Path], home: Path | None = None) -> str:
    """The text of a spec for the agent of these files. Raises UsageError."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", agent):
        raise UsageError(f"`{agent}` is no id of an agent: letters, digits, `_`, `-` and `.`")
    places = lying(paths, home)
    bases = list(dict.fromkeys(place.root for place in places))
    roots = {root: f"data{at}" if at > 1 else "data" for at, root in enumerate(bases, 1)}
    groups: dict[str, list[Path]] = {}
    for place in places:
        if not is_secret(place.path):
            groups.setdefault(f"{{{roots[place.root]}}}/{place.glob}", []).append(place.path)
    drafts: list[Draft] = []
    for glob, members in groups.items():
        drafts += _drafts(glob, [read_sample(path) for path in members], {draft.name for draft in drafts})
    secrets = [f"{p.root}/{p.glob}".removeprefix("./") for p in places if is_secret(p.path)]
    return _text(agent, len(paths), roots, secrets, drafts)


def _text(agent: str, count: int, roots: dict[str, str], secrets: list[str], drafts: list[Draft]) -> str:
    catalog: dict[str, Any] = {"home": list(roots)} | ({"secrets": secrets} if secrets else {})
    parts = [
        _HEAD.format(count="one sample file" if count == 1 else f"{count} sample files") + _yaml({"spec": 1}),
        _yaml({"agent": {"id": agent, "name": agent, "summary": TODO, "basis": "observed"}}),
        _yaml({"evidence": {"src": dict.fromkeys(("repo", "commit", "license", "reviewed"), TODO)}}),
        _yaml({"roots": {name: {"cite": TODO, "home": [root]} for root, name in roots.items()}}),
        _yaml({"catalog": catalog}),
        _yaml({"stores": {draft.name: draft.store for draft in drafts}}),
        _yaml({"shapes": {draft.name: shape_of(draft.seen, _kinds(draft)) for draft in drafts}}),
        "walks:\n" + "\n".join(textwrap.indent(_walk(draft), "  ") for draft in drafts),
    ]
    if secrets:
        parts.append(_yaml({"unread": {Path(path).name: "by its name it holds secrets" for path in secrets}}))
    return "\n".join(parts)


def _drafts(glob: str, samples: Sequence[Sample], taken: set[str]) -> Iterator[Draft]:
    """The stores of files that lie in one place."""
    kinds = {sample.kind for sample in samples}
    if len(kinds) > 1:
        names = ", ".join(f"{sample.path.name} is {sample.kind}" for sample in samples)
        raise UsageError(f"{glob} takes files of different kinds: {names}; give them one by one")
    first = samples[0]
    if first.kind == "sqlite":
        for table in first.tables:
            yield _table_draft(glob, table, _name(table.name, taken))
        return
    store: dict[str, Any] = {"cite": TODO, "files": [glob], "read": first.kind}
    name = _name(_stem(glob), taken)
    values = [record for sample in samples for record in sample.records]
    record = "record"
    if first.kind not in ("jsonl", "lines"):
        record = "doc"
        listed = _listed(first.records[0]) if first.records else None
        if listed is not None:
            store["records"] = listed[0]
            values = [item for sample in samples for item in _at(sample.records[0], listed[0])]
            record = "record"
    yield Draft(name, store | {"shape": name, "walk": name}, record, values, seen_of(values))


def _table_draft(glob: str, table: Table, name: str) -> Draft:
    always = [column for column in table.columns if all(row[column] is not None for row in table.rows)]
    read: dict[str, Any] = {"sqlite": table.name, "need": always, "order": "rowid"}
    rest = [column for column in table.columns if column not in always]
    if rest:
        read["want"] = rest
    store: dict[str, Any] = {"cite": TODO, "files": [glob], "read": read}
    if table.codecs:
        store["decode"] = {column: list(chain) for column, chain in table.codecs.items()}
    return Draft(name, store | {"shape": name, "walk": name}, "row", table.rows, seen_of(table.rows))


def _listed(document: Any) -> tuple[str, int] | None:
    """The longest list of objects in a document, as the expression that gives it."""
    if isinstance(document, list):
        return "doc", len(document)
    found = [
        (f"doc.{member(name)}", len(value))
        for name, value in (document.items() if isinstance(document, dict) else ())
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    ]
    return max(found, key=lambda each: each[1]) if found else None


def _at(document: Any, path: str) -> list[Any]:
    if path == "doc":
        return document if isinstance(document, list) else []
    found = next((value for name, value in document.items() if f"doc.{member(name)}" == path), None)
    return found if isinstance(found, list) else []


def _stem(glob: str) -> str:
    """What a file's store is called: the file, or the folder of files that are named by ids."""
    parts = [part for part in glob.split("/") if "<" not in part and not part.startswith("{")]
    return parts[-1].lstrip(".").split(".")[0] if parts else "records"


def _name(wanted: str, taken: set[str]) -> str:
    base = re.sub(r"\W+", "_", wanted).strip("_") or "records"
    base = base if not base[0].isdigit() else f"s{base}"
    name = next(name for name in (base, *(f"{base}{n}" for n in range(2, 1000))) if name not in taken)
    taken.add(name)
    return name


def _kinds(draft: Draft) -> frozenset[str]:
    found = discriminator(draft.seen)
    return frozenset() if found is None else frozenset({found})


def _walk(draft: Draft) -> str:
    """A walk, with what else may be a column in comments."""
    found = candidates(draft.seen, draft.record)
    columns = {name: _column(name, found[name][0]) for name in _SHARED if name in found}
    if "session_id" not in columns and "<name>" in draft.store["files"][0]:
        columns = {"session_id": "path.name"} | columns
    comments = [f"# {line}" for name, listed in found.items() for line in _alternatives(name, listed, draft.seen.count)]
    walk: dict[str, Any] = {"columns": columns} if columns else {}
    walk["steps"] = [_step(draft, found)]
    return "\n".join((*comments, _yaml({draft.name: walk})))


def _alternatives(name: str, listed: Sequence[Candidate], count: int) -> Iterator[str]:
    if len(listed) > 1:
        for each in listed[1:6]:
            unit = f"{each.unit}, " if each.unit else ""
            yield f"{name} may be {each.path} ({unit}in {each.stands} of {count})"


def _column(name: str, candidate: Candidate) -> Any:
    return {"time": candidate.path, "unit": candidate.unit} if name == "time" else candidate.path


def _step(draft: Draft, found: dict[str, list[Candidate]]) -> dict[str, Any]:
    """A switch on what tells records apart, else one row a record."""
    telling = discriminator(draft.seen)
    if telling is None:
        return _emit(draft, draft.name, found)
    kinds = sorted(draft.seen.members[telling].texts or ())
    taken: set[str] = set()
    return {
        "switch": f"{draft.record}.{member(telling)}",
        "cases": {kind: _emit(draft, _name(kind, taken), _of_kind(draft, telling, kind), kind) for kind in kinds},
        "otherwise": "keep_json",
    }


def _of_kind(draft: Draft, telling: str, kind: str) -> dict[str, list[Candidate]]:
    """What may be columns of the records of one kind."""
    mine = (value for value in draft.values if isinstance(value, dict) and value.get(telling) == kind)
    return candidates(seen_of(mine), draft.record)


def _emit(draft: Draft, name: str, found: dict[str, list[Candidate]], kind: str = "") -> dict[str, Any]:
    turn = _TURNS.get(kind.lower(), "")
    step: dict[str, Any] = {"emit": name} | ({"turn": turn} if turn else {"event": "notice"})
    whole = f"json_text({draft.record})"
    listed = found.get("text", [])
    step["text"] = f"content_text({listed[0].path}) || {whole}" if listed else whole
    if turn in _CALLS:
        step |= {column: found[column][0].path for column in ("tool_name", "tool_use_id") if column in found}
    return step


def _yaml(data: Any) -> str:
    return yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=110)


class _Dumper(yaml.SafeDumper):
    """Small collections in one line, the rest in blocks; text that is more than a word in single quotes."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)

    def represent(self, data: Any) -> None:
        node: Any = self.represent_data(data)
        node.flow_style = False
        self.serialize(node)

    def small(self, tag: str, data: Any) -> yaml.CollectionNode:
        node = (
            self.represent_sequence(tag, data) if isinstance(data, list) else self.represent_mapping(tag, data.items())
        )
        words = isinstance(data, list) and all(isinstance(item, str) for item in data)
        own_lines = isinstance(data, dict) and {"cite", "emit"} & data.keys()
        node.flow_style = words or (len(str(data)) < _SMALL and not own_lines)
        return node

    def word(self, data: str) -> yaml.Node:
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=None if _WORD.fullmatch(data) else "'")


_Dumper.add_representer(str, _Dumper.word)
_Dumper.add_representer(list, lambda dumper, data: dumper.small("tag:yaml.org,2002:seq", data))
_Dumper.add_representer(dict, lambda dumper, data: dumper.small("tag:yaml.org,2002:map", data))
