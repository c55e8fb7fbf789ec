"""What holds between the packages: imports run one way, and agents are named by specs alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from engine.spec.library import all_specs

ROOT = Path(__file__).parents[1]

#: each may import what stands before it
LAYERS = (
    "engine.rows", "engine.errors", "engine.spec", "engine.lang", "engine.hooks", "engine.read", "engine.run",
    "codegen", "engine.write", "engine.report", "engine.ask", "engine.collect", "engine.review", "engine.cli",
)  # fmt: skip

#: calls the generator when there is no module of a spec yet
GENERATING = "engine.run.cache"

MODULES = sorted(path for package in ("engine", "codegen") for path in (ROOT / package).rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def layer_of(module: str) -> int | None:
    """The number of a module's layer; None for other packages and for `engine` itself."""
    found = [number for number, layer in enumerate(LAYERS) if f"{module}.".startswith(f"{layer}.")]
    return found[0] if found else None


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported, in functions too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_every_module_has_its_layer() -> None:
    assert [name_of(path) for path in MODULES if layer_of(name_of(path)) is None] == ["engine"]


@pytest.mark.parametrize("layer", LAYERS)
def test_imports_run_one_way(layer: str) -> None:
    number = LAYERS.index(layer)
    against = [
        f"{name_of(path)} imports {name}"
        for path in MODULES
        if layer_of(name_of(path)) == number
        for name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if (layer_of(name) or 0) > number and not (name_of(path) == GENERATING and name.startswith("codegen."))
    ]
    assert against == []


def test_no_module_of_the_engine_imports_itself_through_others() -> None:
    modules = {name_of(path): path for path in MODULES if path.is_relative_to(ROOT / "engine")}
    graph = {
        name: {found for each in imported(ast.parse(path.read_text(encoding="utf-8")))
               for found in (each, each.rpartition(".")[0]) if found in modules}
        for name, path in modules.items()
    }  # fmt: skip
    TopologicalSorter(graph).prepare()


def test_no_module_has_more_than_300_lines() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: length for name, length in lengths.items() if length > 300} == {}


def test_no_module_imports_another_by_a_relative_name() -> None:
    trees = ((path, ast.parse(path.read_text(encoding="utf-8"))) for path in MODULES)
    relative = [
        f"{name_of(path)}:{node.lineno}"
        for path, tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


def code_of(path: Path) -> str:
    """A module without its comments and docstrings, where examples stand."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


def test_no_python_but_hooks_names_an_agent() -> None:
    agents = [path.stem for path in all_specs()]
    assert len(agents) >= 6
    # `codex-cli`, `codex_cli`, `CodexCli` and `codex`
    words = {word for agent in agents for word in (agent, re.sub("-(cli|code)$", "", agent))}
    forms = "|".join(re.escape(word).replace(r"\-", "[-_ ]?") for word in sorted(words))
    names = re.compile(f"(?<![a-z])({forms})(?![a-z])", re.IGNORECASE)
    texts = {name_of(path): code_of(path) for path in MODULES if "hooks" not in path.parts}
    assert [f"{name} names {found[0]}" for name, text in texts.items() for found in names.finditer(text)] == []
