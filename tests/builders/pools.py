"""Synthetic pools: many valid runs, written fast."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from lab.domain.metric import Measurement, Reason, measured, missing
from lab.domain.run import RunIdentity, RunRecord, Timings
from lab.paths import LabPaths
from lab.store.metrics_text import metrics_document
from lab.store.record_text import record_document

BY = "python-pytest@1"


def identity(
    run_id: str = "2026-05-01_10-00-00_game-of-life-prose_v1_m", **changes: object
) -> RunIdentity:
    """Return the identity of an ok run; `changes` replace fields."""
    base = RunIdentity(
        run_id=run_id,
        kata="game-of-life-prose",
        kata_base="game-of-life",
        prompt="prose",
        workflow="calibration-v1",
        model="calibration-strict-tdd",
        stack="python-pytest",
        harness="calibration",
        harness_version="1.0",
        exit_reason="ok",
        completion="finished",
        attempts=1,
        started_at="2026-05-01T10:00:00+00:00",
        plan="calibration",
        hashes=(("prompt_sha", "a" * 64), ("workflow_sha", "b" * 64), ("template_sha", "c" * 64)),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def record(run: RunIdentity | None = None, **changes: object) -> RunRecord:
    """Return a whole record around an identity; `changes` replace fields."""
    base = RunRecord(
        identity=run or identity(),
        ended_at="2026-05-01T10:01:00+00:00",
        exit_code=0,
        evidence=None,
        timings=Timings(wall_seconds=60.0, active_seconds=58.5),
        batch_id="b1",
        entry=0,
        block=0,
        seed=1,
        executor="local",
        isolation=(("network", "host"),),
        host=(("cores", "2"),),
        lab=(("version", "0.1.0"),),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def metrics(number: int = 0, **more: Measurement) -> dict[str, Measurement]:
    """Return about forty metrics whose values vary with `number`."""
    found = {
        "tests_passing": measured(number % 7 != 0, BY),
        "tests_total": measured(10 + number % 13, BY),
        "verification_pct": measured((number % 16) / 16, "acceptance@1"),
        "verification_total": measured(16, "acceptance@1"),
        "verification_passed": measured(number % 16, "acceptance@1"),
        "duration_seconds": measured(60.0 + number % 101 / 3, "lab@1"),
        "tokens_total": missing(Reason.NO_SOURCE, "gateway@1"),
        "mutation_score": missing(Reason.NOT_REQUESTED, "mutation@1"),
    }
    for column in range(32):
        found[f"column_{column}"] = measured(number % (column + 2) / 7, BY)
    return found | more


def add_run(
    paths: LabPaths, run: RunIdentity, measurements: Mapping[str, Measurement] | None = None
) -> Path:
    """Put one run into the pool without fsync; without measurements it has no metrics.json."""
    return add_record(paths, record(run), measurements)


def add_record(
    paths: LabPaths, run: RunRecord, measurements: Mapping[str, Measurement] | None = None
) -> Path:
    """Put one run with a whole record of its own into the pool without fsync."""
    folder = paths.runs / run.identity.run_id
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(record_document(run), indent=1) + "\n")
    if measurements is not None:
        text = json.dumps(metrics_document(run.identity.run_id, measurements), indent=1)
        (folder / "metrics.json").write_text(text + "\n")
    return folder


def fill_pool(paths: LabPaths, cells: Iterable[RunIdentity], replicates: int) -> int:
    """Write `replicates` runs for each of the cells, and return how many runs that made.

    Each cell is an identity whose run id is replaced. About 0.2 ms a run.
    """
    count = 0
    for _ in range(replicates):
        for cell in cells:
            stamp = f"2026-{count // 86400 % 12 + 1:02d}-{count // 3600 % 24 + 1:02d}"
            clock = f"{count // 3600 % 24:02d}-{count // 60 % 60:02d}-{count % 60:02d}"
            run = replace(
                cell,
                run_id=f"{stamp}_{clock}_{cell.kata}_{cell.workflow}_{cell.model}-{count}",
                started_at=f"{stamp}T{clock.replace('-', ':')}+00:00",
            )
            add_run(paths, run, metrics(count))
            count += 1
    return count


def cells(count: int) -> tuple[RunIdentity, ...]:
    """Return `count` distinct cells: models by prompts by workflows."""
    prompts = ("prose", "user-story", "example-mapping")
    return tuple(
        identity(
            kata=f"game-of-life-{prompts[number % 3]}",
            prompt=prompts[number % 3],
            workflow=f"workflow-{number // 3 % 10}",
            model=f"model-{number // 30}",
        )
        for number in range(count)
    )
