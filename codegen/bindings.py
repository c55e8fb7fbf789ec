"""Names of a walk and where each is computed: as late as possible, once on every way, never inside a loop in vain.

The generator goes over a walk twice. The first pass notes where each name is used; `place` then finds the block and
the statement before which it has to stand; the second pass prints. A name that is used once stands inline.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from codegen.code import ANY, Code, Kinds

#: how long a value lasts
UNIT, RECORD = 0, 1


class Spot(NamedTuple):
    """A statement: the block it stands in, its place there, and whether the block is the body of a loop."""

    block: int
    at: int
    loop: bool


#: a way from the outermost block to a statement
Way = tuple[Spot, ...]


@dataclass(eq=False, slots=True)
class Binding:
    """A name of a scope.

    number   order of making, the same in both passes
    label    what to call its local
    define   prints its value; None for what is there already, under `label`
    form     `value`, `moment` (a time as row columns), `cell` (a column's text), `object` (an object, or an empty one)
    lasting  UNIT or RECORD
    declared where it is declared
    fixed    computed where it is declared, since a walk can change what it reads
    path     what it stands for when it is nothing but a path: a binding and member names
    """

    number: int
    label: str
    kinds: Kinds = ANY
    define: Callable[[], Code] | None = None
    form: str = "value"
    lasting: int = RECORD
    declared: Way = ()
    fixed: bool = False
    path: tuple[Binding, tuple[str, ...]] | None = None

    @property
    def other(self) -> Binding | None:
        """The name that it is another name of."""
        return self.path[0] if self.path is not None and not self.path[1] and self.path[0].form == self.form else None


@dataclass(slots=True)
class Plan:
    """What the first pass found.

    before    (block, place) → the bindings to compute there
    standing  every binding that is computed into a local; all others stand inline
    deps      binding → the bindings that its value needs
    kinds     of each binding
    objects   (binding, member names) → the number of the binding that stands for it as an object
    constants binding → its value, where that is a short constant: it stands wherever it is used
    decisions whether the condition of a statement always holds, never, or (None) only at run time, in their order
    """

    before: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    standing: set[int] = field(default_factory=set)
    deps: dict[int, list[int]] = field(default_factory=dict)
    kinds: dict[int, Kinds] = field(default_factory=dict)
    objects: dict[tuple[int, tuple[str, ...]], int] = field(default_factory=dict)
    constants: dict[int, Code] = field(default_factory=dict)
    decisions: list[bool | None] = field(default_factory=list)

    def in_order(self, spot: tuple[int, int]) -> list[int]:
        """What is computed before a statement, what a value needs ahead of it."""
        wanted = self.before.get(spot, [])
        done: dict[int, None] = {}
        seen: set[int] = set()

        def visit(number: int) -> None:
            if number in seen:
                return
            seen.add(number)
            for dep in self.deps.get(number, ()):
                visit(dep)
            if number in wanted:
                done[number] = None

        for number in sorted(wanted):
            visit(number)
        return list(done)


class Uses:
    """Collects uses in the first pass."""

    def __init__(self) -> None:
        self.ways: dict[int, list[Way]] = {}
        self.deps: dict[int, list[int]] = {}
        self.bindings: dict[int, Binding] = {}
        self.constants: dict[int, Code] = {}
        self.decisions: list[bool | None] = []

    def use(self, binding: Binding, way: Way, within: int | None) -> None:
        self.bindings[binding.number] = binding
        if within is None:
            self.ways.setdefault(binding.number, []).append(way)
        else:
            self.deps.setdefault(within, []).append(binding.number)

    def place(self) -> Plan:
        """Where each binding is computed."""
        kinds = {number: found.kinds for number, found in self.bindings.items()}
        plan = Plan(deps=self.deps, kinds=kinds, constants=self.constants, decisions=self.decisions)
        for number in self._users_first():
            binding = self.bindings[number]
            ways = self.ways.get(number, [])
            if not ways or binding.define is None:
                continue
            if len(ways) == 1 and not binding.fixed and not _in_loop(binding.declared, ways[0]):
                places = ways
            else:
                plan.standing.add(number)
                places = [binding.declared] if binding.fixed else _sunk(binding.declared, ways)
                for way in places:
                    plan.before.setdefault(way[-1][:2], []).append(number)
            for dep in self.deps.get(number, ()):
                self.ways.setdefault(dep, []).extend(places)
        return plan

    def _users_first(self) -> list[int]:
        """Bindings so that each stands before those that its value needs."""
        done: dict[int, None] = {}

        def visit(number: int) -> None:
            for dep in self.deps.get(number, ()):
                if dep not in done:
                    visit(dep)
            done[number] = None

        for number in self.bindings:
            if number not in done:
                visit(number)
        return list(reversed(done))


def _in_loop(declared: Way, way: Way) -> bool:
    return any(spot.loop for spot in way[len(declared) :])


def _sunk(declared: Way, ways: list[Way]) -> list[Way]:
    """The statements before which a value has to be computed: in the innermost blocks that hold all uses on a way."""
    depth = len(declared) - 1
    return _sink(ways, depth)


def _sink(ways: list[Way], depth: int) -> list[Way]:
    """`ways` all go through one block at `depth`."""
    places = {way[depth].at for way in ways}
    first = min(ways, key=lambda way: way[depth].at)[: depth + 1]
    deeper = [way for way in ways if len(way) > depth + 1]
    if len(places) > 1 or len(deeper) < len(ways) or any(way[depth + 1].loop for way in deeper):
        return [first]
    blocks: dict[int, list[Way]] = {}
    for way in deeper:
        blocks.setdefault(way[depth + 1].block, []).append(way)
    return [place for found in blocks.values() for place in _sink(found, depth + 1)]
