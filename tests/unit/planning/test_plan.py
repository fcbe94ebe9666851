"""The planner: missing = wanted minus ok, in randomised complete blocks, shared cells once."""

from collections import Counter
from dataclasses import replace

import pytest
from builders.declared import SMALL, question_of
from builders.fresh_runs import SHA, VERSION, results_of, rules
from builders.pools import identity
from lab.domain.coverage import group_runs
from lab.domain.plan import PlannedRun
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunIdentity
from lab.planning.plan import CellPlan, Planning, plan_questions, seed_of

TWO_MODELS = (
    "factors: {model: [m1, m2]}\ncontrols: {kata_base: life, prompt: prose, workflow: w1}\n"
)


def question(
    body: str = TWO_MODELS, min_replicates: int = 3, name: str = "RQ-a"
) -> ResearchQuestion:
    head = f"id: {name}\nquestion: q\noutcomes: [tests_passing]\nmin_replicates: {min_replicates}\n"
    return question_of(body, head)


def run(number: int, **changes: object) -> RunIdentity:
    facts = {
        "kata": "life-prose",
        "kata_base": "life",
        "workflow": "w1",
        "model": "m1",
        "harness_version": VERSION,
        "hashes": (("prompt_sha", SHA),),
    }
    return identity(f"r{number:03d}", **(facts | changes))


def planned(
    *questions: ResearchQuestion, pool: tuple[RunIdentity, ...] = (), seed: int | None = None
) -> Planning:
    return plan_questions(questions, group_runs(pool), rules(), seed)


def only_cell(body: str, *pool: RunIdentity) -> CellPlan:
    (part,) = planned(question(body), pool=pool).questions
    (cell,) = part.cells
    return cell


def models(planning: Planning) -> Counter[str]:
    return Counter(each.model for each in planning.plan.runs)


def test_an_empty_pool_needs_every_replicate() -> None:
    assert models(planned(question())) == {"m1": 3, "m2": 3}


def test_only_ok_runs_count_and_failures_are_replaced() -> None:
    pool = (
        run(1),
        run(2, exit_reason="timeout"),
        run(3, exit_reason="error-1"),
        run(4, model="m2"),
    )
    planning = planned(question(), pool=pool)
    assert models(planning) == {"m1": 2, "m2": 2}
    first = planning.questions[0].cells[0]
    assert (first.coverage.usable, first.missing, first.planned) == (1, 2, 2)
    assert [each.exit_reason for each in first.coverage.failures] == ["timeout", "error-1"]


def test_a_covered_question_gives_an_empty_plan() -> None:
    pool = tuple(run(number, model=f"m{number % 2 + 1}") for number in range(8))
    planning = planned(question(), pool=pool)
    assert planning.plan.runs == ()
    assert all(cell.is_full for cell in planning.questions[0].cells)


def test_a_plan_names_kata_workflow_model_stack_and_block() -> None:
    planning = planned(question(min_replicates=1))
    assert set(planning.plan.runs) == {
        PlannedRun("life-prose", "w1", "m1", "python-pytest", 1),
        PlannedRun("life-prose", "w1", "m2", "python-pytest", 1),
    }
    assert planning.plan.name == "RQ-a fill"


def test_every_block_holds_each_cell_that_still_misses_one() -> None:
    pool = (run(1), run(2))
    runs = planned(question(min_replicates=4), pool=pool).plan.runs
    assert [each.block for each in runs] == [1, 1, 2, 2, 3, 4]
    for block in (1, 2):
        assert {each.model for each in runs if each.block == block} == {"m1", "m2"}


def test_the_order_within_blocks_is_shuffled_by_the_seed() -> None:
    body = (
        "factors:\n  prompt: [prose, user-story]\n  model: [m1, m2, m3]\n"
        "controls: {kata_base: life, workflow: w1}\n"
    )
    plans = [planned(question(body, 6), seed=seed).plan for seed in (1, 1, 2)]
    assert plans[0] == plans[1]
    assert plans[0].runs != plans[2].runs
    assert plans[0].seed == 1
    orders = {tuple(each.model for each in plans[0].runs if each.block == n) for n in range(1, 7)}
    assert len(orders) > 1


def test_the_order_is_the_same_on_every_machine_and_python() -> None:
    three = question(TWO_MODELS.replace("[m1, m2]", "[m1, m2, m3]"))
    runs = planned(three, seed=1).plan.runs
    assert " ".join(each.model for each in runs) == "m2 m3 m1 m3 m1 m2 m1 m3 m2"
    assert seed_of([three]) == 843470456


def test_the_default_seed_follows_from_the_question_alone() -> None:
    assert planned(question()).plan == planned(question()).plan
    assert planned(question()).plan.seed == seed_of([question()])
    assert seed_of([question()]) != seed_of([question(name="RQ-b")])
    moved = replace(question(), folder="research/elsewhere")
    assert seed_of([moved]) == seed_of([question()])


def test_a_closed_question_asks_for_nothing() -> None:
    closed = question(TWO_MODELS + "closed: the model is gone\n")
    assert planned(closed).plan.runs == ()


