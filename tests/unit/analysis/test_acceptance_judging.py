import pytest
from lab.analysis import acceptance
from lab.analysis.acceptance import Answer, judge, judge_one, questions
from lab.domain.acceptance import AcceptanceSuite, Scenario, ScenarioStatus
from lab.domain.metric import Reason
from lab.errors import ToolFailed

SCENARIO = Scenario("01-a", "[]", '{"n": 1}')


def answer(**changes: object) -> Answer:
    known: dict[str, object] = {
        "name": "01-a",
        "exit_code": 0,
        "seconds": 0.1,
        "tries": 1,
        "is_timeout": False,
        "is_overflow": False,
        "stdout": '{"n": 1.0}\n',
        "stderr": "",
    }
    return Answer(**(known | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "status", "told"),
    [
        ({}, "pass", ""),
        ({"stdout": '{"n": 2}'}, "mismatch", "$.n: expected 1, got 2"),
        ({"stdout": ""}, "unparsable", "Expecting value"),
        ({"stdout": '{"n": 1}\nbye'}, "unparsable", "Extra data"),
        ({"stdout": "\udcff"}, "unparsable", "utf-8"),
        ({"exit_code": 1, "stderr": "a\nboom\n"}, "error", "exit 1: boom"),
        ({"exit_code": -9}, "error", "exit -9: nothing on stderr"),
        ({"exit_code": -9, "is_timeout": True}, "timeout", "still running after 0.1 s"),
        ({"exit_code": -9, "is_overflow": True}, "unparsable", "more than"),
    ],
)
def test_a_scenario_is_judged(changes: dict[str, object], status: str, told: str) -> None:
    result = judge_one(SCENARIO, answer(**changes))
    assert result.status == ScenarioStatus(status)
    assert told in result.detail


def test_what_is_expected_does_not_travel() -> None:
    suite = AcceptanceSuite((SCENARIO,), 5.0, adapter=("a.py", "x"))
    assert questions(suite) == {
        "command": None,
        "timeout_seconds": 5.0,
        "adapter": ("a.py", "x"),
        "scenarios": [["01-a", "[]"]],
    }


def test_an_answer_that_is_missing_is_no_failed_scenario() -> None:
    suite = AcceptanceSuite((SCENARIO,), 5.0)
    with pytest.raises(ToolFailed, match="01-a"):
        judge(suite, [])


def test_scenarios_are_counted() -> None:
    results = (judge_one(SCENARIO, answer()), judge_one(SCENARIO, answer(stdout="1")))
    values = [one.value for one in acceptance.metrics(results, Reason.TOOL_FAILED).values()]
    assert values == [2, 1, 0.5]


def test_without_results_nothing_is_zero() -> None:
    found = acceptance.metrics(None, Reason.NOT_APPLICABLE)
    assert {one.reason for one in found.values()} == {Reason.NOT_APPLICABLE}
    assert set(found) == set(acceptance.COLUMNS)
