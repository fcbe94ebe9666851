"""A plan executed: opened or joined, validated whole, reconciled, run, and closed."""

import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.domain.catalogue import Catalogue
from lab.domain.metric import Registry
from lab.domain.plan import Plan
from lab.gateway.client import Gateway
from lab.paths import LabPaths
from lab.process import owner
from lab.runner import batch_folder, kept, provenance
from lab.runner.batch_folder import BatchFolder
from lab.runner.claims import Claims
from lab.runner.context import Context
from lab.runner.control import Command, ControlWatch, read_control, write_control
from lab.runner.coordinator import Coordinator, Seat, Stop
from lab.runner.executors import Choice, choose
from lab.runner.git_skeleton import git_skeleton
from lab.runner.ids import RunIds
from lab.runner.journal import Journal, read_journal
from lab.runner.live import Listener
from lab.runner.recipe import Recipe, Recipes
from lab.runner.reconcile import DeadClaims, Reconciled
from lab.runner.scratch import Scratch, remove_abandoned
from lab.runner.session import End, Ended, Options
from lab.runner.validate import recipes_of
from lab.stacks import STACKS
from lab.store.atomic import writing
from lab.store.catalogue import read_catalogue
from lab.store.defaults import Defaults, read_defaults
from lab.store.lock import live_batch
from lab.store.plans import read_plan
from lab.store.registry import read_registry


@dataclass(frozen=True, slots=True)
class Opening:
    """A batch that may start: everything about it is read and checked."""

    paths: LabPaths
    batch: BatchFolder
    plan: Plan
    catalogue: Catalogue
    defaults: Defaults
    registry: Registry
    choice: Choice
    recipes: tuple[Recipe, ...]
    shards: int


def run_batch(
    paths: LabPaths,
    plan_path: Path,
    options: Options,
    listener: Listener,
    environ: Mapping[str, str],
) -> Ended:
    """Execute what is left of a plan; LabError with all of its faults before anything starts."""
    done = batch_folder.finished(paths, plan_path)
    if done is not None and not options.is_again:
        return Ended(End.COMPLETE, done, done.state(), was_finished_before=True)
    with _opened(paths, plan_path, options, environ) as opening:
        listener.said(f"executor {opening.choice.executor.name}: {opening.choice.why}")
        for rule, held in opening.choice.executor.isolation():
            if held.startswith("no"):
                listener.said(f"  not isolated: {rule}: {held}")
        with live_batch(paths, opening.batch.id):
            return _coordinate(opening, listener)


@contextmanager
def _opened(
    paths: LabPaths, plan_path: Path, options: Options, environ: Mapping[str, str]
) -> Iterator[Opening]:
    """Read and check all, make the batch's folder; the executor is closed afterwards."""
    batch = _current(paths, plan_path, is_again=options.is_again)
    plan = read_plan(plan_path)
    catalogue = read_catalogue(paths)
    defaults = read_defaults(paths, environ)
    registry = read_registry(paths)
    choice = choose(
        paths,
        options.executor,
        _stacks(plan, catalogue),
        is_unsandboxed=options.is_unsandboxed,
        processes=(options.shards or defaults.shards_local) * defaults.limits.pids,
    )
    try:
        recipes = recipes_of(plan, Recipes(paths, catalogue, choice.executor), plan_path.name)
        with writing(paths.staging):
            paths.staging.mkdir(parents=True, exist_ok=True)
        batch_folder.make(batch, plan_path)
        shards = options.shards or default_shards(choice.executor.name, defaults)
        yield Opening(paths, batch, plan, catalogue, defaults, registry, choice, recipes, shards)
    finally:
        choice.executor.close()


def _current(paths: LabPaths, plan_path: Path, *, is_again: bool) -> BatchFolder:
    """Return the batch to go on with: the latest, or a new one when that is complete."""
    known = batch_folder.generations(paths, plan_path)
    if known and not (is_again and known[-1].state().is_complete):
        return known[-1]
    return batch_folder.next_generation(paths, plan_path)


