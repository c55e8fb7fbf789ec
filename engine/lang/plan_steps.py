"""The plan: steps and walks, how one record becomes rows."""

from engine.lang.plan_values import Citation, Const, Expr, Mark, Node, Pairs, Text, Value


class Step(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """What every step can have. Order: for every element of `each`: let, when, columns, the action.

    `id` is the step's path of ids inside its walk (unique there), used in messages and coverage.
    """

    mark: Mark
    id: str
    each: tuple[str, Expr] | None = None
    each_records: str | None = None
    count: bool = False
    let: Pairs = ()
    when: Expr | None = None
    columns: Pairs = ()
    cites: tuple[Citation, ...] = ()


class Emit(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Writes a row. `columns` holds all its columns, `text` included. `cites` are its own or the nearest enclosing."""

    name: str
    turn: str
    event: str
    role: str | None = None
    basis: str | None = None


class Block(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`steps: […]`: a block that shares each, let, when and columns."""

    steps: "tuple[AnyStep, ...]"


class Switch(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Dispatch on a value. A case's keys are the values it takes (`a | b` is two)."""

    on: Expr
    cases: "tuple[tuple[tuple[str, ...], tuple[AnyStep, ...]], ...]"
    otherwise: "tuple[AnyStep, ...]"


class Choose(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The body of the first condition that holds."""

    cases: "tuple[tuple[Expr, tuple[AnyStep, ...]], ...]"
    otherwise: "tuple[AnyStep, ...]"


class Set(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """`state.<name>` = value for the rest of the unit; null leaves it. `at` keeps one value a key (then
    `state.<name>` is an object). `changed` runs when the value differs from the one before; `was` is the old one."""

    name: str
    value: Value
    at: Expr | None = None
    changed: "tuple[AnyStep, ...]" = ()


class Hook(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Calls a named Python callable; `steps` run for each value that it yields, bound to `as_name`."""

    hook: str
    inputs: Pairs
    as_name: str
    steps: "tuple[AnyStep, ...]"


class Use(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """Another walk as a block. It sees what it is given, path captures, file, unit and state."""

    walk: str
    inputs: Pairs


class KeepJson(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The record is unknown: one `note` row, `<type>: <JSON of the rest>`. `type` and `rest` are resolved by the
    compiler from the enclosing switch where the spec does not say; `rest` null means an empty rest."""

    type: Value
    rest: Value


class Ignore(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """The record is left alone, for a reason that the ledger names."""

    why: str


class Unparsed(Step, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """A bad-record row: session, project and line, no time. `number` defaults to the record's number."""

    reason: Const | Text
    number: Expr | None = None
    text: Value | None = None


AnyStep = Emit | Block | Switch | Choose | Set | Hook | Use | KeepJson | Ignore | Unparsed


class Walk(Node, frozen=True, tag=True, tag_field="node", kw_only=True, omit_defaults=True):
    """How one record becomes rows."""

    name: str
    mark: Mark
    let: Pairs = ()
    columns: Pairs = ()
    begin_columns: Pairs = ()
    begin: tuple[AnyStep, ...] = ()
    steps: tuple[AnyStep, ...] = ()
    end: tuple[AnyStep, ...] = ()
    params: tuple[str, ...] = ()
