"""lab init: write a new question."""

import click

from lab.cli.lint import known
from lab.cli.typed import as_typed, shown
from lab.paths import LabPaths
from lab.planning.draft import Wish
from lab.planning.init import create_question

SEVERAL = "Repeat it to make it a factor."


@click.command()
@click.argument("slug")
@click.option("--tree", default="questions", show_default=True, help="Folder below research/.")
@click.option("--kata", "katas", multiple=True, help=f"Base name of a kata. {SEVERAL}")
@click.option("--prompt", "prompts", multiple=True, help=f"Prompt style. {SEVERAL}")
@click.option("--workflow", "workflows", multiple=True, help=f"Workflow. {SEVERAL}")
@click.option("--model", "models", multiple=True, help=f"Model variant. {SEVERAL}")
@click.option("--question", help="The question in full [made from the factors].")
@click.option(
    "--min-replicates", type=click.IntRange(min=1), default=3, show_default=True, help="Per cell."
)
@click.pass_obj
def command(  # noqa: PLR0913  click hands over one argument per option
    paths: LabPaths,
    slug: str,
    tree: str,
    katas: tuple[str, ...],
    prompts: tuple[str, ...],
    workflows: tuple[str, ...],
    models: tuple[str, ...],
    question: str | None,
    min_replicates: int,
) -> None:
    """Write a question RQ-SLUG that lints clean and can be planned at once.

    What no option names is chosen from the catalogue; edit the file afterwards.
    """
    wish = Wish(slug, katas, prompts, workflows, models, question, min_replicates)
    created = create_question(paths, wish, tree, known())
    for remark in created.warnings:
        click.echo(str(remark), err=True)
    click.echo(shown(created.readme))
    click.echo(as_typed(f"next: edit it, then lab plan {created.id}"))
