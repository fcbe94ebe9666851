"""The fake agent's scenarios: what it prints, writes and leaves behind, as a POSIX-sh script."""

import json
from collections.abc import Callable, Iterable, Mapping

from lab.harnesses.protocol import Request
from lab.tapes.script import printf_format, write_file

CLI_VERSION = "9.9.0 (Fake Agent)"
NEWER_VERSION = "9.10.0 (Fake Agent)"
SESSION = "f4ce0000-0000-4000-8000-000000000001"
SUB_AGENTS = 100
RETRY_DELAY_MS = 10
Scenario = Callable[[Request], str]
Event = Mapping[str, object]
HEADER = "#!/bin/sh\nset -eu\n"
WAIT_FOREVER = "sleep 86400\n"


def _init(version: str = CLI_VERSION) -> Event:
    return {
        "type": "system",
        "subtype": "init",
        "session_id": SESSION,
        "model": "fake",
        "tools": ["Bash", "Write", "Task"],
        "claude_code_version": version,
    }


def _message(number: int, block: Event, parent: str | None = None) -> Event:
    return {
        "type": "assistant",
        "session_id": SESSION,
        "parent_tool_use_id": parent,
        "message": {"id": f"msg_{number:04}", "role": "assistant", "content": [block]},
    }


def _said(number: int, text: str) -> Event:
    return _message(number, {"type": "text", "text": text})


def _called(number: int, tool: str, parent: str | None = None) -> Event:
    call = {"type": "tool_use", "id": f"toolu_{number:04}", "name": tool, "input": {}}
    return _message(number, call, parent)


def _answered(number: int, text: str) -> Event:
    block = {"type": "tool_result", "tool_use_id": f"toolu_{number:04}", "content": text}
    return {"type": "user", "session_id": SESSION, "message": {"role": "user", "content": [block]}}


def _retry(attempt: int, status: int) -> Event:
    return {
        "type": "system",
        "subtype": "api_retry",
        "attempt": attempt,
        "max_retries": 10,
        "retry_delay_ms": RETRY_DELAY_MS,
        "error_status": status,
    }


def _result(**changed: object) -> Event:
    tokens = {
        "inputTokens": 100,
        "outputTokens": 40,
        "cacheReadInputTokens": 1000,
        "cacheCreationInputTokens": 200,
    }
    return {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "stop_reason": "end_turn",
        "session_id": SESSION,
        "num_turns": 2,
        "modelUsage": {"fake": tokens},
        "total_cost_usd": 0.0125,
        **changed,
    }


def _failed(**changed: object) -> Event:
    return _result(is_error=True, stop_reason=None, **changed)


def _work(request: Request) -> str:
    return write_file(request.entry_point, b"# written by the fake agent\n")


def _print(events: Iterable[Event], end: str = "\n") -> str:
    text = "\n".join(json.dumps(event) for event in events) + end
    return f"printf {printf_format(text.encode())}\n"


def _session_file(request: Request) -> str:
    return f"{request.statedir}/projects/-work/{SESSION}.jsonl"


def _transcript(request: Request, events: Iterable[Event]) -> str:
    text = "".join(json.dumps(event) + "\n" for event in events)
    return write_file(_session_file(request), text.encode())


WORKED: tuple[Event, ...] = (
    _init(),
    _called(1, "Write"),
    _answered(1, "written"),
    _said(2, "Done."),
)


def _worked(request: Request) -> str:
    """Return a script that does its work and tells of it, up to the result event."""
    return HEADER + _work(request) + _transcript(request, WORKED) + _print(WORKED)


def success(request: Request) -> str:
    return _worked(request) + _print([_result()])


def sub_agents(request: Request) -> str:
    """One hundred children, whose messages carry the call that started them."""
    events = [
        event
        for child in range(10, 10 + 2 * SUB_AGENTS, 2)
        for event in (
            _called(child, "Agent"),
            _called(child + 1, "Bash", f"toolu_{child:04}"),
            _answered(child + 1, "ok"),
            _answered(child, "the child is done"),
        )
    ]
    return _worked(request) + _print(events) + _print([_result()])


def lingering_child(request: Request) -> str:
    """End with success while a child holds the output open."""
    return success(request) + "sleep 86400 &\n"


def no_work(request: Request) -> str:
    events = [_init(), _said(1, "There is nothing to do."), _result()]
    return HEADER + _transcript(request, events) + _print(events)


def exit_1_after_work(request: Request) -> str:
    return success(request) + "exit 1\n"


def rate_limit_then_fine(request: Request) -> str:
    return HEADER + _print(_retry(attempt, 429) for attempt in (1, 2, 3)) + success(request)


