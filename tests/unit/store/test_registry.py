"""The metric registry: complete, with the seed's binding terms, and strict about its own form."""

from pathlib import Path

import pytest
from lab.domain.metric import Direction, Kind, Scale
from lab.errors import LabError
from lab.paths import REPOSITORY, LabPaths
from lab.store.registry import read_registry

REGISTRY = read_registry(LabPaths(REPOSITORY))
BINDING_TERMS = {
    "tests_passing": "Correctness (internal)",
    "verification_pct": "Correctness (external)",
    "code_mass": "Code Mass (APP)",
    "mutation_score": "Mutation Score",
    "mutants_total": "Mutant Population",
    "mutants_survived": "Unnoticed Changes",
    "production_loc": "Production LoC",
    "test_lines": "Test LoC",
    "smell_total": "Smell Total",
}
TEST_LIST_SENSITIVE = {
    "tdd_discipline",
    "tdd_discipline_test_first",
    "tdd_discipline_closure",
    "test_first_rate",
    "skip_events",
    "cycles_total",
    "chain_deviations",
}
STAYS_COMPARABLE = {
    "tdd_discipline_step",
    "red_batch_size",
    "red_batch_max",
    "green_batch_size",
    "refactor_events",
    "cycles_closed",
    "chain_suite_runs",
    "chain_opens_red",
    "chain_ends_green",
}
COLUMNS = [
    "duration_seconds",
    "wall_seconds",
    "tokens_total",
    "context_utilization",
    "context_peak",
    "cost_usd",
    "completed_within_budget",
    "tests_passing",
    "tests_total",
    "verification_pct",
    "verification_passed",
    "verification_total",
    "code_mass",
    "production_loc",
    "test_lines",
    "smell_total",
    "smell_complexity",
    "smell_duplication",
    "smell_magic_numbers",
    "smell_code_quality",
    "longest_function",
    "avg_loc_per_function",
    "median_loc_per_function",
    "mccabe_max",
    "mccabe_avg",
    "mccabe_high_count",
    "cognitive_max",
    "cognitive_avg",
    "cognitive_high_count",
    "unit_count",
    "unit_size_max",
    "unit_size_avg",
    "unit_size_median",
    "todos_remaining",
    "coverage_statements_pct",
    "coverage_branches_pct",
    "mutation_score",
    "mutation_score_low",
    "mutants_total",
    "mutants_survived",
    "mutants_no_coverage",
    "predictions_correct",
    "predictions_total",
    "chain_suite_runs",
    "cycles_total",
    "cycles_closed",
    "test_first_rate",
    "red_batch_size",
    "red_batch_max",
    "red_batch_unmeasurable",
    "green_batch_size",
    "refactor_events",
    "skip_events",
    "refactor_per_cycle",
    "green_attempts",
    "chain_deviations",
    "chain_opens_red",
    "chain_ends_green",
    "verification_tests",
    "verification_red",
    "tdd_after_cutoff",
    "tdd_discipline",
    "tdd_discipline_test_first",
    "tdd_discipline_step",
    "tdd_discipline_closure",
]


def write(root: Path, text: str) -> LabPaths:
    (root / "experiments").mkdir()
    (root / "experiments" / "metrics-registry.yaml").write_text(text)
    return LabPaths(root)


def row(extra: str = "") -> str:
    return (
        "kind: count, unit: u, direction: lower, scale: linear, stacks: [s], group: g, "
        f"version: '1', description: d{extra}"
    )


def test_every_binding_term_stands_with_its_metric() -> None:
    assert {row.id: row.term for row in REGISTRY.rows if row.term} == BINDING_TERMS


def test_the_complexity_peaks_have_no_name_in_prose() -> None:
    for metric in ("longest_function", "cognitive_max", "mccabe_max"):
        found = REGISTRY.get(metric)
        assert found is not None
        assert found.term is None


