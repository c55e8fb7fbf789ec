"""Specs by name and by path."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import SpecError, UsageError
from engine.lang.load import check, load_plan
from engine.spec import library
from engine.spec.library import all_specs, data_folder, find_spec, is_in_library
from engine.spec.problems import Problem, nearest_name

ZED = data_folder("specs") / "zed.yaml"


@pytest.mark.parametrize("name", ["zed", "zed.yaml", ZED])
def test_a_spec_is_found_by_id_file_name_and_path_from_any_directory(
    name: str | Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_spec(name) == ZED


def test_a_file_in_the_current_directory_goes_before_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zed.yaml").write_text("spec: 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert find_spec("zed.yaml") == Path("zed.yaml") and not is_in_library(Path("zed.yaml"))
    assert find_spec("zed") == ZED and is_in_library(ZED)


@pytest.mark.parametrize(
    ("name", "hint"), [("zde", "did you mean 'zed'?"), ("no/such.yaml", "known: "), ("x.txt", "known: ")]
)
def test_a_spec_that_is_not_there_is_an_error_of_use(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match="no such spec") as raised:
        find_spec(name)
    assert hint in str(raised.value)


def test_a_directory_is_no_spec(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        check(tmp_path)


def test_a_plan_names_its_file_and_the_hash_of_its_text() -> None:
    plan = load_plan("zed")
    assert plan.file == str(ZED) and len(plan.sha256) == 64
    assert ZED in all_specs()


def test_a_spec_from_elsewhere_is_held_to_the_schema_too() -> None:
    path = Path(__file__).parent.parent / "bad_specs" / "E208_shape_outside_the_schema.yaml"
    with pytest.raises(SpecError, match="E208"):
        load_plan(path)


def test_a_spec_error_carries_every_problem_a_line_each() -> None:
    path = Path(__file__).parent.parent / "bad_specs" / "E405_not_of_a_path.yaml"
    with pytest.raises(SpecError) as raised:
        load_plan(path)
    assert str(raised.value).splitlines() == [str(problem) for problem in raised.value.problems]


def test_a_problem_reads_as_file_line_column_severity_code_path_message_and_hint() -> None:
    problem = Problem(
        code="E201", severity="error", file="a.yaml", line=3, column=5, path="stores.log", message="unknown",
        nearest="x",
    )  # fmt: skip
    assert str(problem) == "a.yaml:3:5: error E201 at stores.log: unknown (did you mean 'x'?)"


def test_the_nearest_name_ignores_case_and_is_none_when_nothing_is_near() -> None:
    assert nearest_name("Sesion_ID", ["session_id", "model"]) == "session_id"
    assert nearest_name("zzz", ["session_id", "model"]) is None


def test_an_installed_package_has_its_specs_and_schemas_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = tmp_path / "engine" / "_data" / "specs"
    packed.mkdir(parents=True)
    (packed / "notes.yaml").write_text("spec: 1\n", encoding="utf-8")
    monkeypatch.setattr(library, "_PACKAGE", tmp_path / "engine")
    assert [path.name for path in all_specs()] == ["notes.yaml"]
    assert find_spec("notes") == packed / "notes.yaml"
