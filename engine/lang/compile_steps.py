"""Steps of a walk, from their nodes."""

from __future__ import annotations

from typing import Any

from engine.lang.compile_bodies import Place, own_name, unknown_of
from engine.lang.compile_cites import Cites
from engine.lang.compile_fields import kind_of, mark
from engine.lang.plan import (
    AnyStep,
    Block,
    Choose,
    Const,
    Emit,
    Expr,
    Hook,
    Ignore,
    KeepJson,
    Pairs,
    Set,
    Switch,
    Text,
    Unparsed,
    Use,
)  # fmt: skip
from engine.rows import BASES, DEFAULT_EVENT, EVENTS, ROLES, SPEC_COLUMNS, TURN_TYPES
from engine.spec.problems import nearest_name
from engine.spec.yamlio import Mapping, Node, Scalar, Sequence

SHARED = ("each", "count", "let", "when", "columns", "cite")
#: action → the keys that it takes besides those that every step can have
ACTIONS: dict[str, tuple[str, ...]] = {
    "emit": ("turn", "event", "role", "basis", *SPEC_COLUMNS),
    "switch": ("cases", "otherwise"),
    "choose": ("otherwise",),
    "set": ("at", "changed"),
    "hook": ("with", "as", "steps"),
    "use": ("with",),
    "ignore": (),
    "unparsed": ("number", "text"),
    "keep_json": ("type", "rest"),
    "steps": (),
}
_EVERY_KEY = tuple(dict.fromkeys([*SHARED, *ACTIONS, *(key for keys in ACTIONS.values() for key in keys)]))


