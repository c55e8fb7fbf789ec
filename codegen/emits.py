"""An emit as Python: the row as a tuple, with the step's place and its citations in comments above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codegen.code import EMPTY, OR, SUM, Code, one_line, quoted
from engine.lang.plan import Citation, Emit
from engine.rows import TEXT_REQUIRED

if TYPE_CHECKING:
    from codegen.steps import StepPrinter


def emitted(steps: StepPrinter, step: Emit) -> list[str]:
    """The statements of one emit."""
    lines = comments(steps, step)
    said, empty = steps.column("text") or EMPTY, f"run.left_out({quoted(f'no text: {step.name}')})"
    if said.text == EMPTY.text:
        return [*lines, empty] if step.event in TEXT_REQUIRED else [*lines, *_row(steps, step, EMPTY.text)]
    lines.append(f"said = {said.at(SUM + 1)}.strip({steps.names.need('WHITE')})")
    row = _row(steps, step, "said")
    if step.event not in TEXT_REQUIRED:
        return [*lines, *row]
    return [*lines, "if said:", *(f"    {line}" for line in row), "else:", f"    {empty}"]


def comments(steps: StepPrinter, step: Emit) -> list[str]:
    """The rule's name, its place in the spec, and the source that it rests on."""
    head = f"# {step.name}, line {step.mark.line}"
    return [head, *(f"#   {cited(cite)}" for cite in step.cites)]


def cited(cite: Citation) -> str:
    """A citation as the spec has it."""
    return one_line(cite.text)


def _row(steps: StepPrinter, step: Emit, said: str) -> list[str]:
    module = steps.names.module
    lines: list[str] = []

    def cell(name: str) -> str:
        return (steps.column(name) or EMPTY).text

    when = _when(steps, lines)
    tool, call = _call(steps, step, lines)
    line, file = steps.column("source_line"), steps.column("source_file") or EMPTY
    items = [
        when[0],
        "host",
        "user",
        quoted(module.plan.agent),
        cell("session_id"),
        cell("project_path"),
        cell("git_branch"),
        quoted(step.turn),
        cell("model"),
        tool,
        call,
        said,
        steps.file if file.text == EMPTY.text else f"{file.at(OR)} or {steps.file}",
        _line(steps, line),
        quoted(step.event),
        cell("status"),
        when[1],
        when[2],
        "role" if step.role is None else quoted(step.role),
        quoted(step.basis or module.plan.basis),
        steps.rule(step),
        cell("arguments"),
        cell("pair_key"),
        steps.number_of(step),
    ]
    return [*lines, f"write(({', '.join(items)}))"]


def _line(steps: StepPrinter, line: Code | None) -> str:
    """The row's line: the record's, or what the spec says."""
    if line is None:
        return "run.line"
    plain = line.text.isdecimal() or line.text == "run.line"
    return line.text if plain else f"{steps.names.need('line_number')}({line.text})"


def _when(steps: StepPrinter, lines: list[str]) -> tuple[str, str, str]:
    """The three texts of the row's time."""
    time = steps.column("time")
    if time is None or time.text == "None":
        return EMPTY.text, EMPTY.text, EMPTY.text
    nothing = steps.names.need("NO_TIME")
    if steps.names.module.remembers_times:
        lines += [f"when = {time.text}", "if when:", "    run.previous = when"]
        time = Code("when", cheap=True)
    lines.append(f"at_utc, at_basis, at_raw = {time.at(OR)} or {nothing}")
    return "at_utc", "at_basis", "at_raw"


def _call(steps: StepPrinter, step: Emit, lines: list[str]) -> tuple[str, str]:
    """The tool's name and the call's id. A result without a name takes that of the unit's call with its id."""
    tool, call = steps.column("tool_name") or EMPTY, steps.column("tool_use_id") or EMPTY
    if call.text == EMPTY.text or not steps.names.module.names_results:
        return tool.text, call.text
    if step.turn == "tool_use" and tool.text != EMPTY.text:
        lines += [f"tool, call = {tool.text}, {call.text}", "if call and tool:", "    calls[call] = tool"]
        return "tool", "call"
    if step.turn == "tool_result":
        lines.append(f"call = {call.text}")
        if tool.cheap and tool.text != EMPTY.text and tool.text[:1] in ("'", '"'):
            return tool.text, "call"
        found = 'calls.get(call, "")'
        return (found if tool.text == EMPTY.text else f"{tool.at(OR)} or {found}"), "call"
    return tool.text, call.text
