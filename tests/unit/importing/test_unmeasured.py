"""Which zeros become null, why, and which stay."""

import pytest
from builders.originals import august, original_of
from lab.domain.metric import Reason
from lab.importing.carry import Beside, carry
from lab.paths import REPOSITORY, LabPaths
from lab.store.registry import read_registry

REGISTRY = read_registry(LabPaths(REPOSITORY))
HARNESSES = {"v1": "claude-code", "v2-pi": "pi"}
NO_CODE = {
    "final_metrics__lines_of_code": 0,
    "final_metrics__code_mass": 0,
    "final_metrics__tests_passing": False,
    "final_metrics__mccabe_max": 0,
    "final_metrics__mccabe_avg": 0,
    "final_metrics__cognitive_max": 0,
    "final_metrics__cognitive_avg": 0,
    "clean_code__loc": 0,
    "clean_code__functions": 0,
    "clean_code__longest_function": 0,
    "clean_code__avg_loc_per_function": 0,
    "clean_code__median_loc_per_function": 0,
    "code_smells__total": 0,
    "code_smells__complexity": 0,
    "code_smells__magic_numbers": 0,
    "coverage__statements_pct": 0,
    "coverage__branches_pct": 0,
}
NO_LINT = {
    "final_metrics__mccabe_max": 0,
    "final_metrics__mccabe_avg": 0,
    "final_metrics__cognitive_max": 0,
    "final_metrics__cognitive_avg": 0,
    "code_smells__total": 0,
    "code_smells__complexity": 0,
    "code_smells__magic_numbers": 0,
}
UNCOVERED = {"coverage__statements_pct": 0, "coverage__branches_pct": 0}
RED = {"final_metrics__tests_passing": False}
PHASES = ("cycle", "red", "green", "refactor")


@pytest.fixture
def carried(tmp_path):
    def call(**changes):
        return carry(original_of(tmp_path, august(**changes)), Beside(HARNESSES, {}), REGISTRY)

    return call


def reasons(carried, *names):
    return {carried.metrics[name].reason for name in names}


def test_without_production_code_nothing_on_code_was_measured(carried):
    found = carried(**NO_CODE)
    names = ("production_loc", "code_mass", "smell_total", "mccabe_max", "longest_function")
    assert reasons(found, *names, "coverage_statements_pct") == {Reason.NO_SOURCE}
    assert found.metrics["tests_passing"].value is False
    assert found.metrics["test_lines"].value == 30
    assert found.record.identity.completion == "stopped-early"


def test_without_production_code_and_tests_the_run_did_nothing(carried):
    nothing = carried(**NO_CODE, final_metrics__test_lines=0, final_metrics__todos_remaining=0)
    assert nothing.record.identity.completion == "no-op"
    assert reasons(nothing, "todos_remaining") == {Reason.NO_SOURCE}


def test_tests_without_production_code_can_leave_nothing_to_do(carried):
    assert (
        carried(**NO_CODE, final_metrics__todos_remaining=0).metrics["todos_remaining"].value == 0
    )


def test_a_linter_that_saw_no_function_did_not_run(carried):
    found = carried(**NO_LINT)
    names = ("mccabe_max", "mccabe_avg", "mccabe_high_count", "cognitive_max", "smell_total")
    assert reasons(found, *names, "smell_code_quality") == {Reason.TOOL_FAILED}
    assert found.metrics["tests_passing"].value is True
    assert found.metrics["code_mass"].value == 100


def test_where_no_tool_ran_red_is_unknown(carried):
    found = carried(**NO_LINT, **RED, **UNCOVERED)
    names = ("tests_passing", "coverage_statements_pct", "coverage_branches_pct", "smell_total")
    assert reasons(found, *names) == {Reason.TOOL_FAILED}


def test_red_stays_where_coverage_shows_that_the_tests_ran(carried):
    assert carried(**NO_LINT, **RED).metrics["tests_passing"].value is False


