"""One function of the expression language, as data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

#: no upper bound on the number of arguments
MANY = 255


class Function(NamedTuple):
    """A function: its name, how many arguments it takes, and the Python that computes it.

    `table_arg` is the argument (0-based) that names a table: the implementation gets the table's content in its
    place. With `needs_lookup` the implementation gets the plan's lookup callable in front of the arguments.
    `expref_arg` is the argument that is an `&expression`: the implementation gets a callable of one element.
    """

    name: str
    min_args: int
    max_args: int
    impl: Callable[..., Any]
    doc: str
    table_arg: int | None = None
    needs_lookup: bool = False
    expref_arg: int | None = None


def arity_text(function: Function) -> str:
    """How many arguments a function takes, in words: `2 arguments`, `1 to 2 arguments`, `at least 1 argument`."""
    low, high = function.min_args, function.max_args
    if high >= MANY:
        return f"at least {low} argument{'s' if low != 1 else ''}"
    if low == high:
        return f"{low} argument{'s' if low != 1 else ''}"
    return f"{low} to {high} arguments"


class Registry:
    """Collects the functions of one module, in the order in which they are written."""

    def __init__(self) -> None:
        self.functions: list[Function] = []

    def add(
        self, name: str, min_args: int, max_args: int | None = None, **details: Any
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Decorates an implementation; its docstring's first line says what the function gives."""

        def register(impl: Callable[..., Any]) -> Callable[..., Any]:
            doc = (impl.__doc__ or "").strip().split("\n")[0]
            upper = min_args if max_args is None else max_args
            self.functions.append(Function(name, min_args, upper, impl, doc, **details))
            return impl

        return register
