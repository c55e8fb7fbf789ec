"""The Python functions of a walk: its run over a unit, its columns, and itself as a part of other walks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from codegen.bindings import UNIT, Plan, Spot
from codegen.code import ANY, ANY_LAZY, OBJECT, Code, Kinds, quoted
from codegen.columns import Column, indented
from codegen.layout import bare
from codegen.names import WalkNames
from codegen.steps import StepPrinter
from engine.lang.plan import AnyStep, Emit, Pairs, Store, Walk
from engine.lang.traversal import walk_steps

if TYPE_CHECKING:
    from codegen.module import Module

#: locals of every function, printed when they are used
PRELUDE = {
    "rows": "run.rows",
    "write": "run.rows.append",
    "next_seq": "run.number",
    "state": "run.state",
    "names": "run.names",
    "host": "run.host",
    "user": "run.user",
    "role": "run.role",
    "ignored": "run.ignored",
    "rules": "run.rules",
    "calls": "run.calls",
    "source_file": "run.file",
}
TAKEN = {*PRELUDE, "run", "record", "had", "said", "when", "at_utc", "at_basis", "at_raw", "tool", "call", "batch"}


def _used(name: str, lines: list[str]) -> str:
    """A loop's variable, marked when nothing uses it."""
    return name if re.search(rf"\b{name}\b", bare("\n".join(lines))) else f"_{name}"


class Phase(StepPrinter):
    """Steps of one phase of a walk."""

    ending = False
    whole = True
    rules = ""

    def rule(self, step: Emit) -> str:
        """The row's rule: known where one store alone is walked."""
        return quoted(self.rules + step.name) if self.rules else f"rules + {quoted(step.name)}"

    def number_of(self, step: Emit) -> str:
        """The row's number: a session's start written in `end` stands first."""
        if step.event != "session_start":
            return "next_seq()"
        if self.whole:
            return "run.place()" if self.ending else "next_seq()"
        return "run.place()"


