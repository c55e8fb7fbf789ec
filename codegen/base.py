"""What the parts of the expression printer have in common."""

from __future__ import annotations

from typing import Any, Protocol

from codegen.code import ANY, Code, Kinds

Ast = dict[str, Any]


class Names(Protocol):
    """What the surroundings of an expression give."""

    def path(self, root: str, fields: tuple[str, ...]) -> Code: ...

    def moment(self, root: str) -> Code | None: ...

    def temporary(self) -> str: ...

    def table(self, table: str) -> Code: ...

    def starts(self, table: str) -> Code: ...

    def labels_of(self, table: str) -> Kinds: ...

    def need(self, helper: str) -> str: ...


class Base:
    """The printer as its parts see it; `codegen.exprs.Printer` has it all."""

    names: Names
    flat: bool

    def value(self, ast: Ast, current: Code | None = None) -> Code:
        raise NotImplementedError

    def condition(self, ast: Ast, current: Code | None = None) -> Code:
        raise NotImplementedError

    def held(self, code: Code) -> tuple[str, str]:
        raise NotImplementedError

    def denied(self, code: Code) -> Code:
        raise NotImplementedError

    def call(self, helper: str, args: list[Code], kinds: Kinds = ANY, *, known: bool = False) -> Code:
        raise NotImplementedError
