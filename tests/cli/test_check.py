"""`engine check` and `engine specs`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli import check, specs
from engine.errors import UsageError
from engine.spec.library import all_specs
from engine.spec.problems import CODES, WARNINGS
from tests.review.toy import toy

BAD = Path(__file__).parent.parent / "bad_specs"


def test_check_prints_each_problem_on_a_line_of_stderr_and_ends_with_2() -> None:
    path = BAD / "E301_unknown_scope_name.yaml"
    result = CliRunner().invoke(check.command, [str(path)])
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr == (
        f"{path}:20:16: error E301 at walks.entry.steps[0].text: `recrod` is not in scope here "
        "(did you mean 'record'?)\n"
    )


def test_check_reports_all_specs_that_it_is_given() -> None:
    paths = [str(BAD / "E302_unknown_function.yaml"), str(BAD / "E310_unknown_root.yaml")]
    result = CliRunner().invoke(check.command, paths)
    assert [line.split()[2] for line in result.stderr.splitlines()] == ["E302", "E310"]


def test_check_as_json_names_file_line_column_path_and_nearest() -> None:
    path = BAD / "E310_unknown_root.yaml"
    result = CliRunner().invoke(check.command, ["--json", str(path)])
    (problem,) = json.loads(result.stdout)
    assert result.exit_code == 2
    assert problem == {
        "code": "E310",
        "severity": "error",
        "file": str(path),
        "line": 11,
        "column": 13,
        "path": "stores.log.files[0]",
        "message": "unknown root `dat`",
        "nearest": "data",
    }


def test_check_of_a_good_spec_is_quiet_and_ends_with_0() -> None:
    good = all_specs()[-1]
    result = CliRunner().invoke(check.command, [good.stem])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_check_explains_a_code() -> None:
    result = CliRunner().invoke(check.command, ["--explain", "E501"])
    assert result.stdout == "E501: an emit without a citation\n"


def test_check_warns_of_what_a_good_spec_may_have_wrong_and_ends_with_0(tmp_path: Path) -> None:
    path = Path(toy(tmp_path).label)
    path.write_text(path.read_text(encoding="utf-8").replace("tests:", "tables: {idle: [a]}\ntests:"), encoding="utf-8")
    result = CliRunner().invoke(check.command, [str(path)])
    codes = [line.split()[1:3] for line in result.stderr.splitlines()]
    assert result.exit_code == 0 and ["warning", "W102"] in codes and ["note", "W801"] in codes
    assert CliRunner().invoke(check.command, [str(path), "--strict"]).exit_code == 2
    assert CliRunner().invoke(check.command, [str(path), "--errors-only"]).stderr == ""


def test_notes_are_no_fault_of_a_strict_check(tmp_path: Path) -> None:
    result = CliRunner().invoke(check.command, [toy(tmp_path).label, "--strict"])
    assert (result.exit_code, {line.split()[1] for line in result.stderr.splitlines()}) == (0, {"note"})


def test_check_explains_every_code() -> None:
    for code, meaning in (CODES | WARNINGS).items():
        assert CliRunner().invoke(check.command, ["--explain", code]).stdout == f"{code}: {meaning}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--explain", "E999"], "unknown code E999"), (["nosuch.yaml"], "no such spec: nosuch.yaml")],
)  # fmt: skip
def test_check_refuses_what_is_not_there(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(check.command, arguments)
    assert isinstance(result.exception, UsageError) and message in str(result.exception)


def test_specs_lists_id_file_basis_pins_and_last_review() -> None:
    result = CliRunner().invoke(specs.command, [])
    head, *lines = result.stdout.splitlines()
    assert head.split() == ["id", "file", "basis", "reviewed", "pins"]
    zed = next(line.split() for line in lines if line.startswith("zed "))
    assert zed[1].endswith("zed.yaml") and zed[2] == "source" and zed[4].startswith("zed@")
    assert len(lines) == len(all_specs())


def test_specs_as_json_has_whole_pins() -> None:
    result = CliRunner().invoke(specs.command, ["--json"])
    zed = next(entry for entry in json.loads(result.stdout) if entry["id"] == "zed")
    assert any(len(pin) == len("zed@") + 40 for pin in zed["pins"])
    assert zed["reviewed"] == max(zed["reviewed"], "2026-01-01")


def test_specs_lists_a_spec_that_can_not_be_used_with_its_number_of_problems(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("spec: 1\n", encoding="utf-8")
    monkeypatch.setattr(specs, "all_specs", lambda: [path])
    result = CliRunner().invoke(specs.command, ["--json"])
    (entry,) = json.loads(result.stdout)
    assert (entry["id"], entry["problems"]) == ("broken", 3)
