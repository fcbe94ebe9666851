"""A whole plan checked before its first run: every fault, each told once with its entries."""

from lab.domain.plan import Plan
from lab.errors import LabError
from lab.runner.recipe import Recipe, Recipes


def recipes_of(plan: Plan, recipes: Recipes, where: str) -> tuple[Recipe, ...]:
    """Return one recipe per entry; LabError with all faults of all entries."""
    found: list[Recipe] = []
    faults: dict[str, list[int]] = {}
    refused: dict[object, tuple[str, ...]] = {}
    for entry, run in enumerate(plan.runs):
        key = (run.kata, run.workflow, run.model, run.stack)
        if key not in refused:
            try:
                found.append(recipes.of(run))
                continue
            except LabError as error:
                refused[key] = error.faults
        for fault in refused[key]:
            faults.setdefault(fault, []).append(entry)
    for entries in _repeated_ids(plan):
        faults.setdefault(f"run_id {plan.runs[entries[0]].run_id} stands there twice", entries)
    if faults:
        raise LabError(f"{where}: {_entries(at)}: {fault}" for fault, at in faults.items())
    if not found:
        raise LabError(f"{where}: no runs: nothing is missing, or the plan is not filled in")
    return tuple(found)


def _repeated_ids(plan: Plan) -> tuple[list[int], ...]:
    places: dict[str, list[int]] = {}
    for entry, run in enumerate(plan.runs):
        if run.run_id is not None:
            places.setdefault(run.run_id, []).append(entry)
    return tuple(entries for entries in places.values() if len(entries) > 1)


def _entries(entries: list[int]) -> str:
    shown = ", ".join(f"runs[{entry}]" for entry in entries[:3])
    more = len(entries) - 3
    return f"{shown} and {more} more" if more > 0 else shown
