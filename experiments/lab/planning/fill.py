"""Which run fills a cell: the first of its alternatives that can run and that the cell takes."""

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache

from lab.domain.catalogue import Catalogue
from lab.domain.cell import Cell
from lab.domain.plan import PlannedRun
from lab.planning.fresh import Stamp, refusal


@dataclass(frozen=True, slots=True)
class Rules:
    """What filling needs to know. `free_stacks` fit every kata (no template, no analysis)."""

    catalogue: Catalogue
    stamp: Stamp
    free_stacks: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A run, or why there is none. `relabelled` says why the cell's label was passed over."""

    run: PlannedRun | None
    unfillable: str | None = None
    relabelled: str | None = None


class Chooser:
    """Chooses the run that adds a replicate to a cell; remembers what it found out about names.

    In an imported lab root there is no catalogue: the label is taken as it is.
    """

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._workflows = {row.id: row for row in rules.catalogue.workflows}
        self._models = {row.id: row for row in rules.catalogue.models}
        self._kata_fault = cache(self._find_kata_fault)
        self._pair_fault = cache(self._find_pair_fault)

    def choose(self, cell: Cell) -> Choice:
        if self._rules.catalogue.is_imported:
            return self._imported(cell)
        fault = self._kata_fault(cell.kata_base, cell.prompt, cell.stack)
        if fault:
            return Choice(None, fault)
        passed_over: list[str] = []
        for workflow in cell.workflows:
            refused = self._refusal(cell, workflow)
            for model in cell.models:
                fault = self._pair_fault(workflow, model) or refused
                if fault is None:
                    run = PlannedRun(cell.kata, workflow, model, cell.stack)
                    return Choice(run, None, passed_over[0] if passed_over else None)
                passed_over.append(fault)
        return Choice(None, "; ".join(dict.fromkeys(passed_over)))

    def _imported(self, cell: Cell) -> Choice:
        row = self._workflows.get(cell.workflow)
        if row and row.is_archived:
            return Choice(None, f"the workflow {cell.workflow} is archived")
        return Choice(PlannedRun(cell.kata, cell.workflow, cell.model, cell.stack))

    def _refusal(self, cell: Cell, workflow: str) -> str | None:
        row = self._workflows.get(workflow)
        if row is None or not (cell.harness_version or cell.hashes):
            return None
        return refusal(cell, self._rules.stamp(cell, row))

    def _find_kata_fault(self, base: str, prompt: str | None, stack: str | None) -> str | None:
        kata = self._rules.catalogue.kata(base)
        if kata is None:
            return f"there is no kata {base}"
        if kata.is_archived:
            return f"the kata {base} is archived"
        if prompt not in kata.prompts:
            return f"the kata {base} has no prompt {prompt or '(none named)'}"
        if stack not in kata.stacks and stack not in self._rules.free_stacks:
            return f"the kata {base} is not made for the stack {stack}"
        return None

    def _find_pair_fault(self, workflow: str, model: str) -> str | None:
        row, variant = self._workflows.get(workflow), self._models.get(model)
        if row is None:
            return f"there is no workflow {workflow}"
        if row.is_archived:
            return f"the workflow {workflow} is archived"
        if variant is None:
            return f"there is no model {model}"
        if variant.is_archived:
            return f"the model {model} is archived"
        if row.harness not in variant.harnesses:
            return f"{row.harness} cannot run the model {model}"
        return None
