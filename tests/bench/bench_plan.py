"""Planning 50 questions of 1,000 cells against 20,000 runs, beside one pass over the pool each.

Parsing the questions and reading the runs' identities from the index are inside the figure; so is
the rival's reading. The rival compares every run with every cell by a dictionary per question, as
a straightforward planner would, and chooses no order and no alternatives.
"""

import tempfile
import time
from pathlib import Path
from typing import Any

from builders.declared import catalogue, kata, model, source_of, workflow
from builders.fresh_runs import rules
from builders.pools import cells, fill_pool
from lab.domain.cell import expand
from lab.domain.coverage import group_runs
from lab.paths import LabPaths
from lab.planning.plan import plan_questions
from lab.store.pool import Pool

QUESTIONS = 50
MODELS, WORKFLOWS, PROMPTS = 20, 25, ("prose", "user-story")
RUNS = 20_000
POOL_CELLS = 400
ROUNDS = 3


def rows() -> list[dict[str, Any]]:
    known = catalogue(
        kata("game-of-life", prompts=PROMPTS),
        *(workflow(f"workflow-{number}") for number in range(WORKFLOWS)),
        *(model(f"model-{number}") for number in range(MODELS)),
    )
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as folder:
        paths = LabPaths(Path(folder))
        fill_pool(paths, cells(POOL_CELLS), RUNS // POOL_CELLS)
        Pool(paths).identities()
        pairs = [(_ours(paths, known), _rival(paths, known)) for _ in range(ROUNDS)]
    return [
        {
            "name": f"plan {QUESTIONS} x 1,000 cells, {RUNS:,} runs",
            "figure": round(min(own for own, _ in pairs), 3),
            "unit": "s",
            "rival": "one pass per question",
            "rival_figure": round(min(other for _, other in pairs), 3),
            "budget": 2.0,
        }
    ]


def _frontmatter(number: int) -> tuple[str, str]:
    models = ", ".join(f"model-{index}" for index in range(MODELS))
    workflows = ", ".join(f"workflow-{index}" for index in range(WORKFLOWS))
    head = f"id: RQ-{number}\nquestion: q\noutcomes: [tests_passing]\nmin_replicates: 60\n"
    body = (
        f"factors:\n  model: [{models}]\n  workflow: [{workflows}]\n"
        f"  prompt: [{', '.join(PROMPTS)}]\ncontrols: {{kata_base: game-of-life}}\n"
    )
    return body, head


def _questions() -> list[Any]:
    return [
        source_of(*_frontmatter(number), folder=f"t/{number}-a").question
        for number in range(QUESTIONS)
    ]


def _ours(paths: LabPaths, known: Any) -> float:
    started = time.perf_counter()
    groups = group_runs(Pool(paths).identities())
    planning = plan_questions(_questions(), groups, rules(known))
    spent = time.perf_counter() - started
    assert planning is not None
    return spent


def _rival(paths: LabPaths, known: Any) -> float:
    started = time.perf_counter()
    runs = Pool(paths).identities()
    for question in _questions():
        wanted = {
            (cell.kata, cell.workflow, cell.model, cell.stack): 0
            for cell in expand(question, known.default_stack)
        }
        for run in runs:
            key = (run.kata, run.workflow, run.model, run.stack)
            if run.exit_reason == "ok" and key in wanted:
                wanted[key] += 1
    return time.perf_counter() - started
