"""Lint of a question's shape: factors, controls, and cells that get into each other's way."""

import itertools
from collections.abc import Iterator

from lab.domain.cell import Cell
from lab.planning.remark import Remark
from lab.planning.subject import Subject

SHOWN = 5


def lint_cells(subject: Subject) -> Iterator[Remark]:
    yield from _axes_set_twice(subject)
    yield from _single_levels(subject)
    yield from _overlaps(subject)


def _axes_set_twice(subject: Subject) -> Iterator[Remark]:
    """A factor's axis must be no control, and no axis of another factor."""
    controls = {setting.axis for setting in subject.question.controls}
    owners: dict[str, str] = {}
    for factor in subject.question.factors:
        for axis in factor.axes:
            if axis in controls:
                message = f"{axis} is a control and also varies in the factor {factor.name}"
                yield subject.error(f"controls/{axis}", "control-is-factor", message)
            other = owners.setdefault(axis, factor.name)
            if other != factor.name:
                message = f"{axis} varies in two factors: {other} and {factor.name}"
                yield subject.error(f"factors/{factor.name}", "contradictory-cells", message)


def _single_levels(subject: Subject) -> Iterator[Remark]:
    if not subject.question.factors:
        message = "nothing varies: a question compares at least two cells"
        yield subject.warning("factors", "one-level-factor", message)
    for factor in subject.question.factors:
        if len(factor.levels) == 1:
            message = f"the factor {factor.name} has one value: that is a control"
            yield subject.warning(f"factors/{factor.name}", "one-level-factor", message)


def _overlaps(subject: Subject) -> Iterator[Remark]:
    """Two cells must not be the same, nor be able to match the same run."""
    found = list(_overlapping_pairs(subject.cells))
    for first, second in found[:SHOWN]:
        if subject.cells[first] == subject.cells[second]:
            what, rule = "are the same", "duplicate-cells"
            names = subject.cells[first].key
        else:
            what, rule = "can match the same run", "overlapping-cells"
            names = f"{subject.cells[first].key} and {subject.cells[second].key}"
        message = f"cells {first + 1} and {second + 1} {what}: {names}"
        yield subject.error("factors", rule, message)
    if len(found) > SHOWN:
        message = f"{len(found) - SHOWN} more pairs of cells can match the same run"
        yield subject.error("factors", "overlapping-cells", message)


def _overlapping_pairs(cells: tuple[Cell, ...]) -> Iterator[tuple[int, int]]:
    by_key: dict[tuple[str, str, str], list[int]] = {}
    for number, cell in enumerate(cells):
        for workflow, model in itertools.product(cell.workflows, cell.models):
            by_key.setdefault((cell.kata, workflow, model), []).append(number)
    pairs = {
        pair
        for numbers in by_key.values()
        for pair in itertools.combinations(dict.fromkeys(numbers), 2)
        if _can_share(cells[pair[0]], cells[pair[1]])
    }
    yield from sorted(pairs)


def _can_share(first: Cell, second: Cell) -> bool:
    """Tell whether one run can fit both, given that kata, workflow and model do."""
    hashes = dict(first.hashes)
    return (
        _agree(first.stack, second.stack)
        and _agree(first.harness_version, second.harness_version)
        and all(_agree(hashes.get(name), value) for name, value in second.hashes)
    )


def _agree(first: str | None, second: str | None) -> bool:
    return first is None or second is None or first == second
