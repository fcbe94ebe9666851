"""lab doctor: what is installed, which isolation holds, what to type."""

import json
from dataclasses import asdict

import click

from lab.cli.batch import JSON
from lab.cli.typed import as_typed
from lab.paths import LabPaths
from lab.runner.doctor import Check, examine

OPTIONAL = ("docker",)


@click.command()
@JSON
@click.pass_obj
def command(paths: LabPaths, as_json: bool) -> int:
    """Look at this machine: programs, catalogue, stacks, harnesses, executors."""
    checks = examine(paths)
    missing = [check for check in checks if not check.is_fine and check.name not in OPTIONAL]
    if as_json:
        rows = [asdict(check) for check in checks]
        print(json.dumps({"schema_version": 1, "is_fine": not missing, "checks": rows}, indent=1))
        return 1 if missing else 0
    for check in checks:
        print(as_typed(_line(check)))
    first = missing[0].remedy if missing else "lab plan --all"
    print(as_typed(f"next: {first}"))
    return 1 if missing else 0


def _line(check: Check) -> str:
    state = "ok     " if check.is_fine else "missing"
    remedy = f"  -> {check.remedy}" if check.remedy and not check.is_fine else ""
    more = "".join(f"\n          {detail}" for detail in check.details)
    return f"{state} {check.group} {check.name}: {check.found}{remedy}{more}"
