"""summary.json: the summary as plain data; the site and the analyses read it."""

import json
from operator import itemgetter

from lab.aggregation.canonical import frontmatter
from lab.aggregation.summary import CellSummary, Counts, Summary, SummaryWarning
from lab.domain.metric import MetricRow
from lab.stats.describe import OutcomeStatistics
from lab.stats.interval import Interval
from lab.stats.sample import rounded

SCHEMA_VERSION = 1
# Raise it when the same runs would give other numbers.
AGGREGATION = "aggregation@1"
# How many levels below a key are indented; one is the default.
LEVELS = {"question": 2, "cells": 3}
encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
Document = dict[str, object]


def render(summary: Summary) -> str:
    """Return the text of summary.json: no commit, host or time, so equal input gives equal bytes.

    One line per run and per outcome of a cell: a pool of 20,000 stays readable, a new run changes
    few lines, and the standard library's fast encoder does the work. `contrasts` stays empty until
    a question can declare comparisons.
    """
    parts = (
        f" {encode(key)}: {_laid_out(value, LEVELS.get(key, 1), 1)}"
        for key, value in document(summary).items()
    )
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _laid_out(value: object, levels: int, depth: int) -> str:
    """Indent the outer levels by one blank each; what lies deeper stands on one line."""
    if not levels or not value or not isinstance(value, (dict, list)):
        return encode(value)
    pad = "\n" + " " * (depth + 1)
    if isinstance(value, dict):
        items = (
            f"{pad}{encode(key)}: {_laid_out(item, levels - 1, depth + 1)}"
            for key, item in value.items()
        )
        return "{" + ",".join(items) + "\n" + " " * depth + "}"
    listed = (pad + _laid_out(item, levels - 1, depth + 1) for item in value)
    return "[" + ",".join(listed) + "\n" + " " * depth + "]"


def document(summary: Summary) -> Document:
    """Return the summary as JSON data; `runs` name their cell by its place in `cells`."""
    outcomes = zip(summary.outcomes, summary.measured_by, strict=True)
    return {
        "schema_version": SCHEMA_VERSION,
        "made_by": AGGREGATION,
        "question": frontmatter(summary.question),
        "counts": {
            "cells": len(summary.cells),
            "declared": sum(cell.declared for cell in summary.cells),
            "matched": summary.matched,
            "ok": summary.ok,
        },
        "outcomes": [_outcome(row, codes) for row, codes in outcomes],
        "cells": [_cell(cell, summary.outcomes) for cell in summary.cells],
        "contrasts": [],
        "warnings": [_warning(warning) for warning in summary.warnings],
        "runs": _runs(summary),
    }


def _outcome(row: MetricRow, codes: Counts) -> Document:
    return {
        "id": row.id,
        "term": row.term,
        "kind": row.kind.value,
        "unit": row.unit,
        "direction": row.direction.value,
        "scale": row.scale.value,
        "group": row.group,
        "gate": row.gate,
        "version": row.version,
        "measured_by": dict(codes),
    }


def _cell(part: CellSummary, outcomes: tuple[MetricRow, ...]) -> Document:
    cell = part.cell
    pairs = zip(outcomes, part.statistics, strict=True)
    return {
        "key": cell.key,
        "kata": cell.kata,
        "kata_base": cell.kata_base,
        "prompt": cell.prompt,
        "workflow": cell.workflow,
        "workflows": list(cell.workflows),
        "model": cell.model,
        "models": list(cell.models),
        "stack": cell.stack,
        "harness_version": cell.harness_version,
        "hashes": dict(cell.hashes),
        "declared": part.declared,
        "matched": part.matched,
        "ok": part.ok,
        "by_exit_reason": dict(part.by_exit_reason),
        "by_completion": dict(part.by_completion),
        "timeouts": {
            "n": part.timeouts,
            "share": _share(part),
            "interval": _interval(part.timeout_interval),
        },
        "outcomes": {row.id: _statistics(found) for row, found in pairs},
    }


def _share(part: CellSummary) -> float | None:
    return rounded(part.timeouts / part.matched) if part.matched else None


def _statistics(found: OutcomeStatistics) -> Document:
    return {
        "n": found.n,
        "nulls": dict(found.nulls),
        "mean": found.mean,
        "sd": found.deviation,
        "median": found.median,
        "min": found.low,
        "max": found.high,
        "lower_quartile": found.lower_quartile,
        "upper_quartile": found.upper_quartile,
        "geometric_mean": found.geometric_mean,
        "hits": found.hits,
        "tries": found.tries,
        "interval": _interval(found.interval),
    }


def _interval(interval: Interval | None) -> Document | None:
    if interval is None:
        return None
    return {
        "low": interval.low,
        "high": interval.high,
        "of": interval.of,
        "method": interval.method,
        "note": interval.note,
    }


def _warning(warning: SummaryWarning) -> Document:
    return {
        "code": warning.code,
        "text": warning.text,
        "cells": list(warning.cells),
        "outcome": warning.outcome,
    }


def _runs(summary: Summary) -> list[Document]:
    rows: list[Document] = [
        {
            "run_id": run.run_id,
            "cell": number,
            "exit_reason": run.exit_reason,
            "completion": run.completion,
        }
        for number, part in enumerate(summary.cells)
        for run in part.runs
    ]
    return sorted(rows, key=itemgetter("run_id"))
