"""The state of a batch as its journal tells it: a fold over lines, the same for every reader."""

from collections import Counter, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.domain.outcome import ExitReason, is_replicate
from lab.process import owner

# What a repaired machine or set-up can still do: such an entry is open again in the batch.
OPEN_AGAIN = frozenset(
    {ExitReason.INTERRUPTED.value, ExitReason.SETUP_ERROR.value, ExitReason.LAB_ERROR.value}
)
RECENT = 50
Lane = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Claimed:
    """Who works on an entry, under which run id, since when (UTC ISO)."""

    run_id: str
    owner: str
    at: str


@dataclass(frozen=True, slots=True)
class Done:
    """How an entry's run ended; `seconds` of wall clock."""

    run_id: str
    exit_reason: str
    seconds: float | None


@dataclass(slots=True)
class BatchState:
    """What happened so far. `row` counts runs in a row that are no replicates, per breaker lane.

    `done` holds the last run of an entry, `settled` the id of every run that ever ended.
    """

    total: int = 0
    plan: str = ""
    executor: str = ""
    shards: int = 1
    finished: int = 0
    claimed: dict[int, Claimed] = field(default_factory=dict)
    done: dict[int, Done] = field(default_factory=dict)
    settled: set[str] = field(default_factory=set)
    ended: Counter[str] = field(default_factory=Counter)
    row: Counter[Lane] = field(default_factory=Counter)
    stopped: dict[Lane, str] = field(default_factory=dict)
    recent_seconds: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def apply(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Take in journal lines in their order; a kind of a later version is passed by."""
        for line in lines:
            handler = _HANDLERS.get(line["event"])
            if handler is not None:
                handler(self, line)

    def is_open(self, entry: int) -> bool:
        """Tell whether an entry still needs a run and nobody alive is at it."""
        return not self.is_finished(entry) and entry not in self.claimed

    def is_finished(self, entry: int) -> bool:
        done = self.done.get(entry)
        return done is not None and done.exit_reason not in OPEN_AGAIN

    @property
    def is_complete(self) -> bool:
        return self.total > 0 and self.finished >= self.total

    @property
    def replicates(self) -> int:
        return sum(count for reason, count in self.ended.items() if is_replicate(reason))

    def abandoned(self) -> dict[int, Claimed]:
        """Return the claims whose owner no longer runs."""
        return {
            entry: claim for entry, claim in self.claimed.items() if not owner.is_alive(claim.owner)
        }

    def stops(self, lanes: Iterable[Lane]) -> str | None:
        """Return why one of these lanes is stopped; None = none is."""
        return next((self.stopped[lane] for lane in lanes if lane in self.stopped), None)


def _opened(state: BatchState, line: Mapping[str, Any]) -> None:
    state.total = line["total"]
    state.plan = line["plan"]
    state.executor = line["executor"]
    state.shards = line["shards"]
    if line["is_alone"]:
        state.stopped.clear()
        state.row.clear()


def _claimed(state: BatchState, line: Mapping[str, Any]) -> None:
    state.claimed[line["entry"]] = Claimed(line["run_id"], line["owner"], line["at"])


def _finished(state: BatchState, line: Mapping[str, Any]) -> None:
    entry, run_id, reason = line["entry"], line["run_id"], line["exit_reason"]
    state.claimed.pop(entry, None)
    if run_id in state.settled:
        return
    state.settled.add(run_id)
    state.ended[reason] += 1
    if not state.is_finished(entry):
        state.done[entry] = Done(run_id, reason, line.get("seconds"))
        state.finished += reason not in OPEN_AGAIN
    if line.get("seconds") is not None and reason not in OPEN_AGAIN:
        state.recent_seconds.append(line["seconds"])
    lane = tuple(line["lane"])
    if is_replicate(reason):
        state.row[lane] = 0
    elif reason not in OPEN_AGAIN:
        state.row[lane] += 1


def _released(state: BatchState, line: Mapping[str, Any]) -> None:
    state.claimed.pop(line["entry"], None)


def _stopped(state: BatchState, line: Mapping[str, Any]) -> None:
    state.stopped[tuple(line["lane"])] = line["reason"]


_HANDLERS = {
    "opened": _opened,
    "claimed": _claimed,
    "finished": _finished,
    "released": _released,
    "stopped": _stopped,
}


def fold(lines: Iterable[Mapping[str, Any]]) -> BatchState:
    """Return the state after all lines."""
    state = BatchState()
    state.apply(lines)
    return state
