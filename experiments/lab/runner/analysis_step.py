"""Measure a run through its executor: while it is staged, or again when it is published."""

from dataclasses import dataclass
from functools import partial

from lab.analysis.one_run import AnalysisJob, AnalysisResult, analyse
from lab.analysis.record_metrics import ModelUse
from lab.analysis.request import Launch
from lab.domain.attempt import Usage
from lab.domain.metric import Registry
from lab.domain.run import RunRecord
from lab.errors import LabError
from lab.harnesses import HARNESSES
from lab.paths import LabPaths, RunPaths
from lab.runner.executor import AnalysisPlace, Executor
from lab.store.attempts import read_attempts
from lab.store.hashes import suite_sha
from lab.store.lock import PATIENCE_SECONDS, pool_lock
from lab.store.run_files import read_record


@dataclass(frozen=True, slots=True)
class Measuring:
    """Where and by whom an analysis is done; `batch_id` labels its processes.

    `registry` is read once for all runs: who edits the file meanwhile changes nothing.
    """

    paths: LabPaths
    executor: Executor
    batch_id: str
    registry: Registry


def measure(
    measuring: Measuring, run: RunPaths, record: RunRecord, usage: Usage | None
) -> AnalysisResult:
    """Measure one run's folder and write its metrics and reports into it."""
    return analyse(*_job(measuring, run, record, usage))


def _job(
    measuring: Measuring, run: RunPaths, record: RunRecord, usage: Usage | None
) -> tuple[AnalysisJob, Launch]:
    identity = record.identity
    if identity.stack is None:
        raise LabError(f"{identity.run_id}: without a stack it cannot be measured")
    suite = measuring.paths.katas / f"{identity.kata_base}-verification"
    job = AnalysisJob(
        run=run,
        record=record,
        tools=measuring.executor.tools(identity.stack),
        registry=measuring.registry,
        use=ModelUse(_calls_model(identity.harness), usage),
        suite_folder=suite if suite.is_dir() or suite.is_symlink() else None,
        is_suite_changed=_is_suite_changed(measuring.paths, record),
    )
    place = AnalysisPlace(run.folder, identity.stack, measuring.batch_id, identity.run_id)
    return job, measuring.executor.launch(place)


def _is_suite_changed(paths: LabPaths, record: RunRecord) -> bool:
    recorded = record.identity.hash_of("suite_sha")
    return recorded is not None and suite_sha(paths, record.identity.kata_base) != recorded


def measure_again(
    measuring: Measuring, run_id: str, *, patience_seconds: float = PATIENCE_SECONDS
) -> AnalysisResult:
    """Measure a published run again; LabError where its workspace is not on this machine.

    The pool is locked for the writing alone, so that a batch can start meanwhile.
    """
    run = measuring.paths.run(run_id)
    if not run.folder.is_dir():
        raise LabError(f"{run_id}: no such run (see: lab status)")
    if not run.workspace.is_dir():
        raise LabError(f"{run_id}: its workspace is not here; only the machine that ran it has it")
    record = read_record(run)
    attempts = read_attempts(run)
    usage = attempts[-1].usage if attempts else None
    lock = partial(pool_lock, measuring.paths, exclusive=True, patience_seconds=patience_seconds)
    return analyse(*_job(measuring, run, record, usage), lock)


def _calls_model(harness_id: str | None) -> bool:
    harness = HARNESSES.get(harness_id or "")
    return harness is None or harness.CAPABILITIES.calls_model
