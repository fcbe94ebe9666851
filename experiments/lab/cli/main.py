"""The command `lab`: a table of subcommands, each imported only when it is used."""

import difflib
import importlib
import sys
from pathlib import Path

import click

from lab import __version__
from lab.cli.boundary import guarded
from lab.cli.typed import as_typed, program_name, remember
from lab.errors import LabError
from lab.paths import REPOSITORY, LabPaths

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("lab.cli.init", "Write a new question that lints clean."),
    "setup": ("lab.cli.setup", "Install a stack's tools into the cache."),
    "lint": ("lab.cli.lint", "Check questions and the catalogue."),
    "plan": ("lab.cli.plan", "Plan the runs that are missing."),
    "batch": ("lab.cli.batch", "Execute a plan."),
    "resume": ("lab.cli.resume", "Finish an interrupted batch."),
    "watch": ("lab.cli.watch", "Show how a batch is doing, or pause, resume and drain it."),
    "plans": ("lab.cli.plans", "List batch plans."),
    "record": ("lab.cli.record", "Choose kata, workflow and model, and run once."),
    "analyze": ("lab.cli.analyze", "Measure one run again."),
    "aggregate": ("lab.cli.aggregate", "Derive runs.csv, summary.md and summary.json."),
    "status": ("lab.cli.rq_status", "Show what each question needs next."),
    "tdd-report": ("lab.cli.tdd_report", "Show a run's phase chain."),
    "clean": ("lab.cli.clean", "Remove broken runs from the pool."),
    "import": ("lab.cli.import_pool", "Import a pool of the original lab."),
    "truth": ("lab.cli.truth", "Compare measured with expected on the calibration question."),
    "demo": ("lab.cli.demo", "Plan, run and aggregate the calibration question."),
    "doctor": ("lab.cli.doctor", "Show what is installed and what to type."),
    "gc": ("lab.cli.gc", "Remove what dead batches left behind."),
    "gateway": ("lab.cli.gateway", "Run the gateway process (used by the runner)."),
    "docs": ("lab.cli.docs", "Write or check the generated blocks of the documentation."),
}


class LazyCommands(click.Group):
    """A group that imports a subcommand's module when it is called, not before.

    What its commands tell to type in an error gets the program's name and the lab root in use.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command '{args[0]}'.{_nearest(args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except LabError as error:
            raise LabError(as_typed(fault) for fault in error.faults) from error
        except click.UsageError as error:
            if type(error) is not click.UsageError:
                raise
            raise click.UsageError(as_typed(error.message), error.ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, about) for name, (_, about) in COMMANDS.items()])


def _nearest(word: str) -> str:
    close = difflib.get_close_matches(word, COMMANDS, n=1)
    return f" (Did you mean '{close[0]}'?)" if close else ""


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--root",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    envvar="LAB_ROOT",
    show_envvar=True,
    help="Lab root: a folder with experiments/{runs,batch-plans} and research/ [this repository].",
)
@click.version_option(__version__, prog_name="lab")
@click.pass_context
def lab(ctx: click.Context, root: Path | None) -> None:
    """Answer questions about coding agents with runs whose numbers are right."""
    remember(ctx, root)
    ctx.obj = LabPaths((root or REPOSITORY).resolve())


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: 0 fine, 1 mendable, 2 usage, 3 our bug, 130 Ctrl-C."""
    words = sys.argv[1:] if arguments is None else arguments
    sys.exit(guarded(lab, words, program_name()))
