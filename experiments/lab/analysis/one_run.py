"""Measure one run: ask the worker, judge the scenarios, read the chain and the record, write."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lab.analysis import acceptance
from lab.analysis.record_metrics import BY as RECORD_BY
from lab.analysis.record_metrics import COLUMNS as RECORD_COLUMNS
from lab.analysis.record_metrics import ModelUse, record_metrics
from lab.analysis.report import analysis_report
from lab.analysis.request import Answered, Launch, read_answer, request_document
from lab.analysis.stack_measures import STACK_MEASURES
from lab.chain import classify
from lab.chain import metrics as chain_metrics
from lab.chain import report as chain_report
from lab.chain import stream as chain_stream
from lab.domain.acceptance import AcceptanceSuite, ScenarioResult
from lab.domain.metric import Measurement, Reason, Registry, missing
from lab.domain.run import RunRecord
from lab.errors import ToolFailed
from lab.paths import RunPaths
from lab.stacks import STACKS
from lab.stacks.protocol import Tools
from lab.stacks.steps import all_missing
from lab.store.atomic import write_bytes
from lab.store.run_files import Unreadable, read_metrics, write_checked, write_metrics
from lab.store.suites import read_suite

SCHEMA_VERSION = 1
# Measured on request by a command of its own; values that are there already are kept.
ON_REQUEST = (
    "mutation_score",
    "mutation_score_low",
    "mutants_total",
    "mutants_survived",
    "mutants_killed",
    "mutants_timeout",
    "mutants_no_coverage",
)
ON_REQUEST_BY = "mutation@1"
SUITE_CHANGED = (
    "the hidden suite is not the one that this run's suite_sha names: verification_* stay as they "
    "were (put that suite back, or plan fresh runs)"
)
Locked = Callable[[], AbstractContextManager[None]]
STACK_BY = "stack@1"


@dataclass(frozen=True, slots=True)
class AnalysisJob:
    """One run to measure, staged or published; `run.workspace` holds its final state.

    `suite_folder` is katas/<base>-verification, None where the kata has none. `tools` are the
    stack's, as the launch's worker sees them. `is_suite_changed`: the suite is not the one that the
    run's hash names, so acceptance stays as it was measured.
    """

    run: RunPaths
    record: RunRecord
    tools: Tools
    registry: Registry
    use: ModelUse
    suite_folder: Path | None = None
    is_suite_changed: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """What one step found: metrics, details for people, and files to write (path to text)."""

    metrics: Mapping[str, Measurement]
    details: Mapping[str, Any] = field(default_factory=dict)
    scenarios: tuple[ScenarioResult, ...] | None = None
    texts: Mapping[Path, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """Every column of the registry, the scenarios (None = no suite or no answer), the details."""

    metrics: Mapping[str, Measurement]
    scenarios: tuple[ScenarioResult, ...] | None
    details: Mapping[str, Any]

    @property
    def failures(self) -> tuple[str, ...]:
        """What failed, one text per measuring code."""
        found = ((code, one.get("failure")) for code, one in self.details.items())
        return tuple(f"{code}: {failure}" for code, failure in found if failure)


def analyse(job: AnalysisJob, launch: Launch, locked: Locked = nullcontext) -> AnalysisResult:
    """Measure a run and write metrics.json, verification.json and both reports into its folder.

    Every column of the registry gets a measurement. Raises LabError when the acceptance suite is
    broken; whatever else fails costs its own metrics only. `locked` is entered for the writing
    alone: a published run's is the pool's lock.
    """
    result, parts = measure(job, launch)
    with locked():
        _write(job, result, parts)
    return result


def _write(job: AnalysisJob, result: AnalysisResult, parts: tuple[Part, ...]) -> None:
    for part in parts:
        for path, text in part.texts.items():
            write_bytes(path, text.encode())
    if not job.is_suite_changed:
        _write_verification(job.run, result.scenarios)
    title = job.record.identity.run_id
    report = analysis_report(title, job.record, result.metrics, result.details, result.scenarios)
    write_bytes(job.run.analysis_report, report.encode())
    write_metrics(job.run, result.metrics)


def measure(job: AnalysisJob, launch: Launch) -> tuple[AnalysisResult, tuple[Part, ...]]:
    """Run all steps and write nothing."""
    parts = tuple(step(job, launch) for step in STEPS)
    found: dict[str, Measurement] = {}
    details: dict[str, Any] = {}
    for part in parts:
        found.update(part.metrics)
        details.update(part.details)
    scenarios = next((part.scenarios for part in parts if part.scenarios is not None), None)
    return AnalysisResult(_complete(job, found), scenarios, details), parts


def _workspace(job: AnalysisJob, launch: Launch) -> Part:
    """Have the worker measure the workspace and run the scenarios."""
    stack = _stack(job)
    if not STACKS[stack].IS_ANALYSED:
        return Part({})
    folder = None if job.is_suite_changed else job.suite_folder
    suite = read_suite(folder, stack) if folder else None
    questions = acceptance.questions(suite) if suite else None
    request = request_document(stack, job.run.workspace, job.tools, questions)
    try:
        answered = read_answer(launch(request))
    except ToolFailed as error:
        reason = Reason.TOOL_FAILED
        metrics = all_missing(STACK_MEASURES[stack].steps, reason)
        metrics |= acceptance.metrics(None, reason if suite else Reason.NOT_APPLICABLE)
        return Part(metrics, {"worker": {"failure": f"{error}\n{error.output[-4000:]}"}})
    return _judged(suite, answered)


def _judged(suite: AcceptanceSuite | None, answered: Answered) -> Part:
    if suite is None:
        return _unjudged(answered, Reason.NOT_APPLICABLE, {})
    if answered.answers is None:
        return _unjudged(answered, Reason.TOOL_FAILED, {})
    try:
        results = acceptance.judge(suite, answered.answers)
    except ToolFailed as error:
        failure = {"acceptance": {"failure": error.output}}
        return _unjudged(answered, Reason.TOOL_FAILED, failure)
    metrics = {**answered.metrics, **acceptance.metrics(results, Reason.TOOL_FAILED)}
    return Part(metrics, answered.details, results)


def _unjudged(answered: Answered, reason: Reason, details: Mapping[str, Any]) -> Part:
    metrics = {**answered.metrics, **acceptance.metrics(None, reason)}
    return Part(metrics, {**answered.details, **details})


def _chain(job: AnalysisJob, launch: Launch) -> Part:
    """Read the event file: the phase chain, its metrics and its report."""
    path = job.run.events
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    lines = chain_stream.decode_lines(text)
    stream = chain_stream.read_stream(lines, STACKS[_stack(job)].path_class)
    chain = classify.label(stream.events)
    metrics = chain_metrics.measure(chain, stream.absence)
    report = chain_report.markdown(job.record.identity.run_id, stream, chain, metrics)
    details = {
        "chain": {
            "line": chain_report.chain_line(chain),
            "faults": list(stream.faults),
            "tampering": list(stream.tampering),
        }
    }
    return Part(metrics, details, texts={job.run.tdd_report: report})


def _record(job: AnalysisJob, launch: Launch) -> Part:
    return Part(record_metrics(job.record, job.use))


def _kept_acceptance(job: AnalysisJob, launch: Launch) -> Part:
    """Keep acceptance as the run's own suite measured it where there is another one by now."""
    if not (job.is_suite_changed and STACKS[_stack(job)].IS_ANALYSED):
        return Part({})
    known, empty = _known(job), missing(Reason.NO_SOURCE, acceptance.BY)
    metrics = {name: known.get(name, empty) for name in acceptance.COLUMNS}
    return Part(metrics, {"acceptance": {"failure": SUITE_CHANGED}})


