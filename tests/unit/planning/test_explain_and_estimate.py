"""Why a cell has what it has, and what a plan will take."""

from collections.abc import Mapping, Sequence

import pytest
from builders.declared import question_of
from builders.fresh_runs import rules
from builders.pools import identity
from lab.domain.coverage import group_runs
from lab.domain.metric import Measurement, Reason, measured, missing
from lab.domain.run import RunIdentity
from lab.errors import LabError
from lab.planning.estimate import Estimate, Sum, estimate
from lab.planning.explain import Verdict, explain, find_cell
from lab.planning.plan import Planning, plan_questions
from lab.planning.report import (
    explanation_document,
    explanation_lines,
    planning_document,
    planning_lines,
)

BODY = (
    "factors: {model: [m1, m2]}\n"
    "controls: {kata_base: life, prompt: prose, workflow: w1, harness_version: 2.1.267}\n"
    "min_replicates: 3\n"
)


def run(number: int, **changes: object) -> RunIdentity:
    facts = {
        "kata": "life-prose",
        "kata_base": "life",
        "workflow": "w1",
        "model": "m1",
        "harness_version": "2.1.267 (Claude Code)",
    }
    return identity(f"r{number}", **(facts | changes))


POOL = (
    run(1),
    run(2, exit_reason="timeout"),
    run(3, harness_version=None),
    run(4, stack="rust-cargo"),
    run(5, workflow="w2"),
    run(6, kata="life-user-story"),
    run(7, kata="life-user-story", workflow="w2"),
    run(8, workflow="w2", exit_reason="timeout"),
)


def planning(pool: Sequence[RunIdentity] = POOL) -> Planning:
    return plan_questions([question_of(BODY)], group_runs(pool), rules())


def test_a_cell_is_explained_run_by_run() -> None:
    part = planning().questions[0]
    found = explain(part, part.cells[0], POOL)
    assert found.counted == (Verdict("r1", "ok"),)
    assert found.not_counted == (Verdict("r2", "ended timeout, not ok"),)
    assert found.near == (
        Verdict("r3", "harness_version unrecorded, wanted 2.1.267"),
        Verdict("r4", "stack rust-cargo, wanted python-pytest"),
    )
    assert found.one_axis_off == (("kata", 1), ("workflow", 1))


def test_an_explanation_reads_like_this() -> None:
    part = planning().questions[0]
    assert list(explanation_lines(explain(part, part.cells[0], POOL))) == [
        "cell 1: life-prose / w1 / m1 / python-pytest / 2.1.267",
        "  1 ok of 3; 2 planned; replaces 1 timeout",
        "  counts (1):",
        "    r1: ok",
        "  does not count (1):",
        "    r2: ended timeout, not ok",
        "  does not match, though kata, workflow and model do (2):",
        "    r3: harness_version unrecorded, wanted 2.1.267",
        "    r4: stack rust-cargo, wanted python-pytest",
        "  1 more ok runs differ in the kata only",
        "  1 more ok runs differ in the workflow only",
    ]


def test_an_explanation_as_json_holds_the_same() -> None:
    part = planning().questions[0]
    document = explanation_document(explain(part, part.cells[0], POOL))
    assert document["counted"] == ["r1"]
    assert document["missing"] == 2
    assert document["one_axis_off"] == {"kata": 1, "workflow": 1}


@pytest.mark.parametrize(
    "reference", ["2", "m2", "w1 m2", "life-prose / w1 / m2 / python-pytest / 2.1.267"]
)
def test_a_cell_is_found_by_number_words_or_key(reference: str) -> None:
    assert find_cell(planning().questions[0], reference).number == 2


@pytest.mark.parametrize(("reference", "what"), [("w1", "several cells"), ("m9", "no cell")])
def test_an_unclear_reference_lists_the_cells(reference: str, what: str) -> None:
    with pytest.raises(LabError) as caught:
        find_cell(planning().questions[0], reference)
    assert what in caught.value.faults[0]
    assert len(caught.value.faults) == 3


