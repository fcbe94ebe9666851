"""What an attempt counts as: the executor's ending first, then evidence, then the exit code."""

from dataclasses import replace

import pytest
from lab.domain.attempt import AttemptResult, Ending, Evidence
from lab.domain.outcome import Completion, ExitReason
from lab.harnesses.protocol import Capabilities
from lab.runner.outcome import BY_ENDING, completion_of, decide
from lab.stacks import none, python_pytest

PLAIN = Capabilities(executes_model_output=False, terminal_event=False, expects_work=False)
AGENT = Capabilities(executes_model_output=True, terminal_event=True, expects_work=True)
RESULT = AttemptResult(Ending.EXITED, 0, "t", "t", 1.0, 0.5, 10, False)
FINISHED = Evidence(has_terminal_event=True, tool_calls=3)


def reason(
    result: AttemptResult = RESULT,
    evidence: Evidence = FINISHED,
    capabilities: Capabilities = AGENT,
    completion: Completion = Completion.FINISHED,
    found: tuple[str, ...] = (),
) -> str:
    return decide(result, evidence, capabilities, completion, found).exit_reason


def test_every_ending_but_an_exit_has_its_reason() -> None:
    assert set(BY_ENDING) == set(Ending) - {Ending.EXITED}


@pytest.mark.parametrize("ending", BY_ENDING)
def test_an_ending_brought_about_wins_over_what_the_agent_says(ending: Ending) -> None:
    said = replace(FINISHED, exit_reason=ExitReason.RATE_LIMITED)
    assert reason(replace(RESULT, ending=ending), said) == BY_ENDING[ending]


@pytest.mark.parametrize(
    ("result", "evidence", "capabilities", "completion", "expected"),
    [
        (RESULT, FINISHED, AGENT, Completion.FINISHED, "ok"),
        (RESULT, FINISHED, AGENT, Completion.STOPPED_EARLY, "ok"),
        (RESULT, FINISHED, AGENT, Completion.NO_OP, "no-op-run"),
        (RESULT, replace(FINISHED, tool_calls=0), AGENT, Completion.FINISHED, "no-op-run"),
        (RESULT, replace(FINISHED, tool_calls=None), AGENT, Completion.FINISHED, "ok"),
        (RESULT, Evidence(), AGENT, Completion.FINISHED, "transient-api-error"),
        (RESULT, Evidence(), PLAIN, Completion.NO_OP, "ok"),
        (replace(RESULT, exit_code=1), FINISHED, AGENT, Completion.FINISHED, "error-1"),
        (replace(RESULT, exit_code=137), Evidence(), PLAIN, Completion.NO_OP, "error-137"),
        (
            replace(RESULT, exit_code=1),
            Evidence(exit_reason=ExitReason.PROVIDER_REFUSAL),
            AGENT,
            Completion.FINISHED,
            "provider-refusal",
        ),
    ],
)
def test_an_agent_that_ended_by_itself(
    result: AttemptResult,
    evidence: Evidence,
    capabilities: Capabilities,
    completion: Completion,
    expected: str,
) -> None:
    assert reason(result, evidence, capabilities, completion) == expected


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (RESULT, "tampered"),
        (replace(RESULT, exit_code=1), "tampered"),
        (replace(RESULT, ending=Ending.TIMEOUT), "tampered"),
        (replace(RESULT, ending=Ending.DRAINED), "interrupted"),
        (replace(RESULT, ending=Ending.DOCKER_LOST), "docker-lost"),
        (replace(RESULT, ending=Ending.COULD_NOT_START), "setup-error"),
    ],
)
def test_tampering_counts_unless_the_machine_was_lost(result: AttemptResult, expected: str) -> None:
    assert reason(result, found=("the reporter's files were changed",)) == expected


@pytest.mark.parametrize(
    ("changed", "is_unfinished", "expected"),
    [
        ((), False, Completion.NO_OP),
        (("todo.md",), False, Completion.STOPPED_EARLY),
        (("tests/test_a.py",), False, Completion.STOPPED_EARLY),
        (("src/a.py", "tests/test_a.py"), False, Completion.FINISHED),
        (("src/a.py",), True, Completion.STOPPED_EARLY),
    ],
)
def test_completion_looks_for_production_files(
    changed: tuple[str, ...], is_unfinished: bool, expected: Completion
) -> None:
    assert completion_of(changed, is_unfinished, python_pytest) is expected


def test_without_a_toolchain_any_change_is_a_finished_run() -> None:
    assert completion_of(("a",), False, none) is Completion.FINISHED