def _on_request(job: AnalysisJob, launch: Launch) -> Part:
    """Keep what was measured on request before; the workspace is still the same."""
    known, empty = _known(job), missing(Reason.NOT_REQUESTED, ON_REQUEST_BY)
    return Part({name: known.get(name, empty) for name in ON_REQUEST})


def _known(job: AnalysisJob) -> Mapping[str, Measurement]:
    """Return the run's present metrics; none on a new run, or where the file is torn or foreign."""
    try:
        return read_metrics(job.run)
    except Unreadable:
        return {}


STEPS: tuple[Callable[[AnalysisJob, Launch], Part], ...] = (
    _workspace,
    _kept_acceptance,
    _chain,
    _record,
    _on_request,
)


def codes(stack: str) -> dict[str, str]:
    """Return every metric that this room measures on a stack, with "<code id>@<version>"."""
    steps = STACK_MEASURES[stack].steps if stack in STACK_MEASURES else ()
    found = {name: step.by for step in steps for name in step.metrics}
    found |= dict.fromkeys(acceptance.COLUMNS, acceptance.BY)
    found |= dict.fromkeys(chain_metrics.COLUMNS, chain_metrics.BY)
    found |= dict.fromkeys(RECORD_COLUMNS, RECORD_BY)
    return found | dict.fromkeys(ON_REQUEST, ON_REQUEST_BY)


def _complete(job: AnalysisJob, found: Mapping[str, Measurement]) -> dict[str, Measurement]:
    """Return one measurement per registry column, in the registry's order."""
    unknown = sorted(found.keys() - set(job.registry.ids))
    if unknown:
        raise ValueError(f"measured without a row in metrics-registry.yaml: {unknown}")
    stack = _stack(job)
    complete = {}
    for row in job.registry.columns:
        reason = Reason.NOT_REQUESTED if stack in row.stacks else Reason.NOT_APPLICABLE
        is_measured = stack in row.stacks and row.id in found
        complete[row.id] = found[row.id] if is_measured else missing(reason, STACK_BY)
    return complete


def _stack(job: AnalysisJob) -> str:
    stack = job.record.identity.stack
    if stack is None:
        raise ValueError(f"{job.record.identity.run_id}: a run without a stack cannot be measured")
    return stack


def _write_verification(run: RunPaths, scenarios: tuple[ScenarioResult, ...] | None) -> None:
    if scenarios is None:
        run.verification.unlink(missing_ok=True)
        return
    metrics = acceptance.metrics(scenarios, Reason.TOOL_FAILED)
    document = {
        "schema_version": SCHEMA_VERSION,
        "run_id": run.folder.name,
        "by": acceptance.BY,
        "total": metrics["verification_total"].value,
        "passed": metrics["verification_passed"].value,
        "scenarios": [asdict(one) for one in scenarios],
    }
    write_checked("verification", run.verification, document)