def _stacks(plan: Plan, catalogue: Catalogue) -> tuple[str, ...]:
    """Return the stacks a plan needs tools or an image for; unknown ones are told later."""
    named = (
        run.stack or catalogue.default_stack(catalogue.split_kata(run.kata)[0]) for run in plan.runs
    )
    return tuple(sorted({stack for stack in named if stack in STACKS}))


def default_shards(executor: str, defaults: Defaults) -> int:
    """Return how many runs go at once: on this machine never more than it has cores."""
    if executor == "local":
        return min(defaults.shards_local, os.cpu_count() or 1)
    return defaults.shards_docker


def _coordinate(opening: Opening, listener: Listener) -> Ended:
    """Settle what dead coordinators left, then run; the batch is marked live around this."""
    paths, batch = opening.paths, opening.batch
    is_alone = not _others(batch)
    if is_alone and read_control(batch.control).command is Command.DRAIN:
        write_control(batch.control, command=Command.RUN, shards=None)
    for name in opening.choice.executor.reap():
        listener.said(f"ended what a dead coordinator left: {name}")
    for name in remove_abandoned():
        listener.said(f"removed what a dead coordinator left: {name}")
    with closing(Journal(batch.journal)) as journal:
        dead = DeadClaims(paths, batch, journal, opening.plan, opening.catalogue)
        _tell(dead.settle(), listener)
    with closing(Journal(batch.journal)) as journal:
        claims = Claims(
            journal, opening.plan, opening.recipes, RunIds(paths), opening.defaults.breaker
        )
        plan_path, executor = str(batch.plan_path()), opening.choice.executor.name
        claims.open(plan_path, executor, opening.shards, is_alone=is_alone)
        stop = Stop()
        with _context(opening, stop) as context:
            seat = Seat(
                context,
                opening.recipes,
                claims,
                ControlWatch(batch.control),
                listener,
                opening.shards,
            )
            end = Coordinator(seat, stop).run()
        claims.close(end.value)
        return Ended(end, batch, claims.state)


def _others(batch: BatchFolder) -> bool:
    """Tell whether another coordinator is at work: an opened one that lives and has not closed."""
    here: dict[str, bool] = {}
    for line in read_journal(batch.journal):
        if line["event"] in ("opened", "closed"):
            here[str(line["owner"])] = line["event"] == "opened"
    return any(is_open and owner.is_alive(name) for name, is_open in here.items())


def _tell(found: Reconciled, listener: Listener) -> None:
    for kind, ids in (
        ("had been published before the crash", found.counted),
        ("was cut off and is kept as interrupted", found.interrupted),
        ("had been claimed but not begun", found.released),
    ):
        for run_id in ids:
            listener.said(f"{run_id} {kind}")


@contextmanager
def _context(opening: Opening, stop: Stop) -> Iterator[Context]:
    """Start what all runs share, and take it down again."""
    paths, batch, executor = opening.paths, opening.batch, opening.choice.executor
    with ExitStack() as stack:
        own = owner.current()
        slots = f"{own.pid}-{own.started}-{secrets.token_hex(3)}"
        stack.callback(_remove_slots, batch.work, slots)
        needs_sink = any(recipe.stack.IS_ANALYSED for recipe in opening.recipes)
        scratch = Scratch()
        stack.callback(scratch.close)
        gateway = stack.enter_context(Gateway()) if needs_sink else None
        yield Context(
            paths=paths,
            batch_id=batch.id,
            plan_name=opening.plan.name,
            seed=opening.plan.seed,
            executor=executor,
            isolation=executor.isolation(),
            defaults=opening.defaults,
            registry=opening.registry,
            gateway=gateway,
            skeleton=git_skeleton(scratch.folder()),
            work=batch.work,
            sockets=scratch.folder(),
            lab=provenance.lab_state(paths.repository),
            limits=provenance.limits_as_pairs(opening.defaults.limits),
            host=provenance.Host(),
            slots=slots,
            wait=stop.wait,
        )


def _remove_slots(work: Path, slots: str) -> None:
    for folder in work.glob(f"{slots}-*"):
        kept.remove(folder)
