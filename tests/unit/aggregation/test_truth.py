"""Instrument truth: runs against hand-written expectations."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from builders.pools import add_record, identity, record
from lab.aggregation.truth import Truth, compare, markdown, shorten, verdict, write_truth
from lab.domain.metric import Measurement, Reason, measured, missing
from lab.domain.question import ResearchQuestion
from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.questions import find_question

BY = "chain@1"
RUN = "2026-05-01_10-00-00_kata"
QUESTION = """---
id: RQ-truth
question: "Is it true?"
factors:
  model: [{models}]
controls: {{kata_base: game-of-life, prompt: prose, workflow: calibration-v1, stack: python-pytest}}
outcomes: [cycles_total]
min_replicates: 1
---
"""
EXPECTED = {
    "schema_version": 1,
    "kata_base": "game-of-life",
    "manner": "strict-tdd",
    "exit_reason": "ok",
    "completion": "finished",
    "labels": ["Red", "Green"],
    "cycles": [["Red", "Green"]],
    "columns": {"cycles_total": 1, "chain_ends_green": True},
    "missing": {"green_attempts": "not-applicable"},
}
TRUE: Mapping[str, Measurement] = {
    "cycles_total": measured(1, BY),
    "chain_ends_green": measured(True, BY),
    "green_attempts": missing(Reason.NOT_APPLICABLE, BY),
    "code_mass": measured(70, "mass@1"),
}
TEST = ["tests/test_a.py", "test_a"]


def suite(number: int, files: Mapping[str, str], status: str) -> list[dict[str, object]]:
    session = {"schema_version": 1, "session": f"s{number}"}
    return [
        {**session, "kind": "started", "files": files, "runner": "pytest", "route": "path"},
        {**session, "kind": "finished", "result": "named", "tests": [[TEST, status]]},
    ]


RED = suite(1, {"tests/test_a.py": "1"}, "failed")
GREEN = suite(2, {"tests/test_a.py": "1", "src/a.py": "1"}, "passed")
BASELINE = {"schema_version": 1, "kind": "baseline", "files": {}}


@pytest.fixture
def paths(tmp_path: Path) -> LabPaths:
    """A lab root with one question and one expectation of its own; the rest is the repository's."""
    paths = LabPaths(tmp_path)
    expect(paths, EXPECTED)
    paths.runs.mkdir(parents=True)
    return paths


def expect(paths: LabPaths, document: Mapping[str, object]) -> None:
    folder = paths.research / "calibration" / "expected" / "game-of-life"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "strict-tdd.json").write_text(json.dumps(document))


def ask(paths: LabPaths, *models: str) -> ResearchQuestion:
    folder = paths.research / "calibration" / "1-truth"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text(QUESTION.format(models=", ".join(models)))
    return find_question(paths, "RQ-truth")


def run(
    paths: LabPaths,
    *suites: list[dict[str, object]],
    metrics: Mapping[str, Measurement] = TRUE,
    **changed: object,
) -> None:
    who = identity(RUN, **changed)
    folder = add_record(paths, record(who), metrics)
    lines = [BASELINE, *(line for one in suites for line in one)]
    (folder / "tdd-events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_a_run_as_expected_differs_in_nothing(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED, GREEN)
    truth = compare(paths, question)
    assert (truth.is_true, truth.compared, truth.differences) == (True, 7, 0)
    assert verdict(truth) == "7 facts of 1 run compared, 0 differ"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"exit_reason": "timeout"}, ["exit_reason"]),
        ({"completion": "no-op"}, ["completion"]),
        ({"completion": None}, ["completion"]),
        ({"metrics": TRUE | {"cycles_total": measured(2, BY)}}, ["cycles_total"]),
        ({"metrics": TRUE | {"chain_ends_green": measured(1, BY)}}, ["chain_ends_green"]),
        ({"metrics": TRUE | {"green_attempts": measured(0, BY)}}, ["green_attempts"]),
        ({"metrics": None}, ["cycles_total", "chain_ends_green", "green_attempts"]),
    ],
    ids=str,
)
def test_each_fact_is_compared(
    paths: LabPaths, changed: dict[str, object], what: list[str]
) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED, GREEN, **changed)
    truth = compare(paths, question)
    assert [one.what for row in truth.rows for one in row.differences] == what
    assert not truth.is_true


