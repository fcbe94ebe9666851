"""The notation of worked cases: what it accepts, and what it says of the rest."""

import pytest
from lab.chain.cases import parse_cases, solve, solved_text
from lab.domain.event import PathClass, Result, Status, SuiteEvent, TestResult
from lab.errors import LabError


def faults_of(text: str) -> tuple[str, ...]:
    with pytest.raises(LabError) as raised:
        parse_cases(text, "x.txt")
    return raised.value.faults


def test_an_event_line_is_read_in_full() -> None:
    (case,) = parse_cases("[one]\nTX | ~m::a=f b[x=1]=p d=s -> Both\n", "x.txt")
    tests = (
        TestResult(("m", "a"), Status.FAILED),
        TestResult(("b[x=1]",), Status.PASSED),
        TestResult(("d",), Status.SKIPPED),
    )
    changes = frozenset({PathClass.TEST, PathClass.CONFIGURATION})
    assert case.events == (SuiteEvent(changes, Result.NAMED, tests, is_partial=True, sequence=1),)
    assert case.labels == ("Both",)


@pytest.mark.parametrize(
    ("told", "result"), [("c", "does-not-compile"), ("x", "died"), ("0", "named"), ("~c", None)]
)
def test_results_without_tests(told: str, result: str | None) -> None:
    (case,) = parse_cases(f"[one]\n- | {told}\n", "x.txt")
    assert case.events[0].result == (result or "does-not-compile")
    assert case.events[0].is_partial == (result is None)
    assert case.events[0].tests == ()


def test_a_case_without_arrows_is_a_question_that_always_agrees() -> None:
    (case,) = parse_cases("[what is this]\nT | a=f\nI | a=p\n", "x.txt")
    outcome = solve(case)
    assert outcome.labels == ("Red", "Green")
    assert outcome.differences == ()


def test_cases_are_separated_by_empty_lines_or_by_their_names() -> None:
    text = "# a comment\n[one]\r\nT | a=f\r\n\n\n[two]\nT | c\n# inside\nI | a=p\n[three]\n- | 0"
    cases = parse_cases(text, "x.txt")
    assert [(case.name, len(case.events)) for case in cases] == [
        ("one", 1),
        ("two", 2),
        ("three", 1),
    ]


def test_differences_name_the_event_and_the_metric() -> None:
    text = "[one]\nT | a=f -> Skip\nI | a=p -> Green\n= cycles_total:2 score:0.5 opens_red:1\n"
    assert solve(parse_cases(text, "x.txt")[0]).differences == (
        "event 1: expected Skip, found Red",
        "cycles_total: expected 2, found 1",
        "score: expected 0.5, found 1",
        "opens_red: expected 1, found true",
    )


@pytest.mark.parametrize(("told", "agrees"), [("0.874", True), ("0.873", False), ("null", False)])
def test_fractions_are_compared_to_three_decimals(told: str, agrees: bool) -> None:
    text = f"[one]\nT | a=f s=f\nI | a=p s=p\nT | a=p s=p b=f\nI | a=p s=p b=p\n= score:{told}\n"
    assert (solve(parse_cases(text, "x.txt")[0]).differences == ()) is agrees


def test_a_null_is_no_zero() -> None:
    text = "[one]\n- | 0\n= score:0\n"
    assert solve(parse_cases(text, "x.txt")[0]).differences == ("score: expected 0, found null",)


def test_a_column_may_be_called_by_its_full_name() -> None:
    text = "[one]\nT | a=f\n= chain_suite_runs:1 tdd_discipline:0 tdd_after_cutoff:0\n"
    (case,) = parse_cases(text, "x.txt")
    assert [name for name, _ in case.metrics] == ["suite_runs", "score", "after_cutoff"]


def test_a_solved_case_is_a_case_that_agrees() -> None:
    text = "[one]\nT | a=f\nI | c\nI | ~a=p\n\n[two]\n- | 0\n"
    solved = "\n\n".join(solved_text(solve(case)) for case in parse_cases(text, "x.txt"))
    again = parse_cases(solved, "x.txt")
    assert [case.labels for case in again] == [("Red", "Green?(c)", "Green"), ("Start",)]
    assert [solve(case).differences for case in again] == [(), ()]
    assert all(len(case.metrics) == 22 for case in again)


def test_all_faults_of_a_file_are_told_at_once() -> None:
    text = "\n".join(
        [
            "[one]",
            "Q | a=f -> Red",
            "T a=f -> Red",
            "T | a=q -> Red",
            "T | -> Red",
            "T | a=f -> Rod",
            "= cycles_totl:1 score:much",
            "= score:much",
        ]
    )
    assert faults_of(text) == (
        "x.txt:2: changes 'Q': use a combination of T, I and X, or - for none",
        "x.txt:3: 'T a=f' is no event: write CHANGES | RESULT, such as T | a=f -> Red",
        "x.txt:4: test 'a=q': write id=p, id=f or id=s (alone: c, x or 0)",
        "x.txt:5: the result is empty: use c, x, 0 or tests such as a=p b=f",
        "x.txt:6: no label 'Rod': did you mean 'Red'?",
        "x.txt:7: no metric 'cycles_totl': did you mean 'cycles_total'?",
        "x.txt:8: score: 'much' is no number, true, false or null",
    )


def test_a_case_without_a_name_is_a_fault() -> None:
    assert faults_of("T | a=f -> Red") == (
        "x.txt:1: a case starts with [name], not with 'T | a=f -> Red'",
    )


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_a_file_without_cases_is_a_fault(text: str) -> None:
    assert faults_of(text) == (
        "x.txt: no case: a case starts with its [name] on a line of its own",
    )
