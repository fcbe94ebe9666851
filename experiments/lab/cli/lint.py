"""lab lint: print what is wrong with questions and the catalogue."""

import json
from dataclasses import asdict

import click

from lab.cli.counted import counted
from lab.cli.typed import as_typed
from lab.paths import LabPaths
from lab.planning.lint import Report, lint
from lab.planning.lint_catalogue import Known


@click.command()
@click.argument("references", nargs=-1, metavar="[RQ]...")
@click.option("--json", "as_json", is_flag=True, help="Print the remarks as JSON.")
@click.pass_obj
def command(paths: LabPaths, references: tuple[str, ...], as_json: bool) -> None:
    """Check questions (id, folder or README); without any, all of them and the catalogue.

    Errors change which runs a question selects, and make the command end with 1.
    Warnings do not.
    """
    report = lint(paths, references, known())
    click.echo(_json(report) if as_json else _text(report, references))
    if report.errors:
        raise click.exceptions.Exit(1)


def known() -> Known:
    """Return the harnesses and stacks that have modules, and what these declare to need."""
    from lab.harnesses import HARNESSES
    from lab.stacks import STACKS
    from lab.tapes.manner import TAPELESS

    needs = {name: harness.CAPABILITIES for name, harness in HARNESSES.items()}
    return Known(
        tuple(HARNESSES),
        tuple(STACKS),
        need_command=tuple(name for name, need in needs.items() if need.needs_command),
        need_tape=tuple(name for name, need in needs.items() if need.needs_tape),
        tapeless=TAPELESS,
    )


def _json(report: Report) -> str:
    document = {
        "schema_version": 1,
        "questions": report.questions,
        "errors": len(report.errors),
        "warnings": len(report.warnings),
        "remarks": [asdict(remark) for remark in report.remarks],
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _text(report: Report, references: tuple[str, ...]) -> str:
    lines = [str(remark) for remark in report.remarks]
    counts = f"{counted(len(report.errors), 'error')}, {counted(len(report.warnings), 'warning')}"
    lines.append(f"{counts} in {counted(report.questions, 'question')}")
    if report.errors:
        lines.append("next: mend the errors, then lab lint again")
    elif not report.questions:
        lines.append("next: lab init SLUG")
    else:
        lines.append(f"next: lab plan {' '.join(references) or '--all'}")
    return as_typed("\n".join(lines))