class Steps(Cites):
    """Compiles steps. `params` maps each walk to its parameters, `inputs` each hook to its inputs."""

    params: dict[str, tuple[str, ...]]
    inputs: dict[str, tuple[str, ...]]

    def steps(self, node: Node | None, place: Place) -> tuple[AnyStep, ...]:
        """The steps of a list."""
        taken: set[str] = set()
        made = (self.step(item, place, taken) for item in self.items(node))
        return tuple(step for step in made if step is not None)

    def body(self, node: Node | None, place: Place) -> tuple[AnyStep, ...]:
        """A body: a list of steps, one step, or the word `keep_json`."""
        if node is None:
            return ()
        if isinstance(node, Sequence):
            return self.steps(node, place)
        if isinstance(node, Mapping):
            step = self.step(node, place, set())
            return () if step is None else (step,)
        if isinstance(node, Scalar) and node.value == "keep_json":
            shared = {"mark": mark(node), "id": f"{place.prefix}keep_json", "cites": place.cites}
            return (self._keep_json(node, {}, place, shared),)
        found = f"`{node.value}`" if isinstance(node, Scalar) and isinstance(node.value, str) else kind_of(node)
        self.report("E203", node, f"expected a list of steps, one step or `keep_json`, found {found}")
        return ()

    def step(self, node: Node, place: Place, taken: set[str]) -> AnyStep | None:
        if not isinstance(node, Mapping):
            self.report("E203", node, f"expected a step, found {kind_of(node)}")
            return None
        action = self._action(node)
        if action is None:
            return None
        members = {k: v for k, v in node.items.items() if k in SHARED or k == action or k in ACTIONS[action]}
        if "cite" in members:
            place = place._replace(cites=self.cites(members["cite"]))
        lets = self.pairs(members.get("let"), "a let", bound=True)
        if lets:
            place = place._replace(lets={**place.lets, **dict(lets)})
        name = own_name(action, members, taken)
        shared: dict[str, Any] = {
            "mark": mark(node),
            "id": f"{place.prefix}{name}",
            "count": self.flag(members.get("count")),
            "let": lets,
            "when": self.expr(members["when"]) if "when" in members else None,
            "columns": self.columns(members.get("columns")),
            "cites": place.cites,
            **self._each(members.get("each")),
        }
        if shared["count"] and "each" not in members:
            self.report("E207", members["count"], "`count` belongs to a step with `each`")
        place = place._replace(prefix=f"{place.prefix}{name}/")
        return getattr(self, f"_{action}")(node, members, place, shared)

    def _action(self, node: Mapping) -> str | None:
        """The step's action, its keys checked; None when it has none or two."""
        found = [key for key in ACTIONS if key in node.items]
        if "hook" in found and "steps" in found:
            found.remove("steps")
        unknown = [key for key in node.items if key not in _EVERY_KEY]
        for key in unknown:
            near = nearest_name(key, _EVERY_KEY)
            self.report("E201", node.keys[key], f"unknown key `{key}` in a step", nearest=near)
        if len(found) > 1:
            self.report("E206", node, f"a step has one action, not {' and '.join(f'`{f}`' for f in found)}")
            return None
        if not found:
            if not unknown:
                self.report("E206", node, f"a step needs an action: one of {', '.join(ACTIONS)}")
            return None
        allowed = (*SHARED, found[0], *ACTIONS[found[0]])
        for key in node.items:
            if key not in allowed and key not in unknown:
                owners = " or ".join(f"`{a}`" for a, keys in ACTIONS.items() if key in keys)
                self.report("E207", node.keys[key], f"`{key}` belongs to {owners}, not to `{found[0]}`")
        return found[0]

    def _each(self, node: Node | None) -> dict[str, Any]:
        if node is None:
            return {}
        members = self.mapping(node)
        if len(members) != 1:
            self.report("E203", node, "`each` has one name: {name: expr}")
            return {}
        ((key, item),) = members.items()
        name = self.bound(node.keys[key], "an element") if isinstance(node, Mapping) else key
        if isinstance(item, Scalar) and item.value == "records":
            return {"each_records": name}
        return {"each": (name, self.expr(item))}

    def _emit(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Emit:
        name = self.text(members["emit"])
        if name and isinstance(members["emit"], Scalar):
            self.label(members["emit"], "an emit")
            if name in place.emits:
                self.report("E504", members["emit"], f"`{name}` is emitted in line {place.emits[name]} too")
            place.emits.setdefault(name, node.line)
        turn = self.word(members.get("turn"), TURN_TYPES, "turn")
        event = self.word(members.get("event"), EVENTS, "event")
        if not turn and not event and "turn" not in members and "event" not in members:
            self.report("E512", node, f"`{name}` needs a `turn` or an `event`")
        if turn == "system" and "event" not in members:
            self.report("E512", members["turn"], "a system row needs its `event`")
        if not place.cites and "cite" not in members:
            self.report("E501", node, f"`{name}` has no citation, nor has anything around it: add `cite`")
        own = self._own_columns(node, members, shared["columns"])
        return Emit(
            **{**shared, "columns": own},
            name=name,
            turn=turn or "system",
            event=event or DEFAULT_EVENT.get(turn, "note"),
            role=self.word(members.get("role"), ROLES, "role") or None,
            basis=self.word(members.get("basis"), BASES, "basis") or None,
        )

    def _own_columns(self, node: Mapping, members: dict[str, Node], given: Pairs) -> Pairs:
        own = tuple((key, self.column(key, item)) for key, item in members.items() if key in SPEC_COLUMNS)
        shared = dict(given)
        for key, _ in own:
            if key in shared:
                self.report("E104", node.keys[key], f"`{key}` stands in `columns` too")
        return given + own

    def _steps(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Block:
        return Block(**shared, steps=self.steps(members["steps"], place))

    def _otherwise(self, node: Node, members: dict[str, Node], place: Place, what: str) -> tuple[AnyStep, ...]:
        if "otherwise" not in members:
            self.report("E502", node, f"a `{what}` needs `otherwise`: steps, or `keep_json`")
        return self.body(members.get("otherwise"), place._replace(prefix=f"{place.prefix}otherwise/"))

    def _switch(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Switch:
        on = self.expr(members["switch"])
        place = place._replace(known=unknown_of(on, place.lets))
        if "cases" not in members:
            self.report("E202", node, "`cases` is missing")
        cases: list[tuple[tuple[str, ...], tuple[AnyStep, ...]]] = []
        taken: dict[str, int] = {}
        table = members.get("cases")
        for text, item in self.mapping(table).items() if table else ():
            at = table.keys[text] if isinstance(table, Mapping) else item
            keys = tuple(part.strip() for part in text.split("|"))
            for key in keys:
                if key in taken:
                    self.report("E509", at, f"`{key}` is taken by the case in line {taken[key]}")
                taken.setdefault(key, at.line)
            cases.append((keys, self.body(item, place._replace(prefix=f"{place.prefix}{text}/"))))
        return Switch(**shared, on=on, cases=tuple(cases), otherwise=self._otherwise(node, members, place, "switch"))

    def _choose(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Choose:
        cases = []
        for number, (source, item) in enumerate(self.mapping(members["choose"]).items(), 1):
            at = members["choose"].keys[source]  # type: ignore[attr-defined]
            when = self.expression(source, self._inside(at))
            cases.append((when, self.body(item, place._replace(prefix=f"{place.prefix}{number}/"))))
        return Choose(**shared, cases=tuple(cases), otherwise=self._otherwise(node, members, place, "choose"))

    def _set(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Set | Block:
        pairs = self.pairs(members["set"], "state")
        if len(pairs) == 1:
            return Set(
                **shared,
                name=pairs[0][0],
                value=pairs[0][1],
                at=self.expr(members["at"]) if "at" in members else None,
                changed=self.steps(members.get("changed"), place._replace(prefix=f"{place.prefix}changed/")),
            )
        for key in ("at", "changed"):
            if key in members:
                self.report("E207", node.keys[key], f"`{key}` goes with one name under `set`")
        if not pairs:
            self.report("E203", members["set"], "`set` needs a name: {name: value}")
        at, cites = shared["mark"], shared["cites"]
        return Block(
            **shared,
            steps=tuple(
                Set(mark=at, id=f"{place.prefix}{name}", cites=cites, name=name, value=value) for name, value in pairs
            ),
        )

    def _hook(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Hook:
        hook = self.refer(members["hook"], self.inputs, "hook", "E305")
        for key in ("as", "steps"):
            if key not in members:
                self.report("E202", node, f"`{key}` is missing")
        given = self.pairs(members.get("with"), "an input")
        if hook:
            self._match(members.get("with", node), given, self.inputs[hook], f"hook `{hook}`")
        as_node = members.get("as")
        return Hook(
            **shared,
            hook=hook,
            inputs=given,
            as_name=self.text(as_node) and self.bound(as_node, "a value"),  # type: ignore[arg-type]
            steps=self.steps(members.get("steps"), place),
        )

    def _use(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Use:
        walk = self.refer(members["use"], self.params, "walk", "E306")
        given = self.pairs(members.get("with"), "a parameter")
        if walk:
            self._match(members.get("with", node), given, self.params[walk], f"walk `{walk}`")
        return Use(**shared, walk=walk, inputs=given)

    def _match(self, node: Node, given: Pairs, declared: tuple[str, ...], what: str) -> None:
        named = {name for name, _ in given}
        for name in named.difference(declared):
            at = node.keys.get(name, node) if isinstance(node, Mapping) else node
            near = nearest_name(name, declared)
            named |= {near} if near else set()
            self.report("E319", at, f"{what} does not take `{name}`", nearest=near)
        for name in declared:
            if name not in named:
                self.report("E319", node, f"{what} needs `{name}`")

    def _ignore(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Ignore:
        return Ignore(**shared, why=self.text(members["ignore"]))

    def _unparsed(self, node: Mapping, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> Unparsed:
        return Unparsed(
            **shared,
            reason=self._reason(members["unparsed"]),
            number=self.expr(members["number"]) if "number" in members else None,
            text=self.value(members["text"]) if "text" in members else None,
        )

    def _reason(self, node: Node) -> Const | Text:
        if isinstance(node, Mapping):
            members = self.fields(node, ("text",), ("text",))
            return self.template(members["text"]) if "text" in members else Const(value="")
        return Const(value=self.text(node))

    def _keep_json(self, node: Node, members: dict[str, Node], place: Place, shared: dict[str, Any]) -> KeepJson:
        if "keep_json" in members and not self.flag(members["keep_json"]):
            self.report("E203", members["keep_json"], "`keep_json` is always true")
        missing = [key for key in ("type", "rest") if key not in members]
        if missing and place.known is None:
            self.report("E508", node, f"give `{'` and `'.join(missing)}`: no enclosing switch is on a path that tells")
        known = place.known or ("", "")
        return KeepJson(
            **shared,
            type=self.value(members["type"]) if "type" in members else self._known(known[0], node),
            rest=self.value(members["rest"]) if "rest" in members else self._known(known[1], node),
        )

    def _known(self, source: str, node: Node) -> Expr:
        return self.expression(source, mark(node)) if source else self.expr(None)
