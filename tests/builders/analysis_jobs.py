"""Runs to analyse: a staged folder with a workspace, its record, and a job over both."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from lab.analysis.one_run import AnalysisJob
from lab.analysis.record_metrics import ModelUse
from lab.domain.run import RunIdentity, RunRecord, Timings
from lab.paths import REPOSITORY, LabPaths, RunPaths
from lab.stacks.protocol import Tools
from lab.store.registry import read_registry

NO_TOOLS = Tools("/nowhere/bin", "/nowhere/bin", "/nowhere/bin/python", "/nowhere", is_image=False)


def make_record(run_id: str = "run-1", **changes: object) -> RunRecord:
    identity = RunIdentity(
        run_id=run_id,
        kata="game-of-life-prose",
        kata_base="game-of-life",
        prompt="prose",
        workflow="calibration-v1",
        model="calibration-oracle",
        stack="python-pytest",
        harness="calibration",
        harness_version="1",
        exit_reason="ok",
        completion="finished",
        attempts=1,
        started_at="2026-11-30T12:00:00+00:00",
        plan="plan",
    )
    return RunRecord(
        identity=replace(identity, **changes),  # type: ignore[arg-type]
        ended_at="2026-11-30T12:01:00+00:00",
        exit_code=0,
        evidence=None,
        timings=Timings(wall_seconds=60.5, active_seconds=30.25),
        batch_id="batch",
        entry=0,
        block=0,
        seed=1,
        executor="local",
    )


def write_files(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def make_job(
    folder: Path,
    files: Mapping[str, str] | None = None,
    *,
    tools: Tools = NO_TOOLS,
    suite: Path | None = None,
    use: ModelUse | None = None,
    **identity: object,
) -> AnalysisJob:
    """Stage run-1 below a folder; the workspace holds the given files."""
    run = RunPaths(folder / "run-1")
    run.workspace.mkdir(parents=True)
    write_files(run.workspace, files or {})
    registry = read_registry(LabPaths(REPOSITORY))
    record = make_record(**identity)
    return AnalysisJob(run, record, tools, registry, use or ModelUse(calls_model=False), suite)
