"""From an original's file to our run.json and metrics.json."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from lab.domain.metric import (
    Kind,
    Measurement,
    MetricRow,
    Reason,
    Registry,
    Value,
    measured,
    missing,
)
from lab.domain.outcome import Completion, ExitReason
from lab.domain.run import RunIdentity, RunRecord, Timings
from lab.importing.columns import (
    BY_PLACE,
    COLUMNS,
    LEGACY,
    OCTOBER,
    PERCENT,
    STACK,
    split_kata,
)
from lab.importing.oddity import ERROR, OVERWRITTEN, Oddity, oddities, utc
from lab.importing.original import Original, leaf
from lab.importing.unmeasured import Facts, Rule, unmeasured

CODE = "original"
UNHASHED = Oddity("no-content-hash", "which prompt and workflow text it had is not recorded")
LARGEST = 2**63
# Ended by a limit or the provider: the original's own list (formats: completed_within_budget).
NOT_WITHIN_BUDGET = frozenset(
    {
        *(ExitReason.TIMEOUT, ExitReason.TIMEOUT_KILLED, ExitReason.RATE_LIMITED),
        *(ExitReason.TRANSIENT_API_ERROR, ExitReason.QUOTA_EXHAUSTED),
        ExitReason.PI_RETRIES_EXHAUSTED,
    }
)


@dataclass(frozen=True, slots=True)
class Beside:
    """What the original kept outside of metrics.json: harness by workflow, hashes by run.

    Without any hashes the original recorded none, and no single run is odd for it.
    """

    harnesses: Mapping[str, str]
    hashes: Mapping[str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Carried:
    """A run as it stands in our pool; `nulled` are the zeros that were no measurements."""

    record: RunRecord
    metrics: Mapping[str, Measurement]
    oddities: tuple[Oddity, ...]
    nulled: Mapping[str, Rule]


def carry(original: Original, beside: Beside, registry: Registry) -> Carried:
    """Translate a run; the registry tells the columns of October, and which are true or false."""
    places = _places(original, registry)
    harness = beside.harnesses.get(original.text("workflow") or "")
    values = {
        name: _value(original.number(place), name, registry.get(name))
        for name, place in places.items()
    }
    facts = Facts(values, harness)
    nulled = unmeasured(facts)
    present = {name for name, place in places.items() if original.values[place] is not None}
    metrics = _metrics(original, values, nulled, present)
    hashes = beside.hashes.get(original.run_id, ())
    found = oddities(original, places.values())
    if beside.hashes and not hashes:
        found = (*found, UNHASHED)
    record = _record(original, harness, hashes, facts, found)
    return Carried(record, metrics, found, nulled)


def _places(original: Original, registry: Registry) -> dict[str, str]:
    """Return our id of every column with the place its value stands at; August's places first."""
    found = {BY_PLACE[place]: place for place in original.values if place in BY_PLACE}
    is_october = original.generation == "2026-10"
    for place in original.values:
        if place in BY_PLACE or not ("." in place or is_october):
            continue
        name = leaf(place)
        is_ours = registry.get(name) is not None or name.startswith(LEGACY)
        ours = OCTOBER.get(name) or (name if is_ours else None)
        if ours:
            found.setdefault(ours, place)
    return found


def _value(value: Value | None, name: str, row: MetricRow | None) -> Value | None:
    """Return a value in our unit; None where there is none, or none that the column can hold."""
    if value is None or (row and isinstance(value, bool) != (row.kind is Kind.BOOLEAN)):
        return None
    if isinstance(value, bool):
        return value
    if not -LARGEST <= value < LARGEST:
        return None
    return value / 100 if name in PERCENT else value


def _metrics(
    original: Original,
    values: Mapping[str, Value | None],
    nulled: Mapping[str, Rule],
    present: Collection[str],
) -> dict[str, Measurement]:
    """Return all columns; one that is `present` in the file without a value is unparsable."""
    by = f"{CODE}@{original.generation}"
    ours = (column.id for column in COLUMNS if not column.id.startswith(LEGACY))
    found = {name: missing(_absent(name), by) for name in ours}
    for name, value in values.items():
        if name in nulled:
            found[name] = missing(nulled[name].reason, by)
        elif value is not None:
            found[name] = measured(value, by)
        else:
            found[name] = missing(Reason.UNPARSABLE if name in present else _absent(name), by)
    seconds = found["duration_seconds"]
    within = _within_budget(original.text("run_status.exit_reason"))
    budget = missing(Reason.NO_SOURCE, by) if within is None else measured(within, by)
    return found | {"wall_seconds": seconds, "completed_within_budget": budget}


def _absent(name: str) -> Reason:
    """Mutation scores were made on request only; everything else was meant to be there."""
    return Reason.NOT_REQUESTED if name == "mutation_score" else Reason.NO_SOURCE


def _within_budget(exit_reason: str | None) -> bool | None:
    if exit_reason in NOT_WITHIN_BUDGET:
        return False
    is_known = exit_reason == ExitReason.OK or (exit_reason or "").startswith(ERROR)
    return True if is_known else None


def _record(
    original: Original,
    harness: str | None,
    hashes: tuple[tuple[str, str], ...],
    facts: Facts,
    found: tuple[Oddity, ...],
) -> RunRecord:
    plan = original.text("plan_file")
    base, prompt = split_kata(original.text("kata") or "")
    identity = RunIdentity(
        run_id=original.run_id,
        kata=original.text("kata") or "",
        kata_base=base,
        prompt=prompt,
        workflow=original.text("workflow") or "",
        model=original.text("model") or "",
        stack=original.text("stack") or STACK,
        harness=harness,
        harness_version=original.text("harness_version"),
        exit_reason=original.text("run_status.exit_reason"),
        completion=_completion(facts),
        attempts=None,
        started_at=utc(original.text("started_at")),
        plan=plan.rpartition("/")[2] if plan else None,
        hashes=hashes,
    )
    return RunRecord(
        identity=identity,
        ended_at=utc(original.text("ended_at")),
        exit_code=original.whole("run_status.exit_code"),
        evidence=None,
        timings=Timings(wall_seconds=_seconds(original)),
        batch_id=None,
        entry=None,
        block=None,
        seed=None,
        executor=None,
        lab=(("imported", "original"), ("generation", original.generation)),
        detections=tuple(oddity.kind for oddity in found if oddity.kind == OVERWRITTEN),
        warnings=tuple(f"{oddity.kind}: {oddity.text}" for oddity in found),
    )


def _seconds(original: Original) -> float | None:
    seconds = original.number("duration_seconds")
    is_time = seconds is not None and not isinstance(seconds, bool) and seconds >= 0
    return float(seconds) if seconds is not None and is_time else None


def _completion(facts: Facts) -> str | None:
    """Only a run without production code is certain: whether the others ended early is not told."""
    if not facts.has_no_code:
        return None
    return Completion.NO_OP if facts.is_zero("test_lines") else Completion.STOPPED_EARLY