def rate_limit_words(request: Request) -> str:
    """Talk of rate limits in code, test output and prose only."""
    events = [
        _called(3, "Bash"),
        _answered(3, "FAILED test_rate_limit.py: expected 429 Too Many Requests, rate limit hit"),
        _said(4, "The rate limit error is blocked; overloaded_error and refusal are handled."),
    ]
    return _worked(request) + _print(events) + _print([_result()])


def result_twice(request: Request) -> str:
    """Report an interrupted first part, then the real end, as with background sub-agents."""
    first = _failed(subtype="error_during_execution", api_error_status=529)
    return _worked(request) + _print([first, _result(num_turns=5)])


def new_version(request: Request) -> str:
    events = [_init(NEWER_VERSION), *WORKED[1:], _result()]
    return HEADER + _work(request) + _transcript(request, events) + _print(events)


def no_newline(request: Request) -> str:
    return _worked(request) + _print([_result()], end="")


def invalid_utf8(request: Request) -> str:
    broken = json.dumps(_answered(3, "@")).encode().replace(b"@", b"\xff\xfe") + b"\n"
    noise = f"printf {printf_format(broken)}\nprintf {printf_format(bytes([0x80, 0xC3, 0x0A]))}\n"
    return _worked(request) + noise + _print([_result()])


def transcript_deleted(request: Request) -> str:
    return success(request) + f"rm -f {_session_file(request)}\n"


def half_line(request: Request) -> str:
    """Break off inside a line and hang until the clock ends it."""
    half = json.dumps(_result())[:40].encode()
    return _worked(request) + f"printf {printf_format(half)}\n" + WAIT_FOREVER


def malformed_stream(request: Request) -> str:
    noise = b'{"type": "assistant", "message": {"content": [{"type": "te\n'
    return _worked(request) + f"printf {printf_format(noise)}\nexit 1\n"


def no_result(request: Request) -> str:
    return _worked(request)


def silent(_: Request) -> str:
    return HEADER + WAIT_FOREVER


def stalled(request: Request) -> str:
    return _worked(request) + WAIT_FOREVER


def endless(request: Request) -> str:
    """Keep talking until the clock ends it."""
    words = _print([_said(9, "still thinking")])
    return _worked(request) + f"while :; do\n{words}sleep 0.05\ndone\n"


def ignores_term(request: Request) -> str:
    return endless(request).replace(HEADER, f"{HEADER}trap '' TERM\n", 1)


def _ending_with(result: Event, retries: tuple[Event, ...] = ()) -> Scenario:
    """Return a scenario that works, then fails with this result event and exit code 1."""

    def scenario(request: Request) -> str:
        return _worked(request) + _print([*retries, result]) + "exit 1\n"

    return scenario


RATE_LIMITED = tuple(_retry(attempt, 429) for attempt in range(1, 11))

SCENARIOS: dict[str, Scenario] = {
    "success": success,
    "sub-agents": sub_agents,
    "lingering-child": lingering_child,
    "no-work": no_work,
    "exit-1-after-work": exit_1_after_work,
    "rate-limit-then-fine": rate_limit_then_fine,
    "rate-limit-forever": _ending_with(_failed(api_error_status=429), RATE_LIMITED),
    "rate-limit-words": rate_limit_words,
    "refusal": _ending_with(_result(is_error=True, stop_reason="refusal")),
    "context-overflow": _ending_with(
        _result(is_error=True, stop_reason="model_context_window_exceeded")
    ),
    "half-line": half_line,
    "result-twice": result_twice,
    "new-version": new_version,
    "no-newline": no_newline,
    "invalid-utf8": invalid_utf8,
    "transcript-deleted": transcript_deleted,
    "malformed-stream": malformed_stream,
    "no-result": no_result,
    "overloaded": _ending_with(_failed(api_error_status=529), (_retry(1, 529),)),
    "out-of-quota": _ending_with(_failed(api_error_status=429, api_error_type="billing_error")),
    "bad-request": _ending_with(_failed(api_error_status=400)),
    "bad-key": _ending_with(_failed(api_error_status=401)),
    "unknown-model": _ending_with(_failed(api_error_status=404)),
    "output-limit": _ending_with(_result(is_error=True, stop_reason="max_tokens")),
    "turn-limit": _ending_with(_failed(subtype="error_max_turns")),
    "money-limit": _ending_with(_failed(subtype="error_max_budget_usd")),
    "silent": silent,
    "stalled": stalled,
    "endless": endless,
    "ignores-term": ignores_term,
}