class FunctionPrinter:
    """Prints the functions of one walk."""

    def __init__(self, module: Module, walk: Walk, stores: list[Store]):
        self.module, self.walk, self.stores = module, walk, stores
        self.owner = stores[0].name if len(stores) == 1 else walk.name
        self.name = module.function_of(walk.name)
        #: what is read of the records of line files
        self._read: set[tuple[str, ...]] = set()

    # ------------------------------------------------------------------------------------------ functions

    def whole(self) -> list[str]:
        """The walk over one unit, as a generator of batches of rows."""
        body = self._twice(self._phases, frozenset())
        return [f"def {self.name}(run: Run) -> Iterator[list[RowTuple]]:", *indented([*self._doc(), *body])]

    def columns(self) -> list[str]:
        """The walk's columns, for rows that no step writes."""
        return [
            f"def {self.name}_columns(run: Run, record: Any) -> dict[str, Any]:",
            *indented(
                [f'"""Columns of `{self.walk.name}` for rows that no step writes."""', *self._twice(self._given)]
            ),
        ]

    def part(self) -> list[str]:
        """The walk as a part of others: with parameters, and the columns that its callers have."""
        params = [self.module.parameter(name) for name in self.walk.params]
        params += [f"{name}_column" for name in self.module.columns_of(self.walk.name)]
        head = f"def {self.name}({', '.join(('run: Run', *params))}) -> None:"
        return [head, *indented([*self._doc(), *self._twice(self._part, frozenset(params))])]

    def members(self) -> dict[str, Any] | None:
        """The members of records that the printed functions read; None for all of a record."""
        if not self._partly or () in self._read:
            return None
        found: dict[str, Any] = {}
        for path in sorted(self._read):
            inner: dict[str, Any] | None = found
            for field in path[:-1]:
                inner = inner.setdefault(field, {}) if inner is not None else None
            if inner is not None:
                inner[path[-1]] = None
        return found

    @property
    def _partly(self) -> bool:
        """Whether records may lack what the walk does not read: those of line files, where no step goes over all."""
        lines = all(store.read == "jsonl" and not store.folder for store in self.stores)
        return lines and not any(step.each_records for step in walk_steps(self.walk))

    def _doc(self) -> list[str]:
        stores = ", ".join(f"`{store.name}`" for store in self.stores)
        what = f"Walk `{self.walk.name}`" + (f" of {stores}." if stores else ", a part of others.")
        return [f'"""{what}"""']

    def _twice(self, body: Callable[[Phase], list[str]], taken: Iterable[str] = ()) -> list[str]:
        """The first pass finds where each name is used, the second prints."""
        first = self._phase(None, taken)
        body(first)
        plan = first.names.uses.place()
        plan.objects = {key: found.number for key, found in first.names.objects.items()}
        second = self._phase(plan, taken)
        lines = self._with_prelude(body(second))
        self._read |= second.names.read
        return lines

    def _phase(self, plan: Plan | None, taken: Iterable[str]) -> Phase:
        names = WalkNames(self.module, plan, {*TAKEN, *taken, *self.module.globals})
        names.way = (Spot(1, 0, False),)
        steps = Phase(names, self.owner)
        if len(self.stores) == 1:
            steps.rules = f"{self.module.plan.agent}/{self.stores[0].name}/"
        if self.stores and all(store.read in ("jsonl", "lines") and not store.folder for store in self.stores):
            steps.file = "source_file"
        for name, code, kinds in self._roots():
            define = None if code in ("run.facts", "run.path") else partial(Code, code, kinds)
            made = names.bind(name, define, kinds=kinds, lasting=UNIT)
            made.label = code if define is None else name
            names.scope[name] = made
        names.way = ()
        return steps

    def _with_prelude(self, lines: list[str]) -> list[str]:
        text = bare("\n".join(lines))
        used = [f"{name} = {code}" for name, code in PRELUDE.items() if re.search(rf"(?<![\w.]){name}\b", text)]
        return [*used, *lines]

    # --------------------------------------------------------------------------------------------- scopes

    def _roots(self) -> list[tuple[str, str, Kinds]]:
        """Names that last for the unit: (name, Python, kinds)."""
        found: dict[str, tuple[str, Kinds]] = {"file": ("run.facts", frozenset(OBJECT))}
        if not any(store.folder or store.tree for store in self.stores):
            found["path"] = ("run.path", frozenset(OBJECT))
        for store in self.stores:
            found |= {find.name: (f"run.find({quoted(find.name)})", ANY) for find in store.find}
            lasting = [beside.name for beside in store.beside]
            if store.sqlite is not None:
                lasting += [child.name for child in store.sqlite.children]
            if store.decode:
                lasting.append("stored")
            if not self._is_record(store):
                lasting.append(store.as_name)
            lazy = {beside.name for beside in store.beside if beside.kind == "all"}
            for name in lasting:
                kinds = ANY_LAZY if name in lazy or found.get(name, ("", ANY))[1] == ANY_LAZY else ANY
                found[name] = (f"names.get({quoted(name)})", kinds)
        return [(name, code, kinds) for name, (code, kinds) in found.items()]

    @staticmethod
    def _is_record(store: Store) -> bool:
        """Whether the store's `as` is each record, not a document or row around them."""
        return store.sqlite is None and (store.read in ("jsonl", "lines", "prompt_toolkit") or bool(store.folder))

    def _bind_record(self, steps: Phase, record: str) -> None:
        """Names that last for a record."""
        names = steps.names
        made = {"record": names.bind("record", None)}
        made["record"].label = record
        for store in self.stores:
            if self._is_record(store):
                made[store.as_name] = made["record"]
        mixed = [
            s.as_name for s in self.stores if not self._is_record(s) and s.as_name in made and s.as_name != "record"
        ]
        for name in mixed:
            text = f"names.get({quoted(name)}, {record})"
            made[name] = names.bind(name, lambda text=text: Code(text))  # type: ignore[misc]
        places = {"pos.record": "(run.seen - 1)", "next.record": "run.following"}
        made |= {key: names.bind(key, None) for key in places}
        for key, label in places.items():
            made[key].label = label
        names.partial = (made["record"], made["next.record"]) if names.partly else ()
        names.scope = {**names.scope, **made, **self._bound_path(steps)}

    def _bound_path(self, steps: Phase) -> dict[str, Any]:
        """`path` where it changes with the record."""
        if not any(store.folder or store.tree for store in self.stores):
            return {}
        path = steps.names.bind("path", None, kinds=frozenset(OBJECT))
        path.label = "run.path"
        return {"path": path}

    # --------------------------------------------------------------------------------------------- bodies

    def _phases(self, steps: Phase) -> list[str]:
        walk = self.walk
        children = [lambda: self._loop(steps)]
        if walk.begin:
            children.insert(0, lambda: self._begin(steps))
        if walk.end:
            children.append(lambda: self._end(steps))
        return [*steps.block(children), "yield rows"]

    def _begin(self, steps: Phase) -> list[str]:
        def start() -> list[str]:
            self._bind_record(steps, "record")
            return ["record = run.record"]

        with steps.kept():
            inner = steps.block([start, lambda: self._walked(steps, self.walk.begin, self.walk.begin_columns)])
        return ["if run.begin():", *indented(inner if _used("record", inner[1:]) == "record" else inner[1:])]

    def _loop(self, steps: Phase) -> list[str]:
        def start() -> list[str]:
            self._bind_record(steps, "record")
            return ["had = len(rows)"]

        def settle() -> list[str]:
            return ["if run.odd or len(rows) == had:", f"    run.settle(had, {self.name}_columns)"]

        steps.names.partly = self._partly
        with steps.kept():
            inner = steps.block([start, lambda: self._recorded(steps), settle], loop=True)
        steps.names.partial, steps.names.partly = (), False
        places = ("run.seen", "run.line", "record", "run.following")
        items = ", ".join(places if self.module.asks_places(self.walk.name) else places[1:3])
        loop = [f"for {items} in batch:", *indented(["run.record = record", *inner])]
        return ["for batch in run.batches():", *indented([*loop, "if rows:", "    yield rows"])]

    def _recorded(self, steps: Phase) -> list[str]:
        """The steps of a record. One that is ignored before anything else was done with it is counted there."""
        steps.untouched = True
        lines = self._walked(steps, self.walk.steps)
        steps.untouched = False
        return lines

    def _end(self, steps: Phase) -> list[str]:
        steps.ending = True
        with steps.kept():
            steps.names.scope = {**steps.names.scope, **self._bound_path(steps)}
            inner = steps.block([lambda: self._walked(steps, self.walk.end)])
        steps.ending = False
        return ["if run.end():", *indented(inner)]

    def _walked(self, steps: Phase, body: tuple[AnyStep, ...], more: Pairs = ()) -> list[str]:
        steps.hoist = steps.whole
        for name, value in self.walk.let:
            steps.let(name, value)
        steps.declare(self.walk.columns)
        steps.declare(more)
        steps.hoist = False
        return steps.body(body)

    def _given(self, steps: Phase) -> list[str]:
        steps.names.partly = self._partly

        def printed() -> list[str]:
            self._bind_record(steps, "record")
            for name, value in self.walk.let:
                steps.let(name, value)
            steps.declare(self.walk.columns)
            return [f"return {steps.column_dict()}"]

        return steps.block([printed])

    def _part(self, steps: Phase) -> list[str]:
        steps.whole, steps.rules = False, ""

        def printed() -> list[str]:
            names = steps.names
            kinds = ANY_LAZY if self.module.lazy else ANY
            path = names.bind("path", None, kinds=frozenset(OBJECT))
            path.label = "run.path"
            names.scope = {"file": names.scope["file"], "path": path}
            for param in self.walk.params:
                made = names.bind(param, None, kinds=kinds)
                made.label = self.module.parameter(param)
                names.scope = {**names.scope, param: made}
            for name, late in self.module.columns_of(self.walk.name).items():
                steps.columns[name] = Column(None, None, {}, f"{name}_column()" if late else f"{name}_column")
            return self._walked(steps, self.walk.steps)

        return steps.block([printed])