def test_a_cell_shared_by_two_questions_is_planned_once() -> None:
    other = question(
        "controls: {kata_base: life, prompt: prose, workflow: w1, model: m1}\n", 5, "RQ-b"
    )
    planning = planned(question(), other)
    assert models(planning) == {"m1": 5, "m2": 3}
    first, second = planning.questions
    assert (first.cells[0].planned, first.cells[0].shared) == (3, 0)
    assert (second.cells[0].planned, second.cells[0].shared) == (2, 3)


def test_a_cell_with_alternatives_takes_what_a_stricter_one_needs() -> None:
    loose = question(
        "controls: {kata_base: life, prompt: prose, workflow: w1, model: {any: [m1, m2]}}\n", 3
    )
    strict = question(
        "controls: {kata_base: life, prompt: prose, workflow: w1, model: m2}\n", 3, "RQ-b"
    )
    planning = planned(loose, strict)
    assert models(planning) == {"m2": 3}
    assert planning.questions[0].cells[0].shared == 3


CELL = "controls: {kata_base: life, prompt: prose, workflow: %s, model: %s%s}\n"


@pytest.mark.parametrize(
    ("workflow", "model", "expected", "reason"),
    [
        ("w1", "{any: [m-old, m2]}", ("w1", "m2"), "the model m-old is archived"),
        ("w3", "{any: [m1, m3]}", ("w3", "m3"), "h2 cannot run the model m1"),
        ("{any: [w-old, w2]}", "m1", ("w2", "m1"), "the workflow w-old is archived"),
        ("{any: [w3, w1]}", "m1", ("w1", "m1"), "h2 cannot run the model m1"),
        ("w1", "{any: [m2, m1]}", ("w1", "m2"), None),
    ],
)
def test_the_first_alternative_that_can_run_is_planned(
    workflow: str, model: str, expected: tuple[str, str], reason: str | None
) -> None:
    cell = only_cell(CELL % (workflow, model, ""))
    assert cell.choice is not None
    assert cell.choice.run is not None
    assert (cell.choice.run.workflow, cell.choice.run.model) == expected
    assert cell.choice.relabelled == reason


@pytest.mark.parametrize(
    ("workflow", "model", "more", "reason"),
    [
        ("w-old", "m1", "", "the workflow w-old is archived"),
        ("w1", "m-old", "", "the model m-old is archived"),
        ("w3", "m1", "", "h2 cannot run the model m1"),
        ("w9", "m1", "", "there is no workflow w9"),
        ("w1", "m9", "", "there is no model m9"),
        ("w1", "m1", ", stack: rust-cargo", "the kata life is not made for the stack rust-cargo"),
        ("w1", "m1", ", harness_version: unrecorded", "fresh runs record theirs"),
        ("w1", "m1", ", harness_version: 2.1.1",
         "pinned to harness_version 2.1.1, now it is 2.1.267"),
        ("w1", "m1", ", prompt_sha: bbb", "pinned to prompt_sha bbb, now it is aaaaaaaaaaaa"),
        ("w1", "m1", ", suite_sha: bbb", "pinned to suite_sha bbb, now it is nothing"),
    ],
)  # fmt: skip
def test_a_cell_that_no_fresh_run_would_match_is_unfillable(
    workflow: str, model: str, more: str, reason: str
) -> None:
    planning = planned(question(CELL % (workflow, model, more)))
    cell = planning.questions[0].cells[0]
    assert planning.plan.runs == ()
    assert cell.missing == 3
    assert cell.unfillable is not None
    assert reason in cell.unfillable


@pytest.mark.parametrize(
    "more",
    [
        f", harness_version: {VERSION}",
        f", prompt_sha: {SHA}",
        ", image_digest: 'sha256:1'",
        ", stack: none",
    ],
)
def test_a_pin_that_is_current_or_cannot_be_known_yet_is_fillable(more: str) -> None:
    assert only_cell(CELL % ("w1", "m1", more)).planned == 3


def test_an_archived_kata_makes_a_cell_unfillable() -> None:
    cell = only_cell((CELL % ("w1", "m1", "")).replace("life", "life-old"))
    assert cell.unfillable == "the kata life-old is archived"


def test_a_version_known_only_afterwards_refuses_nothing() -> None:
    from lab.planning.fresh import FreshRun

    pinned = question(CELL % ("w1", "m1", ", harness_version: 9.9"))
    unknown = rules(SMALL, FreshRun(None, ()))
    planning = plan_questions([pinned], group_runs(()), unknown)
    assert len(planning.plan.runs) == 3


def test_a_full_cell_is_never_unfillable() -> None:
    pool = tuple(run(number, workflow="w-old") for number in range(3))
    cell = only_cell(CELL % ("w-old", "m1", ""), *pool)
    assert (cell.missing, cell.unfillable) == (0, None)


def test_planning_again_after_the_runs_gives_an_empty_plan() -> None:
    first = planned(question())
    assert planned(question(), pool=results_of(first.plan.runs)).plan.runs == ()


def test_failed_results_are_planned_again() -> None:
    first = planned(question())
    failed = results_of(first.plan.runs, "timeout")
    assert models(planned(question(), pool=failed)) == models(first)
