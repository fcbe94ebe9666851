"""A planning as text for people and as JSON: cells full and short, replaced, unfillable."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from lab.planning.estimate import Estimate, Sum
from lab.planning.explain import Explanation, Verdict
from lab.planning.plan import CellPlan, Planning, QuestionPlan

SHOWN = 20
HOUR = 3600


def planning_lines(planning: Planning, estimate: Estimate) -> Iterator[str]:
    """Yield the report, question by question, then what the plan will take."""
    for part in planning.questions:
        yield _headline(part)
        short = [entry for entry in part.cells if entry.missing]
        for entry in short[:SHOWN]:
            yield f"  {entry.number}: {entry.cell.key}: {_state(entry)}"
        if len(short) > SHOWN:
            yield f"  ... and {len(short) - SHOWN} more short cells (--json lists them)"
    yield _expected(estimate)


def planning_document(planning: Planning, estimate: Estimate) -> dict[str, Any]:
    """Return the same as JSON-ready values; what is unknown is null."""
    return {
        "questions": [
            {
                "id": part.question.id,
                "closed": part.question.closed,
                "min_replicates": part.question.min_replicates,
                "cells": [_cell_document(entry) for entry in part.cells],
            }
            for part in planning.questions
        ],
        "expected": {
            "runs": estimate.runs,
            "seconds": estimate.seconds.total,
            "seconds_known_for_runs": estimate.seconds.known,
            "cost_usd": estimate.cost_usd.total,
            "cost_known_for_runs": estimate.cost_usd.known,
        },
    }


def explanation_lines(explanation: Explanation) -> Iterator[str]:
    entry = explanation.entry
    yield f"cell {entry.number}: {entry.cell.key}"
    yield f"  {_state(entry)}"
    yield from _verdicts("counts", explanation.counted)
    yield from _verdicts("does not count", explanation.not_counted)
    yield from _verdicts("does not match, though kata, workflow and model do", explanation.near)
    for axis, count in explanation.one_axis_off:
        yield f"  {count} more ok runs differ in the {axis} only"


def explanation_document(explanation: Explanation) -> dict[str, Any]:
    return {
        "schema_version": 1,
        **_cell_document(explanation.entry),
        "counted": [verdict.run_id for verdict in explanation.counted],
        "not_counted": _pairs(explanation.not_counted),
        "near": _pairs(explanation.near),
        "one_axis_off": dict(explanation.one_axis_off),
    }


def _headline(part: QuestionPlan) -> str:
    cells = part.cells
    runs = sum(len(entry.coverage.runs) for entry in cells)
    usable = sum(entry.coverage.usable for entry in cells)
    start = f"{part.question.id}: {_count(len(cells), 'cell')}"
    pool = f"{_count(runs, 'run')} matched, {usable} ok"
    if part.question.closed:
        return f"{start}, closed ({part.question.closed}): nothing is planned; {pool}"
    unfillable = sum(1 for entry in cells if entry.unfillable)
    full = sum(1 for entry in cells if entry.is_full)
    lost = f" ({unfillable} unfillable)" if unfillable else ""
    counts = f"{full} full, {len(cells) - full} short{lost}"
    return f"{start}, {counts} at {part.question.min_replicates} per cell; {pool}"


def _state(entry: CellPlan) -> str:
    start = f"{entry.coverage.usable} ok of {entry.coverage.usable + entry.missing}"
    if entry.is_full:
        return f"full, {entry.coverage.usable} ok"
    if entry.unfillable:
        return f"{start}; UNFILLABLE: {entry.unfillable}"
    parts = [start, f"{entry.planned} planned"]
    if entry.shared:
        parts.append(f"{entry.shared} shared with other questions' runs")
    failures = _failures(entry)
    if failures:
        listed = ", ".join(f"{count} {reason}" for reason, count in failures.items())
        parts.append(f"replaces {listed}")
    if entry.choice and entry.choice.run and entry.choice.relabelled:
        run = entry.choice.run
        parts.append(f"runs as {run.workflow} / {run.model}, because {entry.choice.relabelled}")
    return "; ".join(parts)


def _failures(entry: CellPlan) -> dict[str, int]:
    reasons = Counter(run.exit_reason or "unknown" for run in entry.coverage.failures)
    return dict(sorted(reasons.items()))


def _cell_document(entry: CellPlan) -> dict[str, Any]:
    choice = entry.choice
    return {
        "number": entry.number,
        "key": entry.cell.key,
        "matched": len(entry.coverage.runs),
        "usable": entry.coverage.usable,
        "failures": _failures(entry),
        "missing": entry.missing,
        "planned": entry.planned,
        "shared": entry.shared,
        "unfillable": entry.unfillable,
        "relabelled": choice.relabelled if choice else None,
        "runs_as": {"workflow": choice.run.workflow, "model": choice.run.model}
        if choice and choice.run
        else None,
    }


def _expected(estimate: Estimate) -> str:
    runs = _count(estimate.runs, "run")
    if not estimate.runs:
        return f"{runs} planned"
    time = _known(estimate.seconds, estimate.runs, _hours)
    money = _known(estimate.cost_usd, estimate.runs, lambda dollars: f"{dollars:.2f} USD")
    return f"{runs} planned; expected running time {time}; expected cost {money}"


def _known(part: Sum, runs: int, render: Any) -> str:
    if part.total is None:
        return "unknown"
    rest = runs - part.known
    return f"{render(part.total)}" + (f" and unknown for {_count(rest, 'run')}" if rest else "")


def _hours(seconds: float) -> str:
    if seconds < HOUR:
        return f"{max(seconds / 60, 0.1):.1f} min"
    return f"{seconds / HOUR:.1f} h"


def _verdicts(title: str, verdicts: tuple[Verdict, ...]) -> Iterator[str]:
    if verdicts:
        yield f"  {title} ({len(verdicts)}):"
    for verdict in verdicts:
        yield f"    {verdict.run_id}: {verdict.reason}"


def _pairs(verdicts: tuple[Verdict, ...]) -> list[dict[str, str]]:
    return [{"run_id": verdict.run_id, "reason": verdict.reason} for verdict in verdicts]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
