"""A fake agent: one script that speaks Claude Code's event stream; the model names the scenario."""

from pathlib import Path

from lab.accounting.claude_ending import read_ending
from lab.accounting.claude_stream import StreamFacts, read_stream
from lab.domain.attempt import AttemptResult, Ending, Evidence
from lab.errors import LabError
from lab.harnesses.fake_scenario import CLI_VERSION, SCENARIOS
from lab.harnesses.protocol import Capabilities, Collected, Invocation, Prepared, Request

ID = "fake"
CAPABILITIES = Capabilities(executes_model_output=False, terminal_event=True, expects_work=True)


def version() -> str:
    return CLI_VERSION


def prepare(request: Request) -> Prepared:
    return Prepared()


def invocation(request: Request) -> Invocation:
    """Render the scenario that the model's row names. Raises LabError on an unknown one."""
    name = request.model.manner or ""
    if name not in SCENARIOS:
        known = ", ".join(SCENARIOS)
        raise LabError(f"models.yaml: {request.model.id}: manner {name!r} is none of: {known}")
    return Invocation(SCENARIOS[name](request), {})


def collect(log: Path, state: Path) -> Collected:
    """Find the session files that the agent left below its state folder."""
    return Collected(log, state, tuple(sorted(state.rglob("*.jsonl"))))


def evidence(collected: Collected, result: AttemptResult) -> Evidence:
    """Read the stream; it decides only where the agent ended by itself."""
    facts = read_stream(collected.log)
    ended = result.ending is Ending.EXITED
    reason, line = (read_ending(facts, result.exit_code) if ended else None) or (None, None)
    return Evidence(
        exit_reason=reason,
        has_terminal_event=facts.result is not None and not facts.result.is_error,
        tool_calls=len(facts.calls),
        is_unfinished=ended and facts.result is None,
        usage=facts.result.usage if facts.result else None,
        harness_version=facts.version,
        retry_after_seconds=facts.retry_delay_seconds,
        line=line or (facts.result.line if facts.result else None),
        warnings=_warnings(facts, collected),
    )


def _warnings(facts: StreamFacts, collected: Collected) -> tuple[str, ...]:
    found = (
        (facts.results > 1, f"{facts.results} result events: the last one counts"),
        (facts.is_cut, "the stream broke off inside a line"),
        (facts.malformed_line is not None, "the stream holds a line that is not JSON"),
        (not collected.transcripts, "no session file: the stream is the only source"),
        (
            facts.version not in (None, CLI_VERSION),
            f"the agent is version {facts.version}, expected {CLI_VERSION}",
        ),
    )
    return tuple(text for applies, text in found if applies)
