"""One attempt: prepare a clean workspace, execute, read the evidence, look for tampering, judge."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lab.chain.stream import EventStream
from lab.domain.attempt import AttemptResult, AttemptSpec, Evidence
from lab.domain.outcome import Completion, ExitReason, is_replicate
from lab.gateway.client import SPOOL_NAME, reporter_variables
from lab.gateway.event_file import EventFile
from lab.gateway.evidence import ADDED
from lab.harnesses.protocol import Invocation
from lab.paths import RunPaths
from lab.runner import detections, kept, senders, signs
from lab.runner.context import Context
from lab.runner.detections import Witnessed
from lab.runner.executor import Folders, View
from lab.runner.file_tree import Changes, File, FileTree, Start, compare, lay_out, write_file
from lab.runner.outcome import Verdict, completion_of, decide
from lab.runner.recipe import PROMPT, Recipe
from lab.stacks.protocol import Tools

Body = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Order:
    """Which attempt of which run, and the preflight's lines that come first in its events.

    `slot` names the folder, below the batch's own, of what the attempt needs besides the run; the
    slot's next run takes it over empty.
    """

    run_id: str
    staged: RunPaths
    slot: str
    number: int
    preflight: tuple[Body, ...] = ()


@dataclass(frozen=True, slots=True)
class Attempted:
    """All that an attempt told."""

    result: AttemptResult
    evidence: Evidence
    verdict: Verdict
    completion: Completion
    detections: tuple[str, ...]
    warnings: tuple[str, ...]
    stream: EventStream
    transcripts: tuple[Path, ...] = ()


def attempt(context: Context, recipe: Recipe, order: Order) -> Attempted:
    """Execute one attempt in the run's staging folder; nothing of it runs afterwards."""
    staged = order.staged
    folders = folders_of(context, order)
    view = context.executor.view(folders)
    start, invocation = _prepare(context, recipe, folders, order, view)
    spec = spec_of(context, recipe, order, folders, {**invocation.environment})
    watched = recipe.tools.reporter if _is_host(recipe.tools) else None
    before = watched and detections.reporter_signature(watched)
    result, faults = _execute(context, recipe, order, spec)
    is_changed = bool(watched) and before != detections.reporter_signature(watched or "")
    changes = compare(folders.workspace, start, recipe.template.ignored)
    witnessed = detections.witness(staged.events, recipe.stack, len(order.preflight), faults)
    found = detections.detect(witnessed, folders.workspace, is_changed)
    attempted = _judge(recipe, folders, result, changes, witnessed, found)
    kept.copy_transcripts(staged.folder, folders.state, attempted.transcripts)
    if os.listdir(folders.state):
        kept.remove(folders.state)
    return attempted


def folders_of(context: Context, order: Order) -> Folders:
    """Draw what belongs to one attempt."""
    own = context.work / order.slot
    return Folders(
        workspace=order.staged.workspace,
        state=own / "state",
        sockets=context.sockets / _short(order.run_id),
        invocation=own / "invocation.sh",
        log=order.staged.log,
    )


def _short(run_id: str) -> str:
    return hashlib.sha256(run_id.encode()).hexdigest()[:12]


def _is_host(tools: Tools) -> bool:
    return bool(tools.reporter) and not tools.is_image


def _prepare(
    context: Context, recipe: Recipe, folders: Folders, order: Order, view: View
) -> tuple[Start, Invocation]:
    request = recipe.request(order.run_id, view)
    prepared = recipe.harness.prepare(request)
    prompt = recipe.prompt_text.encode()
    own = FileTree(
        (File(PROMPT, prompt), *(File(path, content) for path, content in prepared.files))
    )
    start = lay_out(folders.workspace, (recipe.template, context.skeleton, own))
    if not folders.state.is_dir():
        folders.state.mkdir(parents=True)
    invocation = recipe.harness.invocation(request)
    write_file(str(folders.invocation), invocation.script.encode("utf-8", "surrogateescape"))
    write_file(str(order.staged.prompt), prompt)
    return start, invocation


def _execute(
    context: Context, recipe: Recipe, order: Order, spec: AttemptSpec
) -> tuple[AttemptResult, tuple[str, ...]]:
    """Run it; also returns what went wrong with its events on the way."""
    if context.gateway is None or not recipe.stack.IS_ANALYSED:
        return context.executor.run(spec), ()
    events = order.staged.events
    put_first(events, order.preflight)
    context.gateway.open(order.run_id, spec.sockets, events)
    try:
        result = context.executor.run(spec)
    finally:
        received = context.gateway.close(order.run_id)
        kept.remove(spec.sockets)
    return result, received.faults


def put_first(events: Path, lines: tuple[Body, ...]) -> None:
    """Begin an event file with the preflight's lines, numbered and chained anew."""
    file = EventFile(events)
    for line in lines:
        peer = line.get("peer")
        body = {key: value for key, value in line.items() if key not in ADDED}
        file.append(body, peer if isinstance(peer, dict) else None)


def spec_of(
    context: Context,
    recipe: Recipe,
    order: Order,
    folders: Folders,
    extra: Mapping[str, str],
) -> AttemptSpec:
    """Write down all that the executor needs; nothing of the host's own environment is in it."""
    view = context.executor.view(folders)
    environment = dict(recipe.stack.environment(recipe.tools))
    if recipe.stack.IS_ANALYSED:
        environment |= reporter_variables(view.socket, view.spool, view.workdir)
    environment |= extra
    return AttemptSpec(
        run_id=order.run_id,
        batch_id=context.batch_id,
        number=order.number,
        stack=recipe.stack.ID,
        harness=recipe.harness.ID,
        workspace=folders.workspace,
        state=folders.state,
        sockets=folders.sockets,
        spool=folders.sockets / SPOOL_NAME,
        invocation=folders.invocation,
        log=folders.log,
        environment=tuple(environment.items()),
        limits=context.defaults.limits,
        image=recipe.hash_of("image_digest"),
    )


def _judge(
    recipe: Recipe,
    folders: Folders,
    result: AttemptResult,
    changes: Changes,
    witnessed: Witnessed,
    found: tuple[str, ...],
) -> Attempted:
    collected = recipe.harness.collect(folders.log, folders.state)
    collected = replace(collected, transcripts=kept.ordinary(folders.state, collected.transcripts))
    evidence = recipe.harness.evidence(collected, result)
    completion = completion_of(changes.paths, evidence.is_unfinished, recipe.stack)
    verdict = decide(result, evidence, recipe.harness.CAPABILITIES, completion, found)
    if witnessed.loss and is_replicate(verdict.exit_reason):
        verdict = Verdict(ExitReason.DISK_FULL, witnessed.loss)
    return Attempted(
        result=result,
        evidence=evidence,
        verdict=verdict,
        completion=completion,
        detections=(*found, *detections.sink_troubles(witnessed)),
        warnings=(
            *evidence.warnings,
            *signs.of_process(result),
            *signs.of_workspace(folders.workspace, changes),
            *signs.of_suites(witnessed.stream, changes, recipe.stack),
            *senders.oddities(witnessed.rows),
        ),
        stream=witnessed.stream,
        transcripts=collected.transcripts,
    )
