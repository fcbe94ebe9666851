"""Real runs of the calibration agents on the local executor, from plan to measured run."""

import json
from pathlib import Path

import pytest
from builders.batches import QUICK, lab_root, plan_of, records, run_plan
from lab.domain.metric import Reason
from lab.runner.analysis_step import Measuring, measure_again
from lab.runner.local_executor import LocalExecutor
from lab.runner.session import End
from lab.store.registry import read_registry
from lab.store.run_files import read_metrics

pytestmark = pytest.mark.toolchain
SLOW = QUICK | {"LAB_TIMEOUT_SECONDS": "120", "LAB_STALL_SECONDS": "120"}


def test_a_run_is_prepared_executed_measured_and_published(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    models = ["calibration-big-bang", "calibration-no-op", "calibration-stops-early"]
    plan = plan_of(paths, models, stack="python-pytest")
    assert run_plan(paths, plan, SLOW).end is End.COMPLETE
    found = {one.identity.model.removeprefix("calibration-"): one for one in records(paths)}
    named = {name: one.identity for name, one in found.items()}
    endings = {name: (one.exit_reason, one.completion) for name, one in named.items()}
    assert endings == {
        "big-bang": ("ok", "finished"),
        "no-op": ("ok", "no-op"),
        "stops-early": ("ok", "stopped-early"),
    }
    record = found["big-bang"]
    run = paths.run(record.identity.run_id)
    assert (record.reporter_route, record.reporter_strength) == ("interpreter", "strong")
    assert (record.detections, record.warnings) == ((), ())
    lines = [json.loads(line) for line in run.events.read_text().splitlines()]
    assert [line["kind"] for line in lines[:2]] == ["loaded", "baseline"]
    assert lines[0]["preflight"] is True and lines[-1]["kind"] == "finished"
    assert read_metrics(run)["verification_pct"].value == 1
    assert run.analysis_report.exists() and run.tdd_report.exists() and run.verification.exists()
    assert list(paths.staging.iterdir()) == []


def test_tokens_and_money_of_the_agents_own_report_reach_the_metrics(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, ["fake-success"], stack="python-pytest"), SLOW)
    (record,) = records(paths)
    found = read_metrics(paths.run(record.identity.run_id))
    assert found["tokens_total"].value == 100 + 40 + 1000 + 200
    assert found["cost_usd"].value == 0.0125
    assert found["context_utilization"].reason is Reason.NO_SOURCE
    assert found["duration_seconds"].value == record.timings.active_seconds


def test_measuring_again_gives_the_same_metrics(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, ["calibration-no-op"], stack="python-pytest"), SLOW)
    (record,) = records(paths)
    run = paths.run(record.identity.run_id)
    before = run.metrics.read_bytes()
    executor = LocalExecutor(paths)
    try:
        measure_again(
            Measuring(paths, executor, "test", read_registry(paths)), record.identity.run_id
        )
    finally:
        executor.close()
    assert run.metrics.read_bytes() == before


def test_a_template_whose_tests_cannot_run_stops_the_stack_before_anything_is_spent(
    tmp_path: Path,
) -> None:
    import shutil

    paths = lab_root(tmp_path)
    shutil.copytree(paths.stacks, paths.experiments / "stacks")
    template = paths.stacks / "python-pytest" / "template"
    (template / "conftest.py").write_text("raise RuntimeError('broken template')\n")
    plan = plan_of(paths, ["calibration-no-op", "calibration-nop"] * 2, stack="python-pytest")
    ended = run_plan(paths, plan, SLOW, shards=1)
    assert ended.end is End.STOPPED
    (record,) = records(paths)
    assert (record.identity.exit_reason, record.identity.attempts) == ("setup-error", 0)
    assert "failed on the untouched template" in (record.evidence or "")
    assert b"broken template" in paths.run(record.identity.run_id).log.read_bytes()
    (template / "conftest.py").unlink()
    assert run_plan(paths, plan, SLOW).end is End.COMPLETE


def test_a_suite_is_recognised_by_the_hash_of_the_run(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, ["calibration-oracle"], stack="python-pytest"), SLOW)
    (record,) = records(paths)
    run = paths.run(record.identity.run_id)
    document = json.loads(run.record.read_text())
    document["hashes"]["suite_sha"] = "0" * 64
    run.record.write_text(json.dumps(document))
    executor = LocalExecutor(paths)
    try:
        measuring = Measuring(paths, executor, "test", read_registry(paths))
        result = measure_again(measuring, record.identity.run_id)
    finally:
        executor.close()
    assert result.metrics["verification_pct"].value == 1
    (told,) = result.failures
    assert "suite_sha" in told
