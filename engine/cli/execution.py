"""One run of the engine as the command makes it: outputs around the pipeline, summary and `run.json` after it."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

from engine.cli import summary
from engine.cli.finding import discovered
from engine.cli.offsets import clock_entry, derived
from engine.cli.outputs import Place, on_terminal, sink_for
from engine.cli.progress import Progress
from engine.cli.report import Report
from engine.lang.plan import Plan
from engine.read.archives import Workspace
from engine.read.limits import Limits
from engine.run import generated, interpret
from engine.run.context import RunContext
from engine.run.passes import prepare
from engine.run.pipeline import Run, Setup
from engine.run.tally import Tally
from engine.write.files import Output, OutputFile
from engine.write.manifest import head, input_entry, problem_entry, write_manifest
from engine.write.sessions import write_sessions

ROWS, NO_ROWS = 0, 1


class Execution:
    """`run` does all of it and gives the exit status. `options` are those of the command, by name."""

    def __init__(self, inputs: list[str], plans: list[Plan], out: Place, limits: Limits, options: dict[str, Any]):
        self._plans, self._limits, self._options = plans, limits, options
        self._workspace = Workspace(limits)
        self._found = discovered(
            inputs, plans, self._workspace, as_=options["as_"], hosts=options["host"], user=options["user"],
            limits=limits, hashing=not options["no_hash"],
        )  # fmt: skip
        self._sink = sink_for(out)
        self._shows_progress = not (options["quiet"] or options["as_json"] or on_terminal(out))
        self._files = [OutputFile(out.folder / name) for name in ("sessions.jsonl", "run.json")] if out.folder else []

    def run(self) -> int:
        try:
            return self._run()
        finally:
            self._workspace.close()

    def _run(self) -> int:
        quiet, as_json = self._options["quiet"], self._options["as_json"]
        report = Report(Progress(len(self._found.sources), shown=self._shows_progress), bool(self._files))
        setup = self._setup()
        if self._options["correct_local_times"]:
            setup = replace(setup, clocks=derived(setup, self._found.sources))
        run = Run(setup, self._found.sources, self._sink, report)
        outputs: list[Output] = [self._sink, *self._files]
        try:
            for output in outputs:
                output.open()
            tally = run.run()
            account = self._account(report, tally) | self._clocks(setup, run)
            self._write_files(report, account)
            for output in outputs:
                output.close()
        except BaseException:
            for output in outputs:
                output.abort()
            raise
        finally:
            report.close()
            run.close()
        taken = [input_entry(each) for each in self._found.inputs]
        if as_json:
            print(summary.as_json(account | {"inputs": taken}), file=sys.stderr)
        elif not quiet:
            print(summary.as_text(account | {"inputs": taken}), file=sys.stderr)
        return ROWS if tally.spoke else NO_ROWS

    def _setup(self) -> Setup:
        contexts: dict[str, RunContext] = {}
        for plan in self._plans:
            mine = [source for source in self._found.sources if source.agent == plan.agent]
            if mine:
                context = prepare(plan, mine, self._limits)
                contexts[plan.agent] = replace(context, hashing=not self._options["no_hash"])
        if self._options["interpret"]:
            return Setup(contexts, interpret.rows, self._options["order"])
        for plan in (context.plan for context in contexts.values()):
            generated.rules_of(plan, self._options["cache"])
        return Setup(contexts, generated.rows, self._options["order"])

    def _account(self, report: Report, tally: Tally) -> dict[str, Any]:
        """What the summary and the end of `run.json` say; writes the sessions, because they are counted on the way."""
        target = self._files[0] if self._files else None
        sessions = write_sessions(tally.sessions.records(), target)
        totals = tally.totals() | {"sessions": sessions, "sources": report.sources, "paired": report.paired_rows}
        return {
            "totals": totals,
            "ledger": report.ledger(),
            "unreadable": tally.unreadable_texts,
            "problems": [problem_entry(problem) for problem in self._found.problems],
            "replaced": getattr(self._sink, "replaced", 0),
        }

    def _clocks(self, setup: Setup, run: Run) -> dict[str, Any]:
        """The offsets of local times: those that were applied, or those that were found on the way."""
        clocks = run.clocks.found if setup.clocks is None else setup.clocks
        told = [(where, offset) for where, found in sorted(clocks.items()) for offset in found]
        return {"clocks": [clock_entry(where, offset, setup.clocks is not None) for where, offset in told]}

    def _write_files(self, report: Report, account: dict[str, Any]) -> None:
        if self._files:
            known = head(self._plans, self._said(), [input_entry(taken) for taken in self._found.inputs])
            write_manifest(known, report.files(), account, self._files[1])

    def _said(self) -> dict[str, Any]:
        """The options as `run.json` shows them: what shapes the rows and the reading."""
        o, limits = self._options, self._limits
        shown = {"as": o["as_"], "host": " ".join(o["host"]), "user": o["user"], "order": o["order"]}
        shown["hash"] = not o["no_hash"]
        shown["correct_local_times"] = o["correct_local_times"]
        return shown | {"interpret": o["interpret"], "limits": {n: getattr(limits, n) for n in limits.__slots__}}
