"""Who does what in a batch: entries claimed and closed in the journal, lanes stopped by it."""

import threading
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime
from time import monotonic

from lab.domain.outcome import policy_of
from lab.domain.plan import Plan
from lab.domain.run import RunRecord
from lab.process import owner
from lab.runner.ids import RunIds
from lab.runner.journal import Journal
from lab.runner.one_run import Claim
from lab.runner.progress import BatchState, Lane
from lab.runner.recipe import Recipe

ANY = "*"


class Claims:
    """One coordinator's view of the batch; every change goes through the journal's lock."""

    def __init__(
        self, journal: Journal, plan: Plan, recipes: tuple[Recipe, ...], ids: RunIds, breaker: int
    ) -> None:
        self.state = BatchState()
        self._journal, self._plan, self._recipes, self._ids = journal, plan, recipes, ids
        self._breaker = breaker
        self._owner = str(owner.current())
        self._began = monotonic()
        self._pending: deque[int] = deque()
        self._turn = threading.Lock()

    def open(self, plan_name: str, executor: str, shards: int, *, is_alone: bool) -> None:
        """Announce this coordinator; alone, it lifts what stopped lanes and breakers."""
        with self._journal.exclusive() as news:
            self.state.apply(news)
            self._write(
                "opened",
                owner=self._owner,
                plan=plan_name,
                total=len(self._plan.runs),
                executor=executor,
                shards=shards,
                is_alone=is_alone,
            )
        self._pending = deque(range(len(self._plan.runs)))

    def close(self, reason: str) -> None:
        with self._journal.exclusive() as news:
            self.state.apply(news)
            self._write("closed", owner=self._owner, reason=reason)

    def take(self, slot: str) -> Claim | None:
        """Claim the next open entry for a slot; None = there is none for us now."""
        with self._journal.exclusive() as news:
            self.state.apply(news)
            entry = self._next()
            if entry is None:
                return None
            planned = self._plan.runs[entry]
            run_id = self._ids.reserve(planned, datetime.now(UTC))
            self._write("claimed", entry=entry, run_id=run_id, owner=self._owner)
        now = monotonic()
        return Claim(slot, entry, planned, run_id, now, round(now - self._began, 6))

    def finish(self, claim: Claim, record: RunRecord) -> None:
        """Close an entry with its published run, and stop lanes that have to stop."""
        recipe = self._recipes[claim.entry]
        reason = record.identity.exit_reason or ""
        lane = recipe.lane[:2]
        with self._journal.exclusive() as news:
            self.state.apply(news)
            self._write(
                "finished",
                entry=claim.entry,
                run_id=claim.run_id,
                exit_reason=reason,
                seconds=record.timings.wall_seconds,
                lane=lane,
            )
            if policy_of(reason).stops_lane:
                self._stop(_stopped_by(recipe, record), f"{reason}: {record.evidence}")
            elif self.state.row[lane] >= self._breaker:
                self._stop(lane, f"{self._breaker} runs in a row that are no replicates ({reason})")

    def release(self, claim: Claim, reason: str) -> None:
        """Give an entry back without a run."""
        with self._journal.exclusive() as news:
            self.state.apply(news)
            self._write("released", entry=claim.entry, run_id=claim.run_id, reason=reason)

    def look(self) -> BatchState:
        """Return the state with what other coordinators wrote meanwhile."""
        with self._journal.exclusive() as news:
            self.state.apply(news)
        return self.state

    def held(self) -> tuple[int, ...]:
        """Return the open entries that a stopped lane holds back."""
        return tuple(entry for entry in self._open() if self._stop_reason(entry))

    def _open(self) -> Iterable[int]:
        return (entry for entry in range(len(self._plan.runs)) if self.state.is_open(entry))

    def _next(self) -> int | None:
        while self._pending:
            entry = self._pending.popleft()
            if self.state.is_open(entry) and self._stop_reason(entry) is None:
                return entry
        return None

    def _stop_reason(self, entry: int) -> str | None:
        recipe = self._recipes[entry]
        return self.state.stops((recipe.lane, recipe.lane[:2], (ANY, ANY, recipe.stack.ID)))

    def _stop(self, lane: Lane, reason: str) -> None:
        if lane not in self.state.stopped:
            self._write("stopped", lane=lane, reason=reason[:500])

    def _write(self, event: str, **values: object) -> None:
        self.state.apply([self._journal.append(event, **values)])


def _stopped_by(recipe: Recipe, record: RunRecord) -> Lane:
    """A failed preflight stops its stack, any other set-up error its harness, model and stack."""
    return recipe.lane if record.identity.attempts else (ANY, ANY, recipe.stack.ID)
