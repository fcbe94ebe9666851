"""A cell: one combination of factor levels and controls, and which runs belong to it."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from lab.domain.question import UNRECORDED, ResearchQuestion
from lab.domain.run import SELECTOR_HASHES, RunIdentity
from lab.errors import LabError

REQUIRED_AXES = ("kata_base", "workflow", "model")
NOTHING = (None,)
DefaultStack = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Cell:
    """One (kata, workflow, model ...) combination that needs min_replicates runs.

    `workflows` and `models` are alternatives: any of them matches, the first is the label.
    `stack` is the declared one, else the kata's first declared stack; None matches any stack and
    happens only where a kata declares none. `hashes` pins provenance hashes.
    """

    kata_base: str
    prompt: str | None
    workflows: tuple[str, ...]
    models: tuple[str, ...]
    stack: str | None
    harness_version: str | None = None
    hashes: tuple[tuple[str, str], ...] = ()

    @property
    def kata(self) -> str:
        return f"{self.kata_base}-{self.prompt}" if self.prompt else self.kata_base

    @property
    def workflow(self) -> str:
        return self.workflows[0]

    @property
    def model(self) -> str:
        return self.models[0]

    @property
    def key(self) -> str:
        """A readable name, unique within a question: what `lab plan --explain` takes."""
        parts = [self.kata, self.workflow, self.model]
        parts += [part for part in (self.stack, self.harness_version) if part]
        parts += [f"{name}={value}" for name, value in self.hashes]
        return " / ".join(parts)


def matches(cell: Cell, run: RunIdentity) -> bool:
    """Tell whether a run belongs to a cell, whatever its outcome."""
    return (
        run.kata == cell.kata
        and run.workflow in cell.workflows
        and run.model in cell.models
        and (cell.stack is None or run.stack == cell.stack)
        and matches_version(cell.harness_version, run.harness_version)
        and all(run.hash_of(name) == value for name, value in cell.hashes)
    )


def matches_version(wanted: str | None, recorded: str | None) -> bool:
    """Compare a bare version with the leading token of a recorded one.

    "2.1.267" matches "2.1.267 (Claude Code)"; the sentinel "unrecorded" matches an absent field.
    """
    if wanted is None:
        return True
    if not recorded or not recorded.split():
        return wanted == UNRECORDED
    return recorded.split()[0] == wanted


def expand(question: ResearchQuestion, default_stack: DefaultStack) -> tuple[Cell, ...]:
    """Expand a question to its cells, in declaration order.

    Each factor's levels are crossed; a level overrides a control of the same axis. Raises
    LabError where a cell would lack a kata, a workflow or a model.
    """
    _require_axes(question)
    controls = {setting.axis: setting.values for setting in question.controls}
    levels = [
        [{setting.axis: setting.values for setting in level} for level in factor.levels]
        for factor in question.factors
    ]
    hashes = tuple(name for name in SELECTOR_HASHES if question.declares(name))
    stack_of = cache(default_stack)
    cells = []
    for choice in itertools.product(*levels):
        chosen = controls.copy()
        for level in choice:
            chosen.update(level)
        cells.append(_cell(chosen, hashes, stack_of))
    return tuple(cells)


def _require_axes(question: ResearchQuestion) -> None:
    lacking = [axis for axis in REQUIRED_AXES if not question.declares(axis)]
    if lacking:
        raise LabError(
            f"{question.folder}/README.md: a cell has no {' and no '.join(lacking)}: "
            "name it in factors or controls"
        )


def _cell(
    chosen: dict[str, tuple[str, ...]], hashes: tuple[str, ...], default_stack: DefaultStack
) -> Cell:
    """Make a cell from values by axis; every level sets all axes of its factor."""
    kata_base = chosen["kata_base"][0]
    return Cell(
        kata_base,
        chosen.get("prompt", NOTHING)[0],
        chosen["workflow"],
        chosen["model"],
        chosen.get("stack", NOTHING)[0] or default_stack(kata_base),
        chosen.get("harness_version", NOTHING)[0],
        tuple((name, chosen[name][0]) for name in hashes) if hashes else (),
    )
