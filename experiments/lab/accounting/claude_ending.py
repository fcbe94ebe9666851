"""What the end of a Claude Code stream means: an ordered table from events to exit reasons."""

from collections.abc import Callable

from lab.accounting.claude_stream import ResultEvent, StreamFacts
from lab.domain.outcome import ExitReason

# First match decides. 400 and 413 are faults of the request itself: they stay error-N.
STATUSES: tuple[tuple[range, ExitReason], ...] = (
    (range(401, 402), ExitReason.SETUP_ERROR),
    (range(402, 403), ExitReason.QUOTA_EXHAUSTED),
    (range(403, 405), ExitReason.SETUP_ERROR),
    (range(408, 409), ExitReason.TRANSIENT_API_ERROR),
    (range(429, 430), ExitReason.RATE_LIMITED),
    (range(500, 600), ExitReason.TRANSIENT_API_ERROR),
)
SUBTYPES = {
    "error_max_turns": ExitReason.BUDGET_EXHAUSTED,
    "error_max_budget_usd": ExitReason.BUDGET_EXHAUSTED,
}
STOP_REASONS = {
    "refusal": ExitReason.PROVIDER_REFUSAL,
    "model_context_window_exceeded": ExitReason.CONTEXT_EXCEEDED,
    "max_tokens": ExitReason.OUTPUT_EXCEEDED,
}
ERROR_TYPES = {
    "billing_error": ExitReason.QUOTA_EXHAUSTED,
    "insufficient_quota": ExitReason.QUOTA_EXHAUSTED,
}
Found = tuple[ExitReason, str]


def read_ending(facts: StreamFacts, exit_code: int | None) -> Found | None:
    """Return the exit reason and the event that decided it, or None: the exit code decides.

    For a process that ended by itself only; a stream that was cut by a kill says nothing.
    """
    if facts.result:
        return _of_result(facts.result)
    return next((found for rule in WITHOUT_RESULT if (found := rule(facts, exit_code))), None)


def _of_result(result: ResultEvent) -> Found | None:
    """Read a stop reason whatever the event calls itself, the other fields of an error only."""
    reason = STOP_REASONS.get(result.stop_reason or "") or _of_error(result)
    return (reason, result.line) if reason else None


def _of_error(result: ResultEvent) -> ExitReason | None:
    if not result.is_error:
        return None
    return (
        SUBTYPES.get(result.subtype)
        or ERROR_TYPES.get(result.error_type or "")
        or _of_status(result.status)
    )


def _of_status(status: int | None) -> ExitReason | None:
    return next((reason for codes, reason in STATUSES if status in codes), None)


def _failed_request(facts: StreamFacts, exit_code: int | None) -> Found | None:
    reason = _of_status(facts.retry_status) if exit_code != 0 else None
    return (reason, facts.retry_line or "") if reason else None


def _malformed(facts: StreamFacts, exit_code: int | None) -> Found | None:
    line = facts.malformed_line
    return (ExitReason.TRANSIENT_API_ERROR, line) if line is not None else None


def _ended_early(facts: StreamFacts, exit_code: int | None) -> Found | None:
    if exit_code != 0 and not facts.is_cut:
        return None
    return ExitReason.TRANSIENT_API_ERROR, "the stream ended without a result event"


WITHOUT_RESULT: tuple[Callable[[StreamFacts, int | None], Found | None], ...] = (
    _failed_request,
    _malformed,
    _ended_early,
)
