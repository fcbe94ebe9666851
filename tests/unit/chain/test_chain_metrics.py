"""Columns of the registry: their ids, reasons for null, and the code that made them."""

import pytest
from builders.suite_events import events_of
from lab.chain.classify import label
from lab.chain.metrics import BY, COLUMNS, measure
from lab.domain.metric import Measurement, Reason

EXPECTED_COLUMNS = [
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


def test_every_chain_column_is_measured() -> None:
    assert list(COLUMNS) == EXPECTED_COLUMNS


@pytest.mark.parametrize("absence", [Reason.NO_SOURCE, Reason.NOT_APPLICABLE])
def test_without_any_event_every_column_is_null_for_the_given_reason(absence: Reason) -> None:
    found = measure(label(()), absence)
    assert found == {column: Measurement(None, absence, BY) for column in EXPECTED_COLUMNS}


def test_a_part_that_says_nothing_is_null_and_not_zero() -> None:
    found = measure(label(events_of("- | a=p")), Reason.NO_SOURCE)
    nulls = {column for column, one in found.items() if one.reason is Reason.NOT_APPLICABLE}
    assert nulls == {
        "test_first_rate",
        "red_batch_size",
        "red_batch_max",
        "green_batch_size",
        "refactor_per_cycle",
        "green_attempts",
        "tdd_discipline",
        "tdd_discipline_test_first",
        "tdd_discipline_step",
        "tdd_discipline_closure",
    }


def test_counts_are_whole_numbers_and_flags_are_booleans() -> None:
    found = measure(label(events_of("T | a=f", "I | a=p")))
    types = {column: type(one.value) for column, one in found.items()}
    assert {column for column, kind in types.items() if kind is bool} == {
        "chain_opens_red",
        "chain_ends_green",
    }
    assert {column for column, kind in types.items() if kind is int} == {
        "chain_suite_runs",
        "cycles_total",
        "cycles_closed",
        "red_batch_max",
        "red_batch_unmeasurable",
        "refactor_events",
        "skip_events",
        "chain_deviations",
        "verification_tests",
        "verification_red",
        "tdd_after_cutoff",
    }


def test_every_measurement_names_the_code_that_made_it() -> None:
    assert {one.by for one in measure(label(events_of("T | a=f"))).values()} == {"chain@1"}


def test_the_flaky_test_is_named() -> None:
    chain = label(events_of("T | m::a=f", "I | m::a=p", "- | m::a=f", "- | m::a=p"))
    assert chain.flaky == (("m", "a"),)


def test_a_weakened_test_is_marked_but_an_arrival_is_not() -> None:
    weakened = label(events_of("T | a=f", "T | a=p")).events[-1]
    arrived = label(events_of("T | a=f", "I | a=p", "T | a=p b=p")).events[-1]
    assert (weakened.label, weakened.is_weakened) == ("Skip", True)
    assert (arrived.label, arrived.is_weakened) == ("Skip", False)
