"""Hand-made runs and pools as the original lab left them."""

import copy
import json
from collections.abc import Mapping
from pathlib import Path

from lab.importing.original import Original, read_original

RUN = "2026-05-20_10-00-00_life-prose_v1_m1"
QUESTION = """\
---
id: RQ-old
question: "Which workflow?"
factors:
  workflow: [v1, v2-pi]
controls:
  model: {any: [m1, m1-route]}
  kata_base: life
  prompt: prose
outcomes: [cc_loc, tests_passing, verification_pct, predictions_correct_rate, tdd_cycles]
min_replicates: 2
status: aktiv
---

# An old question
"""
AUGUST: Mapping[str, object] = {
    "kata": "life-prose",
    "workflow": "v1",
    "model": "m1",
    "cli_model": "claude-m1",
    "thinking": False,
    "started_at": "2026-05-20T10:00:00+00:00",
    "ended_at": "2026-05-20T10:05:00+00:00",
    "duration_seconds": 300,
    "batch_run": True,
    "plan_file": "/home/experimenter/experiments/batch-plans/old-fill.json",
    "run_status": {"exit_code": 0, "exit_reason": "ok", "rate_limited": False},
    "analyze_status": "ok",
    "final_metrics": {
        "lines_of_code": 40,
        "test_lines": 30,
        "tests_total": 5,
        "todos_remaining": 0,
        "code_mass": 100,
        "tests_passing": True,
        "verification_total": 10,
        "verification_passed": 8,
        "verification_pct": 0.8,
        "cli_built": True,
        "mccabe_max": 4,
        "mccabe_avg": 2.5,
        "mccabe_high_count": 0,
        "cognitive_max": 3,
        "cognitive_avg": 1.5,
        "cognitive_high_count": 0,
        "cost_usd": 1.25,
    },
    "coverage": {"statements_pct": 98, "branches_pct": 90},
    "code_smells": {
        "total": 3,
        "complexity": 1,
        "duplication": 0,
        "magic_numbers": 2,
        "code_quality": 0,
    },
    "clean_code": {
        "loc": 36,
        "functions": 4,
        "longest_function": 12,
        "avg_loc_per_function": 7.5,
        "median_loc_per_function": 6,
        "imports": 1,
    },
    "summary_metrics": {
        "total_tokens": 1_000_000,
        "context_utilization_pct": 46,
        "cycle_count": 5,
        "refactorings_applied": 2,
        "tests_passed_immediately": 1,
        "predictions_correct": 9,
        "predictions_total": 10,
        "avg_cycle_seconds": 50.5,
        "avg_red_seconds": 20.5,
        "avg_green_seconds": 20,
        "avg_refactor_seconds": 10,
    },
}


def august(**changes: object) -> dict[str, object]:
    """Return a metrics.json of August; "section__key" changes a value, None of a key too.

    A change to `...` removes the key.
    """
    document = copy.deepcopy(dict(AUGUST))
    for place, value in changes.items():
        *sections, key = place.split("__")
        target = document
        for section in sections:
            target = target[section]  # type: ignore[assignment]
        if value is ...:
            del target[key]
        else:
            target[key] = value
    return document


def early(**changes: object) -> dict[str, object]:
    """Return a metrics.json of early May, before three columns were added."""
    gone = {
        "analyze_status": ...,
        "final_metrics__cli_built": ...,
        "clean_code__median_loc_per_function": ...,
    }
    return august(**gone, **changes)


def october(**changes: object) -> dict[str, object]:
    """Return a metrics.json of October: stack, version, renamed and legacy columns."""
    document = august(
        stack="python-pytest",
        harness_version="2.1.267 (Claude Code)",
        summary_metrics={
            "tokens_total": 500,
            "context_utilization": 40,
            "legacy_cycle_count": 7,
            "predictions_correct": 1,
            "predictions_total": 2,
        },
        clean_code={"production_loc": 36, "functions": 4, "longest_function": 12},
    )
    document |= {"chain": {"cycles_closed": 3, "chain_opens_red": True}}
    return document | changes


SKELETON: Mapping[str, object] = {
    "kata": "life-prose",
    "workflow": "v1",
    "model": "m1",
    "cli_model": "claude-m1",
    "thinking": False,
    "started_at": "2026-05-20T18:00:00+02:00",
    "ended_at": "2026-05-20T19:00:00+02:00",
    "duration_seconds": 3600,
    "phases": [],
    "final_metrics": {"tests_total": None, "tests_passing": None, "cost_usd": 2.5},
    "run_status": {"exit_code": None, "exit_reason": "unknown", "rate_limited": False},
}


def original_of(folder: Path, document: object, run_id: str = RUN) -> Original:
    """Write a metrics.json and read it as an original."""
    path = folder / "metrics.json"
    path.write_text(json.dumps(document))
    return read_original(path, run_id)


def source_of(folder: Path, runs: Mapping[str, object], question: str = QUESTION) -> Path:
    """Lay out an original lab: runs by name (a str is written as it is), one question."""
    for name, document in runs.items():
        place = folder / "experiments" / "runs" / name
        place.mkdir(parents=True)
        text = document if isinstance(document, str) else json.dumps(document)
        (place / "metrics.json").write_text(text)
    (folder / "experiments" / "runs").mkdir(parents=True, exist_ok=True)
    place = folder / "research" / "old" / "1.1-old"
    place.mkdir(parents=True)
    (place / "README.md").write_text(question)
    (place / "findings.md").write_text("## F-1.1 — it was v1\n")
    harnesses = {"v1": ".claude", "v2-pi": ".pi", "_archive/v0": ".claude"}
    (folder / "workflow-harness.json").write_text(json.dumps(harnesses))
    return folder
