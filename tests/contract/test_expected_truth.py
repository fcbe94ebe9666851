"""The hand-written expectations: complete, readable, and free of slips of arithmetic."""

from collections import Counter

import pytest
from lab.chain.metrics import COLUMNS
from lab.domain.cell import expand
from lab.domain.truth import Expected
from lab.paths import REPOSITORY, LabPaths
from lab.store.catalogue import read_catalogue
from lab.store.expected_truth import expected_folder, read_expected
from lab.store.questions import find_question
from lab.tapes.manner import MANNERS

PATHS = LabPaths(REPOSITORY)
KATAS = sorted(path.parent.parent.name for path in PATHS.tapes.glob("*/*/tape.json"))
OTHERS = {
    "tests_passing",
    "tests_total",
    "verification_total",
    "verification_passed",
    "verification_pct",
}
EVERY = [read_expected(PATHS, kata, manner) for kata in KATAS for manner in MANNERS]
every_file = pytest.mark.parametrize(
    "expected", EVERY, ids=[f"{one.kata_base}-{one.manner}" for one in EVERY]
)


def test_there_is_no_file_beyond_the_manners() -> None:
    names = {path.stem for path in expected_folder(PATHS).glob("*/*.json")}
    assert names == set(MANNERS)


@every_file
def test_every_column_is_expected(expected: Expected) -> None:
    named = [name for name, _ in (*expected.columns, *expected.missing)]
    assert Counter(named) == Counter([*COLUMNS, *OTHERS])


@every_file
def test_counts_fit_the_labels(expected: Expected) -> None:
    columns, labels, cycles = dict(expected.columns), expected.labels, expected.cycles
    if not labels:
        assert set(COLUMNS) <= {name for name, _ in expected.missing}
        return
    counts = Counter(labels)
    deviations = ("Both", "Skip", "Drop", "Break", "Break(c)")
    assert columns["chain_suite_runs"] == len(labels)
    assert columns["cycles_total"] == len(cycles)
    assert columns["cycles_closed"] == sum("Green" in cycle for cycle in cycles)
    assert columns["refactor_events"] == counts["Refactor"]
    assert columns["skip_events"] == counts["Skip"]
    assert columns["chain_deviations"] == sum(counts[name] for name in deviations)


@every_file
def test_cycles_are_a_stretch_of_the_labels(expected: Expected) -> None:
    joined = [label for cycle in expected.cycles for label in cycle]
    start = expected.labels.index(joined[0]) if joined else 0
    assert list(expected.labels[start : start + len(joined)]) == joined


@every_file
def test_the_score_is_the_geometric_mean_of_its_parts(expected: Expected) -> None:
    columns = dict(expected.columns)
    parts = [columns.get(f"tdd_discipline_{name}") for name in ("test_first", "step", "closure")]
    score = columns.get("tdd_discipline")
    if score:
        product = parts[0] * parts[1] * parts[2]  # type: ignore[operator]
        assert score == pytest.approx(product ** (1 / 3), abs=1e-6)
    else:
        assert score is None or 0 in parts


def test_the_question_asks_for_every_manner_and_every_column() -> None:
    question = find_question(PATHS, "RQ-instrument-truth")
    cells = expand(question, read_catalogue(PATHS).default_stack)
    assert [cell.model for cell in cells] == [f"calibration-{manner}" for manner in MANNERS]
    assert set(COLUMNS) <= set(question.outcomes)
