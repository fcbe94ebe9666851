"""Aggregation over a generated pool of 20,000 runs, beside json + pandas over the same files.

Each figure is the best of several rounds, ours and the rival's interleaved, so that a busy machine
disturbs both alike. Imports are rows of their own and left out elsewhere, the rival's too.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from builders.pools import cells, fill_pool
from lab.aggregation.aggregate import FILES, aggregate
from lab.paths import REPOSITORY, LabPaths
from lab.stats.quantiles import normal_quantile, t_quantile
from lab.store.questions import find_question

CELLS, REPLICATES = 400, 50
ROUNDS = 3
WARM_ROUNDS = 5
PROMPTS = ("prose", "user-story", "example-mapping")
QUESTIONS = {"RQ-some": (2, 5, 2), "RQ-all": (14, 10, 3)}
README = """\
---
id: {id}
question: How fast is the aggregation?
factors:
  model: [{models}]
  workflow: [{workflows}]
  prompt: [{prompts}]
controls:
  kata_base: game-of-life
outcomes: [tests_passing, verification_pct, tests_total, duration_seconds, tokens_total]
min_replicates: 50
---
"""
RIVAL = """
import json, os, sys, time
import pandas
started = time.perf_counter()
rows = []
for entry in os.scandir(sys.argv[1]):
    if entry.name[0] in "_." or not entry.is_dir():
        continue
    with open(f"{entry.path}/run.json") as file:
        run = json.load(file)
    with open(f"{entry.path}/metrics.json") as file:
        metrics = json.load(file)["metrics"]
    cell = {name: run[name] for name in ("kata", "workflow", "model", "exit_reason")}
    rows.append(cell | metrics)
table = pandas.DataFrame(rows)
table = table[table["exit_reason"] == "ok"].groupby(["kata", "workflow", "model"])
table[["verification_pct", "tests_total", "duration_seconds"]].agg(["count", "mean", "std"])
print(time.perf_counter() - started)
"""
IMPORT = (
    "import time; started = time.perf_counter(); import {}; print(time.perf_counter() - started)"
)
LAB = (sys.executable, "-c", "from lab.cli.main import main; main()")


def rows() -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory(prefix="lab-bench-") as folder:
        paths = LabPaths(Path(folder))
        count = fill_pool(paths, cells(CELLS), REPLICATES)
        for question, sizes in QUESTIONS.items():
            _declare(paths, question, *sizes)
        normal_quantile(), t_quantile(REPLICATES - 1)
        found = [_import_row()]
        for question in QUESTIONS:
            found += _question_rows(paths, question, count)
        return [*found, _command_row(paths)]


def _question_rows(paths: LabPaths, question: str, count: int) -> list[dict[str, Any]]:
    first, rival = _best(lambda: _first(paths, question), lambda: _rival(paths), ROUNDS)
    cold, _ = _best(lambda: _cold(paths, question), _nothing, ROUNDS)
    warm, _ = _best(lambda: _again(paths, question), _nothing, WARM_ROUNDS)
    matched = aggregate(paths, find_question(paths, question)).matched
    named = f"aggregate {matched:,} of {count:,} runs"
    pandas = "json + pandas, no intervals"
    return [
        _row(f"{named}, cold, no index", first, pandas, rival, 2.5),
        _row(f"{named}, cold", cold, pandas, rival, 2.5),
        _row(f"{named}, warm", warm, pandas, rival, 0.5),
    ]


def _import_row() -> dict[str, Any]:
    ours, rival = _best(lambda: _imported("scipy.special"), lambda: _imported("pandas"), ROUNDS)
    return _row("import scipy.special", ours, "import pandas", rival, None)


def _command_row(paths: LabPaths) -> dict[str, Any]:
    root = ("--root", str(paths.root))
    command, start = _best(
        lambda: _spend(*LAB, *root, "aggregate", "RQ-all"),
        lambda: _spend(*LAB, "--version"),
        WARM_ROUNDS,
    )
    return _row("lab aggregate, warm, whole command", command, "lab --version", start, None)


def _declare(paths: LabPaths, question: str, models: int, workflows: int, prompts: int) -> None:
    readme = paths.research / "bench" / question / "README.md"
    readme.parent.mkdir(parents=True)
    text = README.format(
        id=question,
        models=", ".join(f"model-{number}" for number in range(models)),
        workflows=", ".join(f"workflow-{number}" for number in range(workflows)),
        prompts=", ".join(PROMPTS[:prompts]),
    )
    readme.write_text(text)


def _first(paths: LabPaths, question: str) -> float:
    paths.index.unlink(missing_ok=True)
    return _cold(paths, question)


def _cold(paths: LabPaths, question: str) -> float:
    """Aggregate as if for the first time; deleting what is there is not part of the time."""
    shutil.rmtree(paths.runs / ".cache", ignore_errors=True)
    for name in FILES:
        (paths.research / "bench" / question / name).unlink(missing_ok=True)
    return _again(paths, question)


def _again(paths: LabPaths, question: str) -> float:
    started = time.perf_counter()
    aggregate(paths, find_question(paths, question))
    return time.perf_counter() - started


def _rival(paths: LabPaths) -> float:
    return float(_output(sys.executable, "-c", RIVAL, str(paths.runs)))


def _imported(module: str) -> float:
    return float(_output(sys.executable, "-c", IMPORT.format(module)))


def _spend(*command: str) -> float:
    started = time.perf_counter()
    _output(*command)
    return time.perf_counter() - started


def _output(*command: str) -> str:
    environment = {"PYTHONPATH": str(REPOSITORY / "experiments")}
    ran = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return ran.stdout


def _nothing() -> float:
    return 0.0


def _best(
    ours: Callable[[], float], rival: Callable[[], float], rounds: int
) -> tuple[float, float]:
    pairs = [(ours(), rival()) for _ in range(rounds)]
    return min(own for own, _ in pairs), min(other for _, other in pairs)


def _row(
    name: str, figure: float, rival: str, rival_figure: float, budget: float | None
) -> dict[str, Any]:
    return {
        "name": name,
        "figure": round(figure, 4),
        "unit": "s",
        "rival": rival,
        "rival_figure": round(rival_figure, 4),
        "budget": budget,
    }
