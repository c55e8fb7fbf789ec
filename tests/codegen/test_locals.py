"""Locals of generated functions never hide what the module imports."""

from __future__ import annotations

from codegen.function import PRELUDE, TAKEN
from codegen.locals import Locals
from engine.lang.functions import FUNCTIONS
from engine.run import helpers


def test_no_fixed_local_has_the_name_of_a_function() -> None:
    functions = {function.impl.__name__ for function in FUNCTIONS.values()} | set(helpers.__all__)
    assert not functions & (TAKEN | PRELUDE.keys())


def test_a_local_is_a_free_python_name() -> None:
    locals_ = Locals({"row"})
    assert [locals_.claim(name) for name in ("row", "row", "class", "a-b", "5", "list", "it")] == [
        "row_2", "row_3", "class_", "a_b", "n5", "list_", "it_",
    ]  # fmt: skip
