"""What an exit reason means: one table that planning, retrying, analysis and tables read."""

from dataclasses import dataclass
from enum import StrEnum


class ExitReason(StrEnum):
    OK = "ok"
    TIMEOUT = "timeout"
    TIMEOUT_KILLED = "timeout-killed"
    STALLED = "stalled"
    STARTUP_HANG = "startup-hang"
    NO_OP_RUN = "no-op-run"
    RATE_LIMITED = "rate-limited"
    TRANSIENT_API_ERROR = "transient-api-error"
    QUOTA_EXHAUSTED = "quota-exhausted"
    PROVIDER_REFUSAL = "provider-refusal"
    CONTEXT_EXCEEDED = "context-exceeded"
    OUTPUT_EXCEEDED = "output-exceeded"
    PI_RETRIES_EXHAUSTED = "pi-retries-exhausted"
    BUDGET_EXHAUSTED = "budget-exhausted"
    SETUP_ERROR = "setup-error"
    OOM_KILLED = "oom-killed"
    DISK_FULL = "disk-full"
    DOCKER_LOST = "docker-lost"
    HOST_LOST = "host-lost"
    TAMPERED = "tampered"
    INTERRUPTED = "interrupted"
    LAB_ERROR = "lab-error"


class Completion(StrEnum):
    """What the run left behind; a measurement, never a reason to plan a replacement."""

    FINISHED = "finished"
    STOPPED_EARLY = "stopped-early"
    NO_OP = "no-op"


@dataclass(frozen=True, slots=True)
class Policy:
    """What follows from an exit reason.

    `retries` counts further attempts; `with_backoff` waits between them (Retry-After first);
    `stops_lane` stops the batch's remaining runs of the same harness, model and stack.
    """

    retries: int
    is_analysed: bool
    is_replicate: bool
    with_backoff: bool = False
    stops_lane: bool = False


_KEPT = Policy(0, True, False)
POLICY: dict[ExitReason, Policy] = {
    ExitReason.OK: Policy(0, True, True),
    ExitReason.TIMEOUT: _KEPT,
    ExitReason.TIMEOUT_KILLED: _KEPT,
    ExitReason.STALLED: Policy(1, True, False),
    ExitReason.STARTUP_HANG: Policy(3, False, False),
    ExitReason.NO_OP_RUN: Policy(2, True, False),
    ExitReason.RATE_LIMITED: Policy(5, True, False, with_backoff=True),
    ExitReason.TRANSIENT_API_ERROR: Policy(5, True, False, with_backoff=True),
    ExitReason.QUOTA_EXHAUSTED: _KEPT,
    ExitReason.PROVIDER_REFUSAL: Policy(2, True, False),
    ExitReason.CONTEXT_EXCEEDED: _KEPT,
    ExitReason.OUTPUT_EXCEEDED: _KEPT,
    ExitReason.PI_RETRIES_EXHAUSTED: _KEPT,
    ExitReason.BUDGET_EXHAUSTED: _KEPT,
    ExitReason.SETUP_ERROR: Policy(0, False, False, stops_lane=True),
    ExitReason.OOM_KILLED: Policy(1, True, False),
    ExitReason.DISK_FULL: Policy(1, True, False),
    ExitReason.DOCKER_LOST: Policy(1, True, False),
    ExitReason.HOST_LOST: Policy(1, True, False),
    ExitReason.TAMPERED: _KEPT,
    ExitReason.INTERRUPTED: Policy(0, False, False),
    ExitReason.LAB_ERROR: Policy(0, False, False),
}


def policy_of(exit_reason: str) -> Policy:
    """Look an exit reason up; `error-N` and reasons of other labs are kept, never replicates."""
    try:
        return POLICY[ExitReason(exit_reason)]
    except ValueError:
        return _KEPT


def is_replicate(exit_reason: str | None) -> bool:
    """Tell whether a run counts toward min_replicates: only `ok` does (the seed's rule)."""
    return exit_reason is not None and policy_of(exit_reason).is_replicate
