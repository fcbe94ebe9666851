"""The fake agent's scenarios through the whole local runner: what each counts as."""

from pathlib import Path

import pytest
from builders.batches import QUICK, lab_root, plan_of, records, run_plan
from lab.harnesses.fake_scenario import SCENARIOS
from lab.runner.journal import read_journal
from lab.store.attempts import read_attempts
from lab.store.schema import check

# Scenario: exit reason, attempts (retries as POLICY and defaults.yaml have them), completion.
# All but no-work and silent write a file before they end as they do.
EXPECTED = {
    "success": ("ok", 1, "finished"),
    "sub-agents": ("ok", 1, "finished"),
    "lingering-child": ("ok", 1, "finished"),
    "no-work": ("no-op-run", 3, "no-op"),
    "exit-1-after-work": ("error-1", 1, "finished"),
    "rate-limit-then-fine": ("ok", 1, "finished"),
    "rate-limit-forever": ("rate-limited", 6, "finished"),
    "rate-limit-words": ("ok", 1, "finished"),
    "refusal": ("provider-refusal", 3, "finished"),
    "context-overflow": ("context-exceeded", 1, "finished"),
    "half-line": ("timeout", 1, "finished"),
    "result-twice": ("ok", 1, "finished"),
    "new-version": ("ok", 1, "finished"),
    "no-newline": ("ok", 1, "finished"),
    "invalid-utf8": ("ok", 1, "finished"),
    "transcript-deleted": ("ok", 1, "finished"),
    "malformed-stream": ("transient-api-error", 6, "stopped-early"),
    "no-result": ("transient-api-error", 6, "stopped-early"),
    "overloaded": ("transient-api-error", 6, "finished"),
    "out-of-quota": ("quota-exhausted", 1, "finished"),
    "bad-request": ("error-1", 1, "finished"),
    "bad-key": ("setup-error", 1, "finished"),
    "unknown-model": ("setup-error", 1, "finished"),
    "output-limit": ("output-exceeded", 1, "finished"),
    "turn-limit": ("budget-exhausted", 1, "finished"),
    "money-limit": ("budget-exhausted", 1, "finished"),
    "silent": ("startup-hang", 4, "no-op"),
    "stalled": ("stalled", 2, "finished"),
    "endless": ("timeout", 1, "finished"),
    "ignores-term": ("timeout-killed", 1, "finished"),
}
LIMITS = {
    "silent": {"LAB_STARTUP_SECONDS": "0.3"},
    "stalled": {"LAB_STALL_SECONDS": "0.3"},
    "half-line": {"LAB_TIMEOUT_SECONDS": "0.5"},
    "endless": {"LAB_TIMEOUT_SECONDS": "0.5"},
    "ignores-term": {"LAB_TIMEOUT_SECONDS": "0.5"},
}


def test_every_scenario_has_an_expected_row() -> None:
    assert set(EXPECTED) == set(SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_scenario_counts_as(tmp_path: Path, scenario: str) -> None:
    paths = lab_root(tmp_path)
    plan = plan_of(paths, [f"fake-{scenario}"])
    run_plan(paths, plan, QUICK | LIMITS.get(scenario, {}))
    (record,) = records(paths)
    identity = record.identity
    assert (identity.exit_reason, identity.attempts, identity.completion) == EXPECTED[scenario]
    attempts = read_attempts(paths.run(identity.run_id))
    assert [one.number for one in attempts] == list(range(1, len(attempts) + 1))
    assert len(attempts) == identity.attempts
    assert all((paths.run(identity.run_id).folder / one.kept).is_dir() for one in attempts[:-1])
    for journal in paths.batches.glob("*/journal.jsonl"):
        for line in read_journal(journal):
            assert check("batch-journal", dict(line), "journal") == ()
    assert list(paths.staging.iterdir()) == []
