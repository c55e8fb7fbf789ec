"""Problems of a spec, as values: what is wrong, where, and what to write instead."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

#: code → what it means, in one sentence; `tests/bad_specs/` holds a spec for each
CODES: dict[str, str] = {
    # the text as YAML
    "E101": "the file is no YAML",
    "E102": "a `: ` inside a plain scalar breaks the line",
    "E103": "an unquoted comma or bracket in a flow mapping or list cuts an expression",
    "E104": "a key stands twice in one mapping",
    "E105": "anchors and aliases are not allowed",
    "E106": "merge keys are not allowed",
    "E107": "tags and directives are not allowed",
    "E108": "a plain scalar that YAML 1.1 takes for a boolean or null",
    "E109": "a plain scalar that YAML takes for a number other than a decimal integer",
    "E110": "a plain scalar that YAML 1.1 takes for a date or a time of day",
    "E111": "the file is too large, too deep, empty, or more than one document",
    "E112": "the file is not UTF-8",
    "E113": "a key that is no scalar",
    # form
    "E201": "an unknown key",
    "E202": "a key is missing",
    "E203": "a value of the wrong kind",
    "E204": "a word that is not in the closed list",
    "E205": "a name of bad form",
    "E206": "a step without an action, or with two",
    "E207": "keys that exclude each other, or a key without the one it belongs to",
    "E208": "the document does not fit the schema",
    "E209": "a language version that this engine does not know",
    # names
    "E301": "a name that is not in scope",
    "E302": "an unknown function",
    "E303": "a function with too few or too many arguments",
    "E304": "an unknown column of a row",
    "E305": "an unknown hook",
    "E306": "an unknown walk",
    "E307": "an unknown store",
    "E308": "an unknown table",
    "E309": "an unknown lookup",
    "E310": "an unknown root",
    "E311": "an unknown shape",
    "E312": "an unknown evidence alias",
    "E313": "an unknown capture of the store's globs",
    "E314": "an unknown codec",
    "E315": "an unknown member of file, unit, pos, next or of a hook's value",
    "E316": "state that no step sets",
    "E317": "a table column that the store's `read` does not name",
    "E318": "an unknown step of a store",
    "E319": "inputs that the walk or hook does not declare, or lacks",
    "E320": "a hook whose callable is not there",
    # expressions, templates, globs, citations
    "E401": "an expression that does not parse",
    "E402": "a template that does not parse",
    "E403": "a `[..]` part of a template without a hole loses its brackets",
    "E404": "a scope name right of a projection, `.` or `|` is looked up in the element",
    "E405": "`!a.b` means `(!a).b`",
    "E406": "`c && 'text'` leaks false",
    "E407": "a scope name in a filter or behind `&` is looked up in the element",
    "E408": "bare null, true, false and numbers are field names or no JMESPath",
    "E409": "a backslash in a raw string is no escape",
    "E410": "a whole record kept in state",
    "E411": "a table, lookup or walk must be named by a raw string",
    "E412": "a time without its unit",
    "E413": "a glob of bad form",
    "E414": "a citation of bad form",
    "E415": "a table that does not fit the function that uses it",
    "E416": "`@` alone is the whole scope",
    "E417": "`<` and its like compare numbers only",
    # meaning
    "E501": "an emit without a citation",
    "E502": "a switch or choose without `otherwise`",
    "E503": "versions whose last entry has a `when`, or another has none",
    "E504": "two emits of one name",
    "E505": "a pairing without its reason",
    "E506": "a tolerance of bad form",
    "E507": "`each` over the records of a store that is read line by line",
    "E508": "a `keep_json` whose type and rest are not known",
    "E509": "a case, version or step that can't be reached",
    "E510": "a name that hides another one",
    "E511": "walks that use each other in a circle, or in a chain that is too long",
    "E512": "an emit without a turn or event",
    "E513": "more cases, nested deeper, or repeated more often than the engine takes",
    "E514": "state that is one value in one step and a value a key in another",
}

#: warnings: what `engine check` says of a spec that can be used; `engine.review.lint` has a check for each
WARNINGS: dict[str, str] = {
    # what nothing uses
    "W101": "a root that no glob starts from",
    "W102": "a table that nothing uses",
    "W103": "a lookup that no expression asks",
    "W104": "a walk that no store reaches",
    "W105": "a let that nothing reads",
    "W106": "a find or a sidecar that nothing reads",
    "W107": "a shape that nothing has",
    "W108": "a store that no walk and no lookup reads",
    "W109": "an evidence alias that nothing cites",
    "W110": "a hook that no step calls",
    "W111": "a wanted or parsed table column that nothing reads",
    "W112": "state that nothing reads",
    "W113": "a parameter that its walk does not read",
    # what can't be reached
    "W201": "a case of a value that the shape does not allow",
    "W202": "a condition that does not depend on a record",
    "W203": "a condition that stands twice in one `choose`",
    "W204": "a version that no store has",
    # expressions against shapes
    "W301": "a member that the record's shape does not have",
    "W302": "a comparison with a value that the shape does not allow",
    "W303": "`each` over what is no list by its shape",
    # secrets
    "W401": "a file that the catalog names secret, read without `keys`",
    "W402": "a sidecar that the catalog names secret",
    "W403": "a member with the name of a secret goes into a row",
    # the catalog
    "W501": "a root that the catalog does not take",
    "W502": "a path of the catalog that nothing reads and `unread` does not name",
    "W503": "a store whose files the catalog excludes",
    # citations
    "W601": "lines cited at a pin that is no whole commit",
    "W602": "a citation of so many lines that it says little",
    "W603": "a fact that still says TODO",
    # hooks
    "W701": "a hook whose callable does not take its inputs",
    "W702": "a member that a hook gives and no step reads",
    # tests
    "W801": "an emit that no test of the spec reaches",
    "W802": "a test that can't be run",
    # exceptions
    "W901": "an exception that leaves nothing",
}


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing wrong with a spec. `line` and `column` are 1-based, `path` is the YAML path, such as
    `walks.thread.steps[2].when`, `nearest` the known name that was most likely meant."""

    code: str
    severity: str
    file: str
    line: int
    column: int
    path: str
    message: str
    nearest: str | None = None

    def __str__(self) -> str:
        at = f" at {self.path}" if self.path else ""
        hint = f" (did you mean '{self.nearest}'?)" if self.nearest is not None else ""
        return f"{self.file}:{self.line}:{self.column}: {self.severity} {self.code}{at}: {self.message}{hint}"


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` most likely means, or None."""
    import difflib  # nobody needs it while specs are good

    found = difflib.get_close_matches(name.lower(), candidates := {k.lower(): k for k in known}, 1, 0.6)
    return candidates[found[0]] if found else None


def in_order(problems: Iterable[Problem]) -> list[Problem]:
    """Problems without repeats, in the order of the file."""
    return sorted(dict.fromkeys(problems), key=lambda problem: (problem.line, problem.column, problem.code))


def without_consequences(problems: Iterable[Problem]) -> list[Problem]:
    """Problems without those of a line that already is no good YAML: what was cut there is not what was meant."""
    problems = list(problems)
    bent = {problem.line for problem in problems if problem.code[:2] == "E1" and problem.code != "E104"}
    return [problem for problem in problems if problem.code[:2] == "E1" or problem.line not in bent]
