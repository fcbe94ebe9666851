"""Claude Code's event stream (stream-json): what it says about a run's end and use.

Shapes as seen with version 2.1: one JSON object a line; several `result` events are possible and
the last one counts; `result.subtype` may read "success" although `is_error` is true.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lab.domain.attempt import Usage

Event = Mapping[str, object]
TOKENS = ("inputTokens", "cacheReadInputTokens", "cacheCreationInputTokens", "outputTokens")


@dataclass(frozen=True, slots=True)
class ResultEvent:
    """A terminal event. `status` is the provider's HTTP status where a request failed."""

    is_error: bool
    subtype: str
    stop_reason: str | None
    status: int | None
    error_type: str | None
    usage: Usage | None
    line: str


@dataclass(slots=True)
class StreamFacts:
    """What a whole stream says; `is_cut` tells that its last line broke off."""

    version: str | None = None
    result: ResultEvent | None = None
    results: int = 0
    calls: set[str] = field(default_factory=set)
    retry_status: int | None = None
    retry_delay_seconds: float | None = None
    retry_line: str | None = None
    malformed_line: str | None = None
    is_cut: bool = False


def read_stream(log: Path) -> StreamFacts:
    """Read a log in one pass, line by line; text that is no event is skipped."""
    facts = StreamFacts()
    if not log.exists():
        return facts
    with log.open("rb") as lines:
        for text, event, is_whole in _events(lines):
            if event is not None:
                _note(facts, event, text)
            elif is_whole:
                facts.malformed_line = text
            else:
                facts.is_cut = True
    return facts


def _events(lines: Iterable[bytes]) -> Iterator[tuple[str, Event | None, bool]]:
    """Yield (text, event or None where it does not parse, whether the line is complete)."""
    for raw in lines:
        if not raw.lstrip().startswith(b"{"):
            continue
        text = raw.decode("utf-8", errors="replace").strip()
        yield text, _parse(text), raw.endswith(b"\n")


def _parse(text: str) -> Event | None:
    try:
        event = json.loads(text)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None


def _note(facts: StreamFacts, event: Event, text: str) -> None:
    kind = (event.get("type"), event.get("subtype"))
    if kind == ("system", "init"):
        facts.version = _text(event.get("claude_code_version")) or facts.version
    elif kind == ("system", "api_retry"):
        facts.retry_status = _whole(event.get("error_status"))
        delay = event.get("retry_delay_ms")
        facts.retry_delay_seconds = delay / 1000 if isinstance(delay, int | float) else None
        facts.retry_line = text
    elif kind[0] == "assistant":
        facts.calls.update(_tool_calls(event))
    elif kind[0] == "result":
        facts.result = _result(event, text)
        facts.results += 1


def _tool_calls(event: Event) -> Iterator[str]:
    """Yield the ids of tool calls; blocks of one message come one an event, never twice."""
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    for block in content if isinstance(content, list) else ():
        if isinstance(block, dict) and block.get("type") == "tool_use":
            yield str(block.get("id"))


def _result(event: Event, text: str) -> ResultEvent:
    return ResultEvent(
        is_error=event.get("is_error") is True,
        subtype=_text(event.get("subtype")) or "",
        stop_reason=_text(event.get("stop_reason")),
        status=_whole(event.get("api_error_status")),
        error_type=_text(event.get("api_error_type")),
        usage=_usage(event),
        line=text,
    )


def _usage(event: Event) -> Usage | None:
    """Sum `modelUsage`: totals of the session, sub-agents included.

    None where a number is missing or is none: part of a sum is no sum.
    """
    models = event.get("modelUsage")
    rows = list(models.values()) if isinstance(models, dict) else []
    counts = [_counts(row) for row in rows]
    known = [count for count in counts if count is not None]
    if not rows or len(known) < len(rows):
        return None
    uncached, read, written, output = map(sum, zip(*known, strict=True))
    return Usage(uncached, read, written, output, _price(event.get("total_cost_usd")))


def _price(value: object) -> float | None:
    """Return dollars; the client says 0 where it knows no price, so 0 is unknown."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if value > 0 else None


def _counts(row: object) -> tuple[int, ...] | None:
    """Return one model's tokens in the order of Usage, None unless all are there."""
    found = [_whole(row.get(name)) for name in TOKENS] if isinstance(row, dict) else [None]
    whole = tuple(count for count in found if count is not None and count >= 0)
    return whole if len(whole) == len(TOKENS) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
