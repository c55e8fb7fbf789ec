"""Functions of the language that have a shorter form in Python than a call.

A form gets the printer, the argument trees and the current value, and gives None where only the call will do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codegen.code import (
    AND,
    ANY,
    BOOL,
    COMPARE,
    FALSE,
    LIST,
    NULL,
    NUMBER,
    OBJECT,
    OR,
    POSTFIX,
    TERNARY,
    TEXT,
    TRUE,
    Code,
    Kinds,
    literal,
    quoted,
)

if TYPE_CHECKING:
    from codegen.exprs import Printer

Ast = dict[str, Any]
Form = Callable[["Printer", list[Ast], Code | None], Code | None]
#: what prints a tree: `Printer.value` or `Printer.condition`
Branch = Callable[[Ast, Code | None], Code]

_TEXT_OR_NULL: Kinds = frozenset((TEXT, NULL))
_LIST_OR_NULL: Kinds = frozenset((LIST, NULL))
_FLAG_OR_NULL: Kinds = frozenset((BOOL, NULL))
_NUMBER_OR_NULL: Kinds = frozenset((NUMBER, NULL))
_OBJECT_OR_NULL: Kinds = frozenset((OBJECT, NULL))

#: what functions can give, where that is less than anything
RESULTS: dict[str, Kinds] = {
    **dict.fromkeys(
        (
            "json_text", "content_text", "join_text", "joined", "lines", "concat", "before", "after", "between",
            "strip_end", "replace", "trim", "lower", "head", "basename", "dirname", "utc", "uuid", "sha256", "url_path",
            "url_form", "join",
        ),
        _TEXT_OR_NULL,
    ),
    **dict.fromkeys(("split", "entries", "tree", "pick", "keys", "values", "sort", "sort_by", "map"), _LIST_OR_NULL),
    **dict.fromkeys(("has", "contains", "starts_with", "ends_with"), _FLAG_OR_NULL),
    **dict.fromkeys(("count", "length", "number", "add", "zone_offset", "sum", "abs", "avg"), _NUMBER_OR_NULL),
    **dict.fromkeys(("index_by", "omit", "variant", "merge"), _OBJECT_OR_NULL),
    "type": _TEXT_OR_NULL,
    "to_string": frozenset(TEXT),
    "to_array": frozenset(LIST),
}  # fmt: skip


def _branches(printer: Printer, args: list[Ast], current: Code | None, printed: Branch) -> Code:
    """`if`, its branches printed as values or as conditions. What is known now is decided now."""
    test = printer.condition(args[0], current)
    if test in (TRUE, FALSE):
        return printed(args[1 if test == TRUE else 2], current)
    yes, no = printed(args[1], current), printed(args[2], current)
    if yes == no and yes.cheap:
        return yes
    return Code(f"{yes.at(OR)} if {test.at(OR)} else {no.at(TERNARY)}", yes.kinds | no.kinds, TERNARY)


def _if(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    return _branches(printer, args, current, printer.value)


def _not_null(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    """The first that is not null; those behind it are not computed."""
    if printer.flat:
        return None
    *firsts, found = [printer.value(arg, current) for arg in args]
    held = [(value.text if value.cheap else printer.names.temporary()) for value in firsts]
    for value, name in zip(reversed(firsts), reversed(held), strict=True):
        if NULL not in value.kinds:
            found = value
            continue
        test = name if value.cheap else f"({name} := {value.text})"
        kinds = (value.kinds - {NULL}) | found.kinds
        found = Code(f"{name} if {test} is not None else {found.at(TERNARY)}", kinds, TERNARY)
    return found


def _of_text(form: str, otherwise: str, kinds: Kinds) -> Form:
    """A function of a text: `form` for a text `{0}`, and `otherwise` or the function itself for anything else."""

    def printed(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
        text, *rest = [printer.value(arg, current) for arg in args]
        if (printer.flat and not text.cheap) or not all(arg.text.isdecimal() for arg in rest):
            return None
        if TEXT not in text.kinds:
            return None
        if form == "{0}" and text.only(TEXT, NULL):
            return text
        held, test = printer.held(text)
        short = form.format(held, *(arg.text for arg in rest), white=printer.names.need("WHITE"))
        if text.cheap and text.only(TEXT):
            return Code(short, kinds - {NULL}, POSTFIX)
        other = otherwise and f"{printer.names.need(otherwise)}({held})"
        return Code(f"{short} if type({test}) is str else {other or None}", kinds, TERNARY)

    return printed


def _get(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    if args[1]["type"] == "literal" and isinstance(args[1]["value"], str):
        return printer.member(printer.value(args[0], current), args[1]["value"])
    base, key = printer.value(args[0], current), printer.value(args[1], current)
    if base.only(OBJECT, NULL) and key.kinds <= _TEXT_OR_NULL:
        known = base.at(POSTFIX) if base.only(OBJECT) else f"({base.text} or {printer.names.need('NOTHING')})"
        return Code(f"{known}.get({key.text})", ANY, POSTFIX)
    return None


def _lookup(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    values = [printer.value(arg, current) for arg in args]
    return Code(f"run.lookup({', '.join(value.text for value in values)})", ANY, POSTFIX)


def _label(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    table = str(args[1].get("value"))
    found = printer.names.labels_of(table) | {NULL}
    return printer.call("label_of", [printer.value(args[0], current), printer.names.starts(table)], found)


def _utc(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    """The text of a time that is a name."""
    if len(args) != 1 or args[0]["type"] != "field" or current is not None:
        return None
    found = printer.names.moment(args[0]["value"])
    return None if found is None else Code(f"{found.text}[0] if {found.text} else None", _TEXT_OR_NULL, TERNARY)


CALLS: dict[str, Form] = {
    "utc": _utc,
    "if": _if,
    "not_null": _not_null,
    "get": _get,
    "lookup": _lookup,
    "label": _label,
    "content_text": _of_text("{0}", "function content_text", _TEXT_OR_NULL),
    "count": _of_text("len({0})", "function count", _NUMBER_OR_NULL),
    "trim": _of_text("{0}.strip({white})", "", _TEXT_OR_NULL),
    "head": _of_text("{0}[:{1}]", "", _TEXT_OR_NULL),
}


def _starts_with(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    text, start = printer.value(args[0], current), args[1]
    if start["type"] != "literal" or not isinstance(start["value"], str) or (printer.flat and not text.cheap):
        return None
    if TEXT not in text.kinds:
        return literal(False)
    found = f".startswith({quoted(start['value'])})"
    if text.only(TEXT):
        return Code(text.at(POSTFIX) + found, frozenset(BOOL), POSTFIX)
    held, test = printer.held(text)
    return Code(f"type({test}) is str and {held}{found}", ANY, AND)


def _contains(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    text, part = printer.value(args[0], current), args[1]
    if part["type"] != "literal" or not isinstance(part["value"], str) or (printer.flat and not text.cheap):
        return None
    if TEXT not in text.kinds:
        return None if LIST in text.kinds else literal(False)
    wanted = quoted(part["value"])
    if text.only(TEXT):
        return Code(f"{wanted} in {text.at(COMPARE + 1)}", frozenset(BOOL), COMPARE)
    held, test = printer.held(text)
    general = f"{printer.names.need('function contains')}({held}, {wanted})"
    return Code(f"{wanted} in {held} if type({test}) is str else {general}", ANY, TERNARY)


def _has(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    value, table = printer.value(args[0], current), printer.names.table(str(args[1].get("value")))
    if value.kinds <= _TEXT_OR_NULL:
        return Code(f"{value.at(COMPARE + 1)} in {table.text}", frozenset(BOOL), COMPARE)
    return None


def _if_condition(printer: Printer, args: list[Ast], current: Code | None) -> Code | None:
    return _branches(printer, args, current, printer.condition)


CONDITIONS: dict[str, Form] = {"starts_with": _starts_with, "contains": _contains, "has": _has, "if": _if_condition}
