"""Which run fills a cell: the first of its alternatives that can run and that the cell takes."""

from collections.abc import Collection
from dataclasses import dataclass

from lab.domain.catalogue import Catalogue, Kata, Workflow
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


def choose(cell: Cell, rules: Rules) -> Choice:
    """Choose the run that adds a replicate to a cell.

    In an imported lab root there is no catalogue: the label is taken as it is.
    """
    if rules.catalogue.is_imported:
        return _imported(cell, rules.catalogue)
    fault = _kata_fault(cell, rules)
    if fault:
        return Choice(None, unfillable=fault)
    passed_over: list[str] = []
    for workflow in cell.workflows:
        row = rules.catalogue.workflow(workflow)
        fault = _workflow_fault(cell, workflow, row, rules)
        if fault or row is None:
            passed_over.append(fault or "")
            continue
        for model in cell.models:
            fault = _model_fault(rules.catalogue, model, row)
            if fault:
                passed_over.append(fault)
                continue
            run = PlannedRun(cell.kata, workflow, model, cell.stack)
            is_label = (workflow, model) == (cell.workflow, cell.model)
            return Choice(run, relabelled=None if is_label else passed_over[0])
    return Choice(None, unfillable="; ".join(dict.fromkeys(passed_over)))


def _imported(cell: Cell, catalogue: Catalogue) -> Choice:
    row = catalogue.workflow(cell.workflow)
    if row and row.is_archived:
        return Choice(None, unfillable=f"the workflow {cell.workflow} is archived")
    return Choice(PlannedRun(cell.kata, cell.workflow, cell.model, cell.stack))


def _kata_fault(cell: Cell, rules: Rules) -> str | None:
    kata: Kata | None = rules.catalogue.kata(cell.kata_base)
    if kata is None:
        return f"there is no kata {cell.kata_base}"
    if cell.prompt not in kata.prompts:
        return f"the kata {kata.base} has no prompt {cell.prompt or '(none named)'}"
    if cell.stack not in kata.stacks and cell.stack not in rules.free_stacks:
        return f"the kata {kata.base} is not made for the stack {cell.stack}"
    return None


def _workflow_fault(cell: Cell, name: str, row: Workflow | None, rules: Rules) -> str | None:
    if row is None:
        return f"there is no workflow {name}"
    if row.is_archived:
        return f"the workflow {name} is archived"
    if cell.harness_version or cell.hashes:
        return refusal(cell, rules.stamp(cell, row))
    return None


def _model_fault(catalogue: Catalogue, name: str, workflow: Workflow) -> str | None:
    row = catalogue.model(name)
    if row is None:
        return f"there is no model {name}"
    if row.is_archived:
        return f"the model {name} is archived"
    if workflow.harness not in row.harnesses:
        return f"{workflow.harness} cannot run the model {name}"
    return None
