"""One run from claim to publication: attempts, retries, measurement, record, rename."""

import time
from collections import Counter
from dataclasses import dataclass, replace

from lab.domain.attempt import AttemptRecord, Usage
from lab.domain.outcome import ExitReason, Policy, policy_of
from lab.domain.plan import PlannedRun
from lab.domain.run import HASHES, RunIdentity, RunRecord, Timings
from lab.paths import RunPaths
from lab.runner import kept, signs
from lab.runner.analysis_step import Measuring, measure
from lab.runner.attempt import Attempted, Order, attempt
from lab.runner.clock import now
from lab.runner.context import Context
from lab.runner.detections import strength_of
from lab.runner.outcome import Verdict
from lab.runner.preflight import Preflight, Preflights
from lab.runner.recipe import Recipe
from lab.store.attempts import append_attempt
from lab.store.publish import publish
from lab.store.run_files import write_record

LONGEST_RETRY_AFTER_SECONDS = 3600.0
TRACEBACK = 4000


@dataclass(frozen=True, slots=True)
class Claim:
    """One plan entry that is ours: its number in the plan, its run's id, when it was claimed.

    `slot` names the working folder of the one who claimed it.
    """

    slot: str
    entry: int
    planned: PlannedRun
    run_id: str
    claimed_at: float
    queue_seconds: float


@dataclass(frozen=True, slots=True)
class Tried:
    """The attempts of a run: the counted one, how many there were, and the waits between them."""

    counted: Attempted
    number: int
    backoff_seconds: float


def execute(context: Context, recipe: Recipe, claim: Claim, preflights: Preflights) -> RunRecord:
    """Execute a claimed entry and publish its run; returns what run.json says."""
    staged = context.paths.staged(claim.run_id)
    started_at = now()
    preflight = preflights.of(recipe)
    if preflight.failure is not None:
        staged.log.write_bytes(preflight.output)
        record = _ended(_refused(context, recipe, claim, started_at, preflight), claim)
    else:
        tried = _try(context, recipe, claim, staged, preflight)
        record = _ended(_record(context, recipe, claim, started_at, preflight, tried), claim)
        record = _measured(context, recipe, record, tried.counted.evidence.usage)
    write_record(staged, record)
    publish(context.paths, claim.run_id)
    return record


def _ended(record: RunRecord, claim: Claim) -> RunRecord:
    wall = round(time.monotonic() - claim.claimed_at, 6)
    return replace(record, ended_at=now(), timings=replace(record.timings, wall_seconds=wall))


def _try(
    context: Context, recipe: Recipe, claim: Claim, staged: RunPaths, preflight: Preflight
) -> Tried:
    failures: Counter[str] = Counter()
    number, waited, backoff = 0, 0.0, 0.0
    while True:
        number += 1
        order = Order(claim.run_id, staged, claim.slot, number, preflight.lines)
        found = attempt(context, recipe, order)
        reason = found.verdict.exit_reason
        failures[reason] += 1
        again = failures[reason] <= _retries(context, policy_of(reason))
        place = f"attempts/{number}" if again else None
        is_durable = again or recipe.stack.IS_ANALYSED
        append_attempt(staged, _line(number, found, backoff, place), is_durable=is_durable)
        if not again:
            return Tried(found, number, waited)
        _put_away(staged, number)
        backoff = _delay(context, found, failures[reason])
        waited += backoff
        if not context.wait(backoff):
            verdict = Verdict(ExitReason.INTERRUPTED, f"drained after {reason}")
            return Tried(replace(found, verdict=verdict), number, waited)


def _retries(context: Context, policy: Policy) -> int:
    return context.defaults.ratelimit_retries if policy.with_backoff else policy.retries


def _delay(context: Context, found: Attempted, failures: int) -> float:
    """Return the seconds to wait: the provider's own word first, else doubling up to a bound."""
    if not policy_of(found.verdict.exit_reason).with_backoff:
        return 0.0
    told = found.evidence.retry_after_seconds
    if told is not None:
        return min(told, LONGEST_RETRY_AFTER_SECONDS)
    defaults = context.defaults
    return min(defaults.backoff_seconds * 2.0 ** (failures - 1), defaults.backoff_max_seconds)


def _put_away(staged: RunPaths, number: int) -> None:
    keep = (staged.workspace, staged.log, staged.events, staged.folder / kept.TRANSCRIPTS)
    kept.keep(staged.kept_attempts / str(number), keep)


