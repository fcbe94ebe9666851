"""From what was seen to one exit reason: the executor's ending first, then structured evidence."""

from dataclasses import dataclass

from lab.domain.attempt import AttemptResult, Ending, Evidence
from lab.domain.event import PathClass
from lab.domain.outcome import Completion, ExitReason
from lab.harnesses.protocol import Capabilities
from lab.stacks.protocol import Stack

BY_ENDING: dict[Ending, ExitReason] = {
    Ending.TIMEOUT: ExitReason.TIMEOUT,
    Ending.TIMEOUT_KILLED: ExitReason.TIMEOUT_KILLED,
    Ending.STALLED: ExitReason.STALLED,
    Ending.STARTUP_HANG: ExitReason.STARTUP_HANG,
    Ending.OOM_KILLED: ExitReason.OOM_KILLED,
    Ending.DISK_FULL: ExitReason.DISK_FULL,
    Ending.DOCKER_LOST: ExitReason.DOCKER_LOST,
    Ending.COULD_NOT_START: ExitReason.SETUP_ERROR,
    Ending.DRAINED: ExitReason.INTERRUPTED,
}
NEVER_TAMPERED = frozenset(
    {ExitReason.INTERRUPTED, ExitReason.SETUP_ERROR, ExitReason.DOCKER_LOST, ExitReason.DISK_FULL}
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """An exit reason (one of ExitReason or "error-N") and the line that decided it."""

    exit_reason: str
    line: str | None


def decide(
    result: AttemptResult,
    evidence: Evidence,
    capabilities: Capabilities,
    completion: Completion,
    detections: tuple[str, ...],
) -> Verdict:
    """Decide how an attempt counts; a tampered one keeps no other reason than a lost machine."""
    verdict = _by_ending(result, evidence) or _by_exit(result, evidence, capabilities, completion)
    if detections and verdict.exit_reason not in NEVER_TAMPERED:
        return Verdict(ExitReason.TAMPERED, detections[0])
    return verdict


def _by_ending(result: AttemptResult, evidence: Evidence) -> Verdict | None:
    if result.ending is not Ending.EXITED:
        line = result.detail or _last_activity(result)
        return Verdict(BY_ENDING[result.ending], line)
    if evidence.exit_reason is not None:
        return Verdict(evidence.exit_reason, evidence.line)
    return None


def _by_exit(
    result: AttemptResult,
    evidence: Evidence,
    capabilities: Capabilities,
    completion: Completion,
) -> Verdict:
    if result.exit_code != 0:
        line = evidence.line or result.detail or f"exit {result.exit_code}"
        return Verdict(f"error-{result.exit_code}", line)
    if capabilities.terminal_event and not evidence.has_terminal_event:
        return Verdict(ExitReason.TRANSIENT_API_ERROR, "exit 0 without a terminal event")
    if capabilities.expects_work and evidence.tool_calls == 0:
        return Verdict(ExitReason.NO_OP_RUN, "exit 0 without a tool call")
    if capabilities.expects_work and completion is Completion.NO_OP:
        return Verdict(ExitReason.NO_OP_RUN, "exit 0 with an unchanged workspace")
    return Verdict(ExitReason.OK, evidence.line or "exit 0")


def _last_activity(result: AttemptResult) -> str:
    if result.last_activity_seconds is None:
        return f"no output within {result.active_seconds:.1f} s"
    return f"last output after {result.last_activity_seconds:.1f} s of {result.active_seconds:.1f}"


def completion_of(changed: tuple[str, ...], is_unfinished: bool, stack: Stack) -> Completion:
    """Say what was left: nothing new, no production file or an unfinished end, or a finished run.

    A stack without analysis cannot tell production files, so any change counts as finished there.
    """
    if not changed:
        return Completion.NO_OP
    is_production = (stack.path_class(path) is PathClass.IMPLEMENTATION for path in changed)
    if is_unfinished or (stack.IS_ANALYSED and not any(is_production)):
        return Completion.STOPPED_EARLY
    return Completion.FINISHED
