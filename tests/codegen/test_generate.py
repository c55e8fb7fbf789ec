"""`engine generate`, and what `engine run` keeps of a spec."""

from __future__ import annotations

import ast
import json
import warnings
from pathlib import Path

import pytest
import yaml

from codegen.module import generate
from engine.cli.main import status_of
from engine.errors import RowFault
from engine.lang.load import check, load_plan
from engine.run import generated
from engine.run.cache import Cache, compiled
from engine.spec.library import all_specs

SPEC = """
spec: 1
agent: {id: toy, name: Toy, summary: A toy., basis: fixture}
evidence: {toy: {repo: 'https://example.org/toy', commit: abc1234, license: MIT, reviewed: '2026-01-01'}}
roots: {data: {cite: 'toy:paths.rs:1 #x', home: [toy]}}
stores:
  log: {cite: 'toy:log.rs:1 #x', files: ['{data}/<session>.jsonl'], read: jsonl, walk: log}
walks:
  log:
    columns: {session_id: path.session}
    steps:
      - {emit: said, turn: user, text: {text: 'first {record.a}'}}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "toy.yaml"
    path.write_text(SPEC, encoding="utf-8")
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "toy").mkdir(parents=True)
    (tmp_path / "home" / "toy" / "s1.jsonl").write_text('{"a": 1}\n', encoding="utf-8")
    return tmp_path / "home"


def test_check_tells_whether_the_file_is_what_the_spec_gives(
    spec: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "toy_rows.py"
    line = ["generate", "--spec", str(spec), "-o", str(out)]
    assert status_of(line) == 0
    assert status_of([*line, "--check"]) == 0
    out.write_text(out.read_text(encoding="utf-8").replace("first ", "second "), encoding="utf-8")
    capsys.readouterr()
    assert status_of([*line, "--check"]) == 1
    shown = capsys.readouterr().out
    assert "-" in shown
    assert "second " in shown


def test_a_run_sees_an_edit_of_its_spec_at_once(
    spec: Path, home: Path, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    line = ["run", str(home), "--as", "home", "--spec", str(spec), "-q"]
    assert status_of(line) == 0
    assert b'"text":"first 1"' in capsysbinary.readouterr().out
    spec.write_text(SPEC.replace("first", "other"), encoding="utf-8")
    assert status_of(line) == 0
    assert b'"text":"other 1"' in capsysbinary.readouterr().out


def test_the_cache_gives_the_plan_that_was_kept(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plan = Cache().plan(spec)
    assert plan == load_plan(spec)
    monkeypatch.setattr("engine.lang.load.load_plan", lambda _: pytest.fail("compiled again"))
    assert Cache().plan(spec) == plan
    assert Cache().module(plan).WALKS.keys() == {"log"}
    monkeypatch.setattr("codegen.module.generate", lambda _: pytest.fail("generated again"))
    assert Cache().module(plan).WALKS.keys() == {"log"}
    assert {file.suffix for file in (tmp_path / "cache").rglob("*.*")} == {".py", ".code", ".plan"}


@pytest.mark.parametrize("damage", [b"", b"\x93no plan", b"def ("])
def test_a_damaged_cache_is_as_if_there_were_none(
    spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plan = Cache().plan(spec)
    Cache().module(plan)
    for file in (tmp_path / "cache").rglob("*.*"):
        file.write_bytes(damage or file.read_bytes()[:-1])
    assert Cache().plan(spec) == plan
    assert Cache().module(plan).WALKS.keys() == {"log"}


def test_without_the_cache_nothing_is_written(
    spec: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert status_of(["run", str(home), "--as", "home", "--spec", str(spec), "-q", "--no-cache"]) == 0
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("inside", ["home/.cache", "home"])
def test_no_cache_is_kept_in_what_is_read(
    inside: str, spec: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / inside))
    before = sorted(home.rglob("*"))
    assert status_of(["run", str(home), "--as", "home", "--spec", str(spec), "-q"]) == 0
    assert sorted(home.rglob("*")) == before


def test_no_cache_is_kept_in_the_own_home_while_it_is_read(
    spec: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    before = sorted(home.rglob("*"))
    assert status_of(["run", "--spec", str(spec), "-q"]) == 0
    assert sorted(home.rglob("*")) == before


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, "home/.cache/agentrows"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "home/.cache/agentrows"),
        ("linux", {"XDG_CACHE_HOME": "{tmp}/xdg"}, "xdg/agentrows"),
        ("darwin", {}, "home/Library/Caches/agentrows"),
        ("darwin", {"XDG_CACHE_HOME": "{tmp}/xdg"}, "xdg/agentrows"),
        ("win32", {"LOCALAPPDATA": "{tmp}/local"}, "local/agentrows/cache"),
        ("win32", {}, "home/AppData/Local/agentrows/cache"),
    ],
)
def test_each_system_has_its_place_for_caches(
    platform: str, environment: dict[str, str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "{tmp}/home", **environment}.items():
        monkeypatch.setenv(name, value.format(tmp=tmp_path))
    kept = Cache().folder
    assert kept is not None and kept.parent == tmp_path / folder


def test_a_fault_in_generated_code_names_the_line_of_the_spec(spec: Path) -> None:
    plan = load_plan(spec)
    text = "def walk_log(run):\n    # said, line 12\n    #   toy:log.rs:1 #x\n    yield 1 / run\n"
    module = compiled(text, "toy_with_a_fault")
    with pytest.raises(RowFault, match=r"toy\.yaml:12: internal fault at walks\.log\.steps\[0\]: ZeroDivisionError"):
        list(generated.guarded(module.walk_log(0), plan))


@pytest.mark.parametrize("agent", [path.stem for path in all_specs()])
def test_every_known_spec_can_be_generated(agent: str, tmp_path: Path) -> None:
    out = tmp_path / "rows.py"
    assert status_of(["generate", "--spec", agent, "-o", str(out)]) == 0
    compile(out.read_text(encoding="utf-8"), str(out), "exec")


@pytest.mark.parametrize(
    "text", ['"""\nprint()\n"""', '"', "\\", "\\N{x}", "\0", "\x0cprint()\n", "\u2028print()", "{{ x }}"]
)
def test_no_text_of_a_spec_becomes_code(text: str, tmp_path: Path) -> None:
    tree = yaml.safe_load(SPEC)
    tree["agent"] |= {"name": f"Toy{text}", "summary": f"{text}A toy.{text}"}
    tree["evidence"]["toy"] |= {"repo": f"{text}x", "commit": f"1{text}", "license": text}
    tree["stores"]["log"]["cite"] = f"toy:a{text} b.rs:1 #x"
    tree["walks"]["log"]["steps"][0]["text"] = {"const": f"{text}a{text}"}
    path = tmp_path / 'x""".yaml'
    path.write_text(json.dumps(tree), encoding="utf-8")
    plan, problems = check(path, schema=False)
    assert not problems
    assert plan is not None
    with warnings.catch_warnings(action="error"):
        parsed = ast.parse(generate(plan))
    names = {node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)}
    assert "run" in names
    assert "print" not in names


def test_names_with_dashes_and_capitals_stay_apart(
    tmp_path: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = yaml.safe_load(SPEC)
    tree["tables"] = {"a-b": {"1": "one"}, "A_B": {"1": "two"}, "a.b": {"1": "three"}}
    said = "{label('1', 'a-b')} {label('1', 'A_B')} {label('1', 'a.b')}"
    tree["stores"]["log"]["walk"] = "b-c"
    tree["walks"] = {
        "b-c": {**tree["walks"]["log"], "steps": [{"use": "b_c"}, {"use": "b.c"}, {"use": "b_c"}, {"use": "b.c"}]},
        "b_c": {"cite": "toy:log.rs:1 #x", "steps": [{"emit": "said", "turn": "user", "text": {"text": said}}]},
        "b.c": {"cite": "toy:log.rs:1 #x", "steps": [{"emit": "told", "turn": "user", "text": {"const": "told"}}]},
    }
    path = tmp_path / "toy.yaml"
    path.write_text(json.dumps(tree), encoding="utf-8")
    assert status_of(["run", str(home), "--spec", str(path), "--no-cache", "-q"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["text"] for row in rows] == ["one two three", "told"] * 2
