import pytest
from builders.metrics import metric_row, registry_of
from builders.pools import add_run, identity
from builders.questions import QUESTION, small_lab, small_question
from lab.aggregation.gather import Sources, choose, gather, outcome_rows
from lab.errors import LabError

LIFE = {"kata": "life-prose", "kata_base": "life", "prompt": "prose", "workflow": "plain-v1"}


def add(paths, run_id, model="m1", **changes):
    add_run(paths, identity(run_id, model=model, **LIFE, **changes), {})


def chosen(paths):
    return choose(Sources(paths), small_question(paths))


def test_runs_of_all_alternatives_share_a_cell_and_are_sorted(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "3", "m2")
    add(paths, "1", "m2-routed")
    add(paths, "2", "m1")
    add(paths, "0", "another-model")
    assert [part.run_ids for part in chosen(paths).cells] == [("2",), ("1", "3")]
    assert [part.cell.model for part in chosen(paths).cells] == ["m1", "m2"]


def test_failed_runs_are_matched_but_only_ok_runs_count(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1")
    add(paths, "2", exit_reason="timeout")
    add(paths, "3", exit_reason="error-1")
    add(paths, "4", exit_reason=None)
    sources = Sources(paths)
    question = small_question(paths)
    cell = gather(sources, question, choose(sources, question)).cells[0]
    assert [run.run_id for run in cell.runs] == ["1", "2", "3", "4"]
    assert [run.run_id for run in cell.counted] == ["1"]
    assert cell.timeouts == 1


def test_a_run_on_another_stack_than_the_katas_first_is_not_matched(tmp_path):
    paths = small_lab(tmp_path)
    add(paths, "1", stack="rust-cargo")
    assert chosen(paths).run_ids == ()


def test_a_run_that_two_cells_match_counts_in_the_first_and_is_reported(tmp_path):
    text = QUESTION.replace("model: [m1, {any: [m2, m2-routed]}]", "model: [m1, {any: [m2, m1]}]")
    paths = small_lab(tmp_path, text)
    add(paths, "1", "m1")
    add(paths, "2", "m1", exit_reason="timeout")
    found = chosen(paths)
    assert [part.run_ids for part in found.cells] == [("1", "2"), ()]
    assert [(row.taken.model, row.also.model, row.runs) for row in found.overlaps] == [
        ("m1", "m2", 2)
    ]


def test_a_version_selects_by_its_leading_token(tmp_path):
    paths = small_lab(
        tmp_path,
        QUESTION.replace("controls:", 'controls:\n  harness_version: "2.10"'),
    )
    add(paths, "1", harness_version="2.10 (CLI)")
    add(paths, "2", harness_version="2.1 (CLI)")
    assert chosen(paths).run_ids == ("1",)


def test_an_outcome_without_a_row_is_an_error_with_the_nearest_name(tmp_path):
    paths = small_lab(tmp_path, QUESTION.replace("code_mass", "code_mas"))
    with pytest.raises(LabError, match="unknown outcome code_mas: did you mean code_mass?"):
        outcome_rows(small_question(paths), Sources(paths).registry, is_imported=False)


def test_an_imported_question_may_name_what_never_existed(tmp_path):
    paths = small_lab(tmp_path, QUESTION.replace("code_mass", "tdd_cycles"))
    registry = registry_of(metric_row("green"), metric_row("share"))
    rows = outcome_rows(small_question(paths), registry, is_imported=True)
    assert [row.id for row in rows] == ["green", "share"]
