"""Every chain column of the registry, measured or null with a reason (chain.md section 4)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from lab.chain.cycles import (
    Batches,
    count_not_seen_failing,
    count_seen_failing,
    green_batches,
    red_batches,
    split_cycles,
)
from lab.chain.verification import is_verification
from lab.chain.vocabulary import COUNTED_DEVIATIONS, Chain, Label
from lab.domain.event import Status, TestId
from lab.domain.metric import Measurement, Reason, Value, measured, missing

VERSION = "1"
BY = f"chain@{VERSION}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What several columns need of a chain.

    All but `chain` and `first_executions` reads the events before the cutoff only. The latter maps
    each executed test to the index of its first event and its status there.
    """

    chain: Chain
    counts: Counter[Label]
    cycles_total: int
    cycles_closed: int
    batches: Batches
    first_executions: Mapping[TestId, tuple[int, Status]]


def measure(chain: Chain, absence: Reason = Reason.NOT_APPLICABLE) -> Mapping[str, Measurement]:
    """Measure every chain column; without any event all are null for the reason `absence`.

    Where the reporter failed (`absence` is tool-failed) they are null whatever events there are: a
    suite may be missing, or look as if it died. A column that has nothing to say about a chain (a
    median of no batches) is null, not applicable.
    """
    if not chain.events or absence is Reason.TOOL_FAILED:
        return {column: missing(absence, BY) for column in COLUMNS}
    reading = _read(chain)
    return {column: _measurement(of(reading)) for column, of in COLUMNS.items()}


def _read(chain: Chain) -> Reading:
    rows = chain.before_cutoff
    cycles = split_cycles(rows)
    return Reading(
        chain=chain,
        counts=Counter(row.label for row in rows),
        cycles_total=len(cycles),
        cycles_closed=sum(cycle.is_closed for cycle in cycles),
        batches=red_batches(rows),
        first_executions=_first_executions(chain),
    )


def _measurement(value: Value | None) -> Measurement:
    return missing(Reason.NOT_APPLICABLE, BY) if value is None else measured(value, BY)


def _test_first(reading: Reading) -> float | None:
    rows = reading.chain.before_cutoff
    seen = count_seen_failing(rows)
    return _ratio(seen, seen + count_not_seen_failing(rows))


def _step(reading: Reading) -> float | None:
    size = _median(reading.batches.sizes)
    return None if size is None else 1 / size


def _closure(reading: Reading) -> float | None:
    return _ratio(reading.cycles_closed, reading.cycles_total)


def _discipline(reading: Reading) -> float | None:
    """Return the geometric mean of first, step and closure.

    0 when nothing was seen failing first or nothing closed; else null when a part is unreadable.
    """
    first, step, closure = _test_first(reading), _step(reading), _closure(reading)
    if first == 0 or closure == 0:
        return 0.0
    if first is None or step is None or closure is None:
        return None
    return float((first * step * closure) ** (1 / 3))


def _refactor_per_cycle(reading: Reading) -> float | None:
    return _ratio(reading.counts[Label.REFACTOR], reading.cycles_closed)


def _missed_per_cycle(reading: Reading) -> float | None:
    missed = reading.counts[Label.GREEN_MISSED] + reading.counts[Label.GREEN_MISSED_UNNAMED]
    return _ratio(missed, reading.cycles_closed)


def _opens_red(reading: Reading) -> bool | None:
    """Tell how the first event went that executed something or could not name its tests."""
    events = (row.event for row in reading.chain.events)
    first = next((event for event in events if event.executed or not event.is_named), None)
    if first is None:
        return None
    return not first.is_named or any(test.status is Status.FAILED for test in first.executed)


def _ends_green(reading: Reading) -> bool:
    known = reading.chain.last_statuses
    is_all_passed = all(status is Status.PASSED for _, status in known)
    return reading.chain.events[-1].event.is_named and bool(known) and is_all_passed


def _verification_tests(reading: Reading) -> int:
    return sum(map(is_verification, reading.first_executions))


def _verification_red(reading: Reading) -> int:
    return sum(
        is_verification(test) and status is Status.FAILED
        for test, (_, status) in reading.first_executions.items()
    )


def _after_cutoff(reading: Reading) -> int:
    cutoff = reading.chain.cutoff
    if cutoff is None:
        return 0
    return sum(
        index >= cutoff and not is_verification(test)
        for test, (index, _) in reading.first_executions.items()
    )


def _first_executions(chain: Chain) -> Mapping[TestId, tuple[int, Status]]:
    """Map each executed test to the index of its first event and its status there."""
    found: dict[TestId, tuple[int, Status]] = {}
    for index, row in enumerate(chain.events):
        failed = {test.id for test in row.event.executed if test.status is Status.FAILED}
        for test in row.arrived:
            found[test] = (index, Status.FAILED if test in failed else Status.PASSED)
    return found


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _median(sizes: Sequence[int]) -> float | None:
    return float(median(sizes)) if sizes else None


COLUMNS: Mapping[str, Callable[[Reading], Value | None]] = {
    "chain_suite_runs": lambda reading: len(reading.chain.events),
    "cycles_total": lambda reading: reading.cycles_total,
    "cycles_closed": lambda reading: reading.cycles_closed,
    "test_first_rate": _test_first,
    "red_batch_size": lambda reading: _median(reading.batches.sizes),
    "red_batch_max": lambda reading: max(reading.batches.sizes, default=None),
    "red_batch_unmeasurable": lambda reading: reading.batches.unmeasurable,
    "green_batch_size": lambda reading: _median(green_batches(reading.chain.before_cutoff)),
    "refactor_events": lambda reading: reading.chain.labels.count(Label.REFACTOR),
    "skip_events": lambda reading: reading.counts[Label.SKIP],
    "refactor_per_cycle": _refactor_per_cycle,
    "green_attempts": _missed_per_cycle,
    "chain_deviations": lambda reading: sum(reading.counts[one] for one in COUNTED_DEVIATIONS),
    "chain_opens_red": _opens_red,
    "chain_ends_green": _ends_green,
    "verification_tests": _verification_tests,
    "verification_red": _verification_red,
    "tdd_after_cutoff": _after_cutoff,
    "tdd_discipline": _discipline,
    "tdd_discipline_test_first": _test_first,
    "tdd_discipline_step": _step,
    "tdd_discipline_closure": _closure,
}
