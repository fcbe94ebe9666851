import pytest
from lab.domain.metric import Reason, measured, missing
from lab.errors import ToolFailed
from lab.stacks.steps import CannotMeasure, Reading, Step, all_missing, run_steps


def working(project: str) -> Reading:
    return Reading({"a": 1, "b": Reason.NOT_APPLICABLE}, {"seen": project})


def raising(error: Exception) -> "Step[str]":
    def run(project: str) -> Reading:
        raise error

    return Step("broken", "2", ("c", "d"), run)


WORKING: Step[str] = Step("good", "1", ("a", "b"), working)


@pytest.mark.parametrize(
    ("error", "reason", "told"),
    [
        (ToolFailed("ruff", "boom", 2), Reason.TOOL_FAILED, "boom"),
        (CannotMeasure(Reason.NO_SOURCE), Reason.NO_SOURCE, "no-source"),
        (CannotMeasure(Reason.UNPARSABLE, "a.py:3"), Reason.UNPARSABLE, "a.py:3"),
        (OSError(28, "No space left on device"), Reason.TOOL_FAILED, "No space left"),
        (MemoryError(), Reason.TOOL_FAILED, "MemoryError"),
    ],
)
def test_a_step_that_fails_costs_its_own_metrics_only(
    error: Exception, reason: Reason, told: str
) -> None:
    found = run_steps((raising(error), WORKING), "here")
    assert found.metrics == {
        "c": missing(reason, "broken@2"),
        "d": missing(reason, "broken@2"),
        "a": measured(1, "good@1"),
        "b": missing(Reason.NOT_APPLICABLE, "good@1"),
    }
    (text,) = found.details["broken"].values()
    assert told in text
    is_failure = reason is Reason.TOOL_FAILED
    assert list(found.details["broken"]) == ["failure" if is_failure else "why"]
    assert found.details["good"] == {"seen": "here"}


def test_a_fault_of_our_own_is_not_hidden() -> None:
    with pytest.raises(KeyError):
        run_steps((raising(KeyError("x")),), "here")


def test_a_step_answers_for_exactly_what_it_declares() -> None:
    with pytest.raises(ValueError, match="'b'"):
        run_steps((Step("odd", "1", ("a",), working),), "here")


def test_all_metrics_of_steps_can_be_missing_at_once() -> None:
    assert all_missing((WORKING,), Reason.TOOL_FAILED) == {
        "a": missing(Reason.TOOL_FAILED, "good@1"),
        "b": missing(Reason.TOOL_FAILED, "good@1"),
    }
