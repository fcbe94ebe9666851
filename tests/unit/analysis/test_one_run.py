import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from builders.analysis_jobs import make_job
from lab.analysis import acceptance
from lab.analysis.one_run import ON_REQUEST, AnalysisJob, AnalysisResult, analyse, codes
from lab.analysis.record_metrics import ModelUse
from lab.analysis.request import answer_document
from lab.analysis.stack_measures import STACK_MEASURES
from lab.domain.attempt import Usage
from lab.domain.metric import Measurement, Reason, measured
from lab.domain.run import Timings
from lab.errors import LabError, ToolFailed
from lab.paths import REPOSITORY, LabPaths
from lab.store.registry import read_registry
from lab.store.run_files import read_metrics, write_metrics
from lab.store.schema import check

STACK = "python-pytest"
DETAILS = {
    "python-mass": {"components": {"loop": {"count": 2, "weight": 5}}},
    "python-lint": {
        "smells": [
            {
                "bucket": "smell_magic_numbers",
                "rule": "PLR2004",
                "path": "src/a|b.py",
                "line": 3,
                "message": "Magic <value>",
            }
        ],
        "mccabe": [{"path": "src/a.py", "name": "f", "line": 1, "value": 12}],
    },
}


def answering(answers: list[dict[str, Any]] | None = None) -> Any:
    """A worker that measured 7 everywhere; it also remembers what it was asked."""
    asked: list[Mapping[str, Any]] = []

    def launch(request: Mapping[str, object]) -> Mapping[str, object]:
        asked.append(request)
        steps = STACK_MEASURES[STACK].steps
        metrics = {name: measured(7, step.by) for step in steps for name in step.metrics}
        document = answer_document(metrics, DETAILS, answers)
        return json.loads(json.dumps(document))  # type: ignore[no-any-return]

    launch.asked = asked  # type: ignore[attr-defined]
    return launch


def failing(request: Mapping[str, object]) -> Mapping[str, object]:
    raise ToolFailed("worker", "Traceback: no such module", 1)


def make_suite(folder: Path) -> Path:
    (folder / "scenarios").mkdir(parents=True)
    (folder / "runner.json").write_text('{"timeout_seconds": 3}')
    for name in ("01-a", "02-b"):
        (folder / "scenarios" / f"{name}.input.json").write_text("[1]")
        (folder / "scenarios" / f"{name}.expected.json").write_text('{"secret": 1}')
    return folder


def answers(*stdouts: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "exit_code": 0,
            "seconds": 0.1,
            "tries": 1,
            "is_timeout": False,
            "is_overflow": False,
            "stdout": stdout,
            "stderr": "",
        }
        for name, stdout in zip(("01-a", "02-b"), stdouts, strict=False)
    ]


def reasons(result: AnalysisResult, *names: str) -> set[Reason | None]:
    return {result.metrics[name].reason for name in names}


