"""The official JMESPath cases. They are not copied into the project: they are read where they lie beside a checkout.

Two kinds of error differ, by the language reference, and are listed here by name.
"""

import json
from pathlib import Path

import pytest

from engine.lang.expr import CompileError, Context, ExpressionError, compile_ast, parse

FOLDER = Path(__file__).parents[3] / "shared" / "jmespath-compliance"
FILES = sorted(FOLDER.glob("*.json"))

pytestmark = pytest.mark.skipif(not FILES, reason="not run: the folder jmespath-compliance is not beside this checkout")

#: errors that the cases expect when an expression runs; functions of a spec give null instead
NULL_INSTEAD = ("invalid-type", "invalid-value")


def cases():
    for file in FILES:
        for group_number, group in enumerate(json.loads(file.read_text(encoding="utf-8"))):
            for number, case in enumerate(group["cases"]):
                yield pytest.param(group["given"], case, id=f"{file.stem}-{group_number}-{number}")


def same(left, right):
    """Equal as JSON, where true is not 1."""
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True) or (
        type(left) in (int, float) and type(right) in (int, float) and left == right
    )


@pytest.mark.parametrize(("given", "case"), [case for case in cases() if "error" not in case.values[1]])
def test_a_compliance_case_gives_its_result(given, case):
    result = compile_ast(parse(case["expression"]), Context())(given)
    if "result" in case:
        assert same(result, case["result"])


@pytest.mark.parametrize(("given", "case"), [case for case in cases() if "error" in case.values[1]])
def test_a_compliance_case_with_an_error_is_refused_or_gives_null(given, case):
    try:
        result = compile_ast(parse(case["expression"]), Context())(given)
    except (ExpressionError, CompileError):
        return
    assert case["error"] in NULL_INSTEAD
    assert result is None


def test_every_compliance_file_is_read():
    assert len(FILES) == 16
