"""Claude Code's stream: read line by line, believed only where it is structured."""

import json
from pathlib import Path

import pytest
from lab.accounting.claude_ending import read_ending
from lab.accounting.claude_stream import StreamFacts, read_stream
from lab.domain.attempt import Usage

RESULT = {"type": "result", "subtype": "success", "is_error": False, "stop_reason": "end_turn"}
FAILED = {**RESULT, "is_error": True, "stop_reason": None}


def stream(tmp_path: Path, *lines: object, end: str = "\n") -> StreamFacts:
    log = tmp_path / "run.log"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    log.write_text("\n".join(texts) + end, encoding="utf-8")
    return read_stream(log)


def ending(facts: StreamFacts, exit_code: int = 1) -> str | None:
    found = read_ending(facts, exit_code)
    return found[0].value if found else None


def called(identity: str, parent: str | None = None) -> object:
    block = {"type": "tool_use", "id": identity}
    return {"type": "assistant", "parent_tool_use_id": parent, "message": {"content": [block]}}


def test_a_call_repeated_by_the_stream_counts_once(tmp_path: Path) -> None:
    facts = stream(tmp_path, called("a"), called("a"), called("b", "a"))
    assert facts.calls == {"a", "b"}


def test_the_last_result_counts(tmp_path: Path) -> None:
    facts = stream(tmp_path, {**FAILED, "api_error_status": 429}, RESULT)
    assert (facts.results, ending(facts)) == (2, None)


def test_success_as_a_subtype_does_not_hide_an_error(tmp_path: Path) -> None:
    assert ending(stream(tmp_path, {**FAILED, "api_error_status": 529})) == "transient-api-error"


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"api_error_status": 400}, None),
        ({"api_error_status": 401}, "setup-error"),
        ({"api_error_status": 402}, "quota-exhausted"),
        ({"api_error_status": 403}, "setup-error"),
        ({"api_error_status": 404}, "setup-error"),
        ({"api_error_status": 408}, "transient-api-error"),
        ({"api_error_status": 413}, None),
        ({"api_error_status": 429}, "rate-limited"),
        ({"api_error_status": 429, "api_error_type": "insufficient_quota"}, "quota-exhausted"),
        ({"api_error_status": 500}, "transient-api-error"),
        ({"api_error_status": 529}, "transient-api-error"),
        ({"api_error_status": "429"}, None),
        ({"stop_reason": "refusal"}, "provider-refusal"),
        ({"stop_reason": "max_tokens"}, "output-exceeded"),
        ({"stop_reason": "model_context_window_exceeded"}, "context-exceeded"),
        ({"subtype": "error_max_turns"}, "budget-exhausted"),
        ({"subtype": "error_max_budget_usd"}, "budget-exhausted"),
        ({"subtype": "error_during_execution"}, None),
    ],
)
def test_an_error_result_is_read_by_its_fields(
    changed: dict[str, object], expected: str | None, tmp_path: Path
) -> None:
    assert ending(stream(tmp_path, {**FAILED, **changed})) == expected


def test_a_refusal_counts_although_the_event_calls_itself_a_success(tmp_path: Path) -> None:
    assert ending(stream(tmp_path, {**RESULT, "stop_reason": "refusal"}), 0) == "provider-refusal"


def test_a_status_without_an_error_is_no_failure(tmp_path: Path) -> None:
    assert ending(stream(tmp_path, {**RESULT, "api_error_status": 529}), 0) is None


RETRY = {"type": "system", "subtype": "api_retry", "error_status": 429, "retry_delay_ms": 1500}
OTHER = {"type": "system", "subtype": "status"}


@pytest.mark.parametrize(
    ("lines", "end", "exit_code", "expected"),
    [
        ([RETRY], "\n", 1, "rate-limited"),
        ([RETRY], "\n", 0, "transient-api-error"),
        ([OTHER], "\n", 1, None),
        ([OTHER], "\n", 0, "transient-api-error"),
        ([OTHER, '{"type": "resu'], "", 1, "transient-api-error"),
        (['{"type": "resu', OTHER], "\n", 1, "transient-api-error"),
        (["HTTP 429 rate limit", "Error: overloaded"], "\n", 1, None),
        ([], "", 1, None),
    ],
)
def test_a_stream_without_a_result_is_read_by_what_it_has(
    lines: list[object], end: str, exit_code: int, expected: str | None, tmp_path: Path
) -> None:
    assert ending(stream(tmp_path, *lines, end=end), exit_code) == expected


def test_the_delay_of_the_last_retry_is_kept_in_seconds(tmp_path: Path) -> None:
    assert stream(tmp_path, RETRY).retry_delay_seconds == 1.5


def test_a_last_line_without_a_line_end_is_read(tmp_path: Path) -> None:
    facts = stream(tmp_path, RESULT, end="")
    assert (facts.results, facts.is_cut) == (1, False)


TOKENS = {
    "inputTokens": 1,
    "outputTokens": 2,
    "cacheReadInputTokens": 3,
    "cacheCreationInputTokens": 0,
}


def test_use_is_summed_over_models_and_absent_without_any(tmp_path: Path) -> None:
    facts = stream(tmp_path, {**RESULT, "modelUsage": {"a": TOKENS, "b": TOKENS}})
    assert facts.result and facts.result.usage == Usage(2, 6, 0, 4, None)
    without = stream(tmp_path, RESULT)
    assert without.result and without.result.usage is None


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("value", [None, "12", True, 1.5, -1])
def test_tokens_that_are_missing_in_part_are_unknown_and_never_zero(
    name: str, value: object, tmp_path: Path
) -> None:
    usage = {"a": TOKENS, "b": {**TOKENS, name: value}}
    facts = stream(tmp_path, {**RESULT, "modelUsage": usage, "total_cost_usd": 1})
    assert facts.result and facts.result.usage is None


@pytest.mark.parametrize(
    "line",
    ["[1]", '"text"', '{"type": "assistant", "message": 3}', '{"type": "assistant"}', "{}"],
)
def test_a_foreign_shape_says_nothing(line: str, tmp_path: Path) -> None:
    facts = stream(tmp_path, line)
    assert (facts.calls, facts.result, facts.malformed_line) == (set(), None, None)


def test_a_missing_log_is_an_empty_stream(tmp_path: Path) -> None:
    assert read_stream(tmp_path / "none") == StreamFacts()


@pytest.mark.parametrize(
    ("told", "expected"),
    [(0.25, 0.25), (1, 1.0), (0, None), (0.0, None), (-1, None), (True, None), ("1", None)],
)
def test_money_is_known_or_unknown_and_never_zero(
    told: object, expected: float | None, tmp_path: Path
) -> None:
    facts = stream(tmp_path, {**RESULT, "modelUsage": {"a": TOKENS}, "total_cost_usd": told})
    assert facts.result and facts.result.usage
    assert facts.result.usage.cost_usd == expected
