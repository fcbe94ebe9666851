"""Columns that follow from how a run went: time, tokens, money, budget."""

from collections.abc import Mapping
from dataclasses import dataclass

from lab.domain.attempt import Usage
from lab.domain.metric import Measurement, Reason, Value, measured, missing
from lab.domain.outcome import ExitReason
from lab.domain.run import RunRecord

VERSION = "1"
BY = f"record@{VERSION}"
MODEL_COLUMNS = ("tokens_total", "context_utilization", "context_peak", "cost_usd")
PREDICTIONS = ("predictions_correct", "predictions_total")
COLUMNS = (
    "duration_seconds",
    "wall_seconds",
    *MODEL_COLUMNS,
    "completed_within_budget",
    *PREDICTIONS,
)
# Ended from outside, or by a limit: not by itself within its wall clock, money and quota.
NOT_BY_ITSELF = frozenset(
    {
        ExitReason.TIMEOUT,
        ExitReason.TIMEOUT_KILLED,
        ExitReason.STALLED,
        ExitReason.STARTUP_HANG,
        ExitReason.RATE_LIMITED,
        ExitReason.QUOTA_EXHAUSTED,
        ExitReason.BUDGET_EXHAUSTED,
        ExitReason.OOM_KILLED,
        ExitReason.DISK_FULL,
    }
)
# The lab or the machine ended it: whether it would have stayed within its budget is unknown.
UNKNOWN_END = frozenset(
    {
        ExitReason.DOCKER_LOST,
        ExitReason.HOST_LOST,
        ExitReason.INTERRUPTED,
        ExitReason.LAB_ERROR,
        ExitReason.SETUP_ERROR,
    }
)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What is known about a run's model calls.

    `calls_model` False = the harness calls none, so tokens do not apply. `context_*` are shares
    of the model's window (0..1) of the last and the largest main-thread request.
    """

    calls_model: bool
    usage: Usage | None = None
    context_utilization: float | None = None
    context_peak: float | None = None


def record_metrics(record: RunRecord, use: ModelUse) -> dict[str, Measurement]:
    """Read every column of COLUMNS from a run's record; what is unknown is null."""
    known: Mapping[str, Value | None] = {
        "duration_seconds": record.timings.active_seconds,
        "wall_seconds": record.timings.wall_seconds,
        "completed_within_budget": _within_budget(record.identity.exit_reason),
        **_model_values(use),
    }
    unused = frozenset() if use.calls_model else frozenset((*MODEL_COLUMNS, *PREDICTIONS))
    return {name: _measurement(known.get(name), name in unused) for name in COLUMNS}


def _model_values(use: ModelUse) -> dict[str, Value | None]:
    usage = use.usage
    return {
        "tokens_total": usage.total if usage else None,
        "cost_usd": usage.cost_usd if usage else None,
        "context_utilization": use.context_utilization,
        "context_peak": use.context_peak,
    }


def _measurement(value: Value | None, is_unused: bool) -> Measurement:
    if value is not None:
        return measured(value, BY)
    return missing(Reason.NOT_APPLICABLE if is_unused else Reason.NO_SOURCE, BY)


def _within_budget(exit_reason: str | None) -> bool | None:
    if exit_reason is None or exit_reason in UNKNOWN_END:
        return None
    return exit_reason not in NOT_BY_ITSELF
