"""The command `engine`: its subcommands, and how a run of it ends."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
from collections.abc import Sequence

import click

from engine import __version__
from engine.cli.terminal import one_line
from engine.errors import EngineError, SpecError

#: subcommand → module; a module is imported when its command is asked for
_MODULES = {
    "run": "engine.cli.run",
    "report": "engine.cli.report",
    "detect": "engine.cli.detect",
    "collect": "engine.cli.collect",
    "inventory": "engine.cli.inventory",
    "query": "engine.cli.query",
    "search": "engine.cli.search",
    "sessions": "engine.cli.sessions",
    "show": "engine.cli.show",
    "check": "engine.cli.check",
    "test": "engine.cli.test",
    "new": "engine.cli.new",
    "docs": "engine.cli.docs",
    "specs": "engine.cli.specs",
    "generate": "engine.cli.generate",
    "cite": "engine.cli.cite",
    "explain": "engine.cli.explain",
    "diff": "engine.cli.diff",
    "census": "engine.cli.census",
}

ERROR, INTERRUPTED = 2, 130


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = _MODULES.get(cmd_name)
        if module is None:
            return None
        # what is imported stays: the collector would look at it again and again
        gc.disable()
        found: click.Command = importlib.import_module(module).command
        gc.freeze()
        gc.enable()
        return found


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="engine", message="%(prog)s %(version)s")
@click.pass_context
def command(context: click.Context) -> None:
    """Reads what AI agents leave on disk as one timeline of rows."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
        context.exit(ERROR)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command and ends the process: 0 rows, 1 no rows, 2 an error, 130 interrupted."""
    _mend_streams()
    # who is told to end, or loses the terminal, cleans up as after Ctrl-C; `nohup` stays what it is
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    status = status_of(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        _let_go_of_stdout()
        if not isinstance(error, BrokenPipeError):
            status = status or _said(f"engine: {error.strerror}")
    sys.exit(status)


def status_of(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and gives its exit status. Never raises; `ENGINE_DEBUG=1` lets internal faults through."""
    try:
        given = list(sys.argv[1:] if arguments is None else arguments)
        with command.make_context("engine", given) as context:
            return command.invoke(context) or 0
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        where = getattr(error, "ctx", None)
        hint = f" (see {where.command_path} --help)" if where else ""
        return _said(f"engine: {error.format_message()}{hint}")
    except SpecError as error:
        return _said(*map(str, error.problems))
    except EngineError as error:
        return _said(f"engine: {error}")
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return 0
    except Exception as error:
        if os.environ.get("ENGINE_DEBUG"):
            raise
        if isinstance(error, OSError):
            return _said(f"engine: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""))
        return _said(f"engine: internal error, {type(error).__name__}: {error} (ENGINE_DEBUG=1 shows where)")


def _mend_streams() -> None:
    """Where a standard stream is closed, no file that is opened may get its number. What would go to stderr is dropped;
    to write to stdout is an error."""
    for number, way in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, way)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)


def _said(*messages: str) -> int:
    for message in messages:
        print(one_line(" ".join(message.split("\n"))), file=sys.stderr)
    return ERROR


def _let_go_of_stdout() -> None:
    """Whoever read us is gone: what Python still holds for it goes nowhere, so that the end is quiet."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