def test_labels_come_from_the_events_and_not_from_the_metrics(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED)
    [row] = compare(paths, question).rows
    assert [(one.what, one.expected, one.measured) for one in row.differences] == [
        ("labels", "Red Green", "Red"),
        ("cycles", "Red Green", "Red"),
    ]


def test_a_run_without_events_was_never_tested(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    add_record(paths, record(identity(RUN)), TRUE)
    [row] = compare(paths, question).rows
    assert [one.measured for one in row.differences] == ["never tested", "none"]


def test_every_run_of_a_manner_is_compared(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED, GREEN)
    add_record(paths, record(identity("2026-06-01_10-00-00_kata"), executor="docker"), TRUE)
    rows = compare(paths, question).rows
    found = [(row.executor, len(row.differences)) for row in rows]
    assert found == [("local", 0), ("docker", 2)]


def test_a_manner_without_a_run_is_no_truth(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    truth = compare(paths, question)
    assert (truth.is_true, truth.absent) == (False, ("strict-tdd",))
    assert write_truth(paths, truth) == ()


@pytest.mark.parametrize("reason", ["interrupted", "setup-error"])
def test_a_run_that_was_never_measured_is_set_aside(paths: LabPaths, reason: str) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED, exit_reason=reason, metrics=None)
    alone = compare(paths, question)
    assert (alone.is_true, alone.absent, alone.compared) == (False, ("strict-tdd",), 0)
    assert verdict(alone).endswith(f"set aside, never measured: {reason}")
    assert write_truth(paths, alone) == ()


def test_a_measured_run_makes_up_for_one_that_was_interrupted(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED, GREEN)
    other = identity("2026-04-01_10-00-00_kata", exit_reason="interrupted", completion=None)
    add_record(paths, record(other))
    truth = compare(paths, question)
    assert (truth.is_true, truth.runs) == (True, 1)
    assert "| set aside: interrupted | 0 | 0 |" in markdown(truth)
    assert write_truth(paths, truth) == ("truth.json", "truth.md")


def test_a_model_without_a_manner_is_refused(paths: LabPaths) -> None:
    question = ask(paths, "none")
    with pytest.raises(LabError, match="none is no calibration model"):
        compare(paths, question)


def test_a_manner_without_an_expectation_is_refused(paths: LabPaths) -> None:
    question = ask(paths, "calibration-nop")
    with pytest.raises(LabError, match="nop.json: does not exist"):
        compare(paths, question)


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({**EXPECTED, "manner": "nop"}, "is about game-of-life, nop"),
        ({**EXPECTED, "missing": {"cycles_total": "unknown"}}, "missing"),
        ({"schema_version": 1}, "manner"),
    ],
    ids=["another manner", "unknown reason", "incomplete"],
)
def test_a_broken_expectation_is_told(
    paths: LabPaths, document: dict[str, object], told: str
) -> None:
    expect(paths, document)
    question = ask(paths, "calibration-strict-tdd")
    with pytest.raises(LabError, match=told):
        compare(paths, question)


def test_a_second_writing_changes_nothing(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED, GREEN)
    truth = compare(paths, question)
    assert write_truth(paths, truth) == ("truth.json", "truth.md")
    assert write_truth(paths, compare(paths, question)) == ()


def test_a_difference_is_named_on_the_page(paths: LabPaths) -> None:
    question = ask(paths, "calibration-strict-tdd")
    run(paths, RED, GREEN, metrics=TRUE | {"cycles_total": measured(2, BY)})
    page = markdown(compare(paths, question)).splitlines()
    assert f"| strict-tdd | {RUN} | local | Red Green | 7 | 1 |" in page
    assert page[-1] == f"| {RUN} | cycles_total | 1 | 2 |"


@pytest.mark.parametrize(
    ("labels", "expected"),
    [((), "never tested"), (("Red",), "Red"), (("Start", "Both", "Both"), "Start Both x2")],
)
def test_labels_are_shortened(labels: tuple[str, ...], expected: str) -> None:
    assert shorten(labels) == expected


def test_nothing_compared_is_no_truth(paths: LabPaths) -> None:
    assert not Truth(ask(paths, "calibration-strict-tdd"), ()).is_true