def test_every_column_of_the_registry_gets_a_measurement(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    result = analyse(job, answering())
    assert list(result.metrics) == [row.id for row in job.registry.columns]
    assert read_metrics(job.run) == dict(result.metrics)


def test_every_metric_of_this_room_stands_in_the_registry_and_the_other_way_round() -> None:
    columns = {row.id for row in read_registry(LabPaths(REPOSITORY)).columns}
    assert set(codes(STACK)) == columns


def test_every_measuring_code_has_the_version_of_the_registry() -> None:
    registry = read_registry(LabPaths(REPOSITORY))
    versions = {row.id: row.version for row in registry.columns}
    assert {name: by.split("@")[1] for name, by in codes(STACK).items()} == versions


def test_every_measurement_says_what_made_it(tmp_path: Path) -> None:
    result = analyse(make_job(tmp_path), answering())
    assert {name: one.by for name, one in result.metrics.items()} == codes(STACK)


def test_a_worker_that_fails_costs_its_own_metrics_only(tmp_path: Path) -> None:
    job = make_job(tmp_path, suite=make_suite(tmp_path / "suite"))
    result = analyse(job, failing)
    assert reasons(result, "tests_passing", "code_mass", "verification_pct") == {Reason.TOOL_FAILED}
    assert result.metrics["duration_seconds"].value == 30.25
    assert result.scenarios is None
    assert result.failures == (
        "worker: worker failed (exit 1): Traceback: no such module\nTraceback: no such module",
    )
    assert "no such module" in job.run.analysis_report.read_text()
    assert not job.run.verification.exists()


def test_scenarios_are_judged_on_the_host_and_written(tmp_path: Path) -> None:
    launch = answering(answers('{"secret": 1.0}', '{"secret": 2}'))
    job = make_job(tmp_path, suite=make_suite(tmp_path / "suite"))
    result = analyse(job, launch)
    assert result.metrics["verification_pct"] == measured(0.5, acceptance.BY)
    document = json.loads(job.run.verification.read_text())
    assert check("verification", document, "verification.json") == ()
    assert (document["total"], document["passed"], document["run_id"]) == (2, 1, "run-1")
    assert [one["status"] for one in document["scenarios"]] == ["pass", "mismatch"]
    assert "$.secret: expected 1, got 2" in job.run.analysis_report.read_text()


def test_the_worker_never_learns_what_is_expected(tmp_path: Path) -> None:
    launch = answering(answers("1", "1"))
    analyse(make_job(tmp_path, suite=make_suite(tmp_path / "suite")), launch)
    (request,) = launch.asked
    assert "secret" not in json.dumps(request)
    assert request["suite"]["scenarios"] == [["01-a", "[1]"], ["02-b", "[1]"]]


def test_the_time_limit_leaves_room_for_every_scenario_twice(tmp_path: Path) -> None:
    launch = answering(answers("1", "1"))
    analyse(make_job(tmp_path, suite=make_suite(tmp_path / "suite")), launch)
    assert launch.asked[0]["time_limit_seconds"] == 900 + 2 * 2 * 3


def test_a_kata_without_a_suite_has_no_acceptance(tmp_path: Path) -> None:
    result = analyse(make_job(tmp_path), answering())
    assert reasons(result, *acceptance.COLUMNS) == {Reason.NOT_APPLICABLE}


def test_a_suite_that_is_broken_is_an_error_not_a_zero(tmp_path: Path) -> None:
    suite = make_suite(tmp_path / "suite")
    (suite / "scenarios" / "02-b.expected.json").unlink()
    job = make_job(tmp_path, suite=suite)
    with pytest.raises(LabError, match=r"02-b\.expected\.json is missing"):
        analyse(job, answering(answers("1")))
    assert not job.run.metrics.exists()


def test_a_suite_that_could_not_be_started_is_a_failed_tool(tmp_path: Path) -> None:
    job = make_job(tmp_path, suite=make_suite(tmp_path / "suite"))
    assert reasons(analyse(job, answering(None)), "verification_total") == {Reason.TOOL_FAILED}


def test_an_answer_that_is_missing_costs_the_acceptance_only(tmp_path: Path) -> None:
    job = make_job(tmp_path, suite=make_suite(tmp_path / "suite"))
    result = analyse(job, answering(answers('{"secret": 1}')))
    assert reasons(result, *acceptance.COLUMNS) == {Reason.TOOL_FAILED}
    assert result.metrics["tests_total"].value == 7
    assert result.failures == ("acceptance: no answer for 02-b",)
    assert not job.run.verification.exists()


def test_another_suite_than_the_runs_own_leaves_acceptance_as_it_was(tmp_path: Path) -> None:
    job = make_job(tmp_path, suite=make_suite(tmp_path / "suite"))
    analyse(job, answering(answers('{"secret": 1}', '{"secret": 2}')))
    before = job.run.verification.read_bytes()
    launch = answering(answers('{"secret": 1}', '{"secret": 1}'))
    result = analyse(replace(job, is_suite_changed=True), launch)
    assert launch.asked[0]["suite"] is None
    assert result.metrics["verification_pct"] == measured(0.5, acceptance.BY)
    assert job.run.verification.read_bytes() == before
    (told,) = result.failures
    assert told.startswith("acceptance: the hidden suite is not the one")


def test_a_suite_that_changed_before_the_first_measurement_measures_nothing(tmp_path: Path) -> None:
    job = make_job(tmp_path, suite=make_suite(tmp_path / "suite"))
    result = analyse(replace(job, is_suite_changed=True), answering(answers("1", "1")))
    assert reasons(result, *acceptance.COLUMNS) == {Reason.NO_SOURCE}
    assert not job.run.verification.exists()


def test_a_stack_without_an_analysis_starts_no_worker(tmp_path: Path) -> None:
    result = analyse(make_job(tmp_path, stack="none"), failing)
    assert reasons(result, "tests_passing", "code_mass", "tdd_discipline") == {
        Reason.NOT_APPLICABLE
    }
    assert result.metrics["duration_seconds"].value == 30.25
    assert result.failures == ()


def test_what_is_measured_on_request_is_kept(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    first = analyse(job, answering())
    assert reasons(first, *ON_REQUEST) == {Reason.NOT_REQUESTED}
    score = Measurement(0.75, None, "mutation@1")
    write_metrics(job.run, {**first.metrics, "mutation_score": score})
    assert analyse(job, answering()).metrics["mutation_score"] == score


def test_a_torn_metrics_file_is_replaced(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    job.run.metrics.write_text('{"schema_version": 1, "metr')
    analyse(job, answering())
    assert read_metrics(job.run)["tests_total"].value == 7


def test_a_second_analysis_writes_the_same_bytes(tmp_path: Path) -> None:
    job = make_job(tmp_path, suite=make_suite(tmp_path / "suite"))
    analyse(job, answering(answers("1", "1")))
    before = {path.name: path.read_bytes() for path in job.run.folder.iterdir() if path.is_file()}
    analyse(job, answering(answers("1", "1")))
    after = {path.name: path.read_bytes() for path in job.run.folder.iterdir() if path.is_file()}
    assert before == after
    assert set(before) == {
        "metrics.json",
        "verification.json",
        "analysis-report.md",
        "tdd-report.md",
    }


def test_without_events_the_chain_is_null_because_nothing_told(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    result = analyse(job, answering())
    assert reasons(result, "chain_suite_runs", "tdd_discipline") == {Reason.NO_SOURCE}
    assert "reporter was never loaded" in job.run.tdd_report.read_text()


def test_the_chain_is_read_from_the_run_s_events(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    files = {"tests/test_a.py": "1"}
    lines = [
        {"kind": "loaded", "preflight": True},
        {"kind": "baseline", "files": {}},
        {"kind": "started", "session": "a", "runner": "pytest", "files": files},
        {
            "kind": "finished",
            "session": "a",
            "result": "named",
            "tests": [[["tests/test_a.py", "test_a"], "failed"]],
        },
    ]
    job.run.events.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = analyse(job, answering())
    assert result.metrics["chain_suite_runs"].value == 1
    assert result.metrics["chain_opens_red"].value is True
    assert result.details["chain"]["line"] == "Red"
    assert "\nRed (see tdd-report.md)\n" in job.run.analysis_report.read_text()


def used(tmp_path: Path, use: ModelUse) -> AnalysisJob:
    return make_job(tmp_path, use=use)


def test_tokens_and_money_come_from_the_counted_attempt(tmp_path: Path) -> None:
    usage = Usage(uncached_input=1, cache_read=20, cache_write=300, output=4000, cost_usd=0.5)
    result = analyse(used(tmp_path, ModelUse(True, usage, 0.25, 0.5)), answering())
    names = ("tokens_total", "cost_usd", "context_utilization", "context_peak")
    assert [result.metrics[name].value for name in names] == [4321, 0.5, 0.25, 0.5]


def test_a_harness_without_a_model_has_no_tokens(tmp_path: Path) -> None:
    result = analyse(used(tmp_path, ModelUse(calls_model=False)), answering())
    names = ("tokens_total", "cost_usd", "context_peak", "predictions_total")
    assert reasons(result, *names) == {Reason.NOT_APPLICABLE}


def test_tokens_that_nobody_counted_are_unknown_never_zero(tmp_path: Path) -> None:
    result = analyse(used(tmp_path, ModelUse(calls_model=True)), answering())
    assert reasons(result, "tokens_total", "cost_usd", "context_peak") == {Reason.NO_SOURCE}


def test_an_unknown_price_is_no_free_run(tmp_path: Path) -> None:
    result = analyse(used(tmp_path, ModelUse(True, Usage(1, 0, 0, 1))), answering())
    assert result.metrics["tokens_total"].value == 2
    assert result.metrics["cost_usd"].reason is Reason.NO_SOURCE


def test_a_duration_holds_no_queue_preflight_backoff_or_analysis(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    waited = Timings(
        wall_seconds=1_000.0,
        active_seconds=30.25,
        queue_seconds=7.0,
        preflight_seconds=11.0,
        backoff_seconds=900.0,
        analysis_seconds=5.0,
    )
    result = analyse(replace(job, record=replace(job.record, timings=waited)), answering())
    assert result.metrics["duration_seconds"].value == 30.25
    assert result.metrics["wall_seconds"].value == 1_000.0


def test_a_duration_that_nobody_took_is_unknown(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    result = analyse(replace(job, record=replace(job.record, timings=Timings())), answering())
    assert reasons(result, "duration_seconds", "wall_seconds") == {Reason.NO_SOURCE}


@pytest.mark.parametrize(
    ("exit_reason", "expected"),
    [
        ("ok", True),
        ("no-op-run", True),
        ("error-7", True),
        ("context-exceeded", True),
        ("timeout", False),
        ("timeout-killed", False),
        ("stalled", False),
        ("quota-exhausted", False),
        ("budget-exhausted", False),
        ("rate-limited", False),
        ("oom-killed", False),
        ("host-lost", None),
        ("interrupted", None),
        (None, None),
    ],
)
def test_a_run_is_within_its_budget_when_it_ended_by_itself(
    tmp_path: Path, exit_reason: str | None, expected: bool | None
) -> None:
    result = analyse(make_job(tmp_path, exit_reason=exit_reason), answering())
    assert result.metrics["completed_within_budget"].value is expected


def test_the_report_names_what_was_noticed(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    analyse(job, answering())
    assert "## What was noticed" not in job.run.analysis_report.read_text()
    record = replace(job.record, evidence="forged", detections=("forged",), warnings=("a|b",))
    analyse(replace(job, record=record), answering())
    report = job.run.analysis_report.read_text()
    for line in ("| decided by | forged |", "| detected | forged |", "| warning | a\\|b |"):
        assert line in report


def test_the_report_shows_places_masses_and_nulls(tmp_path: Path) -> None:
    job = make_job(tmp_path)
    analyse(job, answering())
    report = job.run.analysis_report.read_text()
    for line in (
        "# Analysis of run-1",
        "| kata | game-of-life-prose |",
        "| `production_loc` | 7 |",
        "| loop | 2 | 5 | 10 |",
        "| src/a\\|b.py:3 | PLR2004 | magic_numbers | Magic &lt;value> |",
        "| src/a.py:1 | f | 12 |",
    ):
        assert line in report
    assert "| not-requested | `mutation_score`" in report
    assert "\n\n\n" not in report
