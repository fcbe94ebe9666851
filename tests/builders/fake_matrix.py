"""The fake agent's scenarios with the exit reason that each must get, written by hand.

`RUNS_ON` names scenarios that end only when the clock ends them, with the limit that does it.
"""

EXPECTED_EXIT_REASONS = {
    "success": "ok",
    "sub-agents": "ok",
    "lingering-child": "ok",
    "no-work": "no-op-run",
    "exit-1-after-work": "error-1",
    "rate-limit-then-fine": "ok",
    "rate-limit-forever": "rate-limited",
    "rate-limit-words": "ok",
    "refusal": "provider-refusal",
    "context-overflow": "context-exceeded",
    "half-line": "timeout",
    "result-twice": "ok",
    "new-version": "ok",
    "no-newline": "ok",
    "invalid-utf8": "ok",
    "transcript-deleted": "ok",
    "malformed-stream": "transient-api-error",
    "no-result": "transient-api-error",
    "overloaded": "transient-api-error",
    "out-of-quota": "quota-exhausted",
    "bad-request": "error-1",
    "bad-key": "setup-error",
    "unknown-model": "setup-error",
    "output-limit": "output-exceeded",
    "turn-limit": "budget-exhausted",
    "money-limit": "budget-exhausted",
    "silent": "startup-hang",
    "stalled": "stalled",
    "endless": "timeout",
    "ignores-term": "timeout-killed",
}
RUNS_ON = {
    "half-line": "timeout",
    "silent": "startup-hang",
    "stalled": "stalled",
    "endless": "timeout",
    "ignores-term": "timeout-killed",
}
