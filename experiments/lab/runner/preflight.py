"""The toolchain tried on the untouched template, once per stack, template and image of a batch."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass

from lab.domain.attempt import AttemptResult, Ending
from lab.paths import RunPaths
from lab.runner import kept
from lab.runner.attempt import Order, folders_of, spec_of
from lab.runner.context import Context
from lab.runner.detections import read_events
from lab.runner.file_tree import lay_out
from lab.runner.recipe import Recipe
from lab.stacks.protocol import Stack

SCRIPT = "exec {command} </dev/null\n"
VARIABLE = "LAB_PREFLIGHT"
KINDS = ("loaded", "baseline")
Key = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Preflight:
    """Its `loaded` and `baseline` lines; or why nothing may be spent on this stack yet."""

    lines: tuple[Mapping[str, object], ...]
    seconds: float
    failure: str | None = None
    output: bytes = b""


NOT_NEEDED = Preflight((), 0.0)


class Preflights:
    """Runs each preflight when it is first asked for; others who need it wait for it."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._turn = threading.Lock()
        self._done: dict[Key, Preflight] = {}

    def of(self, recipe: Recipe) -> Preflight:
        """Return the preflight of a recipe's stack."""
        if not recipe.stack.IS_ANALYSED:
            return NOT_NEEDED
        key = (recipe.stack.ID, recipe.hash_of("template_sha"), recipe.hash_of("image_digest"))
        with self._turn:
            if key not in self._done:
                self._done[key] = preflight(self._context, recipe)
            return self._done[key]


def preflight(context: Context, recipe: Recipe) -> Preflight:
    """Lay out the template, run the test command once, and look at what the reporter sent."""
    began = time.monotonic()
    name = f"{context.slots}-preflight-{recipe.stack.ID}"
    place = RunPaths(context.work / f"{name}-run")
    order = Order(name, place, name, 1)
    folders = folders_of(context, order)
    place.folder.mkdir()
    lay_out(folders.workspace, (recipe.template, context.skeleton))
    folders.state.mkdir(parents=True)
    script = SCRIPT.format(command=recipe.stack.TEST_COMMAND)
    folders.invocation.write_text(script, encoding="utf-8")
    spec = spec_of(context, recipe, order, folders, {VARIABLE: "1"})
    assert context.gateway is not None
    context.gateway.open(name, folders.sockets, place.events)
    try:
        result = context.executor.run(spec)
    finally:
        context.gateway.close(name)
        kept.remove(folders.sockets)
    lines, _ = read_events(place.events, recipe.stack)
    output = folders.log.read_bytes() if folders.log.exists() else b""
    kept.remove(place.folder)
    kept.remove(folders.state.parent)
    return _judged(recipe.stack, lines, result, output, time.monotonic() - began)


def _judged(
    stack: Stack, lines: tuple[object, ...], result: AttemptResult, output: bytes, seconds: float
) -> Preflight:
    rows = tuple(line for line in lines if isinstance(line, dict))
    first = tuple(row for kind in KINDS for row in [_first(rows, kind)] if row is not None)
    if result.ending is not Ending.EXITED:
        failure = f"the test command did not end by itself ({result.ending.value})"
    elif result.exit_code not in stack.EMPTY_EXIT_CODES:
        failure = f"the test command failed on the untouched template (exit {result.exit_code})"
    elif len(first) < len(KINDS):
        failure = f"the reporter was not loaded (repair: lab setup {stack.ID})"
    else:
        return Preflight(first, seconds)
    detail = f": {result.detail}" if result.detail else ""
    return Preflight((), seconds, f"preflight: {failure}{detail}", output)


def _first(rows: tuple[Mapping[str, object], ...], kind: str) -> Mapping[str, object] | None:
    return next((row for row in rows if row.get("kind") == kind), None)
