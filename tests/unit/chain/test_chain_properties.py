"""What must hold for every event stream, whatever an agent does."""

import dataclasses
import math
import random

from builders.suite_events import streams
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lab.chain.classify import label
from lab.chain.metrics import COLUMNS, measure
from lab.chain.report import markdown
from lab.chain.stream import EventStream
from lab.chain.vocabulary import Chain, Label
from lab.domain.event import PathClass, Result, Status, SuiteEvent
from lab.domain.metric import Reason

# No deadline: the machine may be busy with other tests.
BUSY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
BOUNDED = settings(BUSY, max_examples=60)
THOROUGH = settings(BUSY, max_examples=250)
FRACTIONS = (
    "test_first_rate",
    "tdd_discipline",
    "tdd_discipline_test_first",
    "tdd_discipline_step",
    "tdd_discipline_closure",
)
ALWAYS_MEASURED = (
    "chain_suite_runs",
    "cycles_total",
    "cycles_closed",
    "red_batch_unmeasurable",
    "refactor_events",
    "skip_events",
    "chain_deviations",
    "chain_ends_green",
    "verification_tests",
    "verification_red",
    "tdd_after_cutoff",
)


def values(chain: Chain) -> dict[str, object]:
    return {column: one.value for column, one in measure(chain).items()}


def repeated(event: SuiteEvent, *, is_partial: bool) -> SuiteEvent:
    """Return the same result without changes; what was partial stays so."""
    return dataclasses.replace(
        event, changes=frozenset(), is_partial=event.is_partial or is_partial
    )


@BOUNDED
@given(streams())
def test_every_event_gets_exactly_one_label(events: tuple[SuiteEvent, ...]) -> None:
    chain = label(events)
    assert len(chain.labels) == len(events)
    assert all(isinstance(one, Label) for one in chain.labels)


@BOUNDED
@given(streams())
def test_labels_are_deterministic(events: tuple[SuiteEvent, ...]) -> None:
    assert label(events) == label(tuple(events))


@BOUNDED
@given(streams(), st.randoms(use_true_random=False))
def test_the_order_of_tests_within_an_event_means_nothing(
    events: tuple[SuiteEvent, ...], chance: random.Random
) -> None:
    shuffled = tuple(
        dataclasses.replace(event, tests=tuple(chance.sample(event.tests, len(event.tests))))
        for event in events
    )
    assert label(events).labels == label(shuffled).labels
    assert values(label(events)) == values(label(shuffled))


@BOUNDED
@given(streams())
def test_labels_depend_on_the_past_only(events: tuple[SuiteEvent, ...]) -> None:
    whole = label(events).labels
    for length in range(len(events)):
        assert label(events[:length]).labels == whole[:length]


@BOUNDED
@given(streams())
def test_files_of_no_class_change_nothing(events: tuple[SuiteEvent, ...]) -> None:
    without = tuple(
        dataclasses.replace(event, changes=event.changes - {PathClass.OTHER}) for event in events
    )
    assert label(events).labels == label(without).labels


@THOROUGH
@given(streams(min_size=1), st.data())
def test_an_unchanged_repetition_is_verify_and_adds_one_suite_run_only(
    events: tuple[SuiteEvent, ...], data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(events)))
    longer = (
        *events[:at],
        repeated(events[at - 1], is_partial=data.draw(st.booleans())),
        *events[at:],
    )
    before, after = label(events), label(longer)
    assert after.labels == (*before.labels[:at], Label.VERIFY, *before.labels[at:])
    assert after.flaky == before.flaky
    expected = {**values(before), "chain_suite_runs": len(events) + 1}
    assert values(after) == expected


@BOUNDED
@given(streams(min_size=1))
def test_metrics_stay_in_their_ranges(events: tuple[SuiteEvent, ...]) -> None:
    found = values(label(events))
    for column in FRACTIONS:
        value = found[column]
        assert value is None or 0 <= value <= 1, column
    for column, value in found.items():
        assert value is None or (value >= 0 and math.isfinite(value)), column
    assert found["cycles_closed"] <= found["cycles_total"] <= len(events)
    assert found["chain_deviations"] >= found["skip_events"]
    assert found["verification_red"] <= found["verification_tests"]
    sizes = (found["red_batch_size"], found["red_batch_max"])
    assert sizes == (None, None) or 1 <= sizes[0] <= sizes[1]
    assert found["green_batch_size"] is None or found["green_batch_size"] >= 1


@BOUNDED
@given(streams(min_size=1))
def test_a_column_is_null_only_where_it_may_be(events: tuple[SuiteEvent, ...]) -> None:
    found = measure(label(events))
    assert tuple(found) == tuple(COLUMNS)
    assert all(found[column].reason is None for column in ALWAYS_MEASURED)
    assert all(one.reason in (None, Reason.NOT_APPLICABLE) for one in found.values())


@BOUNDED
@given(streams(min_size=1))
def test_the_score_is_the_geometric_mean_of_its_parts(events: tuple[SuiteEvent, ...]) -> None:
    found = values(label(events))
    parts = [found[f"tdd_discipline_{part}"] for part in ("test_first", "step", "closure")]
    if 0 in (parts[0], parts[2]):
        assert found["tdd_discipline"] == 0
    elif None in parts:
        assert found["tdd_discipline"] is None
    else:
        assert math.isclose(found["tdd_discipline"] ** 3, math.prod(parts), abs_tol=1e-9)


@BOUNDED
@given(streams())
def test_an_unnamed_event_never_counts_its_statuses(events: tuple[SuiteEvent, ...]) -> None:
    stripped = tuple(
        event if event.is_named else dataclasses.replace(event, tests=()) for event in events
    )
    assert label(events).labels == label(stripped).labels
    assert values(label(events)) == values(label(stripped))


@BOUNDED
@given(streams())
def test_a_report_can_be_written_of_every_stream(events: tuple[SuiteEvent, ...]) -> None:
    chain = label(events)
    stream = EventStream(events, is_reporter_present=True, is_loaded_by_run=bool(events))
    told = markdown("a run", stream, chain, measure(chain))
    assert all(one.value in told for one in chain.labels)


@BOUNDED
@given(streams(min_size=1))
def test_a_green_needs_something_that_passes_or_an_unnamed_break(
    events: tuple[SuiteEvent, ...],
) -> None:
    rows = label(events).events
    for index, row in enumerate(rows):
        if row.label is not Label.GREEN:
            continue
        has_passed = any(test.status is Status.PASSED for test in row.event.executed)
        earlier = {one.event.result for one in rows[:index]}
        assert has_passed or earlier & {Result.DOES_NOT_COMPILE, Result.DIED}