def _line(number: int, found: Attempted, backoff: float, place: str | None) -> AttemptRecord:
    result = found.result
    return AttemptRecord(
        number=number,
        exit_reason=found.verdict.exit_reason,
        ending=result.ending,
        exit_code=result.exit_code,
        started_at=result.started_at,
        ended_at=result.ended_at,
        active_seconds=result.active_seconds,
        backoff_seconds=backoff,
        stdout_bytes=result.stdout_bytes,
        is_output_truncated=result.is_output_truncated,
        last_activity_seconds=result.last_activity_seconds,
        usage=found.evidence.usage,
        evidence=found.verdict.line,
        detail=result.detail,
        kept=place,
    )


def _measured(
    context: Context, recipe: Recipe, record: RunRecord, usage: Usage | None
) -> RunRecord:
    reason = record.identity.exit_reason or ""
    if not (policy_of(reason).is_analysed and recipe.stack.IS_ANALYSED):
        return record
    began = time.monotonic()
    measuring = Measuring(context.paths, context.executor, context.batch_id, context.registry)
    staged = context.paths.staged(record.identity.run_id)
    result = measure(measuring, staged, record, usage)
    seconds = round(time.monotonic() - began, 6)
    return replace(
        record,
        timings=replace(record.timings, analysis_seconds=seconds),
        warnings=(*record.warnings, *signs.of_acceptance(result.metrics)),
    )


def _record(
    context: Context,
    recipe: Recipe,
    claim: Claim,
    started_at: str,
    preflight: Preflight,
    tried: Tried,
) -> RunRecord:
    counted = tried.counted
    blank = _blank(context, recipe, claim, started_at)
    return replace(
        blank,
        identity=replace(
            blank.identity,
            harness_version=counted.evidence.harness_version or recipe.harness.version(),
            exit_reason=counted.verdict.exit_reason,
            completion=counted.completion.value,
            attempts=tried.number,
        ),
        exit_code=counted.result.exit_code,
        evidence=counted.verdict.line,
        timings=Timings(
            active_seconds=counted.result.active_seconds,
            queue_seconds=claim.queue_seconds,
            preflight_seconds=round(preflight.seconds, 6) if preflight.lines else None,
            backoff_seconds=round(tried.backoff_seconds, 6),
        ),
        limits_effective=counted.result.effective,
        reporter_route=", ".join(counted.stream.routes) or None,
        reporter_strength=strength_of(counted.stream),
        detections=signs.at_most(counted.detections),
        warnings=signs.at_most(
            (*counted.warnings, *(f"events: {fault}" for fault in counted.stream.faults))
        ),
    )


def _refused(
    context: Context, recipe: Recipe, claim: Claim, started_at: str, preflight: Preflight
) -> RunRecord:
    """Record a run that was not attempted because the stack's preflight failed."""
    blank = _blank(context, recipe, claim, started_at)
    identity = replace(blank.identity, exit_reason=ExitReason.SETUP_ERROR.value, attempts=0)
    timings = Timings(
        queue_seconds=claim.queue_seconds, preflight_seconds=round(preflight.seconds, 6)
    )
    return replace(blank, identity=identity, evidence=preflight.failure, timings=timings)


def broken(context: Context, recipe: Recipe, claim: Claim, told: str) -> RunRecord:
    """Publish a run that an error of the lab's own ended; `told` is the traceback."""
    staged = context.paths.staged(claim.run_id)
    blank = _blank(context, recipe, claim, now())
    identity = replace(blank.identity, exit_reason=ExitReason.LAB_ERROR.value)
    record = _ended(replace(blank, identity=identity, evidence=told[-TRACEBACK:]), claim)
    write_record(staged, record)
    publish(context.paths, claim.run_id)
    return record


def _blank(context: Context, recipe: Recipe, claim: Claim, started_at: str) -> RunRecord:
    hashes = dict(recipe.hashes)
    return RunRecord(
        identity=RunIdentity(
            run_id=claim.run_id,
            kata=recipe.kata,
            kata_base=recipe.kata_base,
            prompt=recipe.prompt_style,
            workflow=recipe.workflow.id,
            model=recipe.model.id,
            stack=recipe.stack.ID,
            harness=recipe.harness.ID,
            harness_version=recipe.harness.version(),
            exit_reason=None,
            completion=None,
            attempts=None,
            started_at=started_at,
            plan=context.plan_name,
            hashes=tuple((name, hashes[name]) for name in HASHES if name in hashes),
        ),
        ended_at=None,
        exit_code=None,
        evidence=None,
        timings=Timings(queue_seconds=claim.queue_seconds),
        batch_id=context.batch_id,
        entry=claim.entry,
        block=claim.planned.block,
        seed=context.seed,
        executor=context.executor.name,
        isolation=context.isolation,
        limits_requested=context.limits,
        host=context.host.state(),
        lab=context.lab,
    )