def test_red_tests_write_no_coverage(carried):
    found = carried(**RED, **UNCOVERED)
    assert reasons(found, "coverage_statements_pct", "coverage_branches_pct") == {Reason.TESTS_RED}
    assert found.metrics["tests_passing"].value is False
    assert found.metrics["smell_duplication"].value == 0


def test_no_coverage_with_green_tests_is_a_measurement(carried):
    assert carried(**UNCOVERED).metrics["coverage_statements_pct"].value == 0


def test_functions_that_the_counter_overlooked_are_unknown(carried):
    found = carried(clean_code__functions=0, clean_code__longest_function=0)
    assert reasons(found, "functions", "longest_function") == {Reason.UNPARSABLE}
    assert found.metrics["mccabe_max"].value == 4


def test_passing_tests_of_which_none_was_counted_are_uncounted(carried):
    found = carried(final_metrics__tests_total=0)
    assert reasons(found, "tests_total") == {Reason.UNPARSABLE}
    assert carried(final_metrics__tests_total=0, **RED).metrics["tests_total"].value == 0


def test_without_a_suite_acceptance_does_not_apply(carried):
    found = carried(
        final_metrics__verification_total=0,
        final_metrics__verification_passed=0,
        final_metrics__verification_pct=None,
    )
    names = ("verification_total", "verification_passed", "verification_pct")
    assert reasons(found, *names) == {Reason.NOT_APPLICABLE}


def test_a_suite_of_which_nothing_passed_was_measured(carried):
    found = carried(final_metrics__verification_passed=0, final_metrics__verification_pct=0)
    assert found.metrics["verification_passed"].value == 0
    assert found.metrics["verification_pct"].value == 0


def test_a_parser_without_window_and_clock_measured_neither(carried):
    clocks = {f"summary_metrics__avg_{phase}_seconds": 0 for phase in PHASES}
    found = carried(workflow="v2-pi", summary_metrics__context_utilization_pct=0, **clocks)
    names = [f"legacy_avg_{phase}_seconds" for phase in PHASES]
    assert reasons(found, "context_utilization", *names) == {Reason.NO_SOURCE}


def test_a_phase_that_was_never_seen_has_no_mean(carried):
    found = carried(summary_metrics__avg_refactor_seconds=0)
    assert reasons(found, "legacy_avg_refactor_seconds") == {Reason.NOT_APPLICABLE}
    assert found.metrics["legacy_avg_red_seconds"].value == 20.5


def test_an_empty_context_of_a_harness_with_a_window_stays(carried):
    found = carried(summary_metrics__context_utilization_pct=0)
    assert found.metrics["context_utilization"].value == 0


def test_without_a_transcript_neither_tokens_nor_markers_are_known(carried):
    found = carried(
        summary_metrics__total_tokens=0,
        summary_metrics__context_utilization_pct=0,
        summary_metrics__cycle_count=0,
        final_metrics__cost_usd=0,
    )
    names = ("tokens_total", "context_utilization", "cost_usd", "legacy_cycle_count")
    assert reasons(found, *names) == {Reason.NO_SOURCE}
    assert {rule.name for rule in found.nulled.values()} == {"no-transcript"}


@pytest.mark.parametrize("counts", [(0, 0), (None, None)])
def test_without_a_marker_predictions_have_no_source(carried, counts):
    found = carried(
        summary_metrics__predictions_correct=counts[0],
        summary_metrics__predictions_total=counts[1],
    )
    assert reasons(found, "predictions_correct", "predictions_total") == {Reason.NO_SOURCE}


def test_none_right_of_some_predictions_was_measured(carried):
    found = carried(summary_metrics__predictions_correct=0)
    assert found.metrics["predictions_correct"].value == 0


def test_money_is_never_zero(carried):
    found = carried(final_metrics__cost_usd=0)
    assert reasons(found, "cost_usd") == {Reason.NO_SOURCE}
    assert {rule.name for rule in found.nulled.values()} == {"no-price"}


def test_a_sound_run_loses_nothing(carried):
    assert carried().nulled == {}