def test_every_column_that_the_lab_measures_has_a_row() -> None:
    assert set(COLUMNS) - {row.id for row in REGISTRY.columns} == set()


def test_the_sensitive_columns_are_those_of_the_seed() -> None:
    assert {row.id for row in REGISTRY.rows if row.test_list_sensitive} == TEST_LIST_SENSITIVE
    assert set(REGISTRY.ids) >= STAYS_COMPARABLE


def test_a_pooled_rate_has_no_column_and_two_that_have() -> None:
    pooled = [row for row in REGISTRY.rows if row.kind is Kind.POOLED_RATE]
    assert [(row.id, row.numerator, row.denominator) for row in pooled] == [
        ("predictions_correct_rate", "predictions_correct", "predictions_total")
    ]
    assert pooled[0].has_column is False


def test_scales_fit_their_kinds() -> None:
    for each in REGISTRY.rows:
        is_share = each.kind in (Kind.BOOLEAN, Kind.FRACTION, Kind.POOLED_RATE)
        assert (each.scale is Scale.BOUNDED) == is_share, each.id


def test_the_metrics_without_an_agreed_direction_take_no_trophy() -> None:
    for metric in ("refactor_per_cycle", "green_attempts", "mutants_total", "cycles_total"):
        found = REGISTRY.get(metric)
        assert found is not None
        assert found.direction is Direction.AMBIVALENT


def test_trophies_that_an_unsolved_task_could_win_are_gated_by_correctness() -> None:
    ungated = {"completed_within_budget"}
    for each in REGISTRY.rows:
        is_won_by_doing_less = each.group in ("run", "code-quality", "test-suite")
        if is_won_by_doing_less and each.direction is not Direction.AMBIVALENT:
            assert each.id in ungated or each.gate == "verification_pct = 1", each.id


def test_skewed_amounts_get_the_interval_of_their_logarithms() -> None:
    for each in REGISTRY.rows:
        if each.kind in (Kind.DURATION, Kind.MONEY) or each.id.startswith(("smell_", "tokens_")):
            assert each.scale is Scale.LOG, each.id


def test_java_and_rust_have_no_magic_numbers() -> None:
    found = REGISTRY.get("smell_magic_numbers")
    assert found is not None
    assert found.stacks == ("typescript-vitest", "python-pytest")


def test_an_older_name_leads_to_one_row_and_is_no_row_itself() -> None:
    older = [name for row in REGISTRY.rows for name in (*row.formerly, *row.replaces)]
    assert len(set(older)) == len(older)
    assert set(older) & set(REGISTRY.ids) == set()
    successor = REGISTRY.successor("total_tokens")
    assert successor is not None
    assert successor.id == "tokens_total"


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("  a: {kind: counts}\n", "did you mean count?"),
        ("  a: {kind: count}\n", "the key unit is missing"),
        (f"  a: {{{row()}, numerator: b}}\n", "only a pooled-rate has numerator"),
        (f"  a: {{{row().replace('count', 'pooled-rate')}}}\n", "needs numerator and denominator"),
        (
            f"  a: {{{row(', numerator: b, denominator: c').replace('count', 'pooled-rate')}}}\n",
            "a: b is no row",
        ),
        (f"  a: {{{row()}, sensitive: true}}\n", "unknown key metrics.a.sensitive"),
    ],
)
def test_a_faulty_row_is_refused_with_its_line(tmp_path: Path, body: str, fault: str) -> None:
    paths = write(tmp_path, f"schema_version: 1\nmetrics:\n{body}")
    with pytest.raises(LabError) as caught:
        read_registry(paths)
    assert any(fault in found for found in caught.value.faults), caught.value.faults
    assert all(found.startswith("metrics-registry.yaml:3:") for found in caught.value.faults)


def test_a_future_version_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="schema_version: is 2, this version reads 1"):
        read_registry(write(tmp_path, "schema_version: 2\nmetrics: {}\n"))
