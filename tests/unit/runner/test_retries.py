"""How long the runner waits between attempts, and what it says it waited."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from builders.batches import QUICK, lab_root, plan_of, records, run_plan
from lab.domain.attempt import Evidence
from lab.runner import one_run
from lab.runner.outcome import Verdict
from lab.store.attempts import read_attempts


def delay(reason: str, failures: int, told: float | None = None) -> float:
    defaults = SimpleNamespace(backoff_seconds=15.0, backoff_max_seconds=300.0)
    context: Any = SimpleNamespace(defaults=defaults)
    evidence = replace(Evidence(), retry_after_seconds=told)
    found: Any = SimpleNamespace(verdict=Verdict(reason, None), evidence=evidence)
    return one_run._delay(context, found, failures)


@pytest.mark.parametrize(
    ("reason", "failures", "told", "expected"),
    [
        ("rate-limited", 1, None, 15),
        ("rate-limited", 2, None, 30),
        ("transient-api-error", 5, None, 240),
        ("transient-api-error", 9, None, 300),
        ("rate-limited", 1, 42.0, 42),
        ("rate-limited", 1, 400.0, 400),
        ("rate-limited", 1, 1e9, 3600),
        ("provider-refusal", 1, None, 0),
        ("startup-hang", 3, None, 0),
    ],
)
def test_the_providers_word_comes_first_else_the_wait_doubles(
    reason: str, failures: int, told: float | None, expected: float
) -> None:
    assert delay(reason, failures, told) == expected


def test_waiting_is_told_apart_from_work(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    limits = QUICK | {"LAB_RATELIMIT_RETRIES": "2", "LAB_BACKOFF_SECONDS": "0.2"}
    run_plan(paths, plan_of(paths, ["fake-no-result"]), limits)
    (record,) = records(paths)
    attempts = read_attempts(paths.run(record.identity.run_id))
    assert [one.backoff_seconds for one in attempts] == [0, 0.02, 0.02]
    assert record.timings.backoff_seconds == pytest.approx(0.04)
    assert record.timings.active_seconds == attempts[-1].active_seconds
    assert record.timings.wall_seconds is not None
    everything = sum(one.active_seconds + one.backoff_seconds for one in attempts)
    assert record.timings.wall_seconds >= everything


def test_every_retry_starts_from_a_clean_workspace(tmp_path: Path) -> None:
    paths = lab_root(tmp_path)
    run_plan(paths, plan_of(paths, ["fake-no-result"]), QUICK | {"LAB_RATELIMIT_RETRIES": "1"})
    (record,) = records(paths)
    run = paths.run(record.identity.run_id)
    assert sorted(path.name for path in run.kept_attempts.iterdir()) == ["1"]
    assert sorted(path.name for path in run.workspace.iterdir()) == [
        ".git",
        "prompt.md",
        "solution.txt",
    ]
