"""One run of the engine as the command makes it: outputs around the pipeline, summary and `run.json` after it."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from engine.cli import summary
from engine.cli.finding import discovered
from engine.cli.listener import RunListener
from engine.cli.offsets import clock_entry, derived
from engine.cli.outputs import Place, on_terminal, sink_for
from engine.cli.progress import Progress
from engine.lang.plan import Plan
from engine.read.archives import Workspace
from engine.read.limits import Limits
from engine.run import generated, interpret
from engine.run.context import RunContext
from engine.run.passes import prepare
from engine.run.pipeline import Run, Setup
from engine.write.files import Output, OutputFile
from engine.write.manifest import head, input_entry, problem_entry, write_manifest
from engine.write.sessions import write_sessions
from engine.write.sink import Facts, KeepsFacts, RowSink, Sink

if TYPE_CHECKING:
    from engine.run.redaction import Redactor

ROWS, NO_ROWS = 0, 1


class Execution:
    """`run` does all of it and gives the exit status. `options` are those of the command, by name; a `sink` stands in
    for the one that `out` says."""

    def __init__(
        self,
        inputs: list[str],
        plans: list[Plan],
        out: Place,
        limits: Limits,
        options: dict[str, Any],
        sink: Sink | None = None,
    ):
        self._plans, self._limits, self._options = plans, limits, options
        self._sink = sink or sink_for(out, plans)
        self._workspace = Workspace(limits)
        self._found = discovered(
            inputs, plans, self._workspace, as_=options["as_"], hosts=options["host"], user=options["user"],
            limits=limits, hashing=not options["no_hash"],
        )  # fmt: skip
        self._shows_progress = not (options["quiet"] or options["as_json"] or on_terminal(out))
        self._files = [OutputFile(path) for path in out.beside]

    def run(self) -> int:
        # what is imported and known by now stays: the collector would look at it again and again
        gc.freeze()
        try:
            return self._run()
        finally:
            gc.unfreeze()
            self._workspace.close()

    def _run(self) -> int:
        quiet, as_json = self._options["quiet"], self._options["as_json"]
        keeps = bool(self._files) or isinstance(self._sink, KeepsFacts)
        report = RunListener(Progress(len(self._found.sources), shown=self._shows_progress), keeps)
        setup = self._setup()
        if self._options["correct_local_times"]:
            setup = replace(setup, clocks=derived(setup, self._found.sources))
        redactor = self._redactor()
        setup = replace(setup, filters=self._options["filters"], redact=redactor)
        run = Run(setup, self._found.sources, self._sink, report)
        outputs: list[Output] = [self._sink, *self._files]
        try:
            for output in outputs:
                output.open()
            tally = run.run()
            known = head(self._plans, self._said(), [input_entry(taken) for taken in self._found.inputs])
            account = self._account(report, run) | self._clocks(setup, run)
            if redactor is not None:
                # what was unknown or could not be read is told in words of the evidence
                known["options"] = redactor.document(known["options"])
                account |= {name: redactor.document(account[name]) for name in ("unknown", "unreadable", "problems")}
            self._keep(report, run, known, account)
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
            filters = self._options["filters"]
            window = {"window": filters.window, "undated": "kept" if filters.undated else "left out"}
            print(summary.as_text(account | {"inputs": taken} | window), file=sys.stderr)
        return ROWS if tally.spoke else NO_ROWS

    def _setup(self) -> Setup:
        contexts: dict[str, RunContext] = {}
        for plan in self._plans:
            mine = [source for source in self._found.sources if source.agent == plan.agent]
            if mine:
                context = prepare(plan, mine, self._limits)
                contexts[plan.agent] = replace(context, hashing=not self._options["no_hash"])
        if self._options["interpret"]:
            return Setup(contexts, interpret.batches, self._options["order"])
        for plan in (context.plan for context in contexts.values()):
            generated.rules_of(plan, self._options["cache"])
        return Setup(contexts, generated.batches, self._options["order"])

    def _redactor(self) -> Redactor | None:
        if not self._options["redact"]:
            return None
        from engine.run.redaction import Redactor
        from engine.run.secret_files import known_secrets

        return Redactor(known_secrets(self._found.sources, self._plans, self._found.trees))

    def _account(self, report: RunListener, run: Run) -> dict[str, Any]:
        """What the summary and the end of `run.json` say; writes the sessions, because they are counted on the way."""
        if isinstance(self._sink, RowSink):
            self._sink.flush()
        target = self._files[0] if len(self._files) > 1 else None
        tally = run.tally
        sessions = write_sessions(tally.sessions.records(), target)
        totals = tally.totals() | {"sessions": sessions, "sources": report.sources, "paired": report.paired_rows}
        return {
            "totals": totals,
            "ledger": report.ledger(),
            "unknown": report.unknown(self._plans, self._limits),
            "unreadable": tally.unreadable_texts,
            "problems": [problem_entry(problem) for problem in self._found.problems],
            "replaced": getattr(self._sink, "replaced", 0),
            "left_out": getattr(self._sink, "left_out", 0),
            "filtered": run.seen - report.paired_rows - totals["rows"],
            "redacted": run.secrets,
        }

    def _clocks(self, setup: Setup, run: Run) -> dict[str, Any]:
        """The offsets of local times: those that were applied, or those that were found on the way."""
        clocks = run.clocks.found if setup.clocks is None else setup.clocks
        told = [(where, offset) for where, found in sorted(clocks.items()) for offset in found]
        return {"clocks": [clock_entry(where, offset, setup.clocks is not None) for where, offset in told]}

    def _keep(self, report: RunListener, run: Run, known: dict[str, Any], account: dict[str, Any]) -> None:
        """What is known of the run, beside the rows or in the same file."""
        if self._files:
            write_manifest(known, report.files(), account, self._files[-1])
        if isinstance(self._sink, KeepsFacts):
            sessions = run.tally.sessions.records
            self._sink.keep(
                Facts(lambda: known | account, lambda: (each._asdict() for each in sessions()), report.files)
            )

    def _said(self) -> dict[str, Any]:
        """The options as `run.json` shows them: what shapes the rows and the reading."""
        o, limits = self._options, self._limits
        shown = {"as": o["as_"], "host": " ".join(o["host"]), "user": o["user"], "order": o["order"]}
        shown["hash"] = not o["no_hash"]
        shown["correct_local_times"] = o["correct_local_times"]
        shown["filters"] = o["filters"].as_dict()
        shown["redact"] = o["redact"]
        return shown | {
            "interpret": o["interpret"],
            "limits": {n: getattr(limits, n) for n in limits.__struct_fields__},
        }
