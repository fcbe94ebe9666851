"""lab analyze: measure published runs again."""

import json

import click

from lab.cli.batch import EXECUTOR, JSON
from lab.cli.counted import counted
from lab.cli.typed import shown
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.registry import read_registry
from lab.store.run_files import read_record


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@EXECUTOR
@JSON
@click.pass_obj
def command(paths: LabPaths, runs: tuple[str, ...], executor: str, as_json: bool) -> int:
    """Measure runs again and replace their metrics and reports; run.json stays as it is.

    A run is an id or its folder.

    \b
    lab analyze $(lab status --stale RQ-my-question)
    """
    from lab.runner.analysis_step import Measuring, measure_again
    from lab.runner.executors import choose

    run_ids = tuple(run.rstrip("/").rpartition("/")[2] for run in runs)
    missing_runs = [run_id for run_id in run_ids if not paths.run(run_id).folder.is_dir()]
    if missing_runs:
        raise LabError(f"{run_id}: no such run in {paths.runs}" for run_id in missing_runs)
    stacks = {read_record(paths.run(run_id)).identity.stack for run_id in run_ids}
    choice = choose(paths, executor, tuple(sorted(stack for stack in stacks if stack)))
    measuring = Measuring(paths, choice.executor, "analyze", read_registry(paths))
    documents, failed = [], 0
    try:
        for run_id in run_ids:
            result = measure_again(measuring, run_id)
            values = {name: one.value for name, one in result.metrics.items()}
            missing = {
                name: one.reason for name, one in result.metrics.items() if one.reason is not None
            }
            failed += len(result.failures)
            documents.append({"run_id": run_id, "metrics": values, "missing": missing})
            if not as_json:
                known = len(values) - len(missing)
                print(f"{run_id}: {counted(known, 'metric')}, {len(missing)} without a value")
                for failure in result.failures:
                    print(f"  failed: {failure.splitlines()[0]}")
    finally:
        choice.executor.close()
    if as_json:
        print(json.dumps({"schema_version": 1, "runs": documents}, indent=1))
    else:
        print(f"next: less {shown(paths.run(run_ids[0]).analysis_report)}")
    return 1 if failed else 0