def measure(values: Mapping[str, Mapping[str, Measurement]]):  # type: ignore[no-untyped-def]
    def look(run_ids: Sequence[str]) -> dict[str, Mapping[str, Measurement]]:
        return {run_id: values.get(run_id, {}) for run_id in run_ids}

    return look


def test_hours_and_money_come_from_earlier_ok_runs_of_the_cell() -> None:
    pool = (run(1), run(2))
    values = {
        "r1": {"wall_seconds": measured(100, "x@1"), "cost_usd": measured(0.5, "x@1")},
        "r2": {
            "duration_seconds": measured(200.0, "x@1"),
            "cost_usd": missing(Reason.NO_SOURCE, "x"),
        },
    }
    found = estimate(planning(pool), measure(values))
    assert found == Estimate(4, Sum(150.0, 1), Sum(0.5, 1))


def test_a_known_price_of_nothing_is_known() -> None:
    values = {"r1": {"cost_usd": measured(0.0, "x@1")}}
    found = estimate(planning((run(1),)), measure(values))
    assert found.cost_usd == Sum(0.0, 2)
    assert found.seconds == Sum(None, 0)


def test_failed_runs_tell_nothing_about_time() -> None:
    values = {"r2": {"wall_seconds": measured(5400, "x@1")}}
    found = estimate(planning((run(2, exit_reason="timeout"),)), measure(values))
    assert found.seconds == Sum(None, 0)


def test_the_report_reads_like_this() -> None:
    shown = planning()
    expected = Estimate(5, Sum(7200.0, 3), Sum(None, 0))
    assert list(planning_lines(shown, expected)) == [
        "RQ-a: 2 cells, 0 full, 2 short at 3 per cell; 2 runs matched, 1 ok",
        "  1: life-prose / w1 / m1 / python-pytest / 2.1.267: "
        "1 ok of 3; 2 planned; replaces 1 timeout",
        "  2: life-prose / w1 / m2 / python-pytest / 2.1.267: 0 ok of 3; 3 planned",
        "5 runs planned; expected running time 2.0 h and unknown for 2 runs; expected cost unknown",
    ]


def test_what_is_unknown_is_null_in_the_document() -> None:
    document = planning_document(planning(), Estimate(5, Sum(None, 0), Sum(1.5, 2)))
    assert document["expected"] == {
        "runs": 5,
        "seconds": None,
        "seconds_known_for_runs": 0,
        "cost_usd": 1.5,
        "cost_known_for_runs": 2,
    }
    assert document["questions"][0]["cells"][0]["failures"] == {"timeout": 1}


def test_unfillable_closed_and_many_cells_are_said() -> None:
    body = (
        "factors: {model: [m-old, m1]}\ncontrols: {kata_base: life, prompt: prose, workflow: w1}\n"
    )
    shown = plan_questions([question_of(body)], group_runs(()), rules())
    lines = list(planning_lines(shown, Estimate(1, Sum(None, 0), Sum(None, 0))))
    assert "2 short (1 unfillable)" in lines[0]
    assert lines[1].endswith("0 ok of 1; UNFILLABLE: the model m-old is archived")
    closed = plan_questions([question_of(body + "closed: gone\n")], group_runs(()), rules())
    assert "closed (gone): nothing is planned" in next(
        iter(planning_lines(closed, Estimate(0, Sum(None, 0), Sum(None, 0))))
    )


def test_of_many_short_cells_twenty_are_shown() -> None:
    names = ", ".join(f"v{number}" for number in range(30))
    body = f"factors: {{prompt_sha: [{names}]}}\n" + (
        "controls: {kata_base: life, prompt: prose, workflow: w1, model: m1}\n"
    )
    shown = plan_questions([question_of(body)], group_runs(()), rules())
    lines = list(planning_lines(shown, Estimate(0, Sum(None, 0), Sum(None, 0))))
    assert len(lines) == 23
    assert lines[-2] == "  ... and 10 more short cells (--json lists them)"
    assert lines[-1] == "0 runs planned"
