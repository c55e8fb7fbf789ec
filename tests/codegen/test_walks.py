"""What the interpreter's tests say of walks holds for generated code too."""

from __future__ import annotations

import pytest

from engine.run import generated
from tests.run.test_fates import *  # noqa: F403
from tests.run.test_hooks import *  # noqa: F403
from tests.run.test_interpret import *  # noqa: F403
from tests.run.test_ledger import *  # noqa: F403
from tests.run.test_lookups import *  # noqa: F403
from tests.run.test_once import *  # noqa: F403
from tests.run.test_rows import *  # noqa: F403
from tests.run.test_steps import *  # noqa: F403
from tests.run.test_stores import *  # noqa: F403
from tests.run.test_tables import *  # noqa: F403
from tests.run.test_times import *  # noqa: F403

# it puts a function into the interpreter's table that no module can import; tests.codegen.test_generate has its own
del test_a_fault_inside_a_rule_names_the_line_of_the_spec  # noqa: F821


@pytest.fixture(autouse=True)
def generated_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """`tests.run.walking` walks by generated code."""
    monkeypatch.setattr("tests.run.walking.rows", generated.rows)
