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
Row = Mapping[str, object]
Key = tuple[str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Preflight:
    """Its `loaded` and `baseline` lines; or why nothing may be spent on this stack yet."""

    lines: tuple[Row, ...]
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
        received = context.gateway.close(name)
        kept.remove(folders.sockets)
    lines, _ = read_events(place.events, recipe.stack)
    output = folders.log.read_bytes() if folders.log.exists() else b""
    kept.remove(place.folder)
    kept.remove(folders.state.parent)
    rows = tuple(line for line in lines if isinstance(line, dict))
    failure = _failure(recipe.stack, rows, result, received.faults)
    seconds = time.monotonic() - began
    if failure is None:
        return Preflight(_first_lines(rows), seconds)
    detail = f": {result.detail}" if result.detail else ""
    return Preflight((), seconds, f"preflight: {failure}{detail}", output)


def _failure(
    stack: Stack, rows: tuple[Row, ...], result: AttemptResult, sink_faults: tuple[str, ...]
) -> str | None:
    """Say why nothing may be spent on this stack yet; None = it works."""
    if result.ending is not Ending.EXITED:
        return f"the test command did not end by itself ({result.ending.value})"
    if result.exit_code not in stack.EMPTY_EXIT_CODES:
        return f"the test command failed on the untouched template (exit {result.exit_code})"
    if sink_faults:
        return f"its events did not arrive as they should: {sink_faults[0]}"
    if len(_first_lines(rows)) < len(KINDS):
        return f"the reporter was not loaded (repair: lab setup {stack.ID})"
    return None


def _first_lines(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Return the first line of each kind that a preflight tells."""
    found = (next((row for row in rows if row.get("kind") == kind), None) for kind in KINDS)
    return tuple(row for row in found if row is not None)
