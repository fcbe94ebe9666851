"""After a coordinator died: its finished runs counted, its cut-off runs published as such."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lab.domain.catalogue import Catalogue
from lab.domain.outcome import ExitReason
from lab.domain.plan import Plan
from lab.domain.run import RunIdentity, RunRecord, Timings
from lab.paths import LabPaths, RunPaths
from lab.process import procfs
from lab.runner import kept
from lab.runner.batch_folder import BatchFolder
from lab.runner.ids import base_id
from lab.runner.journal import Journal
from lab.runner.progress import BatchState, Claimed
from lab.store.attempts import read_attempts
from lab.store.lock import live_batches
from lab.store.publish import publish
from lab.store.run_files import Unreadable, read_record, write_record

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
STAMP = len("1970-01-01_00-00-00")
REPEATED = re.compile(r"-[0-9]+$")


@dataclass(frozen=True, slots=True)
class Reconciled:
    """Run ids: published before but not journaled, cut off, and claimed but never begun."""

    counted: tuple[str, ...] = ()
    interrupted: tuple[str, ...] = ()
    released: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeadClaims:
    """Settles claims whose owner is dead; its processes must have been ended before.

    A run that had begun is published as `interrupted`, so that what its attempts cost is not
    lost; its entry is open again.
    """

    paths: LabPaths
    batch: BatchFolder
    journal: Journal
    plan: Plan
    catalogue: Catalogue

    def settle(self) -> Reconciled:
        """Settle all of them, while nobody else can claim."""
        found: dict[str, list[str]] = {"counted": [], "interrupted": [], "released": []}
        with self.journal.exclusive():
            state = self.batch.state()
            for folder in dead_slots(self.batch.work):
                kept.remove(folder)
            for entry, claim in sorted(state.abandoned().items()):
                found[self._settle(entry, claim)].append(claim.run_id)
            for record in self._strays(state):
                self._finished(record.entry or 0, record)
                found["counted"].append(record.identity.run_id)
            self._give_back(state)
        return Reconciled(**{kind: tuple(ids) for kind, ids in found.items()})

    def _strays(self, state: BatchState) -> Iterator[RunRecord]:
        """Yield published runs of this batch that its journal has lost (a crashed machine).

        Only runs whose id names an entry of the plan are read.
        """
        known = state.settled | {claim.run_id for claim in state.claimed.values()}
        bases = {base_id(run, EPOCH)[STAMP:] for run in self.plan.runs}
        named = {run.run_id for run in self.plan.runs if run.run_id}
        for name in sorted(os.listdir(self.paths.runs)):
            base = REPEATED.sub("", name[STAMP:])
            if name in known or not (name in named or base in bases or name[STAMP:] in bases):
                continue
            record = _complete_record(self.paths.run(name))
            if record is not None and record.batch_id == self.batch.id:
                yield record

    def _give_back(self, state: BatchState) -> None:
        """Remove the empty folders that reserve an id for a claim that was never written.

        Another live batch may be about to write the claim; then they are left to `lab gc`.
        """
        if set(live_batches(self.paths)) - {self.batch.id} or not self.paths.staging.is_dir():
            return
        claimed = {claim.run_id for claim in state.claimed.values()}
        for folder in self.paths.staging.iterdir():
            if folder.name not in claimed and folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()

    def _settle(self, entry: int, claim: Claimed) -> str:
        published, staged = self.paths.run(claim.run_id), self.paths.staged(claim.run_id)
        if published.folder.is_dir():
            kept.remove(staged.folder)
            self._finished(entry, read_record(published))
            return "counted"
        if not staged.log.exists() and not staged.attempts.exists():
            kept.remove(staged.folder)
            reason = "its owner died before the first attempt"
            self.journal.append("released", entry=entry, run_id=claim.run_id, reason=reason)
            return "released"
        record = _complete_record(staged)
        kind = "counted" if record else "interrupted"
        record = record or self._interrupted(entry, claim, staged)
        for leftover in staged.folder.glob(".*.tmp"):
            leftover.unlink()
        write_record(staged, record)
        publish(self.paths, claim.run_id)
        self._finished(entry, record)
        return kind

    def _finished(self, entry: int, record: RunRecord) -> None:
        identity = record.identity
        self.journal.append(
            "finished",
            entry=entry,
            run_id=identity.run_id,
            exit_reason=identity.exit_reason,
            seconds=record.timings.wall_seconds,
            lane=(identity.harness or "", identity.model),
        )

    def _interrupted(self, entry: int, claim: Claimed, staged: RunPaths) -> RunRecord:
        """Record what is known: the plan's names and the attempts that had ended."""
        planned = self.plan.runs[entry]
        base, style = self.catalogue.split_kata(planned.kata)
        workflow = self.catalogue.workflow(planned.workflow)
        attempts = read_attempts(staged)
        is_last_whole = bool(attempts) and attempts[-1].kept is None
        return RunRecord(
            identity=RunIdentity(
                run_id=claim.run_id,
                kata=planned.kata,
                kata_base=base,
                prompt=style,
                workflow=planned.workflow,
                model=planned.model,
                stack=planned.stack or self.catalogue.default_stack(base),
                harness=workflow.harness if workflow else None,
                harness_version=None,
                exit_reason=ExitReason.INTERRUPTED.value,
                completion=None,
                attempts=len(attempts) + (0 if is_last_whole else 1),
                started_at=claim.at,
                plan=self.plan.name,
            ),
            ended_at=None,
            exit_code=None,
            evidence=f"its coordinator died; found {datetime.now(UTC).isoformat('T', 'seconds')}",
            timings=Timings(),
            batch_id=self.batch.id,
            entry=entry,
            block=planned.block,
            seed=self.plan.seed,
            executor=self.batch.state().executor or None,
        )


def _complete_record(staged: RunPaths) -> RunRecord | None:
    """Return the record of a run that lacked nothing but its publication."""
    try:
        return read_record(staged)
    except Unreadable:
        return None


def dead_slots(work: Path) -> tuple[Path, ...]:
    """Return the working folders (<process>-<its start>-...) whose process no longer runs."""
    if not work.is_dir():
        return ()
    return tuple(folder for folder in work.iterdir() if not _is_used(folder.name))


def _is_used(slot: str) -> bool:
    pid, started, *_ = [*slot.split("-"), "", ""]
    if not (pid.isdigit() and started.isdigit()):
        return False
    return procfs.start_ticks(int(pid)) == int(started)
