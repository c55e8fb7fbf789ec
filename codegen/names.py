"""The names that expressions of a walk see, as Python locals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from codegen.bindings import RECORD, UNIT, Binding, Plan, Spot, Uses, Way
from codegen.code import (
    ANY,
    FALSE,
    LAZY,
    NONE,
    NULL,
    NUMBER,
    OBJECT,
    POSTFIX,
    TERNARY,
    TEXT,
    TIME,
    TRUE,
    Code,
    Kinds,
    quoted,
    sure,
)
from codegen.code import name as local
from codegen.exprs import Printer
from codegen.locals import Locals

if TYPE_CHECKING:
    from codegen.module import Module

Scope = dict[str, Binding]

#: numbers of bindings that stand for objects start here
_OBJECTS = 1_000_000

_MAYBE_OBJECT: Kinds = frozenset((OBJECT, NULL))
_COUNT: Kinds = frozenset(NUMBER)
_MAYBE_COUNT: Kinds = frozenset((NUMBER, NULL))
#: member of `unit` → its Python, in a walk
_UNIT = {
    "line": Code("run.line", _COUNT, POSTFIX),
    "count": Code("run.seen", _COUNT, POSTFIX),
    "version": Code("run.version", frozenset((TEXT, NULL)), POSTFIX),
    "copies": Code("run.copies", _COUNT, POSTFIX),
    "store": Code("run.store.name", frozenset(TEXT), POSTFIX),
    "files": Code("run.unit.count", _MAYBE_COUNT, POSTFIX),
}


class WalkNames:
    """Names of one function. With a `plan` (the second pass) uses are printed by it; without, they are noted."""

    def __init__(self, module: Module, plan: Plan | None, taken: set[str]):
        self.module, self.plan, self.uses = module, plan, Uses()
        self.locals = Locals(taken)
        self.bindings: list[Binding] = []
        self.objects: dict[tuple[int, tuple[str, ...]], Binding] = {}
        self.printed: dict[int, str] = {}
        self.scope: Scope = {}
        self.way: Way = ()
        self.within: int | None = None
        self.blocks = 0
        self.temporaries = self.decided = 0
        self.printer = Printer(self)
        #: the record of a line file and the one behind it, where only some of their members may be decoded, and which
        self.partly = False
        self.partial: tuple[Binding, ...] = ()
        self.read: set[tuple[str, ...]] = set()

    # -------------------------------------------------------------------------------------- making names

    def bind(
        self,
        label: str,
        define: Callable[[], Code] | None,
        *,
        kinds: Kinds = ANY,
        form: str = "value",
        lasting: int = RECORD,
        fixed: bool = False,
        hoist: bool = False,
    ) -> Binding:
        """A new binding, declared where the pass is; with `hoist`, what lasts for the unit is declared there."""
        where = self.way[:1] if hoist and lasting == UNIT and not fixed else self.way
        made = Binding(len(self.bindings), label, kinds, define, form, lasting, where, fixed)
        self.bindings.append(made)
        return made

    def new_block(self, loop: bool) -> Spot:
        self.blocks += 1
        return Spot(self.blocks, 0, loop)

    def decide(self, test: Code) -> bool | None:
        """Whether the condition of a statement always or never holds. Both passes go the same ways, whatever each knows
        of the condition."""
        if self.plan is None:
            self.uses.decisions.append({TRUE: True, FALSE: False}.get(test))
            return self.uses.decisions[-1]
        self.decided += 1
        return self.plan.decisions[self.decided - 1]

    def temporary(self) -> str:
        """A name for a value inside one statement."""
        self.temporaries += 1
        return "it" if self.temporaries == 1 else f"it{self.temporaries}"

    def table(self, table: str) -> Code:
        return self.module.table(table)

    def starts(self, table: str) -> Code:
        return self.module.starts(table)

    def labels_of(self, table: str) -> Kinds:
        return self.module.labels_of(table)

    def need(self, helper: str) -> str:
        return self.module.need(helper)

    # ------------------------------------------------------------------------------------------ using names

    def path(self, root: str, fields: tuple[str, ...]) -> Code:
        """The value of `root.field.field`; null for a name that the scope does not have."""
        if root == "unit":
            return self._unit(fields)
        if root == "state":
            kept = self._members(Code("state", frozenset(OBJECT), cheap=True), fields[:1])
            if fields and fields[0] in self.module.state_maps:
                kept = kept._replace(kinds=_MAYBE_OBJECT)
            return self._members(kept, fields[1:])
        if root in ("pos", "next"):
            return self._place(root, fields)
        found = self.scope.get(root)
        return NONE if found is None else self._of(found, fields)

    def _of(self, found: Binding, fields: tuple[str, ...]) -> Code:
        """The value of a name's members; of the name itself without any."""
        if not fields:
            return self._whole(found)
        while (stands_for := found.path) is not None:
            found, fields = stands_for[0], stands_for[1] + fields
        if found in self.partial:
            self.read.add(fields)
        if LAZY in found.kinds:
            return self._members(self.use(found), fields)
        return self._members(self.object(found, fields[:-1]), fields[-1:])

    def _whole(self, found: Binding) -> Code:
        """A name's value with all that is in it. Other names of a partial record are not computed ahead."""
        own = found
        while own.path is not None and not own.path[1]:
            own = own.path[0]
        if own not in self.partial:
            return self.use(found)
        held = self.use(own)
        if own is not self.partial[0]:
            self.read.add(())
            return held
        return held._replace(text=f"{held.text} if run.full else run.whole()", level=TERNARY, cheap=False)

    def moment(self, root: str) -> Code | None:
        """A name that is a time, in the form of a row, when it stands in a local."""
        found = self.scope.get(root)
        code = self.held(found) if found is not None and found.form == "moment" else None
        return code if code is None or code.cheap else None

    def _members(self, base: Code, fields: tuple[str, ...]) -> Code:
        for field in fields:
            base = self.printer.member(base, field)
        return base

    def _unit(self, fields: tuple[str, ...]) -> Code:
        if not fields:
            members = ", ".join(f"{quoted(name)}: {code.text}" for name, code in _UNIT.items())
            return Code(f"{{{members}}}", frozenset(OBJECT))
        return self._members(_UNIT.get(fields[0], NONE), fields[1:])

    def _place(self, root: str, fields: tuple[str, ...]) -> Code:
        known = {key[len(root) + 1 :]: found for key, found in self.scope.items() if key.startswith(f"{root}.")}
        if not fields:
            members = ", ".join(f"{quoted(name)}: {self._whole(found).text}" for name, found in known.items())
            return Code(f"{{{members}}}", frozenset(OBJECT))
        found = known.get(fields[0])
        return NONE if found is None else self._of(found, fields[1:])

    def object(self, base: Binding, fields: tuple[str, ...]) -> Code:
        """What `base.fields` is as an object, an empty one when it is none."""
        if not fields and base.kinds == frozenset(OBJECT):
            return self.use(base)
        return self.use(self._object_binding(base, fields))

    def _object_binding(self, base: Binding, fields: tuple[str, ...]) -> Binding:
        key = (base.number, fields)
        if key not in self.objects:
            known = self.plan.objects if self.plan is not None else {}
            self.objects[key] = Binding(
                number=known.get(key, _OBJECTS + len(self.objects)),
                label=fields[-1] if fields else f"{base.label.rpartition('.')[2]}_object",
                define=lambda: self._object_value(base, fields),
                kinds=frozenset(OBJECT),
                form="object",
                lasting=base.lasting,
                declared=base.declared,
            )
        return self.objects[key]

    def _object_value(self, base: Binding, fields: tuple[str, ...]) -> Code:
        if not fields:
            return self.use(base)
        return self._members(self.object(base, fields[:-1]), fields[-1:])

    def use(self, binding: Binding) -> Code:
        """The binding's value as it is printed here; a time as a `Stamp`."""
        code = self.held(binding)
        if binding.form == "moment":
            return Code(f"{self.need('stamp_of')}({code.text})", frozenset((TIME, NULL)), POSTFIX)
        return code

    def held(self, binding: Binding) -> Code:
        """The binding in its own form."""
        constants = self.uses.constants if self.plan is None else self.plan.constants
        if binding.number in constants:
            return constants[binding.number]
        if binding.other is not None:
            return self.held(binding.other)
        if binding.define is None:
            if self.plan is None:
                self.uses.use(binding, self.way, self.within)
            return local(binding.label, binding.kinds)
        if self.plan is None:
            return self._noted(binding)
        if binding.number not in self.plan.standing:
            return self._defined(binding)
        return local(self._name(binding), self.plan.kinds[binding.number])

    def _name(self, binding: Binding) -> str:
        if binding.number not in self.printed:
            self.printed[binding.number] = self.locals.claim(binding.label)
        return self.printed[binding.number]

    def _noted(self, binding: Binding) -> Code:
        if binding.number not in self.uses.bindings:
            outer, self.within = self.within, binding.number
            code = self._defined(binding)
            self.within = outer
            if binding.form == "object" and OBJECT not in code.kinds and LAZY not in code.kinds:
                code = NONE
            if code.cheap and sure(code) is not None and (binding.form == "value" or code == NONE):
                self.uses.constants[binding.number] = NONE if code.only(NULL) else code
                return self.uses.constants[binding.number]
            binding.kinds = binding.kinds if binding.form == "object" else code.kinds
        self.uses.use(binding, self.way, self.within)
        return local(binding.label, binding.kinds)

    def _defined(self, binding: Binding) -> Code:
        assert binding.define is not None
        return binding.define()

    # ------------------------------------------------------------------------------------- standing names

    def standing(self, at: Spot) -> list[str]:
        """The statements that compute what has to stand before a statement."""
        if self.plan is None:
            return []
        known = {found.number: found for found in self.bindings}
        for (base, fields), number in self.plan.objects.items():
            if base in known:
                known[number] = self._object_binding(known[base], fields)
        return [self._assignment(known[number]) for number in self.plan.in_order(at[:2])]

    def _assignment(self, binding: Binding) -> str:
        self.temporaries = 0
        code, name = self._defined(binding), self._name(binding)
        if binding.form != "object" or code.only(OBJECT):
            return f"{name} = {code.text}"
        nothing = self.need("NOTHING")
        if code.cheap:
            return f"{name} = {code.text} if type({code.text}) is dict else {nothing}"
        return f"{name} = {name} if type({name} := {code.text}) is dict else {nothing}"
